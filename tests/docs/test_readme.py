"""The README is true: its front matter, its first result, its tables."""

from __future__ import annotations

import re
from typing import Any

import yaml

from agent.registry import OPPONENTS
from game.scenarios import scenarios
from parlay_env.deal.state import T_MAX
from parlay_env.models import ParlayAction
from parlay_env.reward import RewardSpec
from tests.clients.servers import RealServer

from .pages import blocks, first_names, named, read, table
from .snippets import run_python

PAGE = "README.md"
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
"""What a Space's card may be coloured with."""


def front_matter() -> dict[str, Any]:
    _, matter, _ = read(PAGE).split("---\n", 2)
    return yaml.safe_load(matter)


def test_the_front_matter_makes_the_repository_a_space() -> None:
    found = front_matter()
    assert found["sdk"] == "docker"
    assert f"EXPOSE {found['app_port']}\n" in read("Dockerfile")
    assert {found["colorFrom"], found["colorTo"]} <= COLOURS
    assert len(found["short_description"]) <= 60
    assert found["license"] == "mit"
    assert "openenv" in found["tags"]


def test_the_first_result_is_a_deal_and_is_printed_as_shown(server: RealServer) -> None:
    example = next(block for block in blocks(PAGE) if block.kind == "python")
    shown = next(block for block in blocks(PAGE) if block.kind == "text output")
    said = run_python(example, server.url)
    assert said.strip() == shown.text.strip()
    assert "deal in turn" in said
    found = re.search(r"there was to win you won ([\d,]+): (\d+)%", said)
    assert found is not None and int(found[2]) >= 50


def test_the_figures_of_the_first_result_add_up() -> None:
    """A reader who recomputes them gets what is printed: nothing was thrown in that the output doesn't show."""
    shown = next(block for block in blocks(PAGE) if block.kind == "text output").text
    figures = [float(found.replace(",", "")) for found in re.findall(r"(\d[\d,]*(?:\.\d+)?)", shown.splitlines()[-3])]
    price = next(figure for figure in figures if figure > 1_000)
    own, theirs = figures_of(r"Your limit was ([\d,]+), theirs ([\d,]+)", shown)
    room, won, share = figures_of(r"Of the ([\d,]+) that there was to win you won ([\d,]+): (\d+)%", shown)
    assert (room, won) == (theirs - own, price - own)
    assert share == round(100 * won / room)


def figures_of(pattern: str, text: str) -> list[float]:
    found = re.search(pattern, text)
    assert found is not None, text
    return [float(figure.replace(",", "")) for figure in found.groups()]


def test_the_table_of_scenarios_names_them_all_and_both_roles() -> None:
    shown = {named(row[0])[0]: (row[2], row[3]) for row in table(PAGE, "scenario")}
    assert shown == {name: (s.seller.role.en, s.buyer.role.en) for name, s in scenarios().items()}


def test_the_table_of_opponents_names_them_all_with_their_signs() -> None:
    profiles = yaml.safe_load(read("agent/personas.yaml"))
    shown = [row[0] for row in table(PAGE, "opponent")]
    assert shown == [f"{name.capitalize()} {profiles[name]['symbol']}" for name in OPPONENTS]


def test_its_figures_are_the_games() -> None:
    text = read(PAGE)
    combinations = len(scenarios()) * len(OPPONENTS) * 2
    assert f"all {combinations} combinations" in text
    assert T_MAX == 20 and "You have twenty turns" in text
    assert f"beyond your own limit costs {RewardSpec().cliff:g} points" in text
    assert ParlayAction.model_fields["question"] is not None
    assert first_names(PAGE, "scenario") == list(scenarios())
