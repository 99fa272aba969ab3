"""`parlay selfplay` and `parlay data`, from logs to what a trainer reads; a wrong question is answered in a line."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from training.data.filters import FILTERS, RULES
from training.data.pairs import WEAKER

from .conftest import COMMAND, ROOT, Run, environment, is_one_line

PLAY = ("selfplay", "--learner", "tit_for_tat", "--pairs", "saas_enterprise:diplomat,hiring_package:veteran")


@pytest.fixture
def logs(parlay: Run, tmp_path: Path) -> Path:
    found = parlay(*PLAY, "--seat", "seller", "--episodes", "2", "--out", "logs")
    assert found.returncode == 0, found.stderr
    return tmp_path / "logs"


def test_from_self_play_to_a_card_and_to_every_form(parlay: Run, logs: Path, tmp_path: Path) -> None:
    built = parlay("data", "build", "logs", "--out", "set", "--filter", "all")
    assert built.returncode == 0, built.stderr
    assert "4 logs read, 0 refused, 4 episodes kept" in built.stdout
    assert "digest" in built.stdout
    told = parlay("data", "card", "set")
    assert told.stdout == (tmp_path / "set" / "README.md").read_text("utf-8")
    assert "parlay data build logs --filter all --out DIR" in told.stdout
    for form in ("sft", "dpo", "grpo"):
        done = parlay("data", "export", "set", "--format", form)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "set" / form / "train.jsonl").is_file()
    sizes = [len((tmp_path / "set" / f / "train.jsonl").read_text("utf-8").splitlines()) for f in ("sft", "grpo")]
    assert sizes[0] == sizes[1] > 0


def test_self_play_tells_what_came_of_it_and_what_it_cost_and_goes_on(parlay: Run, logs: Path) -> None:
    again = parlay(*PLAY, "--seat", "seller", "--episodes", "2", "--out", "logs")
    assert [line.split() for line in again.stdout.splitlines()][1][:2] == ["tit_for_tat", "4"]
    assert again.stdout.split()[-1] == "$0.00"
    lines = (logs / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (logs / "episodes.jsonl").write_bytes(b"".join(lines[:3]))
    rest = parlay(*PLAY, "--seat", "seller", "--episodes", "2", "--out", "logs")
    assert "going on: 2 of 4 episodes are there" in rest.stderr
    assert (rest.stdout, (logs / "episodes.jsonl").read_bytes()) == (again.stdout, b"".join(lines))
    other = parlay(*PLAY, "--seat", "buyer", "--episodes", "2", "--out", "logs")
    assert other.returncode == 2
    assert is_one_line(other.stderr)


def test_refused_logs_are_told_of(parlay: Run, logs: Path, tmp_path: Path) -> None:
    lines = (logs / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (logs / "episodes.jsonl").write_bytes(
        b"".join([*lines[:2], lines[2].replace(b'"accept":false', b'"accept":true', 1)])
    )
    found = parlay("data", "build", "logs", "--out", "set")
    assert found.returncode == 0
    assert "2 logs read, 1 refused" in found.stdout
    assert "refused: logs/episodes.jsonl, line 3: line" in found.stderr


@pytest.mark.slow
def test_the_headline_command_rebuilds_a_set_and_puts_its_figures_into_a_page(parlay: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- headline -->\nEarlier figures\n<!-- /headline -->\nrest\n", "utf-8")
    found = parlay(
        "data", "headline", "--out", "set", "--rounds", "1", "--kept", "5", "--workers", "1", "--write", "page.md"
    )
    assert found.returncode == 0, found.stderr
    text = page.read_text("utf-8")
    digest = json.loads((tmp_path / "set" / "dataset.json").read_text("utf-8"))["digest"]
    assert digest in text and digest in found.stdout
    assert "Earlier figures" not in text and text.endswith("<!-- /headline -->\nrest\n")
    assert text.count("| `supplier_contract` |") == 6


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("selfplay", "--pairs", "saas"), "SCENARIO:OPPONENT"),
        (("selfplay", "--pairs", "saas:shark"), "saas_enterprise"),
        (("selfplay", "--learner", "oracle"), "knows what is hidden"),
        (("selfplay", "--learner", "llm:nobody"), "llm:PROVIDER/MODEL"),
        (("selfplay", "--learner", "llm:nobody/x"), "openai/MODEL"),
        (("selfplay", "--seat", "left"), "seller, buyer"),
        (("selfplay", "--split", "test"), "for measuring"),
        (("selfplay", "--prices", "cheap"), "IN/OUT"),
        (("data", "build", "--out", "set"), "name a folder or a file of logs"),
        (("data", "build", "nowhere", "--out", "set"), "parlay selfplay"),
        (("data", "build", "x", "--filter", "best", "--out", "set"), "default, outcome, all"),
        (("data", "build", "x", "--source", "web", "--out", "set"), "selfplay or human"),
        (("data", "build", "--source", "human", "--out", "set"), "--database URL"),
        (("data", "build", "x", "--database", "sqlite:///x.db", "--out", "set"), "--source human"),
        (
            ("data", "build", "--source", "human", "--database", "sqlite:///x.db", "--out", "set"),
            "there is no database",
        ),
        (("data", "card", "nowhere"), "parlay data build"),
        (("data", "export", "nowhere", "--format", "sft"), "parlay data build"),
        (("data", "export", "nowhere", "--format", "ppo"), "sft, dpo, grpo"),
        (("data", "export", "nowhere", "--format", "dpo", "--finish", "oracle"), "there is no policy"),
        (("data", "headline", "--out", "set", "--write", "none.md"), "none.md"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_asked_wrongly_is_answered_in_a_line(
    parlay: Run, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    found = parlay(*arguments)
    assert found.returncode in (1, 2)
    assert is_one_line(found.stderr)
    assert told in found.stderr
    assert not (tmp_path / "set").exists()


def test_an_unknown_tokenizer_is_refused_before_anything_is_written(parlay: Run, logs: Path, tmp_path: Path) -> None:
    found = parlay("data", "build", "logs", "--out", "set", "--tokenizer", "nothing.gguf")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert not (tmp_path / "set").exists()


PAGE = (ROOT / "docs" / "data.md").read_text("utf-8")
EXAMPLES = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if "--database" not in line and "headline" not in line
]


@pytest.mark.slow
def test_the_page_s_commands_run_one_after_the_other_and_its_code_holds(tmp_path: Path) -> None:
    shell = f'parlay() {{ {shlex.join(COMMAND)} "$@"; }}\n'
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(EXAMPLES) == 7
    assert len(code) == 1
    (tmp_path / "replayed.py").write_text(code[0], "utf-8")
    script = "\n".join(["set -e", *EXAMPLES, f"{shlex.quote(sys.executable)} replayed.py"])
    found = subprocess.run(
        ["bash", "-c", shell + script], capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False
    )
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "outputs/data/grpo/train.parquet").is_file()


def test_the_page_names_every_rule_every_reason_and_every_column() -> None:
    for name in (*RULES, *FILTERS, "damaged", "unfinished", "setup", "forged", *WEAKER, "learner_chosen"):
        assert f"`{name}`" in PAGE


def test_the_headline_figures_on_the_page_cover_every_cell() -> None:
    body = PAGE.partition("<!-- headline -->")[2].partition("<!-- /headline -->")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (\d+) \| (\d+) \|", body, re.MULTILINE)
    assert len({row[:3] for row in rows}) == 24
    assert sum(int(row[4]) for row in rows) == 140
    assert all(int(row[4]) > 0 for row in rows)


def test_a_terminal_is_shown_how_far_a_build_and_an_export_are(parlay: Run, logs: Path, tmp_path: Path) -> None:
    for arguments, told in (
        (("data", "build", "logs", "--out", "set", "--filter", "all"), ("logs", "tokens")),
        (("data", "export", "set", "--format", "dpo"), ("train", "validation")),
    ):
        master, slave = pty.openpty()
        env = environment(COLUMNS="120", TERM="xterm")
        subprocess.run(
            [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=slave, cwd=tmp_path, env=env, check=True
        )
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        assert any(f"{one} " in shown for one in told)
        assert "━" in shown
