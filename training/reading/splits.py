"""Who gets how many of what: the parts of a split that an utterance proposes.

One pass over the tokens. Persons and verbs set who receives, mentions are booked to that side, and "for you" behind a
mention books it anew. What stands in a negation, behind "instead of", beside an "or", or of what one had before, is no
proposal. docs/reading.md has the rules in order.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from training.reading.lexicon import Kind
from training.reading.mentions import TOPIC, Mention, mentions_at
from training.reading.tokens import Token, sentences, tokens
from training.reading.types import ALL_OF_IT, Issue, Part

Side = Literal["me", "you", "both"]
_OTHER: dict[Side, Side] = {"me": "you", "you": "me", "both": "both"}
_PERSON: dict[Kind, Side] = {Kind.ME: "me", Kind.YOU: "you", Kind.SIDES: "both"}
_ENDS = (None, Kind.AND, Kind.STOP, Kind.ASK)
_YOURS = ("your", "你", "您")
_SOFT = ("about", "maybe", "perhaps", "how", "around", "also")
"""Words that may stand between a verb and what it is of."""
_OPEN_VERBS = ("take", "keep", "have", "accept", "claim", "use", "put", "put in", "put down", "receive")
"""Without a subject these are said to the other: "take two of them"."""


class Booked(NamedTuple):
    """A mention and whom it is for; `firm`: a verb said so; `group`: mentions of one list share it."""

    mention: Mention
    side: Side | None
    firm: bool
    group: int
    verb: str


class Need(NamedTuple):
    """An issue that is wanted, or is not, without a count."""

    place: int
    side: Side
    holds: bool
    sentence: int


class Terms(NamedTuple):
    booked: list[Booked]
    needs: list[Need]
    topic: int | None


class _Pass:
    """The state of the pass through one sentence."""

    def __init__(self, line: list[Token], issues: tuple[Issue, ...], carried: Side | None, number: int) -> None:
        self.line, self.issues, self.number = line, issues, number
        self.booked: list[Booked] = []
        self.needs: list[Need] = []
        self.bare: list[tuple[Mention, Side | None, bool]] = []
        self.subject: Side | None = None
        self.side: Side | None = carried
        self.verb = ""  # get, give, want, stock, split; empty: none yet
        self.direct = True  # nothing but counts and fill since the verb or the person
        self.negated = self.dropped = False
        self.group, self.at, self.last_end = 0, 0, -1
        self.topic: int | None = None

    def run(self) -> None:
        while self.at < len(self.line):
            if not self._mention():
                self._word(self.line[self.at])
                self.at += 1
        self._settle_bare()
        self._settle_unnamed()

    def _settle_unnamed(self) -> None:
        """ "You get 1, I get 2 of the food": the one issue that the sentence names."""
        named = {token.value for token in self.line if token.kind is Kind.ISSUE}
        if len(named) != 1:
            return
        place = named.pop()
        for k, one in enumerate(self.booked):
            if one.mention.place == TOPIC and not one.mention.rest and one.mention.number != ALL_OF_IT:
                settled = _of(one.mention, place, self.issues)
                self.booked[k] = one if settled is None else one._replace(mention=settled)

    # Mentions

    def _mention(self) -> bool:
        if self._slip():
            return True
        found = mentions_at(self.line, self.at, self.issues)
        if found is None:
            return False
        mentions, end = found
        unnamed = any(one.place == TOPIC and not one.rest for one in mentions)
        listed = self.at and self.line[self.at - 1].text == "the"  # "of the two" counts nothing
        if unnamed and (listed or not (self.direct or self._for_somebody(end))):
            self.at = end
            return True
        for one in mentions:
            self._book(one)
        self.at = self.last_end = end
        return True

    def _slip(self) -> bool:
        """ "1 take two", written for "I take two"."""
        after = self.at + 1
        follows = self.line[after].kind if after < len(self.line) else None
        if self.line[self.at].text != "1" or follows not in (Kind.GET, Kind.WANT):
            return False
        self._person("me")
        self.at = after
        return True

    def _for_somebody(self, at: int) -> bool:
        return at + 1 < len(self.line) and self.line[at].kind is Kind.TO and self.line[at + 1].kind in _PERSON

    def _book(self, one: Mention) -> None:
        if one.place != TOPIC:
            self.topic = one.place
            if one.number is None:
                self._name(one)
                return
        if self.negated or self.dropped or self.verb == "stock":
            return
        settled: Mention | None = one
        if one.place == TOPIC and not one.rest and self.topic is not None:
            settled = _of(one, self.topic, self.issues)
        if settled is None:
            return
        if self.verb == "want" and settled.place != TOPIC and settled.number:
            self.needs.append(Need(settled.place, self.side or "me", True, self.number))
        firm = self.verb not in ("", "split")
        self.booked.append(Booked(settled, self.side, firm, self.group, self.verb))

    def _name(self, one: Mention) -> None:
        if self.verb == "want" and not self.dropped:
            self.needs.append(Need(one.place, self.subject or "me", not self.negated, self.number))
        elif self.direct and self.verb in ("give", "get") and not (self.negated or self.dropped):
            self.bare.append((one, self.side, one.definite))

    def _settle_bare(self) -> None:
        """A bare name is all of it where it is "the water", or where something else is given for it."""
        sides = {side for _, side, _ in self.bare} | {one.side for one in self.booked}
        for one, side, definite in self.bare:
            if definite or len(sides - {None}) > 1:
                whole = Mention(one.place, self.issues[one.place].quantity)
                self.booked.append(Booked(whole, side, True, self.group + 1, "give"))

    # Words

    def _word(self, token: Token) -> None:
        kind = token.kind
        if kind in _PERSON:
            self._person(_PERSON[kind])
        elif kind is Kind.OWN:
            self._own(token)
        elif kind in (Kind.GET, Kind.GIVE, Kind.WANT, Kind.STOCK, Kind.SPLIT):
            self._verb(token)
        elif kind is Kind.TO:
            self._to(token)
        elif kind is Kind.NOT:
            self.negated = True
        elif kind is Kind.INSTEAD:
            self.dropped = True
        elif kind in (Kind.BUT, Kind.THEN):
            self.negated = self.dropped = False
            self.group += 1
            self.direct = True
        elif kind is Kind.AND:
            self.negated = self.negated and token.text != ","
            self.dropped = False
        elif kind is Kind.OR:
            self._or()
        elif kind is Kind.EVENLY:
            self._evenly()
        elif kind is Kind.EACH and self.subject == "me":
            self.subject = self.side = "both"  # "we could each get"
        elif kind is Kind.ANY or token.text == "more":
            self.direct = False
        elif kind is Kind.OTHER:
            self.direct = self.direct and token.text in _SOFT

    def _own(self, token: Token) -> None:
        after = self.at + 1
        if after < len(self.line) and self.line[after].kind is Kind.PEOPLE:
            self.at = after
            self._person("you" if token.text.startswith(_YOURS) else "me")

    def _person(self, side: Side) -> None:
        after = self.line[self.at + 1].kind if self.at + 1 < len(self.line) else None
        closes = self.last_end == self.at and after in _ENDS  # "3 waters me, 3 foods you"
        if closes or (self.at and self.line[self.at - 1].kind is Kind.TO):
            self._received(side)
            return
        if self.at and self.line[self.at - 1].kind is Kind.AND:
            self.negated = False
        self.subject = self.side = side
        self.verb, self.direct, self.dropped = "", True, False
        self.group += 1

    def _received(self, side: Side) -> None:
        """ "… for me": books the list before it to this side; with no list before it, what follows."""
        verb_follows = self.at + 1 < len(self.line) and self.line[self.at + 1].kind in (Kind.GET, Kind.GIVE, Kind.WANT)
        adjacent = self.last_end in (self.at - 1, self.at)
        if not verb_follows:
            for k in range(len(self.booked) - 1, -1, -1):
                one = self.booked[k]
                newest = adjacent and k == len(self.booked) - 1
                if one.group != self.group or (one.firm and not newest):
                    break
                self.booked[k] = one._replace(side=side, firm=True)
        self.subject = self.subject if self.booked and not verb_follows else side
        self.side, self.direct = side, True
        self.verb = "" if self.verb != "stock" else self.verb
        self.group += 1

    def _verb(self, token: Token) -> None:
        kind = token.kind
        self.direct = True
        if kind is Kind.GIVE or (kind is Kind.SPLIT and token.text.startswith(("share", "sharing", "分"))):
            self._give()
        elif kind is Kind.GET:
            nobody: Side = "you" if token.text in _OPEN_VERBS else "me"
            self.side, self.verb = self.subject or nobody, "get"
        elif kind is Kind.WANT:
            self.side, self.verb = self._owner() or self.subject or "me", "want"
        else:
            self.verb = "stock" if kind is Kind.STOCK else "split"

    def _owner(self) -> Side | None:
        """Whose need it is: "my need for water"."""
        before = self.line[self.at - 1] if self.at else None
        if before is None or before.kind is not Kind.OWN:
            return None
        return "you" if before.text.startswith(_YOURS) else "me"

    def _give(self) -> None:
        after = self.at + 1
        named = _PERSON.get(self.line[after].kind) if after < len(self.line) else None
        shares = self.line[self.at].kind is Kind.SPLIT
        loose = [one for one in self.booked if one.group == self.group and not one.firm]
        self.verb = "share" if shares else "give"
        if named is not None:
            counted = after + 1 < len(self.line) and self.line[after + 1].kind in (Kind.NUMBER, Kind.ALL)
            behind = (loose or self.last_end == self.at) and not counted
            self.at, self.side = after, named
            if behind and self.line[after].text in ("你", "我", "您"):  # 食物都给你
                self._received(named)
                self.verb = "give"
        else:
            self.side = _OTHER[self.subject or "me"]

    def _to(self, token: Token) -> None:
        """ "2 water for 1 food": what follows a "for" that is no person's is the price of what came before."""
        after = self.at + 1
        while after < len(self.line) and self.line[after].kind in (Kind.FILL, Kind.OWN):
            after += 1
        found = mentions_at(self.line, after, self.issues) if after < len(self.line) else None
        price = token.text == "for" and found is not None and found[0] and found[0][0].place != TOPIC
        if price and not self.verb and self.subject is None and self.last_end == self.at:
            self.booked = [one for one in self.booked if one.group != self.group]
            self.dropped = True  # "3 food for 3 water?": nobody knows who gives which
        elif price and self.verb in ("give", "get"):
            self.side = _OTHER[self.side or "me"]
            self.group += 1
            self.direct = True
        elif token.text != "with":
            self.direct = False

    def _or(self) -> None:
        """Of alternatives neither is proposed."""
        if self.last_end == self.at and self.booked and self.at + 1 < len(self.line):
            found = mentions_at(self.line, self.at + 1, self.issues)
            if found is not None:
                self.booked.pop()
                self.at, self.last_end = found[1] - 1, found[1]

    def _evenly(self) -> None:
        if self.verb == "split" and self.topic is not None:
            half, odd = divmod(self.issues[self.topic].quantity, 2)
            if not odd:
                self.booked.append(Booked(Mention(self.topic, half), "both", True, self.group, "split"))


