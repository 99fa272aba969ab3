"""What is booked by turn and paid with the end: beliefs, challenges, estimates of events."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from parlay_env.deal.prior import mean_errors, prior_of
from parlay_env.deal.state import Belief, Claim, News, Profile, Shock
from parlay_env.reward import RewardSpec
from parlay_env.rng import derive_keys
from tests.world import BUYER, SELLER, WIDTH, Table, facts, quiet

NOW = RewardSpec(when="immediate")
"""Pays at once, so that a test sees a term of a single step. That it is the same in sum is a test of its own."""


def close(value: float) -> Any:
    return pytest.approx(value, abs=1e-5)


def table(**fields: Any) -> Table:
    return Table(**({"reward": NOW} | fields))


def step(at: Table, term: str, **mine: Any) -> float:
    """What this term pays for one move."""
    at.play(**mine)
    if at.public.ended is None:
        at.play()
    return at.earned()[-1][term]


# Belief skill ---------------------------------------------------------------------------------------------------------


def belief(**fields: Any) -> dict[str, Any]:
    """A report about the buyer; limits given as prices."""
    money = {k: None if v is None else -round(100 * v) for k, v in fields.items() if k in ("walk_away", "budget")}
    return {"belief": Belief(**(fields | money))}


def prior_errors(at: Table) -> tuple[float, float, float, float]:
    """The prior's errors about the buyer of this table, each in mean prior errors."""
    own = at.state.facts[BUYER]
    prior, means = prior_of(at.terms, BUYER), mean_errors(at.terms)
    budget = own.walk_away if own.budget is None else own.budget
    return (
        abs(own.walk_away - prior.walk_away.mean) / (means.walk_away * WIDTH),
        abs(budget - prior.budget.mean) / (means.budget * WIDTH),
        abs(own.urgency - prior.urgency.mean) / means.urgency,
        (own.has_alternative - prior.has_alternative) ** 2 / means.has_alternative,
    )


def test_the_whole_truth_is_paid_what_the_prior_left_to_learn() -> None:
    at = table(buyer=facts(quiet(), BUYER, 158_000, budget=155_000, urgency=0.70, has_alternative=False))
    left = [min(1.0, error) for error in prior_errors(at)]
    paid = step(at, "tom", **belief(walk_away=158_000, budget=155_000, urgency=0.70, has_alternative=0.0))
    assert paid == close(5 * sum(left) / 4)
    assert 0 < paid < 5


def test_skill_by_hand() -> None:
    """The buyer's walk-away is 149,000; the prior's mean is 165,000 − .10·.7·40,000 = 162,200: off by 13,200. A report
    of 155,000 is off by 6,000. ē of the walk-away: .9·(.45² + .10²·.7·.3)/(2·.45) + .1·(1.16 − 2·.115) = .2976, of Δ0:
    11,904."""
    at = table(buyer=149_000)
    assert prior_of(at.terms, BUYER).walk_away.mean == pytest.approx(-16_220_000)
    assert mean_errors(at.terms).walk_away == pytest.approx(0.2976)
    paid = step(at, "tom", **belief(walk_away=155_000))
    assert paid == close(5 * 0.25 * (13_200 - 6_000) / 11_904)


def test_a_worse_guess_than_the_priors_costs_and_neither_goes_beyond_one() -> None:
    assert step(table(buyer=165_000), "tom", **belief(walk_away=120_000)) == close(-5 / 4)
    assert step(table(buyer=120_000), "tom", **belief(walk_away=120_000)) == close(5 / 4)


def test_without_a_budget_the_walk_away_is_the_truth_about_it() -> None:
    """The prior's mean of the budget: 162,200 − ½·.09·40,000 = 160,400; the walk-away is 150,000."""
    at = table(buyer=150_000)
    error = mean_errors(at.terms).budget * 40_000
    assert error > 10_400
    assert step(at, "tom", **belief(budget=150_000)) == close(5 / 4 * 10_400 / error)


