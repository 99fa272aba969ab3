"""Small worlds for the tests: a deal with facts of one's choice, moves by hand, players who move at random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from agent.registry import profile
from game.cards import ANSWERS, CARD, CLAIMED_BY, QUESTION_COST, TOPICS
from game.scenarios import Scenario, scenarios
from parlay_env import grader
from parlay_env.core import Policy, Step, Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import (
    SEATS,
    T_MAX,
    Belief,
    Claim,
    Facts,
    Invalid,
    Move,
    Profile,
    Public,
    Setup,
    State,
    with_seat,
)
from parlay_env.deal.terms import CENTS, Offer, Terms, terms_of, to_offer, utility_of, worth
from parlay_env.deal.value import items_left
from parlay_env.deal.views import View
from parlay_env.rng import Draws

GAME = Deal()
SCENARIOS = scenarios()
SCENARIO_IDS = tuple(SCENARIOS)
PRICE_IDS = ("saas_enterprise", "hiring_package", "acquisition_term_sheet")
PERSONAS = ("shark", "diplomat", "veteran")
WIDTH = 4_000_000
"""Δ0 of saas_enterprise, in hundredths."""
SELLER, BUYER = 0, 1


def quiet(name: str = "saas_enterprise") -> Scenario:
    """A scenario without scheduled headlines."""
    return replace(SCENARIOS[name], headlines=())


def setup(name: str = "saas_enterprise", persona: str = "", **fields: Any) -> Setup:
    """A setup of a scenario that ships, against a persona's profile when one is named."""
    if persona:
        fields["opponent"] = profile(persona)
    return Setup(SCENARIOS[name], **fields)


def facts(
    scenario: Scenario, seat: int, limit: float, budget: float | None = None, worths: float = 0.05, **fields: Any
) -> Facts:
    """A seat's facts. `limit` (and `budget`) in money: a price, or with several issues a utility."""
    terms = terms_of(scenario)
    sign = -1 if terms.is_price and seat == BUYER else 1
    declared = scenario.side(seat).weights
    weights = tuple(declared[issue.name] for issue in scenario.issues) if declared else ()
    own = SEATS[seat]
    known: dict[str, Any] = {
        "walk_away": sign * round(limit * CENTS),
        "budget": None if budget is None else sign * round(budget * CENTS),
        "urgency": scenario.urgency,
        "has_alternative": False,
        "deadline": T_MAX,
        "utility": utility_of(scenario, seat, weights) if weights else terms.declared[seat],
        "weights": weights,
        "item_worth": tuple(
            -round(item.cost * terms.delta0[seat]) if item.by == own else round(worths * terms.delta0[seat])
            for item in scenario.sweeteners
        ),
    }
    return Facts(**(known | fields))


class Table:
    """A deal that the test plays by hand. By default: saas_enterprise without headlines, the limits as declared, the
    seller learns and is to move in turn 1."""

    def __init__(
        self,
        scenario: Scenario | None = None,
        seller: Facts | float | None = None,
        buyer: Facts | float | None = None,
        turn: int = 1,
        **fields: Any,
    ) -> None:
        scenario = quiet() if scenario is None else scenario
        fields = {"events": False} | fields
        setup = Setup(scenario, **fields)
        self.terms: Terms = terms_of(scenario)
        own = []
        for seat, given in enumerate((seller, buyer)):
            limit = scenario.side(seat).limit if given is None else given
            own.append(limit if isinstance(limit, Facts) else facts(scenario, seat, limit))
        state = GAME.start(setup, 1)
        public = Public(turn=turn, mover=setup.learner, sides=state.public.sides, tension=state.public.tension)
        self.state: State = replace(state, public=public, facts=(own[0], own[1]), books=grader.open_books(setup))
        self.paid: list[tuple[str, Mapping[str, float]]] = []
        self.steps: list[Step] = []

    @property
    def public(self) -> Public:
        return self.state.public

    @property
    def mover(self) -> str:
        return SEATS[self.public.mover]

    def change(self, **parts: Any) -> Table:
        """Put other parts into the state."""
        self.state = replace(self.state, **parts)
        return self

    def change_public(self, **parts: Any) -> Table:
        return self.change(public=replace(self.public, **parts))

    def change_side(self, seat: int, **parts: Any) -> Table:
        side = replace(self.public.sides[seat], **parts)
        return self.change_public(sides=with_seat(self.public.sides, seat, side))

    def offer(self, *figures: float) -> Offer:
        """An offer from its figures."""
        names = [issue.name for issue in self.terms.scenario.issues]
        return to_offer(self.terms, dict(zip(names, figures, strict=True)))

    def play(self, move: Move | None = None, **fields: Any) -> Table:
        """One move by whoever is to move; an offer may be given as a figure. Voiced unless said otherwise."""
        if move is None:
            given = fields.get("offer")
            if isinstance(given, (int, float)):
                fields["offer"] = self.offer(given)
            move = Move(**({"voiced": fields.get("card") != "silence"} | fields))
        step = GAME.play(self.state, {self.mover: move})
        self.state = step.state
        self.steps.append(step)
        self.paid += [(seat, terms) for seat, terms in step.rewards.items()]
        return self

    def rounds(
        self, count: int, mine: Mapping[str, Any] | None = None, theirs: Mapping[str, Any] | None = None
    ) -> Table:
        """So many whole turns of the same two moves."""
        for _ in range(count):
            self.play(**(mine or {})).play(**(theirs or {}))
        return self

    def refused(self, move: Move | None = None, **fields: Any) -> str:
        """The code of why this move isn't allowed; the table stays as it was. "" when it is allowed."""
        before, seat = self.state, self.public.mover
        self.play(move, **fields)
        found = self.state.invalid[seat]
        self.state = before
        self.steps.pop()
        return "" if found is None else found.code

    def earned(self, seat: str = "seller") -> list[Mapping[str, float]]:
        """What a seat was paid, payment by payment."""
        return [terms for who, terms in self.paid if who == seat]

    def total(self, seat: str = "seller") -> float:
        return sum(sum(terms.values()) for terms in self.earned(seat))

    def view(self, seat: str, role: str = "player") -> View:
        return GAME.view(self.state, Viewer(role, seat))  # pyright: ignore[reportArgumentType]