def terms(text: str, issues: tuple[Issue, ...]) -> Terms:
    """All that is said of counts and needs in a text, in order."""
    booked: list[Booked] = []
    needs: list[Need] = []
    carried: Side | None = None
    topic: int | None = None
    groups = 0
    for number, line in enumerate(sentences(tokens(text, issues))):
        one = _Pass(line, issues, carried, number)
        one.topic = topic
        one.run()
        settled = (found for found in one.booked if found.firm or found.verb != "split")
        booked += [found._replace(group=found.group + groups) for found in settled]
        needs += one.needs
        groups += one.group + 2
        topic = one.topic
        carried = one.booked[-1].side if one.booked else None
    return Terms(booked, needs, topic)


def _of(mention: Mention, place: int, issues: tuple[Issue, ...]) -> Mention | None:
    cap = issues[place].quantity
    count = cap if mention.number == ALL_OF_IT else mention.number
    return mention._replace(place=place, number=count) if count is not None and count <= cap else None


# Parts ----------------------------------------------------------------------------------------------------------------


class _Book:
    """The shares of each issue while they come in."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        self.issues = issues
        self.shares: dict[int, dict[str, int]] = {}
        self.groups: dict[tuple[int, str], int] = {}
        self.more: dict[int, tuple[Side, int]] = {}
        self.rest: Side | None = None

    def add(self, one: Booked) -> None:
        side, mention = one.side or "me", one.mention
        if mention.rest:
            self.rest = side
            return
        assert mention.number is not None
        if mention.more:
            self.more[mention.place] = (side, mention.number)
            return
        for each in ("me", "you") if side == "both" else (side,):
            self._put(mention.place, each, mention.number, one.group)

    def _put(self, place: int, side: str, count: int, group: int) -> None:
        shares = self.shares.setdefault(place, {})
        other = "you" if side == "me" else "me"
        cap = ALL_OF_IT if place == TOPIC else self.issues[place].quantity
        before = shares.get(side)
        again = self.groups.get((place, side)) == group and other not in shares
        if before is not None and again and before != count and before + count == cap:
            shares[other] = count  # "3 food 1 water, and 0 food 2 water": the second list is the other side's
            return
        if before is not None and before != count:
            shares.clear()  # said anew: the newer counts
        shares[side] = count
        self.groups[place, side] = group

    def parts(self) -> tuple[Part, ...]:
        found = [self._part(place, shares) for place, shares in sorted(self.shares.items())]
        found += [self._more(place) for place in sorted(self.more) if place not in self.shares]
        kept = [part for part in found if part is not None]
        if self.rest in ("me", "you") and kept:
            named = {part.issue for part in kept}
            for issue in self.issues:
                if issue.name not in named:
                    mine = issue.quantity if self.rest == "me" else 0
                    kept.append(Part(issue.name, mine, issue.quantity - mine))
        return tuple(kept)

    def _more(self, place: int) -> Part | None:
        side, count = self.more[place]
        name = None if place == TOPIC else self.issues[place].name
        if side == "both":
            return None
        return Part(name, count if side == "me" else None, count if side == "you" else None, more=True)

    def _part(self, place: int, shares: dict[str, int]) -> Part | None:
        """The part with what follows for the other side; None where the two sides' counts don't make up the whole."""
        me, you = shares.get("me"), shares.get("you")
        if place == TOPIC:
            return Part(None, me, you)
        cap = self.issues[place].quantity
        if me is None:
            me = cap - (you or 0)
        elif you is not None and me + you != cap:
            return None
        return Part(self.issues[place].name, me, cap - me)


def parts(said: Terms, issues: tuple[Issue, ...]) -> tuple[Part, ...]:
    """The split that these terms propose, by issue; empty where they propose none."""
    book = _Book(issues)
    for one in said.booked:
        book.add(one)
    return book.parts()
