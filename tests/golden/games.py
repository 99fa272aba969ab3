"""Golden playthroughs of the strategic games: every registered game as its default partner plays it in all seats, and
as players at random do, as text that a person can read.

Before each call stands what those who are to move see: what all of them see alike, then what each sees besides. What
never changes is told once, and of a list that grows only what was added (after `…`). A move's fields are told where
they are not what they would be if left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agent.games.registry import entry, games
from parlay_env.core import Step, Viewer, policy_draws
from parlay_env.games.interface import StrategicGame

FOLDER = Path(__file__).parent / "games"
SEED = 11
WIDTH = 118
APART = frozenset(("seat", "truth", "ended"))
"""Fields of a view that are told otherwise: by who is named, and at the end."""


@dataclass(frozen=True)
class Cell:
    """A game with a setup, and who sits in its seats, in turn."""

    game_id: str
    names: tuple[str, ...]
    setup: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """One call of `play`: what those who moved saw, by field, their moves, and what came of them."""

    views: dict[str, dict[str, Any]]
    moves: Mapping[str, Any]
    step: Step


MORE = (
    Cell("signalling", ("learner",), {"rounds": 12}),
    Cell("teamwork", ("learner", "learner", "worker", "idler"), {"rounds": 5}),
    Cell("commons", ("promise_keeper", "promise_breaker", "copycat", "twelve", "sustainable"), {"chat": True}),
)
"""What the usual setup does not show."""


def cells(game_id: str) -> list[Cell]:
    """What is played of a game: its partner with itself, players at random, and what is listed besides."""
    usual = [Cell(game_id, (name,), {}) for name in (entry(game_id).partner, "random")]
    return usual + [cell for cell in MORE if cell.game_id == game_id]


def page(game_id: str) -> str:
    """All the playthroughs of a game."""
    game = entry(game_id).game
    head = [f"{game.id}: {game.title}", *textwrap.wrap(game.rules, WIDTH)]
    return "\n\n".join(["\n".join(head), *map(playthrough, cells(game_id))]) + "\n"


def playthrough(cell: Cell) -> str:
    """An episode as text."""
    game = entry(cell.game_id).game
    setup = msgspec.convert(cell.setup, game.setup_type)
    seated = game.seated(setup)
    calls = list(_calls(game, cell, setup))
    changing = _changing(call.views for call in calls)
    head = textwrap.wrap(f"=== {', '.join(cell.names)} · {_text(setup)} · seed {SEED}", WIDTH)
    lines, before = head, dict[str, dict[str, Any]]()
    for number, call in enumerate(calls, 1):
        lines += [f"call {number}", *_seen(call.views, before, changing)]
        lines += _told("play", {seat: _move(move) for seat, move in call.moves.items()})
        lines += _told("paid", {seat: _text(dict(terms)) for seat, terms in call.step.rewards.items()})
        lines += [f"  {event.kind}: {_text(event.data)}" for event in call.step.events]
        before |= call.views
    state = calls[-1].step.state
    end = game.view(state, Viewer("observer"))
    lines += [f"ended {_text(end.ended)}", *_wrapped(f"truth {_text(end.truth)}")]
    return "\n".join([*lines, *_fields("measures", {seat: dict(game.measures(state, seat)) for seat in seated})])


def _calls(game: StrategicGame, cell: Cell, setup: Any) -> Iterator[Call]:
    """The calls of an episode, in order."""
    seated = game.seated(setup)
    players = {seat: entry(cell.game_id).player(cell.names[i % len(cell.names)]) for i, seat in enumerate(seated)}
    draws = {seat: policy_draws(game, SEED, seat) for seat in seated}
    state = game.start(setup, SEED)
    while to_move := [seat for seat in seated if seat in game.to_move(state)]:
        views = {seat: game.view(state, Viewer("player", seat)) for seat in to_move}
        moves = {seat: players[seat].act(views[seat], draws[seat]) for seat in to_move}
        step = game.play(state, moves)
        yield Call({seat: _plain(view) for seat, view in views.items()}, moves, step)
        state = step.state


def _changing(calls: Iterable[Mapping[str, dict[str, Any]]]) -> frozenset[str]:
    """The fields that are not the same in all views of a seat."""
    first, found = dict[str, dict[str, Any]](), set[str]()
    for views in calls:
        for seat, view in views.items():
            then = first.setdefault(seat, view)
            found |= {field for field in view if view[field] != then[field]}
    return frozenset(found)


def _seen(
    views: Mapping[str, dict[str, Any]], before: Mapping[str, dict[str, Any]], changing: frozenset[str]
) -> list[str]:
    """What is to be told of the views before a call. `before`: each seat's view before its last move."""
    told: dict[str, dict[str, str]] = {}
    for seat, view in views.items():
        last = before.get(seat, {})
        shown = {name: value for name, value in view.items() if name not in APART and value not in (None, [], {})}
        told[seat] = {name: _grown(value, last.get(name)) for name, value in shown.items() if name not in last}
        told[seat] |= {
            name: _grown(value, last[name])
            for name, value in shown.items()
            if name in last and name in changing and not (isinstance(value, list) and value == last[name])
        }
    return _fields("see", told)


