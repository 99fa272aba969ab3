"""The shares of bluffs that the sheets of the personas state are those that are measured.

`python -m tests.agent.test_bluffs` measures afresh and prints what belongs into `agent/personas.yaml`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest
from msgspec.structs import replace

from agent.baselines import baseline
from agent.personas import PERSONAS
from agent.registry import opponent
from game.cards import QUESTION_COST, TOPICS
from parlay_env.deal.prior import prior_of
from parlay_env.deal.state import EARLY, SEATS, Move, State
from parlay_env.deal.terms import terms_of, worth
from tests.world import SCENARIO_IDS, Draws, View, setup, share_error, states

ENOUGH = 30
"""Fewer claims of a kind in a phase say nothing."""
Counts = dict[tuple[str, int], tuple[int, int]]
"""By kind and phase: bluffs, claims."""


class Asks:
    """A baseline that also asks, about one topic after the other, in every turn or now and then."""

    def __init__(self, name: str, every: int, first: int) -> None:
        self.inner, self.every, self.first = baseline(name), every, first

    def act(self, view: View, rng: Draws) -> Move:
        move = self.inner.act(view, rng)
        turn = view.public.turn
        if move.accept or move.walk or turn % self.every or view.public.sides[view.seat].points < QUESTION_COST:
            return move
        return replace(move, question=TOPICS[(self.first + turn // self.every) % 4])


LEARNERS = (
    ("tit_for_tat", 1),
    ("tit_for_tat", 3),
    ("tit_for_tat", 99),
    ("conceder", 2),
    ("boulware", 2),
    ("conceder", 99),
)


@cache
def measured(name: str, first: int, count: int, scenario: str = "") -> Counts:
    """Counts over so many episodes of a persona: every scenario and seat, learners that ask much, little and not."""
    found: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for i in range(count):
        seat = SEATS[i // 4 % 2]
        learner, every = LEARNERS[i // 8 % len(LEARNERS)]
        chosen = setup(scenario or SCENARIO_IDS[i % 4], name, seat=seat)
        other = 1 - chosen.learner
        players = {seat: Asks(learner, every, i), SEATS[other]: opponent(name, words=False)}
        *_, last = states(chosen, first + i, players)
        for made, true in zip(last.public.claims, last.truths, strict=True):
            if made.seat == other:
                cell = found[(made.claim.kind, int(made.turn > EARLY))]
                cell[0] += not true
                cell[1] += 1
    return {key: (bluffs, claims) for key, (bluffs, claims) in found.items()}


def sheet(name: str, count: int = 6000) -> dict[str, tuple[float, float]]:
    """What belongs into `personas.yaml`: shares by kind, turns 1–8 and 9–20."""
    counts = measured(name, 1_000_000, count)
    shares = {}
    for kind in ("limit", "deadline", "alternative", "budget", "priority"):
        cells = [counts.get((kind, phase), (0, 0)) for phase in (0, 1)]
        known = [bluffs / claims if claims >= ENOUGH else None for bluffs, claims in cells]
        either = next((share for share in known if share is not None), None)
        if either is not None:
            shares[kind] = tuple(round(either if share is None else share, 3) for share in known)
    return shares


@pytest.mark.parametrize("name", list(PERSONAS))
def test_the_sheets_shares_of_bluffs_are_those_of_a_fresh_measurement(name: str) -> None:
    stated = PERSONAS[name].bluffs
    seen = 0
    for (kind, phase), (bluffs, claims) in measured(name, 2_000_000, 1200).items():
        if claims < ENOUGH:
            continue
        seen += 1
        share = stated[kind][phase]
        assert abs(bluffs / claims - share) < 4 * share_error(max(0.02, min(0.98, share)), claims) + 0.01, (kind, phase)
    assert seen >= 8


def test_the_diplomat_never_bluffs() -> None:
    counts = measured("diplomat", 2_000_000, 1200)
    assert sum(claims for _, claims in counts.values()) > 1000
    assert all(bluffs == 0 for bluffs, _ in counts.values())


def test_the_shark_bluffs_more_than_the_veteran() -> None:
    shark, veteran = (measured(name, 2_000_000, 1200) for name in ("shark", "veteran"))
    for key in shark.keys() & veteran.keys():
        if min(shark[key][1], veteran[key][1]) >= 100:
            assert shark[key][0] / shark[key][1] > veteran[key][0] / veteran[key][1]


def false_claims(name: str, count: int) -> Iterator[tuple[State, int]]:
    """Every false claim of a persona's: the state just after it, and its place among the claims."""
    for i in range(count):
        seat = SEATS[i // 4 % 2]
        learner, every = LEARNERS[i // 8 % len(LEARNERS)]
        chosen = setup(SCENARIO_IDS[i % 4], name, seat=seat)
        other = 1 - chosen.learner
        seen = 0
        for state in states(
            chosen, 3_000_000 + i, {seat: Asks(learner, every, i), SEATS[other]: opponent(name, False)}
        ):
            for at in range(seen, len(state.public.claims)):
                if state.public.claims[at].seat == other and not state.truths[at]:
                    yield state, at
            seen = len(state.public.claims)


@pytest.mark.parametrize("name", ["shark", "veteran"])
def test_a_bluff_stays_inside_what_the_public_prior_leaves_possible(name: str) -> None:
    """Else it is provable, and disputing it pays: deadlines are 12 to 20, limits in the range of the prior."""
    impossible = []
    for state, at in false_claims(name, 480):
        made = state.public.claims[at]
        prior = prior_of(terms_of(state.setup.scenario), made.seat)
        claim = made.claim
        if claim.kind == "deadline":
            possible = 12 - 1 <= claim.value <= 20
        elif claim.kind in ("limit", "budget"):
            slack = 0.025 * terms_of(state.setup.scenario).delta0[made.seat]
            possible = prior.budget.low - slack <= claim.value <= prior.budget.high + slack
        else:
            possible = True
        if not possible:
            impossible.append((made.turn, claim))
    assert not impossible, impossible[:5]


@pytest.mark.parametrize("name", ["shark", "veteran"])
def test_a_bluffed_limit_is_not_refuted_by_an_offer_that_was_made_before_or_with_it(name: str) -> None:
    refuted = []
    for state, at in false_claims(name, 960):
        made, terms = state.public.claims[at], terms_of(state.setup.scenario)
        if made.claim.kind in ("limit", "budget") and terms.is_price:
            offers = [o.offer for o in state.public.offers if o.seat == made.seat]
            least = min((worth(terms.declared[made.seat], offer) for offer in offers), default=made.claim.value)
            if least < made.claim.value - 0.10 * terms.delta0[made.seat]:
                refuted.append((state.setup.scenario.id, made))
    assert not refuted, refuted[:3]


@pytest.mark.parametrize("name", ["shark", "veteran"])
def test_no_figure_of_a_claimed_deadline_tells_for_sure_that_it_is_true(name: str) -> None:
    """Evidence, never an oracle: early claims of 13 to 16 are bluffs now and then."""
    bluffs, claims = 0, 0
    for i in range(480):
        seat = SEATS[i % 2]
        chosen = setup(SCENARIO_IDS[i // 2 % 4], name, seat=seat)
        other = 1 - chosen.learner
        players = {seat: Asks("tit_for_tat", 1, i), SEATS[other]: opponent(name, words=False)}
        *_, last = states(chosen, 4_000_000 + i, players)
        for made, true in zip(last.public.claims, last.truths, strict=True):
            if (
                made.seat == other
                and made.claim.kind == "deadline"
                and made.turn <= EARLY
                and 13 <= made.claim.value <= 16
            ):
                claims += 1
                bluffs += not true
    assert claims > 20
    assert bluffs > 0


if __name__ == "__main__":
    for persona in PERSONAS:
        shares = {kind: list(pair) for kind, pair in sheet(persona).items()}
        print(f"{persona}:\n  bluffs: {shares}")
