"""The words that the reader knows, each with its kind. A word that stands in no list here means nothing to it.

Phrases are in lower case with single spaces,
and the longest wins. Spoken forms without apostrophes are listed where they
are no other word ("dont", but not "ill").
"""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What a token is to the reader."""

    NUMBER = "a figure"
    ISSUE = "the name of an issue"
    ME = "the speaker"
    YOU = "the one spoken to"
    SIDES = "both sides: each of us"
    OWN = "my, your: whose a noun is"
    PEOPLE = "a group that somebody speaks for: family, team"
    GET = "its subject receives: take, keep, have"
    GIVE = "its subject hands over: give, trade"
    WANT = "its subject asks or needs: want, need"
    STOCK = "its subject already had: brought, packed"
    LET = "what follows is the subject: let me have"
    TO = "for, to, with: what follows receives"
    ALL = "all"
    NO = "no, none of"
    HALF = "half"
    A = "a, an"
    ANY = "some, any, enough: no count"
    MORE = "another, one more: a count on top"
    REST = "the rest, everything else"
    EACH = "each, of each: every issue alike"
    FILL = "what may stand between a count and what it counts: packages of the"
    IT = "it, them, those: what was talked about"
    AND = "and, plus, a comma, a line"
    OR = "or"
    THEN = "then, so, because, while: a clause begins"
    BUT = "but, if, unless: a clause begins, a negation ends"
    NOT = "a negation"
    INSTEAD = "instead of, rather than: what follows is given up"
    SPLIT = "split, divide, share"
    EVENLY = "evenly, in half"
    STOP = "the end of a sentence"
    ASK = "a question mark"
    SLASH = "a slash or dash between counts"
    OTHER = "any other word"


def _phrases(kind: Kind, text: str) -> dict[str, Kind]:
    """Phrases are separated by commas."""
    return {" ".join(phrase.split()): kind for phrase in text.split(",")}


PHRASES: dict[str, Kind] = {
    **_phrases(
        Kind.ME,
        """i, me, we, us, i'll, i'd, i'm, i've, we'll, we'd, we're, we've, im, myself, ourselves, my end, my side,
        our side, our end, why don't we, 我, 我们, 我方, 我这边""",
    ),
    **_phrases(
        Kind.YOU,
        """you, u, ya, you'll, you'd, you're, you've, youd, youll, yourself, yourselves, your end,
        your side, why don't you,
        why dont you, can't you, couldn't you, won't you, wouldn't you, 你, 您, 你们, 你方, 贵方, 你这边""",
    ),
    **_phrases(
        Kind.SIDES, "each of us, both of us, we each, we both, us both, us each, each side, both sides, 我们各, 各"
    ),
    **_phrases(Kind.OWN, "my, our, your, mine, ours, yours, their, 我的, 你的, 您的"),
    **_phrases(
        Kind.PEOPLE, "family, team, side, party, group, crew, kids, children, friends, company, people, wife, husband"
    ),
    **_phrases(
        Kind.GET,
        """get, gets, getting, got, have, has, having, had, take, takes, taking, took, keep, keeps,
        keeping, kept, receive,
        receives, receiving, end up with, ending up with, put in, put down, put, accept, settle for, go for, do with,
        be ok with, be okay with, be fine with, be happy with, make do with, ok with, okay with, fine with, happy with,
        stick with, claim, score, use, 拿, 得, 得到, 留, 分到, 取, 要走, 拿走, 留下, 收下""",
    ),
    **_phrases(
        Kind.GIVE,
        """give, gives, giving, gave, give up, giving up, gave up, hand, hands, handing, hand over,
        offer, offers, offering,
        spare, pass, trade, trading, swap, swapping, exchange, exchanging, part with, let go of, send, provide, concede,
        leave, leaves, leaving, throw in, 给, 换, 分给, 留给, 让给, 归""",
    ),
    **_phrases(
        Kind.WANT,
        """want, wants, wanted, need, needs, needed, needing, wanting, would like, 'd like, i'd like, like, require,
        requires, prefer, prefers, preferring, preffer, ask for, asking for, hope for, hoping for, looking for, love,
        could use, 要, 想要, 需要, 希望, 想""",
    ),
    **_phrases(
        Kind.STOCK,
        """there are, there is, there's, brought, packed, already have, have plenty, have enough,
        own, bought, left with, pack, bring, bringing, caught,
        we have too much, i have too much, have too much, 带了, 已经有""",
    ),
    **_phrases(Kind.LET, "let, lets, letting, allow, allows, allowing, 让"),
    **_phrases(Kind.TO, "for, to, with, 对"),
    **_phrases(Kind.ALL, "all, every, the whole, the entire, both, all of, 全部, 所有, 全, 都"),
    **_phrases(Kind.NO, "no, none, none of, nothing of, not any of the, 不拿"),
    **_phrases(Kind.HALF, "half, half of, half the, 一半"),
    **_phrases(Kind.A, "a, an, just one of the"),
    **_phrases(
        Kind.ANY, "some, any, enough, much, many, plenty of, a lot of, lots of, a bit of, a little, most of, most, few"
    ),
    **_phrases(Kind.MORE, "another, one more, an additional, 再来一份, 再多一份, 再给一份, 多一份"),
    **_phrases(
        Kind.REST,
        """the rest, rest, the remaining, remaining, everything else, the others, all else, the remainder, what is left,
        what's left, whatever is left, the leftovers, 剩下的, 剩下, 其余, 其余的, 其他, 余下的""",
    ),
    **_phrases(
        Kind.EACH,
        "each, of each, each of, each item, every item, of each item, of everything, of all three, 每样, 每种, 各样",
    ),
    **_phrases(
        Kind.FILL,
        """the, of, package, packages, pack, packs, packet, packets, unit, units, bottle, bottles, bag, bags, bundle,
        bundles, box, boxes, case, cases, piece, pieces, item, items, share, shares, log, logs,
        gallon, gallons, jug, jugs,
        ration, rations, extra, additional, spare ones, supply, supplies, just, only, worth, total, available,
        份, 个, 包,
        箱, 瓶, 袋, 捆, 件, 组, 的, 单位, 只""",
    ),
    **_phrases(
        Kind.IT,
        "it, them, that, those, these, this, of it, of them, of those, of these, of that, 它",
    ),
    **_phrases(Kind.AND, "and, plus, along with, as well as, &, n, 和, 跟, 加, 以及, 还有"),
    **_phrases(Kind.OR, "or, either, 或, 或者, 还是"),
    **_phrases(
        Kind.THEN,
        """then, so, while, because, since, when, where, and then, as long as, as, whereas,
        那么, 那, 因为, 所以, 这样""",
    ),
    **_phrases(Kind.BUT, "but, if, unless, however, though, although, otherwise, 但, 但是, 如果, 要是, 不过"),
    **_phrases(
        Kind.NOT,
        """not, don't, dont, doesn't, doesnt, didn't, can't, cant, cannot, can not, won't, wont,
        couldn't, wouldn't, never,
        isn't, aren't, ain't, unable, without, nor, neither, 不, 没, 没有, 别, 不能, 不要, 不想, 不需要, 无法""",
    ),
    **_phrases(
        Kind.INSTEAD, "instead of, rather than, more than, less than, in place of, as opposed to, out of, 而不是"
    ),
    **_phrases(
        Kind.SPLIT, "split, splitting, divide, dividing, share, sharing, divvy up, go halves on, 分, 平分, 均分, 对半分"
    ),
    **_phrases(Kind.EVENLY, "evenly, equally, in half, fifty fifty, down the middle, even, 平均"),
    **_phrases(
        Kind.OTHER,
        """wouldn't mind, don't mind, do not mind, no problem, not a problem, no worries, not only,
        shouldn't have a problem,
        one day, one thing, one time, this one, that one, no one, would you mind, for sure, of course,
        for example, in exchange, in return, thank you, thanks, thank you so much, how are you,
        see you, nice to
        meet you, with you, good for you, work for you, works for you, work for me, works for me, okay with you,
        ok with you, fine with you, fine with me, ok with me, okay with me, fine for me,
        good for me, good to me, fair to
        me, up to you, great to me, hear from you, for me too, or so, have to, need to, want to,
        to have to, would you like to,
        like to, love to, had to, have you, have a good, have a great, have a nice, have a safe, has been, have been,
        as well, at all, all right, all good, all set, all the best, after all, that's all,
        fair enough, let me know, let you
        know, 一样, 没问题, 没关系, 不错, 可以, 成交""",
    ),
}
"""Longest first by the reader; `have to` and the like hide the verb in them."""

RENAMED: dict[str, tuple[Kind, ...]] = {
    "i'd like": (Kind.ME, Kind.WANT),
    "i have too much": (Kind.ME, Kind.STOCK),
    "we have too much": (Kind.ME, Kind.STOCK),
    "give me": (Kind.GIVE, Kind.ME),
}
"""Phrases that are two tokens in one."""
MOST_WORDS = max(len(phrase.split()) for phrase in PHRASES)
MOST_HAN = max(len(phrase) for phrase in PHRASES if not phrase[0].isascii())

ISSUE_WORDS: dict[str, tuple[str, ...]] = {
    "food": ("food", "foods", "meal", "meals", "食物", "食品", "吃的"),
    "water": ("water", "waters", "水", "饮用水"),
    "firewood": ("firewood", "firewoods", "fire wood", "fire woods", "wood", "woods", "木柴", "柴火", "柴", "木头"),
    "books": ("book", "books", "书", "书本"),
    "hats": ("hat", "hats", "帽子"),
    "balls": ("ball", "balls", "球"),
}
"""What the issues of well-known data sets are also called; other issues bring their own words."""
