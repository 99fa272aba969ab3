"""The cues of acts and claims: lists of short patterns, one a line. Latin ones stand as words, case does not matter.

`~` is written for up to two words between, `¬` for a negation, with or without its apostrophe.
"""

from __future__ import annotations

import re

NEGATION = r"(?:not|never|cannot|(?:do|does|did|is|are|wo|would|could|ca|should|have|has)n'?t)"


def cues(lines: str) -> re.Pattern[str]:
    """One pattern of many."""
    parts = [line.strip().replace("~", r"(?:\w+ ){0,2}?").replace("¬", NEGATION) for line in lines.strip().splitlines()]
    latin = "|".join(part for part in parts if part.isascii())
    han = [part for part in parts if not part.isascii()]
    return re.compile("|".join([rf"(?<![a-z'])(?:{latin})(?![a-z])", *han]), re.IGNORECASE)


# Stances --------------------------------------------------------------------------------------------------------------

AGREES = cues(r"""
    deal
    agreed?
    accepted
    i(?:'ll| will| can| could)? (?:accept|agree|take it|take that|take the deal)
    you(?:'ve)? got (?:it|a deal)
    (?:that|it|this|which)(?:'s|s| is| would be| will be)? ~(?:works?|fine|ok|okay|fair|good|great|perfect|reasonable)
    (?:that|it|this|which)(?:'s|s| is| would be| will be)? ~(?:wonderful|awesome|acceptable|a deal|like a (?:deal|plan))
    (?:sounds?|seems?|looks?) ~(?:good|great|fair|fine|ok|okay|reasonable|perfect|wonderful|like a (?:deal|plan))
    works? (?:well |fine |great )?(?:for|with) (?:me|us)
    let'?s (?:do (?:it|that|this)|go with)
    i(?:'m| am) (?:\w+ )?(?:ok|okay|fine|good|happy|cool) with
    (?:ok|okay|fine|good) with (?:me|us)
    we have a deal
    i (?:can|could|suppose i could|guess i can) (?:do|live with|work with) (?:that|this|it)
    i (?:guess|suppose) so
    fair enough
    (?:good|great) deal
    no problem
    you can have (?:it|that|them)
    i(?:'d| would) be (?:ok|okay|happy|fine) with that
    成交|同意|没问题|就这么定|一言为定|可以接受|我接受|可以|好的|好吧|行
""")
NODS = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|ok|okay|okey|sure|alright|all right|absolutely|definitely|of course|perfect|great|"
    r"awesome|fine|cool)(?![a-z])|好|嗯)",
    re.IGNORECASE,
)
REFUSES = cues(r"""
    no deal
    that(?:'s| is|s) not enough
    ¬ (?:\w+ ){0,3}?(?:fair|ok|okay|acceptable|good|agree|accept|work|happy|right|possible)
    ¬ (?:do that|do it|going to work)
    (?:can'?t|cannot|can not) (?:\w+ ){0,3}?(?:agree|accept|do|give|go|take|let|afford|offer)
    (?:won'?t|wouldn'?t) (?:\w+ )?(?:work|do|accept|agree|be fair|be enough)
    too (?:low|high|much|little|expensive|steep|greedy)
    unfair
    terrible
    ridiculous
    unacceptable
    no way
    no thanks?
    no thank you
    i (?:reject|refuse|decline|disagree)
    nowhere near
    hard deal
    i(?:'d| would) (?:rather|prefer) not
    out of the question
    far (?:from|below|above)
    不行|不可以|不同意|不能接受|不接受|太低|太高|太贵|太少|不公平|没法接受
""")
NO = re.compile(
    r"^\W*(?:no|nope|nah|sorry,? (?:but )?no|不|不了)(?=\W|$)(?!\s+(?:problem|worries|i (?:don't|do not) mind|need))",
    re.IGNORECASE,
)
LEAVES = cues(r"""
    walk(?:ing)? away
    (?:i'?m|i am) (?:out|done|leaving)
    we(?:'re| are) done
    (?:find|go to|talk to) (?:someone|somebody) else
    take my business elsewhere
    end (?:this|the) negotiations?
    no deal then
    then no deal
    not interested any ?more
    不谈了|告辞|没得谈
""")
CONDITION = cues("""
    if
    as long as
    provided
    only if
    but
    unless
    except
    如果|要是|但|只要
""")
COURTESY = cues(r"""
    if (?:that|it|this)(?:'s| is|s)? (?:\w+ )?(?:ok|okay|fine|good|alright|all right)(?: with you)?
    if you(?:'re| are) ok
""")
SAME = cues("""
    same (?:as|deal|offer|terms)
    as (?:before|we said|discussed|agreed)
    (?:original|first|previous|last|earlier) (?:deal|offer|split|plan)
    和之前一样|照旧|原来的方案
""")

# Questions and reasons ------------------------------------------------------------------------------------------------

