"""A persona keeps to its story: what it has claimed it claims again, for as long as that could still be so."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from msgspec.structs import replace

from agent import claims
from agent.personas import PERSONAS
from agent.registry import opponent, profile
from agent.table import style_of, table_of
from game.cards import ANSWERS, TOPICS
from parlay_env.core import policy_draws
from parlay_env.deal.numbers import CLAIM_GRAIN
from parlay_env.deal.prior import prior_of
from parlay_env.deal.rules import is_true
from parlay_env.deal.state import SEATS, T_MAX, Claim, ClaimMade, Facts
from parlay_env.deal.terms import Offer
from tests.agent.test_bluffs import Asks
from tests.world import BUYER, GAME, SCENARIO_IDS, SELLER, WIDTH, Table, facts, quiet, setup, states

SEEDS = range(40)
KINDS = ("limit", "budget", "deadline", "alternative", "priority")
DEADLINE = 16
OWN = facts(quiet(), BUYER, 165_000, 162_000, deadline=DEADLINE)
"""The persona's: it walks away from above 165,000, and may sign for 162,000."""
GRAIN = round(CLAIM_GRAIN * WIDTH)
bluffers = pytest.mark.parametrize("name", [name for name, one in PERSONAS.items() if one.bluff > 0])
every_kind = pytest.mark.parametrize("kind", KINDS)


def at_table(name: str, turn: int = 5, own: Facts = OWN, told: Claim | None = None, status: str = "open") -> Table:
    """The persona is the buyer; `told` is what it has claimed in turn 3, and `status` what came of it."""
    at = Table(turn=turn, buyer=own, opponent=profile(name)).change_public(mover=BUYER)
    made = () if told is None else (ClaimMade(3, BUYER, told, status),)  # pyright: ignore[reportArgumentType]
    return at.change_public(claims=made).change(truths=(True,) * len(made))


def claimed(at: Table, kind: str, seed: int, offer: Offer | None = None) -> Claim:
    """What the persona claims of this kind now."""
    persona, draws = PERSONAS[at.state.setup.opponent.name], policy_draws(GAME, seed, "buyer")
    table = table_of(at.view("buyer"), persona, style_of(persona, draws))
    return claims.claim_of(table, persona, kind, offer, draws)


def made_anew(name: str, kind: str, told: Claim, **fields: Any) -> None:
    """It claims as one would that has said nothing yet, whatever it draws; and that is not always what it told."""
    status, offer = fields.pop("status", "open"), fields.pop("offer", None)
    again = [claimed(at_table(name, told=told, status=status, **fields), kind, seed, offer) for seed in SEEDS]
    fresh = [claimed(at_table(name, **fields), kind, seed, offer) for seed in SEEDS]
    assert again == fresh
    assert any(claim.value != told.value for claim in again)


def kept(name: str, kind: str, told: Claim, **fields: Any) -> None:
    """It claims what it told, whatever it draws; one that had told nothing would claim something else now and then."""
    again = [claimed(at_table(name, told=told, **fields), kind, seed) for seed in SEEDS]
    fresh = [claimed(at_table(name, **fields), kind, seed) for seed in SEEDS]
    assert {claim.value for claim in again} == {told.value}
    assert any(claim.value != told.value for claim in fresh)


# What it keeps to -----------------------------------------------------------------------------------------------------


@bluffers
@every_kind
def test_asked_again_it_claims_the_same_again(name: str, kind: str) -> None:
    """Bluff or truth: asking twice averages nothing away."""
    first = {seed: claimed(at_table(name), kind, seed) for seed in SEEDS}
    assert len({claim.value for claim in first.values()}) > 1
    for seed, told in first.items():
        for turn in range(6, 12):
            assert claimed(at_table(name, turn, told=told), kind, seed) == told, (seed, turn)


@bluffers
@pytest.mark.parametrize("kinds", [("limit", "budget"), ("budget", "limit")], ids=lambda kinds: kinds[0])
def test_its_limit_and_its_authority_are_one_story(name: str, kinds: tuple[str, str]) -> None:
    """They are about the same figure: naming the one does not free the other."""
    for seed in SEEDS:
        told = claimed(at_table(name), kinds[0], seed)
        assert claimed(at_table(name, 8, told=told), kinds[1], seed) == Claim(kinds[1], told.value)