def test_a_budget_that_the_walk_away_has_overtaken_is_still_what_a_report_of_it_is_measured_by() -> None:
    """Walk-away 145,000, budget 150,000: the limit is 145,000, the budget is not."""
    own = facts(quiet(), BUYER, 145_000, budget=150_000)
    assert own.limit == -14_500_000
    right, wrong = (step(table(buyer=own), "tom", **belief(budget=price)) for price in (150_000, 145_000))
    assert right > wrong


def test_the_alternative_is_scored_by_squared_error() -> None:
    """Prior .7, truth 1: error .09; report .9: error .01; ē = .7·.3 = .21."""
    at = table(buyer=facts(quiet(), BUYER, 165_000, has_alternative=True))
    assert step(at, "tom", **belief(has_alternative=0.9)) == close(5 / 4 * (0.09 - 0.01) / 0.21)


def test_urgency_is_scored_by_absolute_error() -> None:
    """Prior .55, truth .40; report .45: .15 less .05; ē = .15."""
    at = table(buyer=facts(quiet(), BUYER, 165_000, urgency=0.40))
    assert step(at, "tom", **belief(urgency=0.45)) == close(5 / 4 * 0.10 / 0.15)


def test_reporting_the_prior_pays_nothing() -> None:
    at = table(buyer=150_000)
    prior = prior_of(at.terms, BUYER)
    report = Belief(round(prior.walk_away.mean), round(prior.budget.mean), prior.urgency.mean, prior.has_alternative)
    assert step(at, "tom", belief=report) == close(0.0)


def test_only_the_change_is_paid_a_field_left_out_keeps_its_value_and_waiting_earns_nothing() -> None:
    at = table(buyer=facts(quiet(), BUYER, 149_000, urgency=0.40))
    first = step(at, "tom", **belief(walk_away=155_000))
    assert first > 0
    assert step(at, "tom") == 0.0
    assert step(at, "tom", **belief(walk_away=155_000)) == 0.0
    assert step(at, "tom", **belief(urgency=0.40)) == close(5 / 4)
    assert step(at, "tom", belief=Belief()) == 0.0
    better = step(at, "tom", **belief(walk_away=149_000))
    assert better == close(5 / 4 * min(1.0, 13_200 / 9_093.3333) - first)
    assert step(at, "tom", **belief(walk_away=162_200)) == close(-5 / 4)


def test_a_report_is_judged_by_the_truth_of_that_moment() -> None:
    at = table(buyer=149_000)
    assert step(at, "tom", **belief(walk_away=149_000)) == close(5 / 4)
    at.change(facts=(at.state.facts[SELLER], facts(quiet(), BUYER, 162_200)))
    assert step(at, "tom") == 0.0
    assert step(at, "tom", **belief(walk_away=162_200)) == close(-5 / 4)  # the prior knows as much


def test_beliefs_with_a_move_that_is_refused_are_not_taken_in() -> None:
    at = table(buyer=149_000)
    assert step(at, "tom", accept=True, **belief(walk_away=149_000)) == 0.0
    assert at.view("seller").belief == Belief()


def test_the_own_last_report_is_in_the_view_field_by_field() -> None:
    at = table().play(**belief(walk_away=150_000, urgency=0.3)).play().play(**belief(urgency=0.4))
    assert at.view("seller").belief == Belief(walk_away=-15_000_000, urgency=0.4)


# Challenges -----------------------------------------------------------------------------------------------------------

SHARES = {"limit": (0.6, 0.9), "deadline": (0.3, 0.5)}
KNOWN = Profile(name="known", bluffs=SHARES)


def claiming(at: Table, truth: bool, kind: str = "limit") -> Table:
    """The seller makes an offer, the buyer a claim."""
    at.play(offer=150_000)
    if kind == "limit":
        at.play(claim=Claim("limit", -16_500_000 if truth else -14_500_000), card="batna_reveal", offer=140_000)
    else:
        at.play(claim=Claim("deadline", 20 if truth else 16), card="time_pressure", offer=140_000)
    assert at.state.truths[-1] == truth
    return at