# Players --------------------------------------------------------------------------------------------------------------


class Script:
    """Plays the moves it was given, then lets the other side talk."""

    def __init__(self, *moves: Move) -> None:
        self.moves = list(moves)

    def act(self, view: View, rng: Draws) -> Move:
        return self.moves.pop(0) if self.moves else Move(voiced=True)


class RandomLegal:
    """Anything that is allowed, at random; mostly neither accepts nor leaves, so that episodes are long."""

    def __init__(self, seed: int, ends: float = 0.03) -> None:
        self.random, self.ends = random.Random(seed), ends

    def act(self, view: View, rng: Draws) -> Move:
        return legal_move(view, self.random, self.ends)


class RandomIllegal:
    """Now and then something that is not allowed, else anything that is."""

    def __init__(self, seed: int, share: float = 0.5) -> None:
        self.random, self.share = random.Random(seed), share

    def act(self, view: View, rng: Draws) -> Move:
        if self.random.random() < self.share:
            return illegal_move(view, self.random)
        return legal_move(view, self.random, 0.03)


def legal_move(view: View, r: random.Random, ends: float = 0.03) -> Move:
    """A move that the rules allow, with anything a move can have."""
    public, seat = view.public, view.seat
    terms, side, other = terms_of(view.setup.scenario), public.sides[seat], public.sides[1 - seat]
    belief, impact = _report(terms, 1 - seat, r), r.choice([None, 0.0, r.uniform(-1, 1)])
    challenge = newest_open_claim(public, 1 - seat) is not None and r.random() < 0.3
    words = r.choice(["", "", "Well.", "I hear you.", f"That makes {r.randrange(100, 200)}k.", "好的"])
    move = Move(utterance=words, voiced=bool(words), belief=belief, event_impact=impact, challenge=challenge)
    if r.random() < ends:
        return replace(move, walk=True)
    if other.standing is not None and r.random() < ends:
        return replace(move, accept=True)
    if r.random() < 0.75:
        move = replace(move, offer=_offer(terms, seat, r))
    if ANSWERS.get(other.question) and r.random() < 0.7:
        move = replace(move, claim=_claim(terms, view, ANSWERS[other.question], r))
    elif r.random() < 0.4:
        move = _with_card(view, move, r)
    if not move.card and side.points >= QUESTION_COST and r.random() < 0.3:
        move = replace(move, question=r.choice(TOPICS))
    return move


def illegal_move(view: View, r: random.Random) -> Move:
    """A move that the rules refuse, each in its own way."""
    terms, public = terms_of(view.setup.scenario), view.public
    side, other = public.sides[view.seat], public.sides[1 - view.seat]
    offer = _offer(terms, view.seat, r)
    found = [
        Move(offer=offer, accept=True),
        Move(offer=offer, walk=True),
        Move(accept=True, walk=True),
        Move(card="silence", question="timeline"),
        Move(walk=True, question="timeline"),
        Move(offer=(-1,) * len(terms.counts)),
        Move(offer=tuple(terms.counts)),
        Move(offer=offer[:-1]),
        Move(question="weather"),
        Move(card="trump"),
        Move(card="silence", utterance="psst", voiced=True),
        Move(card="sweetener", item="the moon"),
        Move(card="batna_reveal"),
        Move(refused=Invalid("out_of_range", "no")),
        Move(item="the moon"),
    ]
    if not other.question:
        found.append(Move(claim=Claim("limit", terms.limits[view.seat])))
    if other.standing is None:
        found.append(Move(accept=True))
    if newest_open_claim(public, 1 - view.seat) is None:
        found.append(Move(challenge=True))
    if side.offers == 0:
        found.append(Move(card="anchor_high", offer=offer))
    return r.choice(found)