@bluffers
def test_the_newest_of_its_claims_is_its_story(name: str) -> None:
    at = at_table(name, told=Claim("deadline", 13))
    at.change_public(claims=(*at.public.claims, ClaimMade(4, BUYER, Claim("deadline", 15))))
    assert {claimed(at, "deadline", seed).value for seed in SEEDS} == {15}


@bluffers
@every_kind
def test_what_was_disputed_and_not_taken_back_is_still_its_story(name: str, kind: str) -> None:
    for seed in SEEDS:
        told = claimed(at_table(name), kind, seed)
        assert claimed(at_table(name, 8, told=told, status="stands"), kind, seed) == told


@bluffers
def test_what_the_other_side_has_claimed_is_not_its_story(name: str) -> None:
    for kind in KINDS:
        at = at_table(name)
        told = claimed(at, kind, 0)
        at.change_public(claims=(ClaimMade(3, SELLER, replace(told, value=1)),))
        assert [claimed(at, kind, seed) for seed in SEEDS] == [claimed(at_table(name), kind, seed) for seed in SEEDS]


@bluffers
def test_over_whole_games_its_deadline_and_its_priority_are_one_figure_each(name: str) -> None:
    """Nobody disputes them here, and neither changes in a game: only a deadline that has passed is told anew."""
    repeated = 0
    for i in range(160):
        seat = SEATS[i % 2]
        chosen = setup(SCENARIO_IDS[i // 2 % 4], name, seat=seat, events=False)
        other = 1 - chosen.learner
        players = {seat: Asks("tit_for_tat", 1, i), SEATS[other]: opponent(name, words=False)}
        *_, last = states(chosen, 5_000_000 + i, players)
        for kind in ("deadline", "priority"):
            made = [one for one in last.public.claims if one.seat == other and one.claim.kind == kind]
            for before, after in itertools.pairwise(made):
                if kind == "priority" or before.claim.value >= after.turn:
                    repeated += 1
                    assert after.claim == before.claim
    assert repeated > 50


# What frees it --------------------------------------------------------------------------------------------------------


@bluffers
@every_kind
@pytest.mark.parametrize("status", ["withdrawn", "broken"])
def test_a_claim_that_was_taken_back_or_refuted_frees_it(name: str, kind: str, status: str) -> None:
    tight = -14_500_000
    told = {"limit": tight, "budget": tight, "deadline": 13, "alternative": 1, "priority": 0}[kind]
    kept(name, kind, Claim(kind, told))
    made_anew(name, kind, Claim(kind, told), status=status)


@bluffers
@pytest.mark.parametrize("kind", ["limit", "budget"])
def test_a_limit_that_has_tightened_beyond_what_it_claimed_is_claimed_anew(name: str, kind: str) -> None:
    """A grain beyond it is still what it said; more is not: it would claim less than it needs."""
    truth = OWN.limit
    kept(name, kind, Claim(kind, truth - GRAIN))
    made_anew(name, kind, Claim(kind, truth - GRAIN - 1))


@bluffers
@pytest.mark.parametrize("kind", ["limit", "budget"])
def test_a_limit_that_an_own_offer_falls_short_of_is_claimed_anew(name: str, kind: str) -> None:
    """Be the offer of an earlier turn or of the same move; one that is just worth it refutes nothing."""
    told = Claim(kind, -14_500_000)
    for price, refuted in ((145_000, False), (145_100, True)):
        seen = at_table(name, told=told)
        offer = seen.offer(price)
        earlier = at_table(name, told=told).play(offer=price).change_public(mover=BUYER)
        assert [made.status for made in earlier.public.claims] == ["open"]  # by the rules it may still be so
        for values in (
            {claimed(seen, kind, seed, offer).value for seed in SEEDS},
            {claimed(earlier, kind, seed).value for seed in SEEDS},
        ):
            assert (told.value not in values) is refuted
            assert max(values) <= -100 * price
    made_anew(name, kind, told, offer=at_table(name).offer(145_100))


@bluffers
@pytest.mark.parametrize("kind", ["limit", "budget"])
def test_a_limit_beyond_what_the_public_prior_leaves_possible_is_claimed_anew(name: str, kind: str) -> None:
    at = at_table(name)
    highest = round(prior_of(at.terms, BUYER).budget.high)
    kept(name, kind, Claim(kind, highest))
    made_anew(name, kind, Claim(kind, highest + 1))


@bluffers
def test_a_deadline_that_has_passed_is_claimed_anew(name: str) -> None:
    kept(name, "deadline", Claim("deadline", 13), turn=13)
    made_anew(name, "deadline", Claim("deadline", 13), turn=14)
    kept(name, "deadline", Claim("deadline", DEADLINE + 1))
    made_anew(name, "deadline", Claim("deadline", DEADLINE + 2))


@bluffers
def test_an_alternative_that_it_has_got_since_is_told_and_one_that_it_lost_is_not(name: str) -> None:
    got, lost = replace(OWN, has_alternative=True), replace(OWN, has_alternative=False)
    for seed in SEEDS:
        assert claimed(at_table(name, own=got, told=Claim("alternative", 0)), "alternative", seed).value == 1
        assert claimed(at_table(name, own=lost, told=Claim("alternative", 1)), "alternative", seed).value == 1
        assert claimed(at_table(name, own=lost, told=Claim("alternative", 0)), "alternative", seed).value == 0


# Who does not bluff ---------------------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("has_alternative", [False, True])
def test_the_diplomat_tells_what_is_true_now_whatever_it_told(kind: str, has_alternative: bool) -> None:
    """A story could be a truth of before; who never bluffs has none."""
    own = replace(OWN, has_alternative=has_alternative)
    stories = {
        "limit": range(-16_400_000, -12_000_000, 500_000),
        "budget": range(-16_400_000, -12_000_000, 500_000),
        "deadline": range(5, T_MAX + 1),
        "alternative": (0, 1),
        "priority": (0, 1),
    }
    for value in stories[kind]:
        for seed in range(5):
            at = at_table("diplomat", own=own, told=Claim(kind, value))
            claim = claimed(at, kind, seed)
            assert is_true(at.state, BUYER, claim), (value, claim)
            assert claim == claimed(at_table("diplomat", own=own), kind, seed)


# What it confides -----------------------------------------------------------------------------------------------------


def answered(name: str, topic: str, turn: int, trust: float) -> int:
    """How many of the draws make it answer a question about this at this turn and trust."""
    persona, found = PERSONAS[name], 0
    for seed in SEEDS:
        draws = policy_draws(GAME, seed, "buyer")
        at = at_table(name, turn).change_side(SELLER, question=topic, trust=trust)
        table = table_of(at.view("buyer"), persona, style_of(persona, draws))
        claim = claims.answer(table, persona, None, draws)
        assert claim is None or claim.kind == ANSWERS[topic]
        found += claim is not None
    return found


def test_the_diplomat_names_its_authority_from_turn_four_on_and_to_those_it_trusts() -> None:
    assert answered("diplomat", "authority", 3, 0.9) == 0
    assert answered("diplomat", "authority", 20, 0.449) == 0
    for turn, trust in ((4, 0.45), (4, 0.9), (20, 0.45)):
        assert len(SEEDS) / 2 < answered("diplomat", "authority", turn, trust) <= len(SEEDS)


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic != "authority"])
def test_of_other_things_the_diplomat_speaks_from_the_start(topic: str) -> None:
    assert answered("diplomat", topic, 1, 0.0) > len(SEEDS) / 2


@bluffers
def test_who_bluffs_names_an_authority_whenever_it_is_asked(name: str) -> None:
    """It is no confidence."""
    for turn, trust in ((1, 0.0), (1, 0.9), (20, 0.0)):
        assert 0 < answered(name, "authority", turn, trust) == answered(name, "timeline", turn, trust)
