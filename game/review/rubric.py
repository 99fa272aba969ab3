"""The rubric: eight habits of good negotiators, each scored 0…1 from what was done, with the turns as evidence.

It is practice, not reward: nothing is paid by it, and nobody is ranked by it. It looks at moves, figures and the shape
of words, never at which words: no keyword earns anything. An item that a game gave no occasion for is None. The
formulas stand in `scores.py`.

Surpluses are the player's own utility over its own limit as shown when it moved; shares and steps are of Δ0 (public),
steps by declared utilities.

- `opening_ambition`: the surplus of the first own offer over that of the target (`figures.target`), at most 1; less up
  to `ABSURD_COST` for what it asks beyond the declared anchor. Galinsky & Mussweiler 2001 on ambition; Schweinsberg et
  al. 2012 on offers that offend.
- `first_offer`: 1 for an own offer before any of theirs, or, where they opened, in the first move after; `LATER` less
  for each move later; times ½ + ½·ambition: a soft anchor is no anchor. Galinsky & Mussweiler 2001.
- `counter_strength`: over all later own offers, the mean of 1 − (step − max(their step since, `FREE_STEP`))/`AHEAD`,
  0…1: steps that do not run ahead of theirs. What follows a headline is left out. Siegel & Fouraker 1960; Komorita &
  Esser 1975.
- `reciprocity`: over all steps of theirs of at least `NOTICEABLE`, the share of it that the next own move gave back,
  0…1; taking the deal is giving back in full, and leaving is
  judged elsewhere. Osgood 1962; Axelrod 1984; Weingart, Thompson, Bazerman & Carroll 1990.
- `walk_away_discipline`: 0 for a deal beyond the own limit; else 1, less `OFFER_BEYOND` for an offer beyond it, less
  `WALKED_WRONGLY` for leaving although terms suited both, less `STAYED` for not leaving where none did. Raiffa 1982.
- `questions_asked`: different topics asked over `TOPICS_ENOUGH` (over the moves there were to ask in, when fewer).
  Thompson 1991; Rackham & Carlisle 1978.
- `rationale_given`: the share of own offers said with words of their own: `WORDS_ENOUGH` or more besides figures, more
  words than figures, not one word over and over, and not said before by either side. Langer, Blank & Chanowitz 1978;
  Maaravi, Ganzach & Pazy 2011.
- `closing`: a deal: 1, or ½ + ½·(its surplus over the best that had stood on the table) when that was better; a
  walk-away where nothing suited both: 1; no deal though something did: 0, or `LET_GO` if it was they who left.
  Lewicki, Saunders & Barry 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from game.cards import TOPICS
from game.review import scores
from game.review.replay import OwnMove, Replayed, replayed
from game.review.scores import LET_GO, NOTICEABLE, TOPICS_ENOUGH
from game.review.words import TOPIC_WORDS, Text, money, offer_words, text, tokens
from parlay_env.core import Seat
from parlay_env.deal import numbers as n
from parlay_env.deal.conduct import ask_of
from parlay_env.deal.state import SEATS, State
from parlay_env.deal.terms import Offer, worth
from parlay_env.deal.value import surplus, zopa_exists
from parlay_env.figures import limit_now, target
from parlay_env.grader import in_limit
from parlay_env.log import EventLog

ITEMS = (
    "opening_ambition",
    "first_offer",
    "counter_strength",
    "reciprocity",
    "walk_away_discipline",
    "questions_asked",
    "rationale_given",
    "closing",
)


class Evidence(msgspec.Struct, frozen=True):
    turn: int
    text: Text


class Item(msgspec.Struct, frozen=True):
    """An item of the rubric. `score` is None where the game gave no occasion for it; the evidence then says why."""

    item: str
    score: float | None
    evidence: tuple[Evidence, ...]


class _Game(msgspec.Struct, frozen=True):
    """A replayed game from one seat."""

    replayed: Replayed
    seat: int
    own: tuple[OwnMove, ...]
    """Moves that were allowed."""

    @property
    def end(self) -> State:
        return self.replayed.last

    @property
    def width(self) -> int:
        return self.replayed.terms.delta0[self.seat]

    @property
    def offers(self) -> tuple[OwnMove, ...]:
        return tuple(one for one in self.own if one.move.offer is not None)

    def words(self, offer: Offer) -> Text:
        return offer_words(self.replayed.terms, offer)

    def surplus(self, state: State, offer: Offer) -> float:
        """Over the own limit as it stands in this state, in Δ0."""
        return surplus(state, self.seat, offer) / self.width


def rubric(log: EventLog, seat: Seat, secret: bytes = b"") -> list[dict[str, Any]]:
    """The rubric of a game that is over, for a seat: `[{item, score, evidence: [{turn, text: {en, zh}}]}]` in the order
    of `ITEMS`. Raises LogError for a log that can't be replayed, and ValueError for a game that is not over."""
    return rubric_of(replayed(log, secret), seat)


