"""`parlay benchmark`: from a policy, or from an agent at a socket, to a record, a score and a row of a table."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.clients.servers import RealServer, run
from training.benchmark import DROPPED
from training.benchmark_score import MARKS

from .conftest import COMMAND, ROOT, Run, environment, is_one_line

SECRET = "correct horse battery staple"
HEADLINE = r"parlay-bench-1 \(rules [0-9a-f]{16}, (public)\): (-?[\d.]+) \[-?[\d.]+, -?[\d.]+\] over 480 tasks"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two policies' records and scores."""
    folder = tmp_path_factory.mktemp("ready") / "scores"
    command = [*COMMAND, "benchmark", "run", "--policy", "conceder,tit_for_tat", "--workers", "1", "--out", str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, encoding="utf-8", check=True)
    (folder / "said").write_text(done.stdout, "utf-8")
    return folder


def test_a_run_leaves_a_record_and_a_score_of_each_policy(ready: Path) -> None:
    said = (ready / "said").read_text("utf-8")
    for name in ("conceder", "tit_for_tat"):
        assert len((ready / f"{name}.jsonl").read_bytes().splitlines()) == 480
        found = json.loads((ready / f"{name}.json").read_bytes())
        assert (found["benchmark"], found["name"], found["score"]["over"]) == ("parlay-bench-1", name, 480)
        assert (found["dropped"], found["claims_that_differ"], found["privileged"]) == (0, 0, False)
        told = re.search(rf"^{name}: {HEADLINE}$", said, re.MULTILINE)
        assert told is not None
        assert float(told[2]) == round(found["score"]["value"], 1)


def test_a_record_that_is_scored_again_gives_the_same_score(parlay: Run, ready: Path, tmp_path: Path) -> None:
    found = parlay("benchmark", "score", str(ready / "tit_for_tat.jsonl"), "--json", "again.json")
    assert found.returncode == 0, found.stderr
    assert re.match(HEADLINE, found.stdout)
    assert all(word in found.stdout for word in ("all", "supplier_contract", "veteran", "buyer"))
    assert (tmp_path / "again.json").read_bytes() == (ready / "tit_for_tat.json").read_bytes()
    assert parlay("benchmark", "score", str(ready / "tit_for_tat.jsonl"), "--json", "-").stdout == (
        (ready / "tit_for_tat.json").read_text("utf-8")
    )


def test_a_forged_reward_is_told_and_changes_nothing(parlay: Run, ready: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (ready / "conceder.jsonl").read_text().splitlines()]
    text = "\n".join(json.dumps(line | {"reward": 135.0}) for line in lines)
    (tmp_path / "forged.jsonl").write_text(text)
    found = parlay("benchmark", "score", "forged.jsonl", "--name", "a better one")
    honest = parlay("benchmark", "score", str(ready / "conceder.jsonl"))
    assert found.stdout.splitlines()[0] == honest.stdout.splitlines()[0]
    assert "480 rewards in the record are not what its moves earn; the replay counts." in found.stdout


def test_a_part_of_a_record_is_refused_unless_the_rest_counts_as_dropped(
    parlay: Run, ready: Path, tmp_path: Path
) -> None:
    lines = (ready / "conceder.jsonl").read_text().splitlines()
    (tmp_path / "part.jsonl").write_text("\n".join(lines[:2]))
    found = parlay("benchmark", "score", "part.jsonl")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert f"part.jsonl: 478 tasks are missing: {json.loads(lines[2])['task_id']}, " in found.stderr
    assert "--missing-as-dropped" in found.stderr
    counted = parlay("benchmark", "score", "part.jsonl", "--missing-as-dropped")
    assert counted.returncode == 0, counted.stderr
    assert "over 480 tasks, 478 of them dropped" in counted.stdout.splitlines()[0]
    assert f"478 tasks have no end and count {DROPPED:g} points each." in counted.stdout


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"oops", "line 1: this is not JSON"),
        (b'{"task_id": "test-0", "actions": []}', "no such tasks in this edition"),
    ],
)
def test_what_is_no_record_is_answered_in_a_line(parlay: Run, tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "mine.jsonl").write_bytes(content)
    found = parlay("benchmark", "score", "mine.jsonl", "--missing-as-dropped")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert told in found.stderr


