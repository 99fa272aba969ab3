"""The audit's rule: a broken game fails, noise fails nobody, too few rounds prove nothing; words and the socket earn
exactly what the same moves earn without them, here."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agent.baselines import ROSTER, Baseline, UnknownPolicy, concession
from agent.baselines.defences import DEFENCES
from agent.baselines.desk import Desk
from agent.baselines.roster import CHASSIS, Plays
from parlay_env.deal.state import Move
from parlay_env.reward import RewardSpec
from parlay_env.tasks import seed_range, tasks
from tests.clients.servers import RealServer
from training import live, policies
from training.audit import BAR, Audit, audit, audit_plan, audited, by_construction, judged, quick_cells
from training.audit_players import AuditPlan, introduced
from training.audit_report import Findings, markdown, to_json
from training.audit_tests import TestRun
from training.episodes import REWARDS, Cell, Job
from training.live import Compared, compare, difference
from training.transcripts import Answer, Transcript

from .conftest import CELLS, made_up_grid

HONEST = CHASSIS


def small(*names: str, episodes: int = 6, **options: Any) -> AuditPlan:
    """A plan of moments: an honest player is the yardstick."""
    return audit_plan(names, episodes=episodes, where=CELLS, yardstick=HONEST, **options)


def invented(differences: dict[str, Callable[[int], float]], rounds: int = 40) -> Audit:
    """The findings where in each round the yardstick earns 80, and everybody else so much more."""
    earned = {"bayes": lambda _: 0.0, HONEST: lambda _: -30.0, **differences}
    grid = made_up_grid(lambda name, number: {"reward": 80.0 + earned[name](number)}, *earned, seeds=rounds)
    return judged(AuditPlan(tuple(earned), CELLS, "test", 0, rounds * len(CELLS)), grid)


def verdicts(found: Audit) -> dict[str, str]:
    return {one.means.policy: one.verdict for one in (*found.exploits, *found.words)}


# The rule -------------------------------------------------------------------------------------------------------------


def test_an_exploit_fails_above_the_bar_and_holds_below_it() -> None:
    found = invented(
        {
            "magpie": lambda n: BAR + 4 + n % 5 - 2,
            "staller": lambda n: BAR - 4 + n % 5 - 2,
            "ultimatum": lambda n: BAR + 0.1 + 4 * (n % 5 - 2),
        }
    )
    assert verdicts(found) == {"magpie": "fails", "staller": "holds", "ultimatum": "unproven"}
    assert [one.means.policy for one in found.exploits] == ["magpie", "ultimatum", "staller"]
    assert found.failed == ["magpie"]
    assert found.unproven == ["ultimatum"]


def test_what_is_unproven_says_how_many_rounds_would_prove_it() -> None:
    above, below = invented(
        {"magpie": lambda n: BAR + 1 + 4 * (n % 5 - 2), "staller": lambda n: BAR - 1 - 4 * (n % 5 - 2)}
    ).exploits
    assert (above.verdict, below.verdict) == ("unproven", "unproven")
    assert above.rounds_needed == below.rounds_needed
    assert above.rounds == 40 < (above.rounds_needed or 0) < 1000
    many = invented({"magpie": lambda n: BAR + 1 + 4 * (n % 5 - 2)}, above.rounds_needed or 0)
    assert many.failed == ["magpie"]


@pytest.mark.parametrize("rounds", [1, 2])
def test_one_or_two_rounds_prove_nothing_whatever_they_show(rounds: int) -> None:
    found = invented({"magpie": lambda n: 100.0 + n, "staller": lambda n: -100.0 - n}, rounds)
    assert rounds == 2 or set(verdicts(found).values()) == {"unproven"}
    assert found.exploits[0].rounds_needed is None or rounds == 2
    many = {name: (lambda n: 100.0 * (n + 1)) for name in audited()[:8]}
    assert set(verdicts(invented(many, rounds)).values()) == {"unproven"}


def test_an_exploit_as_good_as_the_yardstick_in_every_round_fails() -> None:
    assert invented({"magpie": lambda _: 0.0}, 2).failed == ["magpie"]


def test_one_lucky_exploit_of_many_fails_no_game() -> None:
    """What would be significant alone is what the luckiest of thirty has anyhow."""
    lucky = {"magpie": lambda n: BAR + 2 + 6 * (n % 5 - 2)}
    assert invented(lucky, 70).failed == ["magpie"]
    others = [name for name, one in ROSTER.items() if one.kind == "exploit" and name not in lucky][:29]
    found = invented(lucky | {name: (lambda n: BAR + 6 * (n % 5 - 2)) for name in others}, 70)
    assert found.failed == []


def test_cells_are_reported_and_not_tested() -> None:
    """As far above the bar in one cell as below it in the other."""
    chosen = audit_plan(("magpie",), episodes=10, where=CELLS, yardstick=HONEST)
    grid = made_up_grid(lambda name, seed: {}, *chosen.policies, seeds=10)
    far = {CELLS[0]: BAR + 60, CELLS[1]: BAR - 80}
    grid.results = [replace(r, reward=far[r.cell] + r.seed if r.policy == "magpie" else 0.0) for r in grid.results]
    (one,) = judged(chosen, grid).exploits
    assert one.verdict == "holds"
    assert {part.cell: part.difference.value for part in one.cells} == {c: d + 4.5 for c, d in far.items()}
    assert one.cells_above == 1


# What is played -------------------------------------------------------------------------------------------------------


def test_every_exploit_is_played_or_impossible() -> None:
    assert set(audited()) == {name for name, one in ROSTER.items() if one.kind in ("exploit", "words")}
    chassis = {ROSTER[name].chassis for name in audited()} - {""}
    assert set(audit_plan(episodes=1).policies) == {"bayes", *chassis, *audited()}
    assert {agent for one in DEFENCES for agent in one.agents} <= set(audited())
    assert all(one.tests for one in by_construction())
    with pytest.raises(UnknownPolicy, match="exploit must be one of instant_accept"):
        audit_plan(("boulware",), episodes=1)


def test_the_quick_cells_have_every_scenario_and_every_persona_from_each_seat() -> None:
    cells = quick_cells()
    whole = audit_plan(episodes=1).cells
    assert set(cells) <= set(whole)
    assert {one.scenario for one in cells} == {one.scenario for one in whole}
    assert sorted((one.persona, one.seat) for one in cells) == sorted({(one.persona, one.seat) for one in whole})


def test_every_cell_has_seeds_of_its_own_and_everybody_the_same() -> None:
    """No two observations share a seed, nor two cells of one; a longer audit begins with the shorter one's."""
    chosen = audit_plan(("magpie", "staller"), episodes=25, seed_start=5, yardstick=HONEST)
    seeds = {
        name: [pair for job in chosen.jobs() if job.policy == name for pair in pairs_of(job)]
        for name in chosen.policies
    }
    first, *others = seeds.values()
    assert all(one == first for one in others)
    assert sorted(seed for _, seed in first) == list(chosen.seeds)
    assert chosen.seeds[0] == seed_range("test")[0] + 5
    assert {cell: [c for c, _ in first].count(cell) for cell in chosen.cells} == dict.fromkeys(chosen.cells, 25)
    assert chosen.total == sum(len(job.seeds) for job in chosen.jobs()) == 3 * 24 * 25
    shorter = {pair for job in audit_plan(("staller",), episodes=2, seed_start=5).jobs() for pair in pairs_of(job)}
    assert shorter < set(first)