def rubric_of(game: Replayed, seat: Seat) -> list[dict[str, Any]]:
    """The rubric of a replayed game. Raises ValueError when it is not over."""
    if game.last.public.ended is None:
        raise ValueError("a rubric is of a game that is over")
    own = tuple(one for one in game.moves_of(seat) if one.valid)
    seen = _Game(game, SEATS.index(seat), own)
    items = (
        _opening_ambition(seen),
        _first_offer(seen),
        _counter_strength(seen),
        _reciprocity(seen),
        _walk_away(seen),
        _questions(seen),
        _rationale(seen),
        _closing(seen),
    )
    return [msgspec.to_builtins(item) for item in items]


def _item(item: str, score: float | None, *evidence: Evidence) -> Item:
    return Item(item, None if score is None else round(scores.clipped(score), 3), evidence)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


# The opening ----------------------------------------------------------------------------------------------------------


def _ambition(game: _Game, made: OwnMove) -> float:
    """The surplus of an offer over that of the target then."""
    assert made.move.offer is not None and made.view.own is not None
    value = worth(made.view.own.utility, made.move.offer)
    limit = limit_now(made.view)
    aim = max(target(made.view) - limit, n.NOTICEABLE * game.width)
    return scores.ambition(value - limit, aim)


def _opening_ambition(game: _Game) -> Item:
    name = "opening_ambition"
    if not game.offers:
        none = text("You made no offer of your own.", "你没有提出过自己的报价。")
        return _item(name, None, Evidence(game.end.public.turn, none))
    first = game.offers[0]
    assert first.move.offer is not None
    share = _ambition(game, first)
    beyond = max(0.0, ask_of(game.replayed.terms, game.seat, first.move.offer) - n.SERIOUS)
    score = scores.opening_ambition(share, beyond)
    en = "You opened with {offer}: {share} % of the way from your limit to your target."
    zh = "你首次报价 {offer}，从底线到目标的距离走了 {share}%。"
    if share >= 1.0:
        en, zh = "You opened with {offer}, at your target or beyond it.", "你首次报价 {offer}，达到或超过了目标。"
    said = text(
        en,
        zh,
        offer=game.words(first.move.offer),
        share=_percent(share),
    )
    evidence = [Evidence(first.turn, said)]
    if beyond > 0.0:
        more = text(
            "It asked for more than anybody opens with here; that costs goodwill.",
            "这比此类谈判中的常见开价还要高，容易伤和气。",
        )
        evidence.append(Evidence(first.turn, more))
    return _item(name, score, *evidence)


