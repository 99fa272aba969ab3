"""Whatever the pages point to is there: pages, headings, files, make targets, commands and their options."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer.main
import uvicorn

from cli.app import app
from tests.clients.servers import ROOT

from .pages import anchors, blocks, files, pages, prose, read

NAMES = pages()
SUFFIXES = r"py|md|ya?ml|toml|txt|json|svg|lock"
NO_FILES = {
    *("first.py", "used_car.yaml", "results.json", "bench.json", "openapi.json", "NAME.json"),
    *("report.md", "summary.json", "reward_study.md", "reward_study.json", "dataset.json", "config.json"),
    *("belief_study.md", "belief_study.json", "coverage.svg", "belief_scores.svg"),
}
"""What the pages have a reader make, and a route."""


def spans(name: str) -> list[str]:
    """What stands in backticks in a page's prose."""
    return re.findall(r"`([^`\n]+)`", prose(name))


def shown_commands(name: str, program: str) -> list[list[str]]:
    """The words of every command of this program: in backticks, in blocks, in indented lines."""
    lines = [line.strip() for block in blocks(name) for line in block.text.splitlines()]
    indented = re.findall(r"^ {4}(\S.*)$", prose(name), re.MULTILINE)
    texts = (*spans(name), *lines, *indented)
    found = [re.match(rf"(?:\$ )?(?:\.venv/bin/)?{program} (.+)", text) for text in texts]
    return [match[1].partition("#")[0].split() for match in found if match]


def options(command: Any, inside: bool = False) -> set[str]:
    """The options of a command; with `inside` those of its subcommands, too."""
    found = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
    subcommands = getattr(command, "commands", {}).values() if inside else ()
    return found.union(*(options(one, inside) for one in subcommands))


@pytest.mark.parametrize("name", NAMES)
def test_every_relative_link_leads_somewhere(name: str) -> None:
    for text, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", prose(name)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        if re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+", text):  # the words of the link are a path, too
            assert path.endswith(text), text
        page = (ROOT / name).parent / path if path else ROOT / name
        assert page.exists(), target
        if anchor:
            assert anchor in anchors(page.resolve().relative_to(ROOT).as_posix()), target


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_is_named_exists(name: str) -> None:
    for span in spans(name):
        if re.fullmatch(rf"[\w.][\w./-]*\.(?:{SUFFIXES})|\w[\w./-]*/", span) and span not in NO_FILES:
            assert any(path == span or path.endswith(f"/{span}") for path in files()), span


@pytest.mark.parametrize("name", NAMES)
def test_every_make_target_that_is_named_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", read("Makefile"), re.MULTILINE))
    for words in shown_commands(name, "make"):
        assert {word for word in words if "=" not in word} <= targets, words


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_that_is_named_exists(name: str) -> None:
    root = typer.main.get_command(app)
    for words in shown_commands(name, "parlay"):
        command: Any = root
        for word in words:
            if (commands := getattr(command, "commands", None)) and not word.startswith("-"):
                assert word in commands, words
                command = commands[word]
        assert {word for word in words if word.startswith("--")} <= options(command), words


@pytest.mark.parametrize("name", NAMES)
def test_every_option_that_is_named_alone_exists(name: str) -> None:
    known = options(typer.main.get_command(app), inside=True) | options(uvicorn.main)
    assert {span.split()[0] for span in spans(name) if span.startswith("--")} <= known


def test_the_pages_that_a_user_reads_are_there() -> None:
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"} < set(NAMES)
    manual = [name for name in NAMES if name.startswith("docs/")]
    expected = {"architecture", "benchmark", "cli", "dependencies", "deployment"}
    expected |= {"performance", "rules", "scenarios", "wire"}
    assert {f"docs/{page}.md" for page in expected} <= set(manual)
    assert all(f"({page})" in read("README.md") for page in manual)
