"""Phrases by what they say: what a persona's words may say only when it was decided.

Lists catch the plain ways to say a thing, not every way. What they miss changes no decision: the record has the offer,
the claim and the end, and words are read by people alone. They are wide rather than narrow, because a line that is
turned down costs nothing but the model's wording of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

I = re.IGNORECASE  # noqa: E741 - as `re` names it
_WE = r"\b(?:i|we)(?:'ll| will| can| could| do|'d| would| am| are|'m|'re|'ve| have)?(?: \w+ly| just| then| now)*"

ACCEPTS = re.compile(
    _WE + r"(?: happy to| glad to| ready to| going to)? (?:accept|agree|take (?:it|that|this|your|the|[\d$€£])"
    r"|sign|approve|confirm)\b"
    r"|\b(?:accepted|agreed|sold|shake|handshake|congratulations)\b"
    r"|\b(?:it's|that's|it is|that is|we have|we've|you have|you've|then it's|call it)(?: got)? a deal\b"
    r"|\bdeal (?:done|at|it is|then)\b|\bdone at\b|^\W*(?:ok(?:ay)?,? |right,? )?(?:deal|done|yes|sure|fine by me)\W*$"
    r"|\b(?:it's|it is|consider it) (?:yours|done|settled)\b|\blet's (?:sign|close|do it)\b"
    r"|\b(?:count me in|i'm in|we're good|yours it is|(?:go|happy|fine) with (?:your|that)|you've got yourself)\b"
    r"|\byou win\b|\bworks for (?:me|us)\b|\byour terms\b|\bsounds good\b",
    I,
)
LEAVES = re.compile(
    r"\bwalk(?:ing)? (?:away|out|off)\b|"
    + _WE
    + r" (?:walk|walking|leave|leaving|quit|out(?! (?:of practice|there))|off|done(?! this)|finished|through"
    r"|gone|go home|going home)\b|\b(?:goodbye|good-bye|farewell|good day)\b"
    r"|\bno deal\b|\b(?:this|it|that)(?:'s| is) (?:over|the end)\b|\bend(?:s|ing)? (?:it |this )?here\b"
    r"|\bend (?:this|the|our) (?:negotiation|talk|talks|conversation|meeting)\b|\bpart ways\b|\bwithout a deal\b"
    r"|\b(?:ends|stops|stop) (?:here|now)\b|\bover now\b|\bgood luck\b|\bnothing (?:left|more) to (?:say|discuss)\b"
    r"|" + _WE + r"(?: have to| need to| must| got to| about to| ready to| prepared to| free to| rather| be){1,2} "
    r"(?:walk|leave|leaving|quit|gone|go(?:ing)?(?=\W*$|[.,;!?]| now| home| soon| if| unless| and))\b"
    r"|\b(?:or|and|else) (?:i|we)(?:'m|'re|'ll be| am| are| will be) (?:gone|out|off)\b"
    r"|\b(?:lose|losing|lost) (?:me|us)\b|\b(?:see|watch) (?:me|us) (?:go|leave)\b|\bshow(?:ing)? you the door\b"
    r"|\b(?:make|making) (?:me|us) (?:go|leave)\b|\bback out\b|\bpull out\b|\bcall (?:it|this|the whole thing) off\b",
    I,
)
SAYS_FINAL = re.compile(
    r"\b(?:final|last|best) (?:and final |\w+ )?(?:offer|word|price|number|figure|proposal|time|chance|call|position"
    r"|terms)\b"
    r"|\bfinal\b|\btake it or leave\b|\bas far as (?:i|we)(?:'ll|'m| will| can| am)? go\b|\bno further\b"
    r"|\bthat's (?:it|all|the end)\W*$|\bmy last\b|\bnothing more\b|\bno (?:other|more) offers?\b",
    I,
)
SAYS_LIMIT = re.compile(
    r"\b(?:bottom line|rock bottom|as (?:low|high) as|limits?|limited|floor|ceiling|reservation|walk-?away|lowest"
    r"|highest|maximum|minimum|max|cap"
    r"|threshold|breaking point|red line|all (?:i|we) have|stretch(?:ed)?)\b"
    r"|\bthe (?:most|least|furthest|line)\b|\b(?:can't|cannot|can not|couldn't|won't|never|not|unable to)(?: \w+){0,2} "
    r"(?:go|move|come|get|do|sign|sell|buy|pay|settle|accept anything)(?: \w+){0,2} "
    r"(?:below|above|under|over|lower|higher|beyond|past|less|more|further|any)\b"
    r"|\b(?:no|not a \w+) (?:less|more|lower|higher|room)\b|\bnothing (?:below|above|under|over|beyond|past|less)\b",
    I,
)
SAYS_BUDGET = re.compile(
    r"\b(?:budgets?|authority|authori[sz]ed|approv\w+|sign-?off|signed off|mandate|the board|my boss|management"
    r"|committee|headquarters|allowed to|permission|afford|allocat\w+|funds|free hand|consent)\b",
    I,
)
SAYS_DEADLINE = re.compile(
    r"\b(?:deadlines?|tonight|tomorrow|expir\w+|clock|midnight|noon"
    r"|(?:in|within|by) (?:\w+ ){1,2}(?:hour|day|week|month)s?"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|end of the|rounds?|turns? left|last (?:turn|day)"
    r"|out of time|time (?:is up|is short|is running|'s up|runs out|running)|running (?:out|short)|no time|urgent"
    r"|urgency"
    r"|until (?:round|turn|noon|the end))\b",
    I,
)
SAYS_OTHERS = re.compile(
    r"\b(?:alternatives?|someone else|somebody else|no one else|nobody else|anyone else|elsewhere|competing"
    r"|competitors?|competition|plan b|batna|fallback|fall back|rivals?|backup"
    r"|(?:an)?other (?:\w+ )?(?:offers?|options?|buyers?|sellers?|vendors?|suppliers?|candidates?|companies|company"
    r"|bidders?|parties|party|people|customers?|choices?|proposals?)|options|only one i'm talking"
    r"|(?:second|outside|better|rival) (?:offer|option|bidder|buyer|seller))\b",
    I,
)
SAYS_FIRST = re.compile(
    r"\b(?:priorit\w+|(?:matters?|care|cares|counts?|important|need|want)(?: \w+){0,3} (?:most|first)|most important"
    r"|above all|comes first|put first|main thing)\b",
    I,
)
DISPUTES = re.compile(
    r"\b(?:bluff\w*|lying|liar|lies|a lie|untrue|not true|doubt|dispute|prove it|proof|hard to believe|not convinced"
    r"|(?:don't|do not|can't|cannot|doesn't|never) (?:\w+ )?(?:believe|buy|trust|add up|hold up)"
    r"|isn't (?:so|true|right)|challenge|question (?:that|your)|is that (?:really )?(?:so|true))\b",
    I,
)
GIVES = re.compile(
    r"\b(?:throw(?:ing)? in|throw|free of charge|for free|no extra|at no (?:extra )?(?:cost|charge)|bonus|gift"
    r"|sweeten\w*|on the house|include[sd]?|as an extra|on top)\b",
    I,
)
MOVES = re.compile(
    _WE + r" (?:come|coming|go|going|move|moving|lower|lowering|raise|raising|reduce|drop|add|increase|concede"
    r"|give (?:you )?(?:some|a|more)|meet you)\b",
    I,
)
STAYS = re.compile(
    r"\b(?:stay\w*|stand\w*|same|keep\w*|hold\w*|wait\w*|unchanged|remain\w*|where (?:i|it|we)|put|offer\w*|numbers?"
    r"|figures?|prices?|proposals?|positions?|terms|package|mine|mov\w+|budge|chang\w+|touch\w*|counter|as it was)\b",
    I,
)
THEIRS_STAYS = re.compile(
    r"\byour (?:offer|number|figure|price|proposal)(?: still| always)? "
    r"(?:stays?|stands?|holds?|remains?|is (?:mine|still))\b",
    I,
)
"""The other side's offer, where one's own is meant."""
HINTS = re.compile(
    r"\b(?:would|could|might|may|can|will|'d|'ll|still|happily|gladly|ready to|willing to|open to)\b[^.!?;:]{0,40}"
    r"\b(?:lower|higher|less|cheaper|dearer|a (?:bit|little|lot) more|even more|much more|further)\b"
    r"|\b(?:there|i(?:'ve|'d)?|we(?:'ve|'d)?|my|our|it)\b[^.!?;:,]{0,25}"
    r"(?:\b(?:still|some|more|plenty of|enough) room\b|\broom (?:left|here|yet|to (?:go|move|give|talk|negotiate))\b)"
    r"|\bwiggle\b|\b(?:i|we|it|(?:my|our) \w+)(?:'m|'re|'s| am| are| is| can be)(?: \w+){0,2} (?:flexible|negotiable)\b"
    r"|\b(?:push|press|squeeze|nudge|try) (?:me|us|harder|again|a (?:bit|little))\b|\bkeep (?:pushing|pressing)\b"
    r"|\b(?:it|price|number|figure|offer)(?: will|'ll| can| could| may| might| would)?(?: still| soon| always)? "
    r"(?:drops?|falls?|sinks?|rises?|climbs?|(?:goes|go|comes|come) (?:down|up))\b"
    r"|\b(?:i|we)(?: can| could| may| might| will| would|'ll|'d)(?: still| always| yet| easily)? (?:do better"
    r"|improve (?:it|on|this|that|my|our)|be (?:persuaded|talked|moved|pushed|tempted)|change (?:my|our) mind)\b"
    r"|\bmore to come\b",
    I,
)
"""That one would go further than one does: no persona's code decides to tell."""
NEEDS = re.compile(
    r"\b(?:i|we)(?:'ve|'m|'re| am| are| do)?(?: \w+ly| just| so| very much)* need "
    r"(?:this|it|the (?:deal|money|cash|sale|contract|space|job)|a deal|money|cash|you|your (?:money|business|help))\b"
    r"|\b(?:i|we)(?:'ve|'m|'re|'ll| am| are| will)?(?: \w+ly| just)* "
    r"(?:have to|need to|must|got to|(?:forced|obliged|under pressure|keen|eager|anxious|dying) to) "
    r"(?:sell|buy|close|unload|settle|get rid|(?:make|get|do|win|have) (?:this|it|the deal|a deal))\b"
    r"|\b(?:i|we)(?:'m|'re| am| are) (?:\w+ )?(?:in a (?:hurry|rush)|under pressure|counting on|in trouble)\b"
    r"|\b(?:depends?|rely|relies|riding|rides?|hangs?) on (?:this|it|you)\b|\bdesperat\w+\b|\bbeg(?:ging)?\b"
    r"|\bat (?:all costs|any price|stake for (?:me|us))\b|\bwhatever it takes\b|\bsaves? (?:me|my|our)\b"
    r"|\bhelp (?:me|us) out\b|\b(?:my|our) (?:only|last) (?:chance|hope|way)\b",
    I,
)
"""How badly one needs to, said of oneself."""
HARD_UP = re.compile(r"\b(?:i|we) [^.!?;:,]{0,20}\b(?:wait|do without|go on without|survive|lose (?:this|you|it))\b", I)
"""The same, where a negation says it: that one can't wait, can't do without."""
COSTS = re.compile(
    r"\b(?:barely|hardly|scarcely|just about|only just) (?:\w+ )?(?:covers?|pays?|works?|breaks?|enough|worth)\b"
    r"|\bcover(?:s|ing)? (?:my|our|the|what|its)\b|\b(?:what|than|above|below|over|under) (?:it|this|that) costs? me\b"
    r"|\b(?:my|our) (?:\w+ )?(?:costs?|margins?|profits?|losses|expenses)\b"
    r"|\b(?:at|below|under|above|over|near) cost\b|\b(?:at a|a|my|our) loss\b|\blos(?:e|es|ing) money\b"
    r"|\bbreak(?:s|ing)? even\b|\b(?:i|we) paid\b|\bout of (?:my|our) pocket\b|\bin the red\b"
    r"|\b(?:it|this|that)(?:'s| is) (?:all )?worth to (?:me|us)\b",
    I,
)
"""What it costs oneself, or is worth to oneself: near enough to a limit."""
ABUSES = re.compile(
    r"\b(?:idiot\w*|stupid\w*|moron\w*|dumb\w*|fools?|foolish|loser\w*|pathetic|shut up|scum\w*|bastard\w*"
    r"|crooks?|crooked|clowns?|thie(?:f|ves)|cheats?|cheaters?|con ?m[ae]n|swindl\w+|scam\w*|fraud\w*|jerks?"
    r"|ass(?:es|holes?)?|jackass\w*|bitch\w*|shit\w*|fuck\w*|damn\w*|imbecile\w*|cretin\w*|dunces?"
    r"|(?:half|dim|nit)wits?|buffoons?|parasites?|vermin|weasels?|rats?|screw you|go to hell|get lost"
    r"|drop dead|shame on you|(?:hate|despise) you)\b"
    r"|\byou(?:'re| are)(?: \w+){0,2} (?:ridiculous|a joke|clueless|ignorant|incompetent|useless|worthless|greedy"
    r"|crazy|insane|a nobody|disgusting|dishonest|hopeless|lazy|a coward|cowards)\b",
    I,
)
"""Of the other side; a figure of theirs may be mocked."""
DECLINES = re.compile(
    r"\b(?:won't|will not|not going to|rather not|keep|prefer not|no comment|not (?:discuss|say|tell|answer|something)"
    r"|can't (?:discuss|say|tell|answer|speak)|decline|private|my (?:own )?(?:affair|business)|to myself|pass on"
    r"|unanswered|leave that|don't discuss|open for now)\b",
    I,
)
NOT = re.compile(r"\b(?:no|not|never|cannot|nothing|none|nobody|without|neither|nor|nowhere|refuse)\b|n't\b", I)
META = re.compile(
    r"\b(?:language model|ai|llm|chatbot|assistant|model|prompts?|instructions?|instructed|json|schema|system message"
    r"|developer|openai|gemini|gpt|jailbreak\w*|role-?play\w*|untrusted|their_words|quoted|decode\w*|base64|rot13"
    r"|not sure (?:what|how|why|who)|(?:help|assist) you today|how (?:can|may) i (?:help|assist)"
    r"|override|ignore (?:all|any|the|my|your|previous)|data exfiltration|character sheet|as an? (?:ai|bot)|scripted)\b"
    r"|\b(?:system|user|assistant|tool|human)\s*:",
    I,
)
ADDRESS = re.compile(r"https?:|www\.|\b\w+\.(?:com|org|net|io|dev|ai)\b|@", I)