def _offer(terms: Terms, seat: int, r: random.Random) -> Offer:
    if terms.is_price and r.random() < 0.8:  # between the anchors, where a deal might be
        low, high = sorted((terms.anchors[0][0], terms.anchors[1][0]))
        return (r.randint(low, high),)
    return tuple(r.randrange(count) for count in terms.counts)


def _report(terms: Terms, seat: int, r: random.Random) -> Belief | None:
    if r.random() < 0.5:
        return None
    money = [r.choice([None, terms.limits[seat] + round(r.uniform(-1, 1) * terms.delta0[seat])]) for _ in range(2)]
    shares = [r.choice([None, round(r.random(), 2)]) for _ in range(2)]
    return Belief(money[0], money[1], shares[0], shares[1])


def _claim(terms: Terms, view: View, kind: str, r: random.Random) -> Claim:
    assert kind in ("limit", "budget", "deadline", "alternative", "priority")
    if kind in ("limit", "budget"):
        return Claim(kind, terms.limits[view.seat] + round(r.uniform(-1, 1) * terms.delta0[view.seat]))
    if kind == "deadline":
        return Claim(kind, r.randint(max(1, view.public.turn), T_MAX))
    return Claim(kind, r.randint(0, 1))


def _with_card(view: View, move: Move, r: random.Random) -> Move:
    terms, public = terms_of(view.setup.scenario), view.public
    side = public.sides[view.seat]
    card = r.choice([card for card in CARD.values() if card.cost <= side.points])
    if card.id in CLAIMED_BY:
        return replace(move, card=card.id, claim=_claim(terms, view, CLAIMED_BY[card.id], r))
    if card.id == "silence":
        return Move(card="silence", belief=move.belief, event_impact=move.event_impact)
    if card.id == "sweetener":
        items = items_left(view.setup.scenario, public, view.seat)
        return replace(move, card=card.id, item=r.choice(items)) if items else move
    if card.id == "anchor_high":
        best = terms.anchors[view.seat]
        higher = tuple(
            min(n - 1, max(0, place + (1 if slope > 0 else -1) * r.randint(0, max(1, n // 50))))
            for place, n, slope in zip(best, terms.counts, terms.declared[view.seat].slopes, strict=True)
        )
        played = side.used[0] > 0 or side.offers == 0
        asks = worth(terms.declared[view.seat], higher) - worth(terms.declared[view.seat], best)
        if played or asks / terms.delta0[view.seat] <= side.top:
            return move
        return replace(move, card=card.id, offer=higher)
    return replace(move, card=card.id)


# Episodes -------------------------------------------------------------------------------------------------------------


def states(setup: Setup, seed: int, players: Mapping[str, Policy], moves_at_most: int = 500) -> Iterator[State]:
    """Every state of an episode, from the first to the last."""
    state = GAME.start(setup, seed)
    draws = {seat: policy_draws(GAME, seed, seat) for seat in SEATS}
    yield state
    while seats := GAME.to_move(state):
        moves_at_most -= 1
        assert moves_at_most >= 0, "the episode does not end"
        moves = {seat: players[seat].act(GAME.view(state, Viewer("player", seat)), draws[seat]) for seat in seats}
        state = GAME.play(state, moves).state
        yield state


def random_pair(seed: int, illegal: float = 0.0) -> dict[str, Policy]:
    """Two players who move at random."""
    if illegal:
        return {seat: RandomIllegal(seed * 2 + i, illegal) for i, seat in enumerate(SEATS)}
    return {seat: RandomLegal(seed * 2 + i) for i, seat in enumerate(SEATS)}


def opened_by(setup: Setup, learner: bool) -> int:
    """A seed with which this seat opens."""
    return next(seed for seed in range(200) if (GAME.start(setup, seed).public.turn == 1) == learner)


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    count = len(values)
    mean = sum(values) / count
    variance = sum((v - mean) ** 2 for v in values) / (count - 1)
    return mean, (variance / count) ** 0.5


def share_error(p: float, count: int) -> float:
    """The standard error of a share."""
    return (p * (1 - p) / count) ** 0.5


OPEN = Profile()