def _first_offer(game: _Game) -> Item:
    name = "first_offer"
    theirs = next((made for made in game.end.public.offers if made.seat != game.seat), None)
    they_opened = theirs is not None and theirs.turn == 0
    if not game.offers:
        said = text("You made no offer of your own.", "你没有提出过自己的报价。")
        return _item(name, 0.0 if game.own else None, Evidence(game.end.public.turn, said))
    first = game.offers[0]
    late = sum(one.at < first.at for one in game.own)
    before = not first.played.before.public.offers
    if not they_opened and not before:
        late += 1  # theirs was on the table first
    score = scores.first_offer(late, _ambition(game, first))
    if before:
        said = text(
            "You put the first figure on the table: {offer}.",
            "你率先报价：{offer}。",
            offer=game.words(first.move.offer or ()),
        )
    elif they_opened and not late:
        said = text(
            "They opened, and you answered at once with a figure of your own: {offer}.",
            "对方先开价，你马上用自己的报价回应：{offer}。",
            offer=game.words(first.move.offer or ()),
        )
    else:
        said = text(
            "Their figure came first, and the talk was about it until you named {offer}.",
            "对方的数字先摆上了桌，直到你报出 {offer} 之前，大家谈的都是它。",
            offer=game.words(first.move.offer or ()),
        )
    return _item(name, score, Evidence(first.turn, said))


# Steps ----------------------------------------------------------------------------------------------------------------


def _given(game: _Game, seat: int, offers: Sequence[Offer]) -> float:
    """How far the last of a seat's offers conceded beyond the best of those before, by its declared utility in Δ0."""
    terms = game.replayed.terms
    values = [min(ask_of(terms, seat, offer), n.SERIOUS) for offer in offers]
    return max(0.0, min(values[:-1]) - values[-1]) if len(values) > 1 else 0.0


def _offers_by(state: State, seat: int) -> list[Offer]:
    return [made.offer for made in state.public.offers if made.seat == seat]


def _counter_strength(game: _Game) -> Item:
    name = "counter_strength"
    later = game.offers[1:]
    steps: list[tuple[float, float]] = []
    worst: tuple[float, float, float, OwnMove] | None = None
    for before, made in zip(game.offers, later, strict=False):
        assert made.move.offer is not None
        if len(before.view.public.news) < len(made.view.public.news):
            continue  # what stood is void, and limits have moved
        step = _given(game, game.seat, [*_offers_by(made.played.before, game.seat), made.move.offer])
        theirs = _step_since(game, before, made)
        ahead = scores.ahead(step, theirs)
        steps.append((step, theirs))
        if ahead > (0.0 if worst is None else worst[0]):
            worst = (ahead, step, theirs, made)
    if not steps:
        said = text("You made no counter-offer to judge.", "没有可以评价的还价。")
        return _item(name, None, Evidence(game.end.public.turn, said))
    if worst is None:
        said = text(
            "In {count} counter-offers you never gave much more than they did.",
            "你一共还价 {count} 次，让步从没明显超过对方。",
            count=len(steps),
        )
        return _item(name, 1.0, Evidence(later[0].turn, said))
    _, step, theirs, made = worst
    en, zh = "Here you gave {mine} in one step; they had given {theirs}.", "这一步你让了 {mine}，对方只让了 {theirs}。"
    if theirs < NOTICEABLE:
        en, zh = "Here you gave {mine} in one step, for nothing in return.", "这一步你白白让了 {mine}，对方没有让步。"
    said = text(
        en,
        zh,
        mine=money(step * game.width),
        theirs=money(theirs * game.replayed.terms.delta0[1 - game.seat]),
    )
    return _item(name, scores.counter_strength(steps), Evidence(made.turn, said))


def _step_since(game: _Game, before: OwnMove, made: OwnMove) -> float:
    """What the other side conceded between two moves of one's own, in its Δ0."""
    other = 1 - game.seat
    then = _offers_by(before.played.before, other)
    now = _offers_by(made.played.before, other)
    return sum(_given(game, other, now[: k + 1]) for k in range(len(then), len(now)))