def pairs_of(job: Job) -> list[tuple[Cell, int]]:
    return [(job.cell, seed) for seed in job.seeds]


def test_who_tries_what_is_not_allowed_plays_in_the_audit_and_nowhere_else() -> None:
    before = policies.names()
    found = audit(small("self_catcher", episodes=2))
    assert any(r.invalid_moves for r in found.grid.results if r.policy == "self_catcher")
    assert policies.names() == before
    assert "self_catcher" not in before


def test_a_worker_process_is_told_of_the_players_by_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "PRIVILEGED", dict(policies.PRIVILEGED))
    job = small("self_catcher", episodes=2).jobs()[-1]
    assert pickle.loads(pickle.dumps(job)) == job
    assert "self_catcher" in policies.names()


def test_an_audit_goes_on_in_its_folder(tmp_path: Path) -> None:
    chosen, told = small("walk_at_once", "no_words", episodes=2), list[int]()
    first = audit(chosen, tmp_path)
    again = audit(chosen, tmp_path, progress=told.append)
    assert told == [chosen.total]
    assert markdown(Findings(again, "parlay audit")) == markdown(Findings(first, "parlay audit"))


# Real games -----------------------------------------------------------------------------------------------------------


def test_a_game_that_pays_for_leaving_fails_and_the_real_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("walk_at_once", "floor_closer")
    chosen = audit_plan(names, episodes=4, where=quick_cells(), yardstick="tit_for_tat")
    assert audit(chosen).failed == []
    monkeypatch.setitem(REWARDS, "default", RewardSpec(version="broken", walk_right=150.0, walk_wrong=150.0))
    broken = audit(chosen)
    assert broken.failed == ["walk_at_once"]
    assert Findings(broken, "").failures() == ["walk_at_once comes too near"]


