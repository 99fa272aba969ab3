"""An evaluation goes on where it was stopped, and comes out the same whatever happened on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.baselines import UnknownPolicy
from agent.registry import UnknownPersona
from game.scenarios import ScenarioError
from parlay_env.tasks import seed_range
from training import evaluate as engine
from training.episodes import Cell, Job
from training.evaluate import evaluate, finished, missing, plan
from training.grid import Grid
from training.record import FILE, EvaluationError, read_record
from training.summary import summed_up, to_json

from .conftest import CELLS, SAAS, small

PLAN = small("tit_for_tat", "random", episodes=25)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """The file and the summary of a run that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole")
    grid = evaluate(PLAN, folder)
    return (folder / FILE).read_bytes(), to_json(summed_up(grid))


@pytest.mark.parametrize("share", [0.003, 0.3, 0.501, 0.77, 0.9999, 1.0])
def test_a_run_cut_anywhere_goes_on_to_the_same_summary(whole: tuple[bytes, bytes], folder: Path, share: float) -> None:
    content, summary = whole
    folder.mkdir()
    (folder / FILE).write_bytes(content[: int(share * len(content))])
    assert to_json(summed_up(evaluate(PLAN, folder))) == summary
    lines = (folder / FILE).read_bytes().splitlines()
    assert sorted(lines) == sorted(content.splitlines())


def test_any_number_of_processes_gives_the_same_file_and_summary(whole: tuple[bytes, bytes], folder: Path) -> None:
    grid = evaluate(PLAN, folder, workers=3)
    assert ((folder / FILE).read_bytes(), to_json(summed_up(grid))) == whole


def test_a_folder_changes_nothing(whole: tuple[bytes, bytes]) -> None:
    assert to_json(summed_up(evaluate(PLAN))) == whole[1]


def test_a_finished_run_plays_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = small(episodes=2)
    first = evaluate(chosen, folder)
    handed_in: list[Job] = []
    monkeypatch.setattr(engine, "play_all", lambda work, workers: handed_in.extend(work) or iter(()))
    assert evaluate(chosen, folder).results == first.results
    assert handed_in == []


def test_progress_starts_at_what_is_there_and_ends_with_all(folder: Path) -> None:
    chosen = small(episodes=3)
    told: list[int] = []
    evaluate(chosen, folder, progress=told.append)
    assert told == [0, 3, 6, 9, 12]
    path = folder / FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:6]))
    told.clear()
    evaluate(chosen, folder, progress=told.append)
    assert told == [5, 6, 9, 12]


def test_only_missing_episodes_are_played() -> None:
    chosen = small(episodes=30)
    found = {(r.policy, r.cell, r.seed): r for r in evaluate(small(episodes=30)).results if r.seed % 3}
    left = missing(chosen, found)
    assert {(job.policy, job.cell, seed) for job in left for seed in job.seeds} == {
        (policy, cell, seed) for policy in chosen.policies for cell in CELLS for seed in chosen.seeds if seed % 3 == 0
    }


def test_policies_play_the_same_seeds_of_the_split(played: Grid) -> None:
    first, _ = seed_range("test")
    seeds = {
        policy: [(r.cell, r.seed) for r in played.results if r.policy == policy] for policy in played.plan.policies
    }
    assert len(set(map(tuple, seeds.values()))) == 1
    assert {seed for _, seed in seeds["random"]} == set(range(first, first + 6))


def test_a_finished_run_is_read_and_an_unfinished_one_says_how_much_is_left(folder: Path) -> None:
    chosen = small(episodes=2)
    grid = evaluate(chosen, folder)
    header, read = finished(folder)
    assert header == read_record(folder)[0]
    assert read.results == grid.results
    path = folder / FILE
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(EvaluationError, match="1 episodes are missing"):
        finished(folder)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"policies": ("tit_for_tit",)}, UnknownPolicy, "tit_for_tat"),
        ({"policies": ()}, EvaluationError, "at least one policy"),
        ({"policies": ("random", "random")}, EvaluationError, "each policy and each cell once"),
        ({"where": (SAAS, SAAS)}, EvaluationError, "each policy and each cell once"),
        ({"where": ()}, EvaluationError, "one cell"),
        ({"where": (Cell("saas_enterprise", "lamb", "seller"),)}, UnknownPersona, "shark"),
        ({"where": (Cell("no/such.yaml", "shark", "seller"),)}, ScenarioError, "no/such.yaml"),
        ({"episodes": 0}, EvaluationError, "one episode"),
        ({"split": "dev"}, EvaluationError, "train, validation, test"),
        ({"reward": "naive"}, EvaluationError, "default, literal"),
        ({"seed_start": -1}, EvaluationError, "seed_start"),
        ({"seed_start": 2**53}, EvaluationError, "seed_start"),
    ],
)
def test_a_plan_that_can_t_be_played_is_refused_with_what_would_be_right(
    options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        plan(**({"policies": ("random",), "episodes": 2} | options))


def test_a_plan_without_cells_has_all_of_them() -> None:
    chosen = plan(("random",), episodes=1)
    assert len(chosen.cells) == 24
    assert chosen.total == 24


def test_a_grid_is_whole_or_none() -> None:
    grid = evaluate(small(episodes=2))
    with pytest.raises(ValueError, match="8 episodes are planned, 7 are there"):
        Grid(grid.plan, grid.results[1:])
