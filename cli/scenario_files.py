"""Scenarios as a command is given them: by the id of one that ships, or by a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from cli.console import BAD_INPUT, fail
from game.scenarios import Scenario, ScenarioError, load_scenario_file, scenarios


@cache
def scenario_named(name: str) -> Scenario:
    """The scenario with this id, or in this file; fails with what would be right."""
    found = scenarios().get(name)
    if found is not None:
        return found
    if not (Path(name).is_file() or name.endswith((".yaml", ".yml"))):
        fail(f"there is no scenario {name!r}; choose from {', '.join(scenarios())}, or name a file", BAD_INPUT)
    if not Path(name).exists():
        fail(no_such_file(name), BAD_INPUT)
    try:
        return load_scenario_file(name)
    except ScenarioError as error:
        fail(f"{name}: {error.problems[0]}; `parlay scenarios validate {name}` tells everything")


def no_such_file(name: object) -> str:
    """What is wrong when a file is missing."""
    return f"there is no file {name} here"