ASKS = re.compile(
    r"^\W*(?:(?:ok|okay|so|and|but|well|also|then|hi|hello|great|thanks),?\s+){0,2}(?:what|how|why|which|who|when|where|is|are|"
    r"do|does|did|can|could|would|will|shall|should|may)\s+\w|[吗呢]\W*$",
    re.IGNORECASE,
)
TOPICS = (
    (
        "timeline",
        cues("when\nhow (?:soon|long|urgent)\ndeadline\nby what date\ntime ?line\nin a hurry\n什么时候|多久|期限"),
    ),
    (
        "alternatives",
        cues("""
            other (?:offers?|options?|buyers?|sellers?|suppliers?)
            alternatives?
            (?:anyone|someone) else
            elsewhere
            你还有别的|其他选择
        """),
    ),
    ("authority", cues("authority\nwho decides\nyour boss\napproval\nsign off\nbudget\n决定权|预算")),
    (
        "reasons",
        cues("why\nhow come\nwhat (?:for|makes)\nreasons?\nwhat (?:will you|are you (?:going|planning))\n为什么"),
    ),
    ("quantities", cues("how (?:much|many)\nwhat (?:quantity|amount)\n几份|多少")),
    (
        "priorities",
        cues(r"""
            priorit\w+
            prefer\w*
            need(?:s|ed)?
            most
            important
            want
            (?:looking|hoping) for
            interested in
            value
            options
            最看重|需要什么|想要什么|要什么
        """),
    ),
)
"""What a question is about: the first that fits."""
ALRIGHT = cues(r"""
    (?:is|does|would|will|do|are) (?:\w+ ){0,4}?(?:ok|okay|fair|work|good|agree|fine|alright|acceptable|reasonable)
    how (?:does|would|about) (?:\w+ ){0,4}?(?:that|do|sound)
    what do you think
    deal
    agreed?
    怎么样|可以吗|行吗|好吗
""")
REASON = cues("""
    because
    cause
    since
    due to
    so that
    in case
    as (?:i|we|my|our|a|the)
    given (?:that|the)
    that'?s why
    the reason
    so (?:(?:i|we) can|my|our)
    因为|由于|毕竟|所以
""")

# Claims ---------------------------------------------------------------------------------------------------------------

CLAUSE = re.compile(
    r"[,;:，；]|\b(?:but|although|though|while|because|since|and (?=i\b|we\b|you\b|my\b|our\b|your\b))|但是?|不过|因为",
    re.IGNORECASE,
)
"""Where a clause ends."""
MOST = cues(r"""
    (?:the )?most(?! of)
    (?:high(?:est)?|top|main|biggest|first|number one|1st) (?:priorit\w+|need|choice|preference)
    priorit(?:y|ies)
    especially
    essential
    crucial
    vital
    more important
    mainly
    desperate(?:ly)?
    badly
    really (?:do )?(?:need|want)
    do really need
    top of my list
    favou?rite
    a must
    must have
    mine is
    最需要|最想要|最重要|最看重|优先
""")
LEAST = cues(r"""
    (?<!at )least
    (?:low(?:est)?|last) priorit\w+
    not (?:a |my |our )?(?:top |high )?priorit\w+
    (?:not|isn't) (?:so |that |as |very )?important
    ¬ (?:really )?(?:need|care)
    ¬ (?:really )?worried
    (?<!not )(?<!n't )(?<!nt )have (?:plenty|enough|too much)
    less important
    不需要|不重要|不太需要|最不
""")
LACKS = cues(r"""
    ¬ have (?:enough|much|any)
    (?:forgot|ran out of|running (?:low|out)|low on|short (?:on|of)|could use|have no|limited)
    不够|没有|忘了带
""")
AT_LEAST = cues("at ?least\nminimum\n(?:no|not) (?:less|fewer) than\nhave to have\nmust have\n至少|最少")
ALTERNATIVE = cues(r"""
    (?:an?other|other|second|different|competing) (?:\w+ )?(?:offers?|buyers?|sellers?|suppliers?)
    (?:an?other|other|second|different|competing) (?:\w+ )?(?:vendors?|bids?|quotes?)
    (?:an?other|other|different) (?:\w+ )?(?:partners?|candidates?|options?|company|companies)
    (?:someone|somebody) else
    elsewhere
    (?:a|your) competitor
    alternatives?
    batna
    别的买家|别的卖家|另一家|其他买家|其他供应商|别家
""")
NONE = cues("no\n¬\nwithout\n没有")
DEADLINE = cues(r"""
    deadline
    by (?:mon|tues|wednes|thurs|fri|satur|sun)day
    by (?:tomorrow|tonight|noon|the end of|next|turn|round)
    (?:decide|sign|close|settle|answer|finish|deal|done) (?:\w+ ){0,4}?(?:by|before|within|until)
    running out of time
    only have (?:\w+ ){1,3}(?:days?|weeks?|turns?|rounds?|hours?|minutes?)
    截止|之前必须|期限
""")

# Prices ---------------------------------------------------------------------------------------------------------------

LIMIT = cues(r"""
    (?:¬|can not|will not) ~(?:\w+ )?(?:below|under|above|over|beyond|past)
    (?:¬|can not|will not) ~(?:\w+ )?(?:lower|less|more|higher) than
    no (?:lower|higher|less|more) than
    at (?:the )?most
    (?:my|our) (?:\w+ )?(?:limit|floor|ceiling|budget|maximum|max|minimum|lowest|highest|bottom line)
    bottom line
    (?:lowest|highest|best|most) (?:i|we) can
    底线|最低|最高|最多|至少|预算|不能低于|不能高于|不能超过
""")
QUOTED = cues(r"""
    you (?:said|offered|asked|want(?:ed)?|named|proposed)
    your (?:\w+ )?(?:offer|price|figure|bid|ask|quote)
    (?:is|are|was|seems?|sounds?)(?: \w+)? (?:too|far|way)
    market
    asking price
    list(?:ed)? (?:price|at)
    worth
    others? (?:pay|sell|sold)
    last year
    usually
    going rate
    costs? (?:me|us)
    paid
    你说|你出|你的报价|市场价|太低|太高|太贵|挂牌
""")
OTHERS = cues(r"""
    (?:an?other|other|different|competing) (?:\w+ )?(?:buyer|seller|offer|supplier|vendor|bid|quote|company|firm)
    (?:someone|somebody) else
    elsewhere
    competitor
    别的|另一家|其他买家|别家
""")
