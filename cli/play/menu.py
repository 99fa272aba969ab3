"""Choosing a game: what was not given is asked for, one short list after the other."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from difflib import get_close_matches

import msgspec
from rich.table import Table

from agent.registry import OPPONENTS, drawn, persona
from cli.console import BAD_INPUT, console, fail, heading
from cli.play.terminal import Terminal, wrapped
from cli.scenario_files import scenario_named
from game.scenarios import SEATS, Scenario, SeatName, scenarios
from parlay_env.rng import derive_keys
from parlay_env.tasks import seed_range

ANY = "any"
DEFAULT = "diplomat"
"""The opponent that stands first."""
_ABOUT = {
    "shark": "opens high, concedes last, bluffs often",
    "diplomat": "looks for joint gains, never bluffs, answers trust with trust",
    "veteran": "few words, ignores anchors, gives only for something",
}


class Choice(msgspec.Struct, frozen=True):
    """A game that was chosen."""

    scenario: Scenario
    named: str
    """The scenario's id, or its file."""
    seat: SeatName
    persona: str
    seed: int


def choose(
    terminal: Terminal, scenario: str | None, seat: str | None, opponent: str | None, seed: int | None
) -> Choice:
    """The game that these options name, after asking for the others."""
    first, last = seed_range("train")
    if seed is not None and not first <= seed <= last:
        fail(f"--seed goes from {first} to {last}", BAD_INPUT)
    shipped = scenarios()
    if scenario is not None:
        scenario_named(scenario)
    _check("seat", seat, SEATS)
    _check("persona", opponent, (*OPPONENTS, ANY))
    if scenario is None:
        scenario = _ask(
            terminal,
            "What about?",
            [(s.id, f"{s.title.en}, {_issues(len(s.issues))}") for s in shipped.values()],
        )
    found = scenario_named(scenario)
    if seat is None:
        sides = [(name, found.side(i).role.en) for i, name in enumerate(SEATS)]
        seat = _ask(terminal, "Which seat is yours?", sides)
    if opponent is None:
        people = [
            (name, f"{persona(name).symbol} {_ABOUT.get(name, '')}") for name in sorted(OPPONENTS, key=DEFAULT.__ne__)
        ]
        opponent = _ask(terminal, "Against whom?", [*people, (ANY, "let the draw decide")])
    seed = first + secrets.randbelow(last - first + 1) if seed is None else seed
    if opponent == ANY:
        opponent = drawn(derive_keys(seed))
    return Choice(found, scenario, "buyer" if seat == "buyer" else "seller", opponent, seed)


def _issues(count: int) -> str:
    return "one price" if count == 1 else f"{count} issues"


def _check(what: str, given: str | None, known: Sequence[str]) -> None:
    if given is not None and given not in known:
        fail(f"there is no {what} {given!r}; choose from {', '.join(known)}, or leave --{what} out", BAD_INPUT)


def _ask(terminal: Terminal, question: str, options: Sequence[tuple[str, str]]) -> str:
    """The name that was chosen, by its number or by (the beginning of) its name."""
    out, names = console(), [name for name, _ in options]
    out.print()
    out.print(heading(question))
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")
    for number, (name, about) in enumerate(options, start=1):
        table.add_row(f"  {number}", name, about)
    table.columns[0].no_wrap = True
    out.print(table)
    while True:
        try:
            typed = terminal.line(f"1-{len(names)} [1]: ").strip().lower()
        except EOFError:
            fail("nothing was chosen; name --scenario, --seat and --persona, or choose by number", BAD_INPUT)
        if not typed:
            return names[0]
        if typed.isdigit() and 1 <= int(typed) <= len(names):
            return names[int(typed) - 1]
        begun = [name for name in names if name.startswith(typed)] or get_close_matches(typed, names, 1)
        if len(begun) == 1:
            return begun[0]
        out.print(wrapped(f"a number from 1 to {len(names)}, or a name: {', '.join(names)}"), style="yellow")
