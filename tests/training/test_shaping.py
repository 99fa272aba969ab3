"""Shaping at branches is paid only where it was realised, from the truth of the episode, and nothing farms it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import fmean

import pytest

from parlay_env.deal.game import Deal
from parlay_env.deal.state import Facts, Setup
from parlay_env.deal.terms import CENTS, terms_of
from parlay_env.reward import RewardSpec
from tests.training.scripted import Asked, Rule, alone, by, honest, move, play, script, words_of
from tests.training.test_rewards import EXPLOITS, KEYWORDS, TASKS, TRICKS, same_moves, spoken
from training.episodes import Cell, Job, setup_of
from training.presets import PresetError, Shaping, preset
from training.rewards import totals
from training.rollout import Episode, Task
from training.shaping import POINTS, all_shaped, shaped, signals_of

BOTH = Shaping(ise=2.0, lo=0.5)
MOST = Shaping(ise=5.0, lo=0.0)


@dataclass
class Known:
    """What is hidden in a task, read from its seed: limits as prices."""

    setup: Setup
    theirs: Facts
    mine: Facts
    width: float

    @property
    def their_limit(self) -> float:
        return abs(self.theirs.limit) / CENTS


def known(task: Task) -> Known:
    assert task.seed is not None
    job = Job("x", Cell(task.scenario_id, task.persona, task.seat), "train", (task.seed,))
    setup = setup_of(job)
    facts = Deal().start(setup, task.seed).facts
    learner = setup.learner
    width = terms_of(setup.scenario).delta0[learner] / CENTS
    return Known(setup, facts[1 - learner], facts[learner], width)


def belief(task: Task) -> dict[str, float]:
    """The truth, as a report."""
    theirs = known(task).theirs
    return {
        "est_walk_away": abs(theirs.walk_away) / CENTS,
        "est_urgency": theirs.urgency,
        "est_has_alternative": float(theirs.has_alternative),
    }


def reporting(report: dict[str, float], rule: Rule = honest) -> Rule:
    """The rule's moves, with this belief at every one."""
    return lambda asked: json.dumps({**json.loads(rule(asked)), "belief": report})


def at_once(url: str, rule: Rule, *tasks: Task) -> list[Episode]:
    return play(url, by(rule), *tasks, rewards_of="immediate")


def still(one: Episode) -> bool:
    """Did nothing happen that moves limits?"""
    return all(event["turn"] > one.last["turn"] for event in one.last["truth"]["events"])


@pytest.fixture(scope="module")
def played(server: str) -> list[Episode]:
    """An honest player that reports nothing, on every task."""
    return at_once(server, honest, *TASKS)


# What it is -----------------------------------------------------------------------------------------------------------


def test_it_is_the_share_that_was_realised_of_both_signals(server: str, played: list[Episode]) -> None:
    deals = 0
    for one, task in zip(played, TASKS, strict=True):
        ise, lo = signals_of(one)
        if one.end != "deal":
            assert lo == 0
            continue
        deals += 1
        grade = one.grade
        best = grade["surplus"] + grade["left_on_table"]
        assert ise == 0, "nothing was reported"
        assert lo == pytest.approx(POINTS * best / known(task).width)
        assert shaped(one, Shaping(lo=1)) == pytest.approx(POINTS * grade["surplus"] / known(task).width)
    assert deals > len(TASKS) / 3
    found = at_once(server, reporting({"est_urgency": 0.5}), *TASKS)
    for one in found:
        tom = sum(row["tom"] for row in one.grade["ledger"])
        assert shaped(one, Shaping(ise=1)) == pytest.approx(one.grade["efficiency"] * tom, abs=1e-5)
    assert all_shaped(found, BOTH) == [shaped(one, BOTH) for one in found]


def test_lo_is_what_the_truth_would_have_allowed(server: str) -> None:
    """In a price game where nothing happened: the room between the two limits, whatever tension took of it."""
    checked = 0
    for one, task in zip(at_once(server, honest, *TASKS), TASKS, strict=True):
        if one.end == "deal" and still(one) and not one.last["thrown_in"]:
            checked += 1
            room = abs(known(task).their_limit - abs(known(task).mine.limit) / CENTS)
            assert signals_of(one)[1] == pytest.approx(POINTS * room / known(task).width, rel=1e-3)
    assert checked > 5


def test_without_weights_there_is_none(played: list[Episode]) -> None:
    assert all_shaped(played, Shaping()) == [0.0] * len(played)
    assert preset("tiny").branch.shaping == Shaping()
    assert preset("tiny", ["branch.shaping.ise=1"]).branch.shaping == Shaping(ise=1)
    for wrong in ("branch.shaping.ise=-1", "branch.shaping.lo=6", "branch.shaping.srp=1", "branch.shaping.ise=.inf"):
        with pytest.raises(PresetError):
            preset("tiny", [wrong])


# Only when realised ---------------------------------------------------------------------------------------------------


