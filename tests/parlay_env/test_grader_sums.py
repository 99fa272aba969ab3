"""Terms sum to rewards exactly, potentials to nothing, episodes to a number within bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from parlay_env.core import Viewer, play_episode
from parlay_env.deal.state import Belief, Move, Setup, State
from parlay_env.grader import grade
from parlay_env.observe import observation
from parlay_env.reward import EPISODE_RANGE, RewardSpec
from tests.world import (
    GAME,
    PERSONAS,
    SCENARIO_IDS,
    SEATS,
    Draws,
    RandomIllegal,
    RandomLegal,
    Table,
    View,
    setup,
)

seeds = st.integers(0, 2**32)
setups = st.builds(
    setup,
    st.sampled_from(SCENARIO_IDS),
    st.sampled_from(PERSONAS),
    seat=st.sampled_from(SEATS),
    both_graded=st.booleans(),
    reward=st.sampled_from([RewardSpec(), RewardSpec(when="immediate"), RewardSpec.literal(), RewardSpec(cliff=50.0)]),
)


def exact(values: object) -> Fraction:
    assert isinstance(values, (list, tuple))
    return sum((Fraction(v) for v in values), Fraction(0))


@given(setups, seeds, st.booleans())
def test_the_terms_sum_to_the_reward_the_rewards_to_the_grade_and_the_ledger_to_both_exactly(
    chosen: Setup, seed: int, illegal: bool
) -> None:
    make = RandomIllegal if illegal else RandomLegal
    episode = play_episode(GAME, chosen, seed, {seat: make(seed + i) for i, seat in enumerate(SEATS)})
    for who, seat in enumerate(SEATS):
        result = grade(episode.state, who)
        if result is None:
            assert episode.rewards[seat] == ()
            continue
        paid = exact([v for terms in episode.rewards[seat] for v in terms.values()])
        booked = exact([v for row in result.ledger for k, v in row.items() if k != "turn"])
        assert paid == booked + exact(list(result.terminal.values())) == Fraction(result.reward)
        assert Fraction(episode.total(seat)) == paid
        for terms in episode.rewards[seat]:
            assert Fraction(sum(terms.values())) == exact(list(terms.values()))
        # In floats, in any order, and line by line:
        assert sum(sum(terms.values()) for terms in reversed(episode.rewards[seat])) == result.reward


@given(setups, seeds)
def test_delta_v_sums_to_nothing_exactly(chosen: Setup, seed: int) -> None:
    episode = play_episode(GAME, chosen, seed, {seat: RandomIllegal(seed + i, 0.3) for i, seat in enumerate(SEATS)})
    for seat in SEATS:
        assert exact([terms["delta_v"] for terms in episode.rewards[seat]]) == 0


@given(setups, seeds)
def test_when_a_term_is_paid_makes_no_difference_to_the_sum(chosen: Setup, seed: int) -> None:
    """`immediate` and `end` book the same figures."""
    totals = []
    for when in ("end", "immediate"):
        spec = replace(chosen.reward, when=when)
        players = {seat: RandomLegal(seed + i) for i, seat in enumerate(SEATS)}
        episode = play_episode(GAME, replace(chosen, reward=spec), seed, players)
        totals.append([episode.total(seat) for seat in SEATS])
    assert totals[0] == totals[1]


class Hostile:
    """Does the most expensive things there are, in a way of its own."""

    def __init__(self, seed: int) -> None:
        self.inner, self.seed, self.count = RandomLegal(seed, ends=0.0), seed, 0

    def act(self, view: View, rng: Draws) -> Move:
        self.count += 1
        style = self.seed % 4
        terms = Table(view.setup.scenario).terms
        worst = tuple(
            0 if s > 0 else n - 1 for s, n in zip(terms.declared[view.seat].slopes, terms.counts, strict=True)
        )
        best = tuple(0 if s < 0 else n - 1 for s, n in zip(terms.declared[view.seat].slopes, terms.counts, strict=True))
        wrong = Belief(10**15, -(10**15), 1e9, 1e9)
        if self.count % 3 and style in (0, 1):
            return Move(offer=(-1,), belief=wrong)
        if view.public.turn < 18:
            far = worst if self.count % 2 else best
            offer = best if style == 1 else far
            return Move(utterance="1", voiced=True, offer=offer, belief=wrong, event_impact=-1.0)
        if view.public.sides[1 - view.seat].standing is not None:
            return Move(accept=True, belief=wrong, event_impact=1.0)
        return Move(utterance="1", voiced=True, offer=worst, belief=wrong)


@given(setups, seeds)
def test_an_episode_sums_to_a_number_in_range_however_it_is_played(chosen: Setup, seed: int) -> None:
    if chosen.reward.tom_reading == "accuracy":
        chosen = replace(chosen, reward=RewardSpec())  # the literal reading has no such bound
    low, high = EPISODE_RANGE
    assert (low, high) == (-300.0, 200.0)
    for i, other in enumerate((RandomLegal(seed), RandomIllegal(seed), Hostile(seed + 1))):
        players = {chosen.seat: Hostile(seed + i), SEATS[1 - chosen.learner]: other}
        episode = play_episode(GAME, chosen, seed, players)
        for seat in SEATS:
            assert low <= episode.total(seat) <= high


@given(setups, seeds)
def test_random_play_sums_within_range_too(chosen: Setup, seed: int) -> None:
    if chosen.reward.tom_reading == "accuracy":
        chosen = replace(chosen, reward=RewardSpec())
    for make in (RandomLegal, RandomIllegal):
        episode = play_episode(GAME, chosen, seed, {seat: make(seed + i) for i, seat in enumerate(SEATS)})
        assert all(-300 <= episode.total(seat) <= 200 for seat in SEATS)


def test_the_best_and_the_worst_there_is_stay_in_range() -> None:
    """From the constants: everything won, everything lost."""
    spec = RewardSpec()
    bluff, mev = spec.bluff * spec.bluff_count, 2 * spec.mev
    best = spec.efficiency + spec.speed + spec.adaptation + spec.tom + bluff + mev
    worst = -spec.cliff - spec.tom - mev - spec.fines_at_most
    assert best <= 200
    assert worst >= -300


def final(chosen: Setup, seed: int) -> State:
    return play_episode(GAME, chosen, seed, {seat: RandomLegal(seed + i) for i, seat in enumerate(SEATS)}).state


def test_before_the_end_there_is_no_grade_and_after_it_the_ledger_has_every_payment() -> None:
    chosen = setup(persona="shark")
    state = GAME.start(chosen, 3)
    assert grade(state, 0) is None
    assert "grade" not in observation(GAME.view(state, Viewer("player", "seller")))
    state = final(chosen, 3)
    shown = observation(GAME.view(state, Viewer("player", "seller")))["grade"]
    assert {"turn", "delta_v", "concession", "noise", "tom", "bluff", "mev"} == set(shown["ledger"][0])
    assert [row["turn"] for row in shown["ledger"]] == sorted(row["turn"] for row in shown["ledger"])
    assert (shown["when"], shown["omega"]) == ("end", 200.0)


def test_immediate_booking_is_recorded_in_the_grade() -> None:
    result = grade(final(setup(persona="shark", reward=RewardSpec(when="immediate")), 3), 0)
    assert result is not None
    assert result.when == "immediate"


# The literal reading --------------------------------------------------------------------------------------------------


def test_the_literal_reading_is_a_spec_of_its_own_with_the_same_constants() -> None:
    default, literal = RewardSpec(), RewardSpec.literal()
    assert literal.version != default.version
    readings = {"version", "tom_reading", "speed_reading", "mev_reading", "when"}
    assert {f for f in RewardSpec.__struct_fields__ if getattr(default, f) != getattr(literal, f)} == readings


def test_literally_a_belief_is_paid_every_turn_so_that_waiting_pays() -> None:
    at = Table(buyer=150_000, reward=RewardSpec.literal())
    at.play(belief=Belief(walk_away=-15_000_000)).play().rounds(3)
    assert [terms["tom"] for terms in at.earned()] == [pytest.approx(5 / 4, abs=1e-5)] * 4


def test_literally_speed_is_paid_for_a_deal_at_the_floor() -> None:
    for spec, speed in ((RewardSpec.literal(), 19.0), (RewardSpec(), 0.0)):
        at = Table(reward=spec).play(offer=125_000).play(accept=True)
        assert at.earned()[-1]["speed"] == pytest.approx(speed, abs=1e-5)


def test_literally_saying_no_impact_is_paid() -> None:
    from parlay_env.deal.state import News, Shock

    for spec, mev in ((RewardSpec.literal(), 8 * (1 - 0.1 / 0.3)), (RewardSpec(when="immediate"), 0.0)):
        at = Table(reward=spec, turn=2).change(shocks=(Shock(2, True, (0.0, 0.1)),))
        at.change_public(news=(News(2, "News!", True),)).play(event_impact=0.0).play()
        assert at.earned()[-1]["mev"] == pytest.approx(mev, abs=1e-5)


def test_every_constant_is_in_the_reward_file_and_frozen() -> None:
    spec = RewardSpec()
    assert (spec.delta_v, spec.tom, spec.concession, spec.noise, spec.bluff, spec.mev) == (2, 5, 3, 10, 12, 8)
    assert (spec.efficiency, spec.speed, spec.adaptation, spec.cliff) == (100, 20, 15, 200)
    assert (spec.walk_right, spec.walk_wrong, spec.no_deal, spec.opponent_left) == (10, -10, -10, 0)
    with pytest.raises(AttributeError):
        spec.tom = 6.0  # pyright: ignore[reportAttributeAccessIssue]