def test_words_earn_what_the_moves_earn_and_silence_pays_for_curtness() -> None:
    words = [name for name, one in ROSTER.items() if one.kind == "words"]
    found = {one.means.policy: one for one in audit(small(*words, episodes=3)).words}
    assert list(found) == words
    assert {name: one.verdict for name, one in found.items()} == {
        name: "reported" if name == "no_words" else "holds" for name in words
    }
    assert found["no_words"].differing > 0
    assert all(one.differing == 0 for name, one in found.items() if name != "no_words")


def names_another_amount(desk: Desk, move: Move) -> Move:
    """Says an amount that it does not offer, once."""
    anchor = desk.terms.anchors[1 - desk.seat]
    words = f"Say {desk.terms.lows[0] / 100 + desk.terms.steps[0] / 100 * anchor[0]:.2f}." if desk.turn == 2 else "So."
    return move if move.accept or desk.turn > 2 else replace(move, utterance=words)


def asks_for_more(desk: Desk, move: Move) -> Move:
    """Words that come with another move."""
    return desk.propose(0.9) if move.offer is not None and desk.turn == 3 else move


@pytest.mark.parametrize("besides", [names_another_amount, asks_for_more])
def test_words_that_earn_anything_else_fail(
    monkeypatch: pytest.MonkeyPatch, besides: Callable[[Desk, Move], Move]
) -> None:
    def make() -> Plays:
        return Plays(getattr(concession, CHASSIS), besides)

    monkeypatch.setitem(ROSTER, "loud", Baseline("loud", make, "words", "Says too much.", "", HONEST))
    found = audit(small("loud", episodes=3))
    (one,) = found.words
    assert found.failed == ["loud"]
    assert 0 < one.differing <= one.episodes == 3 * len(CELLS)
    told = re.fullmatch(r"(.+), seed (\d+): reward (\S+) instead of (\S+)", one.first)
    assert told is not None
    cell = next(cell for cell in CELLS if str(cell) == told[1])
    again = {
        r.policy: r.reward
        for r in found.grid.results
        if r.cell == cell and found.plan.seed(CELLS.index(cell), r.seed - found.plan.first_seed) == int(told[2])
    }
    assert again == {"loud": float(told[3]), HONEST: float(told[4])}
    assert Findings(found, "").failures() == ["loud earns otherwise than its moves do"]


# Over the socket ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = RealServer(tmp_path_factory.mktemp("server") / "log")
    yield server.url
    server.stop()


SOME = ("magpie", "invalid_probe", "belief_wiggle", "bluff_spam", "echo_opponent", "no_words")


def test_the_socket_pays_and_says_what_is_paid_and_said_here(url: str) -> None:
    told: list[int] = []
    found = compare(url, SOME, tasks("test")[3:7], told.append)
    assert [one.first for one in found] == [""] * len(SOME)
    assert [(one.policy, one.episodes, one.verdict) for one in found] == [(name, 4, "equal") for name in SOME]
    assert all(one.steps >= 4 for one in found)
    assert told == list(range(4 * len(SOME) + 1))


def test_a_server_that_pays_otherwise_is_caught(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REWARDS, "default", RewardSpec(delta_v=2.5))
    (one,) = compare(url, (HONEST,), tasks("validation")[:3])
    assert (one.episodes, one.differing) == (3, 3)
    assert one.verdict == "fails"
    assert one.first.startswith("validation-0000")
    assert "there" in one.first