@pytest.mark.parametrize(
    ("truth", "kind", "turn", "worth"),
    [
        (False, "limit", 1, 1 - 0.6),
        (True, "limit", 1, -0.6),
        (False, "limit", 8, 1 - 0.6),
        (False, "limit", 9, 1 - 0.9),
        (True, "limit", 9, -0.9),
        (False, "deadline", 1, 1 - 0.3),
        (True, "deadline", 9, -0.5),
    ],
)
def test_a_challenge_is_worth_what_it_found_less_the_known_share_of_bluffs(
    truth: bool, kind: str, turn: int, worth: float
) -> None:
    at = claiming(table(opponent=KNOWN, turn=turn), truth, kind)
    assert step(at, "bluff", challenge=True) == close(12 * worth)


def test_whether_the_bluffer_backs_down_or_insists_makes_no_difference_to_the_pay() -> None:
    paid = set()
    statuses = set()
    for seed in range(30):
        at = claiming(table(opponent=KNOWN), False).change(keys=derive_keys(seed))
        paid.add(step(at, "bluff", challenge=True))
        statuses.add(at.public.claims[0].status)
    assert statuses == {"stands", "withdrawn"}
    assert len(paid) == 1


def test_a_challenge_is_measured_by_when_the_claim_was_made() -> None:
    at = claiming(table(opponent=KNOWN, turn=8), False)
    at.rounds(3, {"offer": 150_000}, {"offer": 140_000})
    assert step(at, "bluff", challenge=True) == close(12 * (1 - 0.6))


def test_only_the_first_two_challenges_count() -> None:
    at = table(opponent=KNOWN)
    paid = []
    for _ in range(4):
        claiming(at, True)
        at.change_side(BUYER, points=100)
        paid.append(step(at, "bluff", challenge=True))
    assert paid == [close(-12 * 0.6), close(-12 * 0.6), 0.0, 0.0]


def test_challenging_blindly_earns_nothing_in_the_mean() -> None:
    """Where the share of bluffs is q, the expected pay is q·(1 − q) + (1 − q)·(−q) = 0."""
    at = {t: step(claiming(table(opponent=KNOWN), t), "bluff", challenge=True) for t in (True, False)}
    assert 0.6 * at[False] + 0.4 * at[True] == close(0.0)


def ending(truth: bool, how: dict[str, Any], by: str = "seller", **fields: Any) -> float:
    """What a challenge is paid with the end, in sum."""
    at = claiming(Table(opponent=KNOWN, **fields), truth)
    at.play(challenge=True, offer=149_000)
    if by == "seller":
        at.play(offer=141_000)
    at.play(**how)
    assert at.public.ended is not None
    return sum(terms.get("bluff", 0.0) for terms in at.earned())


def test_challenges_are_paid_with_a_deal_inside_the_limit() -> None:
    assert ending(False, {"accept": True}) == close(12 * 0.4)
    assert ending(True, {"accept": True}) == close(-12 * 0.6)
    assert ending(False, {"accept": True}, by="buyer") == close(12 * 0.4)


def test_not_with_a_deal_beyond_it_nor_with_another_end() -> None:
    assert ending(False, {"accept": True}, seller=142_000) == 0.0
    assert ending(False, {"walk": True}) == 0.0
    assert ending(True, {"walk": True}) == 0.0
    assert ending(False, {"walk": True}, by="buyer") == 0.0


def test_a_right_walk_away_counts_as_well() -> None:
    assert ending(False, {"walk": True}, seller=170_000) == close(12 * 0.4)


# Events ---------------------------------------------------------------------------------------------------------------


def after_event(effect: float, sensitivity: float = 1.0, turn: int = 2, **fields: Any) -> Table:
    """A market event has just broken; it tightened the opponent's limit by `effect`."""
    at = table(opponent=Profile(mev_sensitivity=sensitivity), turn=turn, **fields)
    shock = Shock(turn, True, (-0.17, effect))
    return at.change(shocks=(*at.state.shocks, shock)).change_public(news=(*at.public.news, News(turn, "News!", True)))