def test_the_table_is_put_into_a_page_and_the_rest_of_it_stays(parlay: Run, ready: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{MARKS[0]}\nold\n{MARKS[1]}\n\nAfter.\n")
    found = parlay("benchmark", "table", str(ready), "--write", "page.md")
    assert found.returncode == 0, found.stderr
    text = page.read_text("utf-8")
    assert text.startswith(f"# Before\n\n{MARKS[0]}\nMade by `parlay benchmark table {ready} --write page.md`: ")
    assert text.endswith(f"\n{MARKS[1]}\n\nAfter.\n")
    assert "old" not in text
    assert text.index("| `tit_for_tat` |") < text.index("| `conceder` |")
    printed = parlay("benchmark", "table", str(ready)).stdout
    assert (
        text.partition(MARKS[0])[2].partition(MARKS[1])[0].strip().split("\n\n")[1] == printed.strip().split("\n\n")[1]
    )


def test_the_page_of_the_benchmark_has_a_place_for_the_table() -> None:
    text = (ROOT / "docs" / "benchmark.md").read_text("utf-8")
    assert text.count(f"{MARKS[0]}\n") == text.count(f"\n{MARKS[1]}") == 1


def test_a_secret_that_is_too_short_is_refused_and_not_quoted(parlay: Run) -> None:
    for command in (("benchmark", "run", "--policy", "conceder", "--out", "x"), ("serve",)):
        found = parlay(*command, PARLAY_TEST_SECRET="short secret")
        assert found.returncode == 2
        assert is_one_line(found.stderr)
        assert "PARLAY_TEST_SECRET" in found.stderr
        assert "at least 16 characters" in found.stderr
        assert "short secret" not in found.stderr


def test_the_privileged_are_refused_in_a_private_edition_before_anything_is_played(parlay: Run, tmp_path: Path) -> None:
    found = parlay("benchmark", "run", "--policy", "conceder,oracle", "--out", "x", PARLAY_TEST_SECRET=SECRET)
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert "oracle can't play a private edition" in found.stderr
    assert not (tmp_path / "x").exists()


# Over the socket ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", ["", SECRET], ids=["public", "private"])
def test_an_agent_at_a_socket_gets_the_score_that_it_was_paid(parlay: Run, tmp_path: Path, secret: str) -> None:
    server = RealServer(tmp_path / "log", PARLAY_TEST_SECRET=secret)
    try:
        example = ("examples/benchmark_client.py", "--url", server.url, "--out", str(tmp_path / "mine.jsonl"))
        assert len(run(*example, "--first", "2").splitlines()) == 2
        assert len(run(*example, "--first", "3").splitlines()) == 1  # goes on where it was
    finally:
        server.stop()
    arguments = ("benchmark", "score", "mine.jsonl", "--missing-as-dropped", "--json", "mine.json")
    found = parlay(*arguments, PARLAY_TEST_SECRET=secret)
    assert found.returncode == 0, found.stderr
    assert "477 of them dropped" in found.stdout
    assert "not what its moves earn" not in found.stdout
    score = json.loads((tmp_path / "mine.json").read_bytes())
    assert (score["edition"] == "public") == (not secret)
    paid = [json.loads(line)["reward"] for line in (tmp_path / "mine.jsonl").read_text().splitlines()]
    assert [one["reward"] for one in score["episodes"][:3]] == paid
    assert score["score"]["value"] == pytest.approx((sum(paid) + 477 * DROPPED) / 480)
    written = found.stdout + found.stderr + (tmp_path / "log").read_text() + (tmp_path / "mine.json").read_text()
    assert SECRET not in written
    other = parlay(*arguments, PARLAY_TEST_SECRET="" if secret else SECRET)
    assert (other.returncode, "of another edition" in other.stderr) == (2, True)


def test_the_example_is_short_enough_to_read() -> None:
    assert len((ROOT / "examples/benchmark_client.py").read_text().splitlines()) < 60
