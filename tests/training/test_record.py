"""What is on disk: goes on after any cut, refuses what would not mix, says what is wrong with a damaged file."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from training import record
from training.episodes import Plan, play
from training.record import (
    FILE,
    ROOT,
    EvaluationError,
    RecordBusy,
    RecordDamaged,
    RunMismatch,
    open_record,
    read_record,
    sources_digest,
)

from .conftest import CELLS, small

PLAN = small("tit_for_tat", "conceder", episodes=2)


@pytest.fixture
def written(folder: Path) -> Path:
    """A record of the first three jobs."""
    with open_record(folder, PLAN) as kept:
        for job in PLAN.jobs()[:3]:
            kept.append(play(job))
    return folder


def found_in(folder: Path, plan: Plan = PLAN) -> int:
    with open_record(folder, plan) as kept:
        return len(kept.found)


def test_what_was_kept_is_found_again(written: Path) -> None:
    header, found = read_record(written)
    assert header.plan == PLAN
    assert header.sources == sources_digest(PLAN)
    assert list(found.values()) == [result for job in PLAN.jobs()[:3] for result in play(job)]
    assert found_in(written) == 6


@pytest.mark.parametrize("lost", [1, 40, 300])
def test_an_unfinished_last_line_is_dropped_and_written_over(written: Path, lost: int) -> None:
    path = written / FILE
    content = path.read_bytes()
    path.write_bytes(content[:-lost])
    with open_record(written, PLAN) as kept:
        assert len(kept.found) == 5
        kept.append(play(PLAN.jobs()[2])[1:])
    assert path.read_bytes() == content


def test_a_file_cut_in_its_first_line_begins_anew(written: Path) -> None:
    path = written / FILE
    path.write_bytes(path.read_bytes()[:20])
    assert found_in(written) == 0
    assert read_record(written)[0].plan == PLAN


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (small("tit_for_tat", episodes=2), r"other policies \(it has conceder\)"),
        (small("tit_for_tat", "conceder", "boulware", episodes=2), r"other policies \(it lacks boulware\)"),
        (small("conceder", "tit_for_tat", episodes=2), r"other policies \(in another order\)"),
        (replace(PLAN, cells=CELLS[:1]), r"other cells \(it has supplier_contract · diplomat · buyer\)"),
        (replace(PLAN, episodes=3), r"other episodes \(there 2, here 3\)"),
        (replace(PLAN, split="train"), r"other split \(there test, here train\)"),
        (replace(PLAN, reward="literal"), r"other reward \(there default, here literal\)"),
        (replace(PLAN, words=True), r"other words \(there off, here on\)"),
        (
            replace(PLAN, first_seed=PLAN.first_seed + 1),
            r"other first seed \(there 6755399441055744, here 6755399441055745\)",
        ),
    ],
    ids=lambda value: "" if isinstance(value, Plan) else value,
)
def test_another_plan_is_refused_and_told_how_it_differs(written: Path, other: Plan, told: str) -> None:
    before = (written / FILE).read_bytes()
    with pytest.raises(RunMismatch, match=f"{told}; name another folder"):
        found_in(written, other)
    assert (written / FILE).read_bytes() == before


def test_other_sources_are_refused(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "sources_digest", lambda plan: "0123456789abcdef")
    with pytest.raises(RunMismatch, match="other sources"):
        found_in(written)


def test_the_digest_follows_the_scenario_file_and_the_privileged_policies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("title: one\n")
    own = replace(PLAN, cells=(replace(CELLS[0], scenario=str(file)),))
    first = sources_digest(own)
    assert sources_digest(own) == first != sources_digest(PLAN)
    file.write_text("title: two\n")
    assert sources_digest(own) != first
    policy = tmp_path / "seer.py"
    policy.write_text("a = 1\n")
    monkeypatch.setattr(record.policies, "sources", lambda name: [policy] if name == "conceder" else [])
    with_one = sources_digest(PLAN)
    policy.write_text("a = 2\n")
    assert sources_digest(PLAN) != with_one


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("parlay_env/deal/numbers.py", True),
        ("parlay_env/reward.py", True),
        ("agent/personas.yaml", True),
        ("agent/scripted.py", True),
        ("game/events.yaml", True),
        ("game/house.py", False),
        ("game/scenarios/saas_enterprise.yaml", True),
        ("training/witness.py", True),
        ("training/plots.py", False),
        ("parlay_env/server.py", False),
    ],
)
def test_a_change_of_what_decides_an_episode_changes_the_digest(tmp_path: Path, file: str, counts: bool) -> None:
    for package in ("agent", "game", "parlay_env", "training"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    first = sources_digest(PLAN, tmp_path)
    with (tmp_path / file).open("a") as changed:
        changed.write("# A change.\n")
    assert (sources_digest(PLAN, tmp_path) != first) is counts


@pytest.mark.parametrize("line", [b"{}\n", b"not json\n", b'{"policy": "tit_for_tat"}\n'])
def test_a_damaged_line_is_named(written: Path, line: bytes) -> None:
    path = written / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((*lines[:3], line, *lines[3:])))
    with pytest.raises(RecordDamaged, match="line 4"):
        found_in(written)


def test_an_episode_of_another_run_is_named(written: Path) -> None:
    path = written / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(
        b"".join((*lines, lines[-1].replace(b"tit_for_tat", b"boulware").replace(b"conceder", b"boulware")))
    )
    with pytest.raises(RecordDamaged, match="line 8: this episode is none of the run's"):
        found_in(written)


def test_what_is_no_evaluation_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(b'{"my": "notes"}\n')
    with pytest.raises(RecordDamaged, match="line 1"):
        found_in(folder)
    assert (folder / FILE).read_bytes() == b'{"my": "notes"}\n'


def test_another_form_is_refused(written: Path) -> None:
    path = written / FILE
    first, _, rest = path.read_bytes().partition(b"\n")
    header = msgspec.json.decode(first)
    for other in (header | {"format": 99}, {"format": 1, "parlay": "0.1", "rules": "0123456789abcdef"}):
        path.write_bytes(msgspec.json.encode(other) + b"\n" + rest)
        with pytest.raises(RunMismatch, match="another form"):
            found_in(written)


def test_two_runs_do_not_write_to_one_folder(written: Path) -> None:
    with open_record(written, PLAN), pytest.raises(RecordBusy, match="another run writes"):
        found_in(written)
    assert found_in(written) == 6


def test_a_folder_without_an_evaluation_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="parlay eval --out"):
        read_record(tmp_path)
    (tmp_path / FILE).write_bytes(b"")
    with pytest.raises(EvaluationError, match="parlay eval --out"):
        read_record(tmp_path)