@pytest.mark.parametrize(
    ("effect", "estimate", "worth"),
    [
        (0.30, 0.30, 1.0),
        (0.15, 0.15, 0.5),
        (0.15, 0.10, (0.15 - 0.05) / 0.30),
        (0.15, 0.30, 0.0),
        (0.15, -0.15, -0.5),
        (-0.20, -0.20, 0.20 / 0.30),
        (-0.20, 0.20, (0.20 - 0.40) / 0.30),
        (0.30, -1.0, -1.0),
        (0.0, 0.30, -1.0),
    ],
)
def test_an_estimate_is_worth_how_much_closer_it_is_than_none(effect: float, estimate: float, worth: float) -> None:
    assert step(after_event(effect), "mev", event_impact=estimate) == close(8 * worth)


def test_it_is_measured_against_what_an_opponent_of_that_sensitivity_could_feel() -> None:
    assert step(after_event(0.06, sensitivity=0.2), "mev", event_impact=0.06) == close(8.0)
    assert step(after_event(0.06, sensitivity=0.2), "mev", event_impact=0.03) == close(4.0)


def test_saying_nothing_and_saying_no_impact_earn_nothing() -> None:
    for effect in (-0.3, -0.1, 0.0, 0.2):
        assert step(after_event(effect), "mev") == 0.0
        assert step(after_event(effect), "mev", event_impact=0.0) == close(0.0)


def test_an_event_is_paid_once_and_on_the_next_action_only() -> None:
    at = after_event(0.2)
    assert step(at, "mev", event_impact=0.2) == close(8 * 0.2 / 0.3)
    assert step(at, "mev", event_impact=0.2) == 0.0
    late = after_event(0.2)
    assert step(late, "mev") == 0.0
    assert step(late, "mev", event_impact=0.2) == 0.0


def test_estimates_without_an_event_or_after_a_scheduled_headline_earn_nothing() -> None:
    assert step(table(), "mev", event_impact=0.2) == 0.0
    at = table(turn=2).change(shocks=(Shock(2, False, (0.0, 0.1)),)).change_public(news=(News(2, "Drift.", False),))
    assert step(at, "mev", event_impact=0.1) == 0.0


def test_it_is_the_effect_on_the_opponent_that_counts() -> None:
    assert step(after_event(0.1), "mev", event_impact=-0.17) == close(8 * (0.1 - 0.27) / 0.3)
    at = after_event(0.1, seat="buyer")
    at.play(event_impact=-0.17).play()
    assert at.earned("buyer")[-1]["mev"] == close(8 * 0.17 / 0.3)


def test_a_second_event_is_paid_for_itself() -> None:
    at = after_event(0.2)
    step(at, "mev", event_impact=0.2)
    shock = Shock(at.public.turn, True, (0.0, -0.3))
    at.change(shocks=(*at.state.shocks, shock)).change_public(
        news=(*at.public.news, News(at.public.turn, "More!", True))
    )
    assert step(at, "mev", event_impact=-0.3) == close(8.0)


def test_a_refused_move_does_not_use_an_event_up() -> None:
    at = after_event(0.2).play(accept=True, event_impact=0.2)
    assert at.earned()[-1]["mev"] == 0.0
    assert step(at, "mev", event_impact=0.2) == close(8 * 0.2 / 0.3)


def test_by_default_all_three_are_paid_with_the_end_and_not_before() -> None:
    at = claiming(Table(opponent=KNOWN, buyer=facts(quiet(), BUYER, 165_000, urgency=0.4)), True)
    at.play(challenge=True, **belief(urgency=0.4)).play(offer=141_000).play(accept=True)
    *before, end = at.earned()
    assert all(set(terms) == {"delta_v", "concession", "noise"} for terms in before)
    assert (end["tom"], end["bluff"], end["mev"]) == (close(5 / 4), close(-12 * 0.6), 0.0)
    rows = at.view("seller").grade
    assert rows is not None
    assert [row["tom"] for row in rows.ledger] == [0.0, close(5 / 4), 0.0]
    assert replace(NOW, when="end") == RewardSpec()