SAYS_YES = re.compile(r"\b(?:yes|deal|done)\b", I)
SAYS_BYE = re.compile(r"\b(?:going|leave|leaving|stepping away|withdraw\w*|ending|enough)\b", I)
"""Enough of an acceptance, of a farewell, where it was decided."""

CLAIMS = {
    "limit": SAYS_LIMIT,
    "budget": SAYS_BUDGET,
    "deadline": SAYS_DEADLINE,
    "alternative": SAYS_OTHERS,
    "priority": SAYS_FIRST,
}
"""What makes a claim of a kind."""
RELATED = {"limit": ("limit", "budget"), "budget": ("limit", "budget")}
"""A claim of a limit may be worded as one of an authority, and the other way round: the figure is what is claimed."""
ASKED = {"timeline": "deadline", "alternatives": "alternative", "authority": "budget", "priorities": "priority"}
"""The claim that would answer a topic."""
_PART = re.compile(r"[.!?;:](?=\s|$)|,(?=\s)|\s[-–—]\s|—|\bbut\b", I)


def clauses(text: str) -> Iterator[str]:
    """The text in the pieces that its punctuation makes."""
    return (part.strip() for part in _PART.split(text) if part.strip())


def plainly(pattern: re.Pattern[str], text: str) -> bool:
    """Does a clause without a negation say it?"""
    return any(pattern.search(clause) and not NOT.search(clause) for clause in clauses(text))


def denied(pattern: re.Pattern[str], text: str) -> bool:
    """Does a clause with a negation say it?"""
    return any(pattern.search(clause) and NOT.search(clause) for clause in clauses(text))