def test_being_right_about_the_other_and_not_using_it_pays_nothing(server: str) -> None:
    for task in TASKS[:6]:
        report = belief(task)
        leaves = script(move("We see.", belief=report), move("We leave it here.", walk_away=True))
        one = alone(server, leaves, task, rewards_of="immediate")
        assert signals_of(one)[0] > 0, "it is right"
        assert shaped(one, Shaping(ise=5, lo=5)) == 0


def test_being_right_and_using_it_pays(server: str, played: list[Episode]) -> None:
    """Where nothing happened: what was true at the start is true at the end."""
    better = 0
    for task, before in zip(TASKS, played, strict=True):
        (one,) = at_once(server, reporting(belief(task)), task)
        if one.end == "deal" and still(one) and one.grade["efficiency"] > 0:
            better += 1
            assert same_moves_but_beliefs(one, before)
            assert shaped(one, BOTH) > shaped(before, BOTH)
    assert better > 5


def same_moves_but_beliefs(one: Episode, other: Episode) -> bool:
    bare = [[{**(turn.action or {}), "belief": None} for turn in each.turns] for each in (one, other)]
    return bare[0] == bare[1]


def test_a_deal_beyond_the_limit_pays_nothing_however_right_the_belief(server: str) -> None:
    def gives_in(asked: Asked) -> str:
        """Takes whatever is there, as soon as there is something."""
        return move(words_of(asked.turn), **({"accept_deal": True} if asked.theirs else {}))

    breaches = 0
    for task in TASKS:
        one = alone(server, by(reporting(belief(task), gives_in)), task, rewards_of="immediate")
        if one.end == "deal" and one.grade["breach"]:
            breaches += 1
            assert shaped(one, Shaping(ise=5, lo=5)) == 0
    assert breaches


def test_a_better_deal_is_worth_more_however_wrong_the_belief() -> None:
    """The most that beliefs can lose, at the largest weight, is less than what a deal's share of E is worth."""
    spec = RewardSpec()
    worst = -2 * spec.tom  # belief skill falls from 1 to −1
    assert spec.efficiency + MOST.ise * worst > 0
    with pytest.raises(PresetError):
        preset("tiny", [f"branch.shaping.ise={MOST.ise + 0.1}"])


# Nothing farms it -----------------------------------------------------------------------------------------------------


def test_words_raise_nothing(server: str, played: list[Episode]) -> None:
    stuffed = at_once(server, spoken(honest, lambda words, turn: f"{words} {KEYWORDS} {turn}"), *TASKS)
    for one, other in zip(played, stuffed, strict=True):
        assert same_moves(one, other)
        assert shaped(other, BOTH) == shaped(one, BOTH)


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_of_form_raises_it(server: str, played: list[Episode], trick: str) -> None:
    found = at_once(server, lambda asked: TRICKS[trick](honest(asked)), *TASKS)
    for one, other in zip(played, found, strict=True):
        if same_moves(one, other):
            assert shaped(other, BOTH) == shaped(one, BOTH)


@pytest.mark.parametrize("exploit", EXPLOITS)
def test_no_extreme_is_shaped_as_bargaining_is(server: str, played: list[Episode], exploit: str) -> None:
    found = at_once(server, EXPLOITS[exploit], *TASKS)
    assert fmean(all_shaped(found, BOTH)) < fmean(all_shaped(played, BOTH)) - 1, exploit
    assert all(shaped(one, BOTH) == 0 for one in found if one.end != "deal")
    with_it = [a + b for a, b in zip(totals(found), all_shaped(found, BOTH), strict=True)]
    without = [a + b for a, b in zip(totals(played), all_shaped(played, BOTH), strict=True)]
    assert fmean(with_it) < fmean(without) - 5


@pytest.mark.parametrize(
    "report",
    [
        {"est_walk_away": 1e9, "est_urgency": 1.0, "est_has_alternative": 1.0},
        {"est_walk_away": 0.0, "est_urgency": 0.0, "est_has_alternative": 0.0},
    ],
)
def test_extreme_reports_beside_honest_moves_lose(server: str, played: list[Episode], report: dict[str, float]) -> None:
    found = at_once(server, reporting(report), *TASKS)
    assert fmean(all_shaped(found, Shaping(ise=1))) < 0
    assert fmean(all_shaped(found, BOTH)) < fmean(all_shaped(played, BOTH))


def test_reporting_again_and_again_pays_no_more_than_once(server: str) -> None:
    """What counts is the last report: going there and back earns nothing."""

    def wiggles(asked: Asked) -> str:
        report = {"est_urgency": 0.0 if asked.turn % 2 else 1.0}
        return json.dumps({**json.loads(honest(asked)), "belief": report})

    for one in at_once(server, wiggles, *TASKS):
        assert one.terms.get("tom", 0.0) == pytest.approx(RewardSpec().tom * one.grade["belief_skill"], abs=1e-5)