def _grown(value: Any, before: Any) -> str:
    """A value as text; of a list that has grown, what was added."""
    if isinstance(value, list) and isinstance(before, list) and before and value[: len(before)] == before:
        return "… " + ", ".join(map(_part, value[len(before) :]))
    return _text(value)


def _fields(what: str, told: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What all seats are told alike, then what each is told besides."""
    first = next(iter(told.values()))
    alike = {name for name in first if all(other.get(name) == first[name] for other in told.values())}
    alike = alike if len(told) > 1 else set[str]()
    common = _listed({name: value for name, value in first.items() if name in alike})
    own = {
        seat: _listed({name: value for name, value in one.items() if name not in alike}) for seat, one in told.items()
    }
    lines = _wrapped(f"{what} (all) {common}") if common else []
    return lines + _told(what, {seat: text for seat, text in own.items() if text})


def _listed(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value if isinstance(value, str) else _text(value)}" for name, value in fields.items())


def _told(what: str, told: Mapping[str, str]) -> list[str]:
    """A text for each seat, on one line where they fit, seats with the same text together."""
    groups: dict[str, list[str]] = {}
    for seat, text in told.items():
        groups.setdefault(text, []).append(seat)
    parts = [f"({'all' if len(seats) == len(told) > 1 else ', '.join(seats)}) {text}" for text, seats in groups.items()]
    line = f"  {what} {'; '.join(parts)}"
    return [line] if parts and len(line) <= WIDTH else [row for part in parts for row in _wrapped(f"{what} {part}")]


def _move(move: Any) -> str:
    """A move's fields but for those that are what they are when they are left out."""
    usual = {field.name: field.default for field in msgspec.structs.fields(move)}
    return _text({name: value for name, value in _plain(move).items() if value != usual[name]})


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False, break_on_hyphens=False
    )


def _plain(value: Any) -> Any:
    """As JSON has it: objects and lists."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _part(value: Any) -> str:
    return f"({_text(value)})" if isinstance(value, dict) else _text(value)


def _text(value: Any) -> str:
    """A value on one line; numbers to six digits, words in quotation marks."""
    if isinstance(value, (msgspec.Struct, tuple)):
        return _text(_plain(value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items()) or "nothing"
    if isinstance(value, list):
        return f"[{', '.join(map(_part, value))}]"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:.6g}" if isinstance(value, float) else f'"{value}"' if isinstance(value, str) else str(value)


def path_of(game_id: str) -> Path:
    """Where a game's playthroughs are kept."""
    return FOLDER / f"{game_id}.txt"


def write() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for game_id in games():
        path_of(game_id).write_text(page(game_id), "utf-8")