def _reciprocity(game: _Game) -> Item:
    name, other = "reciprocity", 1 - game.seat
    shares: list[float] = []
    evidence: list[Evidence] = []
    for before, made in zip(game.own, game.own[1:], strict=False):
        theirs = _step_since(game, before, made)
        if theirs < NOTICEABLE or made.move.walk:
            continue
        gave = 0.0
        if made.move.offer is not None:
            gave = _given(game, game.seat, [*_offers_by(made.played.before, game.seat), made.move.offer])
        share = scores.given_back(gave, theirs, made.move.accept)
        shares.append(share)
        amount = money(theirs * game.replayed.terms.delta0[other])
        if share < 0.5:
            said = text(
                "They had given {theirs}; you gave {mine} back.",
                "对方让了 {theirs}，你只回了 {mine}。",
                theirs=amount,
                mine=money(gave * game.width),
            )
            evidence.append(Evidence(made.turn, said))
    if not shares:
        said = text("They made no step that called for one of yours.", "对方没有作出值得你回应的让步。")
        return _item(name, None, Evidence(game.end.public.turn, said))
    if not evidence:
        said = text(
            "You answered all {count} of their steps with one of your own.",
            "对方 {count} 次让步，你每次都有回应。",
            count=len(shares),
        )
        evidence.append(Evidence(game.own[-1].turn, said))
    return _item(name, sum(shares) / len(shares), *evidence[:3])


# Limits and endings ---------------------------------------------------------------------------------------------------


def _walk_away(game: _Game) -> Item:
    name, end = "walk_away_discipline", game.end
    ended = end.public.ended
    assert ended is not None
    if ended.outcome is not None and not in_limit(end, game.seat):
        said = text(
            "You closed at {offer}, beyond your limit: no deal would have been better.",
            "你以 {offer} 成交，越过了自己的底线：不如不成交。",
            offer=game.words(ended.outcome),
        )
        return _item(name, scores.walk_away_discipline(closed_beyond=True), Evidence(ended.turn, said))
    left_wrongly = stayed = False
    evidence: list[Evidence] = []
    beyond = [one for one in game.offers if not one.played.after.safe[game.seat]]
    if beyond:
        said = text(
            "You offered {offer}, beyond your limit: they had only to say yes.",
            "你报出了 {offer}，已经越过底线：对方只要答应，你就亏了。",
            offer=game.words(beyond[0].move.offer or ()),
        )
        evidence.append(Evidence(beyond[0].turn, said))
    exists, mine = zopa_exists(end), ended.seat == game.seat
    if ended.reason == "walk_away" and mine and exists:
        left_wrongly = True
        said = text("You left although there were terms that suited both.", "明明还有双方都能接受的条件，你却离场了。")
        evidence.append(Evidence(ended.turn, said))
    elif ended.reason == "walk_away" and mine:
        said = text("You left, and rightly: no terms suited both.", "你离场是对的：没有双方都能接受的条件。")
        evidence.append(Evidence(ended.turn, said))
    elif ended.outcome is None and not exists and not (ended.reason == "walk_away" or beyond):
        stayed = True
        said = text("No terms suited both; leaving would have been right.", "没有双方都能接受的条件，离场才对。")
        evidence.append(Evidence(ended.turn, said))
    if not evidence:
        said = text("You never went beyond your limit.", "你始终守住了底线。")
        evidence.append(Evidence(ended.turn, said))
    score = scores.walk_away_discipline(offered_beyond=bool(beyond), left_wrongly=left_wrongly, stayed=stayed)
    return _item(name, score, *evidence)


def _best_on_table(game: _Game) -> tuple[float, int, Offer] | None:
    """The best offer of theirs that stood when the player moved: its surplus then, the turn, the offer."""
    found: tuple[float, int, Offer] | None = None
    for one in game.own:
        standing = one.played.before.public.sides[1 - game.seat].standing
        if standing is not None:
            value = game.surplus(one.played.before, standing)
            if found is None or value > found[0]:
                found = (value, one.turn, standing)
    return found