def test_a_server_whose_opponent_says_otherwise_is_caught(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def misheard(*given: Any) -> Transcript:
        found = live_transcript(*given)
        last = found.answers[1]
        heard = {**last.observation, "opponent_utterance": "Never."}
        return replace(found, answers=(found.answers[0], replace(last, observation=heard), *found.answers[2:]))

    live_transcript = live.transcript
    monkeypatch.setattr(live, "transcript", misheard)
    (one,) = compare(url, (HONEST,), tasks("train")[:1])
    assert one.differing == 1
    assert "step 1: opponent_utterance" in one.first
    assert "'Never.' here" in one.first


def test_words_that_change_what_is_paid_here_are_caught_without_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "transcript", lambda *_: Transcript((), (Answer({"turn": 1}, None, {}, False),), 1e9))
    _, problem = live.expectation(HONEST, tasks("test")[0])
    assert problem.startswith("with words it pays 1000000000.0, without ")


def test_a_server_that_is_not_there_is_an_error(url: str) -> None:
    with pytest.raises(ConnectionError, match="nothing answers"):
        compare("http://127.0.0.1:9", (HONEST,), tasks("test")[:1])


def answered(**fields: Any) -> dict[str, Any]:
    answer = {"observation": {"turn": 2, "invalid": None}, "reward": 0.5, "done": False}
    return {**answer, "info": {"reward_terms": {"delta_v": 0.5}}, **fields}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (answered(), ""),
        (answered(reward=0.5000001), "reward 0.5000001 there, 0.5 here"),
        (answered(done=True), "done True there, False here"),
        (answered(info={"reward_terms": {}}), "terms {} there, {'delta_v': 0.5} here"),
        (answered(observation={"turn": 3}), "turn 3 there, 2 here"),
        (answered(observation={"turn": 2, "hint": "x"}), "hint 'x' there, None here"),
        ({"error": {"code": "INVALID_ACTION", "message": "no"}}, "refused, no (code: INVALID_ACTION)"),
    ],
)
def test_any_difference_of_an_answer_is_told(answer: dict[str, Any], problem: str) -> None:
    assert difference(answer, Answer({"turn": 2}, 0.5, {"delta_v": 0.5}, False)).startswith(problem)
    assert bool(difference(answer, Answer({"turn": 2}, 0.5, {"delta_v": 0.5}, False))) == bool(problem)


@pytest.mark.parametrize("name", ["invalid_probe", "paste_figures", "bluff_spam", "sharp_prior", "sweetener_flood"])
def test_every_move_can_be_said_over_the_wire(name: str) -> None:
    """From both seats, with one issue and with three: what the actions pay is what the moves pay."""
    with introduced():
        for task in (one for one in tasks("train")[:24] if one.persona == "veteran"):
            _, problem = live.expectation(name, task)
            assert problem == ""


# What is told ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def findings() -> Findings:
    nothing = Compared("magpie", 3, 30, 0, "")
    found = invented(
        {"magpie": lambda s: BAR + 4 + s % 5, "staller": lambda s: BAR - 9 + s % 5, "no_words": lambda _: 0.0}
    )
    return Findings(
        found, "parlay audit", (nothing, Compared("staller", 3, 30, 1, "test-1, done")), TestRun(True, "9 passed")
    )


def test_whatever_fails_is_named(findings: Findings) -> None:
    assert findings.failures() == ["magpie comes too near", "staller differs over the socket"]
    broken = replace(findings, tests=TestRun(False, "1 failed"))
    assert broken.failures()[-1] == "a test of what can't be played fails"


def test_the_page_has_the_command_the_version_and_a_row_for_everybody(findings: Findings) -> None:
    page = markdown(findings)
    assert page.startswith("`parlay audit`, Parlay ")
    for name, verdict in (("bayes", "honest"), ("magpie", "FAILS"), ("staller", "holds"), ("no_words", "curt")):
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` ")]
        assert verdict in row
    assert "6 episodes of 2 players over `/env/ws`, 60 steps: 1 DIFFER" in page
    assert all(test in page for one in by_construction() for test in one.tests)
    assert "These tests: 9 passed." in page


def test_the_json_has_all_of_it(findings: Findings) -> None:
    found = json.loads(to_json(findings))
    assert [one["policy"] for one in found["exploits"]] == ["magpie", "staller"]
    assert [one["verdict"] for one in found["exploits"]] == ["fails", "holds"]
    assert all(len(one["cells"]) == len(CELLS) for one in found["exploits"])
    assert [one["verdict"] for one in found["socket"]] == ["equal", "fails"]
    assert len(found["defences"]) == len(DEFENCES)
    assert {one["by_construction"] for one in found["defences"]} == {True, False}
    assert found["failures"] == findings.failures()