def _closing(game: _Game) -> Item:
    name, end = "closing", game.end
    ended = end.public.ended
    assert ended is not None
    exists, best = zopa_exists(end, erosion=False), _best_on_table(game)
    if ended.outcome is not None:
        value = game.surplus(end, ended.outcome)
        if value < 0.0:
            said = text("A deal beyond your limit is no close.", "越过底线的成交算不上漂亮收官。")
            return _item(name, 0.0, Evidence(ended.turn, said))
        score = scores.closing(value, None if best is None else best[0])
        evidence: list[Evidence] = []
        if best is not None and best[0] > value + NOTICEABLE:
            said = text(
                "You closed at {deal}; in turn {turn} you could have had {best}.",
                "你以 {deal} 成交；其实在第 {turn} 回合本可以拿到 {best}。",
                deal=game.words(ended.outcome),
                turn=best[1],
                best=game.words(best[2]),
            )
            evidence.append(Evidence(best[1], said))
        else:
            said = text(
                "You closed at {deal}, no worse than anything they had offered.",
                "你以 {deal} 成交，不比对方任何一次报价差。",
                deal=game.words(ended.outcome),
            )
            evidence.append(Evidence(ended.turn, said))
        return _item(name, score, *evidence)
    if not exists:
        right = ended.reason == "walk_away" and ended.seat == game.seat
        said = text("There was nothing to close: no terms suited both.", "本来就谈不拢：没有双方都能接受的条件。")
        return _item(name, 1.0 if right else None, Evidence(ended.turn, said))
    left = ended.reason == "walk_away" and ended.seat != game.seat
    if best is not None and best[0] > 0.0:
        said = text(
            "No deal, though in turn {turn} you could have had {best}.",
            "没有成交，而第 {turn} 回合你本可以拿到 {best}。",
            turn=best[1],
            best=game.words(best[2]),
        )
        return _item(name, LET_GO if left else 0.0, Evidence(best[1], said))
    said = text("There were terms that suited both, and no deal.", "存在双方都能接受的条件，却没有成交。")
    return _item(name, LET_GO if left else 0.0, Evidence(ended.turn, said))


# Questions and words --------------------------------------------------------------------------------------------------


def _questions(game: _Game) -> Item:
    name = "questions_asked"
    room = min(TOPICS_ENOUGH, sum(not (one.move.accept or one.move.walk) for one in game.own))
    if not room:
        said = text("The game was over before there was time to ask.", "还没来得及提问，谈判就结束了。")
        return _item(name, None, Evidence(game.end.public.turn, said))
    asked: dict[str, int] = {}
    for one in game.own:
        if one.move.question:
            asked.setdefault(one.move.question, one.turn)
    if not asked:
        said = text(
            "You asked nothing; questions cost little and tell a lot.", "你一个问题也没问；提问花费不多，收获不小。"
        )
        return _item(name, 0.0, Evidence(game.own[0].turn, said))
    evidence = [
        Evidence(turn, text("You asked about {topic}.", "你询问了{topic}。", topic=TOPIC_WORDS[topic]))
        for topic, turn in sorted(asked.items(), key=lambda pair: (pair[1], TOPICS.index(pair[0])))
    ]
    return _item(name, scores.questions_asked(len(asked), room), *evidence)


def _rationale(game: _Game) -> Item:
    """Words are counted and compared, never understood. A game without words (voiced moves that say nothing) has no
    occasion."""
    name = "rationale_given"
    if not game.offers:
        said = text("You made no offer of your own.", "你没有提出过自己的报价。")
        return _item(name, None, Evidence(game.end.public.turn, said))
    if any(one.move.voiced and not one.move.utterance for one in game.own):
        said = text("This game was played without words.", "这一局没有使用语言。")
        return _item(name, None, Evidence(game.offers[0].turn, said))
    heard: list[frozenset[str]] = []
    given: list[OwnMove] = []
    for step in game.replayed.steps:
        words, figures = tokens(step.move.utterance)
        known = frozenset(words)
        offers = step.seat == game.seat and step.move.offer is not None and step.valid
        if offers and scores.is_rationale(words, figures, heard):
            given.extend(one for one in game.offers if one.played is step)
        if known:
            heard.append(known)
    share = len(given) / len(game.offers)
    if given:
        said = text(
            "{count} of your {all} offers came with words of their own, first this one.",
            "你的 {all} 次报价里有 {count} 次配了新的说明，这是第一次。",
            count=len(given),
            all=len(game.offers),
        )
        return _item(name, share, Evidence(given[0].turn, said))
    said = text("Your offers came without a reason in words.", "你的报价都没有附上理由。")
    return _item(name, share, Evidence(game.offers[0].turn, said))
