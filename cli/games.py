"""`parlay games …`: list, show, play and measure strategic games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
from pydantic import ValidationError
from rich.box import SIMPLE_HEAD
from rich.table import Table

from agent.games.registry import Entry, UnknownGame, UnknownPlayer, entry, games, meant
from agent.llm.spoken import Spoken
from cli.console import BAD_INPUT, FAILED, INTERRUPTED, check_folder, console, fail, messages, write_file
from cli.language import CLASSES_NOTE, language_run, spoken_table, used
from cli.plans import bar
from cli.views import Shown, numbered
from game.texts import TextError
from parlay_env.core import Policy, Viewer, policy_draws
from parlay_env.game_session import BadMove, GameOptions, GameSession, setup_of
from parlay_env.games.figures import converted
from parlay_env.games.undercover import Undercover
from parlay_env.games.wording import shape
from parlay_env.rng import MAX_SEED
from parlay_env.session import Answer, BadOption, SessionError
from training.game_signals import FINITE, SMOOTHING
from training.games_eval import Broken, Interrupted, Result, play_all
from training.stats import LEVEL, Estimate
from training.summary import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from training.language import LanguageRun, Means

BESIDE = 3
"""Measures in one table."""
QUIT = ("quit", "exit", "q")
SIGNALS_NOTE = (
    "ise: how well the other's strategy was known, in nats, 0 at best "
    f"({SMOOTHING:.0%} of belief and truth spread evenly). srp: was what was played the best by that "
    "belief (1) or the worst (0)? lo: what there was to be had against the other's strategy, and regret: what of it "
    "was missed."
)


def print_list(json: Path | None) -> None:
    """Print the games."""
    if json is not None:
        told = [one.told() for one in games().values()]
        write_file(json, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("id", "game", "seats", "players"):
        table.add_column(name)
    for one in games().values():
        seats = one.game.seated(one.game.setup_type())
        told = ", ".join(seats) if len(seats) <= 2 else f"{len(seats)}: {seats[0]} to {seats[-1]}"
        table.add_row(one.game.id, one.game.title, told, ", ".join(one.players))
    console().print(table)
    console().print("Served at /games/ID/ws. `parlay games show ID` tells the rules.", soft_wrap=True)


def print_one(name: str) -> None:
    """Print a game."""
    one = _entry(name)
    game, setup = one.game, one.game.setup_type()
    out = console()
    out.print(game.title, style="bold")
    out.print(f"\n{game.rules}\n")
    options = ", ".join(f"{name} {msgspec.json.encode(getattr(setup, name)).decode()}" for name in one.options)
    low, high = game.reward_range
    for label, told in (
        ("seats", ", ".join(game.seated(setup))),
        ("players", ", ".join(one.players)),
        ("options", options or "none"),
        ("a move", shape(game.move_type)),
        ("an episode", f"is worth {low:g} to {high:g}"),
        ("served at", f"/games/{game.id}/ws"),
    ):
        out.print(f"{label:11} {told}")


def play(
    name: str,
    *,
    seat: str | None,
    partner: str | None,
    seed: int | None,
    chosen: list[str],
    player: str | None,
    documents: Path | None,
    log: Path | None,
) -> None:
    """Play one episode: a person's moves from the terminal, or a scripted player's."""
    check_folder(log)
    one = _entry(name, documents)
    if seed is not None and seed > MAX_SEED:
        fail(f"a seed goes from 0 to {MAX_SEED}", BAD_INPUT)
    try:
        stand_in = None if player is None else one.player(player)
        session = GameSession(one, GameOptions(seed=seed, seat=seat, partner=partner, setup=_options(one, chosen)))
    except (BadOption, UnknownPlayer) as error:
        fail(str(error), BAD_INPUT)
    except ValidationError as error:
        first = error.errors()[0]
        fail(f"--{first['loc'][0]}: {first['msg']}", BAD_INPUT)
    out = console()
    if log is None or str(log) != "-":
        out.print(f"{one.game.title}: you are {session.seat}", style="bold")
        out.print(f"{session.observe().get('rules', one.game.rules)}\n")
        typed = f"typed as that, as {_example(one)}, or the value alone"
        out.print(f"A move is {shape(one.game.move_type)}, {typed}; `quit` leaves.\n")
        _converse(session, stand_in, out)
    else:
        _converse(session, stand_in, messages())
    if log is not None:
        write_file(log, session.log.to_jsonl())


def _example(one: Entry) -> str:
    """A field and a value as they may be typed."""
    names = [field.encode_name for field in msgspec.structs.fields(one.game.move_type)]
    return f"{'play' if 'play' in names else names[0]}=…"


def _converse(session: GameSession, stand_in: Policy | None, out: Any) -> None:
    game = session.entry.game
    shown = Shown(out, game.seated(session.setup), game.by_seat)
    answer, paid = session.answer(), 0.0
    before: dict[str, Any] = {}
    while not answer.done:
        shown.show(answer.observation, before)
        before, answer = answer.observation, _moved(session, stand_in, out)
        paid += answer.reward or 0.0
    shown.show(answer.observation, before)
    out.print(f"\nThe game is over: {answer.observation['ended']}. It was worth {paid:g} to you.", style="bold")


def leave() -> NoReturn:
    """The person is gone: no fault of anybody's."""
    messages().print("left before the end; nothing is paid")
    raise SystemExit(0)


def _moved(session: GameSession, stand_in: Policy | None, out: Any) -> Answer:
    """The answer to the next move that is one."""
    game = session.entry.game
    if stand_in is not None:
        view = game.view(session.state_now, Viewer("player", session.seat))
        move = msgspec.to_builtins(stand_in.act(view, policy_draws(game, session.seed, session.seat)))
        out.print(f"> {msgspec.json.encode(move).decode()}", style="cyan", soft_wrap=True)
        return session.step(move)
    while True:
        try:
            typed = _line(out)
        except EOFError:
            leave()
        if typed.lower() in QUIT:
            leave()
        try:
            return session.step(read_move(session.entry, typed, session.observe().get("phase")))
        except (BadMove, SessionError) as error:
            out.print(str(error), style="yellow", soft_wrap=True)


def _line(out: Any) -> str:
    """What a person types next, asked for where everything else is told. Raises EOFError at the end of the input."""
    if not out.stderr:
        return input("> ").strip()
    out.print("> ", end="")
    return input().strip()


def read_move(one: Entry, typed: str, phase: str | None = None) -> Any:
    """What a person typed as a move's data: JSON, `field=value` once or several times, or a value alone where it can
    only be of one field: `rock`, `10`. Words go on to the end of the line, or to a field that goes with theirs.

    `phase`: what is due, in a game that tells it; an empty line is silence where talk is. Raises BadMove for any other
    empty line, a value that can be of several fields, a field there is not, and fields that no move has at once.
    """
    if not typed:
        return _silence(one, phase)
    try:
        found = msgspec.json.decode(typed)
        if isinstance(found, dict):
            return _one_move(one, found)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        found = typed
    kind = one.game.move_type
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    if re.match(rf"({'|'.join(names)})\s*=", typed):
        return _one_move(one, {name: _value(value) for name, value in _parts(kind, names, typed)})
    if (wrong := re.match(r"(\w{1,30})\s*=", typed)) is not None:
        raise BadMove(f"there is no such field{meant(wrong[1], names)}; a move of {one.game.id} is {shape(kind)}")
    if "text" in names and typed.startswith("<"):
        return {"text": typed}
    fitting = [name for name in names if _fits(kind, name, found)]
    exact = [name for name in fitting if not _fits(kind, name, _ANY_WORDS)] or fitting
    if len(exact) > 1:
        raise BadMove(f"say what it is: {', '.join(f'{name}=…' for name in exact)}")
    return {exact[0]: found} if exact else {names[0]: found} if len(names) == 1 else found


def _silence(one: Entry, phase: str | None) -> dict[str, Any]:
    """What an empty line means. Raises BadMove where that is nothing."""
    kind = one.game.move_type
    if phase == "talk" and any(field.encode_name == "say" for field in msgspec.structs.fields(kind)):
        return {"say": ""}
    raise BadMove(f"an empty line is no move; a move of {one.game.id} is {shape(kind)}")


TOGETHER = (frozenset(("think", "talk")), frozenset(("think", "play")), frozenset(("vote", "beliefs")))
"""Fields that one move can have; any other stands alone."""


def _go_together(names: Iterable[str]) -> bool:
    chosen = set(names)
    return len(chosen) < 2 or any(chosen <= some for some in TOGETHER)


def _parts(kind: type, names: list[str], typed: str) -> list[tuple[str, str]]:
    """Fields and their values in a line that begins with a field."""
    starts: list[re.Match[str]] = []
    for at in re.finditer(rf"(?:^|\s+)({'|'.join(names)})\s*=\s*", typed):
        before = [one[1] for one in starts]
        in_words = before and _fits(kind, before[-1], _ANY_WORDS)
        if not in_words or (at[1] not in before and _go_together((*before, at[1]))):
            starts.append(at)
    ends = [*(one.start() for one in starts[1:]), len(typed)]
    return [(one[1], typed[one.end() : end].strip()) for one, end in zip(starts, ends, strict=True)]


def _one_move(one: Entry, found: dict[str, Any]) -> dict[str, Any]:
    """These fields, if a move can have them together; what is empty is no field. Raises BadMove."""
    names = [field.encode_name for field in msgspec.structs.fields(one.game.move_type)]
    chosen = [name for name in names if found.get(name) not in (None, "")]
    if not _go_together(chosen):
        told = f"{', '.join(chosen[:-1])} and {chosen[-1]}"
        raise BadMove(f"{told} are not of one move; a move of {one.game.id} is {shape(one.game.move_type)}")
    return found


_ANY_WORDS = "any words at all"
"""What only a field for words takes."""


def _fits(kind: type, name: str, value: Any) -> bool:
    """Is this a value of the field, whatever others the move needs?"""
    field = next(one for one in msgspec.structs.fields(kind) if one.encode_name == name)
    try:
        converted(value, field.type)
    except (msgspec.ValidationError, UnicodeError):
        return False
    return True


def evaluate(
    name: str,
    *,
    players: str,
    partner: str | None,
    episodes: int,
    seed_start: int,
    chosen: list[str],
    documents: Path | None,
    json: Path | None,
    how: Means,
) -> int:
    """Measure players, print the table, and write everything where it is asked for; `how`: with what language models
    are played. What was played before a provider failed or a person stopped it is shown and written all the same; then
    the exit code is FAILED or INTERRUPTED."""
    check_folder(json)
    one = _entry(name, documents)
    every = list(one.players) if players == "all" else [part.strip() for part in players.split(",") if part.strip()]
    named = list(dict.fromkeys(every))
    if not named:
        fail(f"name a player: {', '.join(one.players)}", BAD_INPUT)
    if seed_start + episodes - 1 > MAX_SEED:
        fail(f"seeds go from 0 to {MAX_SEED}", BAD_INPUT)
    language = language_run([*named, partner or one.partner], how)
    total, ended, code = len(named) * episodes, "", 0
    try:
        setup = setup_of(one, _options(one, chosen))
    except BadOption as error:
        fail(str(error), BAD_INPUT)
    try:
        with bar() as update:
            update(total=total)
            if language is not None:
                language.watch(lambda: update(more=used(language)))
            found = play_all(
                one,
                named,
                partner,
                episodes=episodes,
                seed_start=seed_start,
                setup=setup,
                told=lambda done, _: update(completed=done),
                language=language,
            )
    except Broken as error:
        found, ended, code = error.found, str(error), FAILED
    except Interrupted as stop:
        found, ended, code = stop.found, "stopped", INTERRUPTED
    except (UnknownPlayer, ValueError) as error:
        fail(str(error), BAD_INPUT)
    if json is not None:
        write_file(json, _json(name, seed_start, setup, found, language, ended))
    if json is None or str(json) != "-":
        _show_found(found, name in FINITE, language)
    missing = total - sum(result.episodes for result in found)
    if missing:
        why = ended or _given_up(language)
        messages().print(f"{total - missing:,} of {total:,} episodes were played ({why})", soft_wrap=True)
    return code


def _given_up(language: LanguageRun | None) -> str:
    """Why episodes are missing in an evaluation that went to its end: language models alone can be the reason."""
    assert language is not None, "players by code play every episode"
    return language.stopped or f"{language.failed:,} were given up, since the provider failed"


def _show_found(found: list[Result], finite: bool, language: LanguageRun | None) -> None:
    out = console()
    if found:
        for table in _tables(found):
            out.print(table)
        counts = sorted({result.episodes for result in found})
        each = (
            numbered(counts[0], "episode", "episodes") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} episodes"
        )
        told = f"{each} each against {found[0].partner}. In brackets: bootstrap {LEVEL:.0%} intervals over seeds."
        out.print(told, soft_wrap=True)
        if finite:
            out.print(SIGNALS_NOTE, style="dim")
    if language is not None:
        out.print()
        out.print(spoken_table(_spoken(found)))
        out.print(CLASSES_NOTE, style="dim")
        out.print(f"Used: {used(language)}.")


def _spoken(found: list[Result]) -> dict[str, Spoken]:
    """How answers were to be read, by language model."""
    said: dict[str, Spoken] = {}
    for result in found:
        for name, one in result.spoken.items():
            said[name] = said.get(name, Spoken({})) + one
    return said


def _tables(found: list[Result]) -> list[Table]:
    """A row for each player; a column for each measure that any has, so many beside each other as are readable."""
    names = ["reward", *dict.fromkeys(name for one in found for name in one.measures if name != "reward")]
    tables = []
    for start in range(0, len(names), BESIDE):
        shown = names[start : start + BESIDE]
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("player", no_wrap=True)
        for name in shown:
            table.add_column(name.replace("_", " "), justify="right", overflow="fold")
        for one in found:
            values = [one.reward if name == "reward" else one.measures.get(name) for name in shown]
            table.add_row(one.player, *map(_told, values))
        tables.append(table)
    return tables


def _told(value: Estimate | None) -> str:
    if value is None:
        return "–"
    if value.low is None or value.high is None:
        return _figure(value.value)
    return f"{_figure(value.value)} [{_figure(value.low)}, {_figure(value.high)}]"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _json(
    name: str, seed_start: int, setup: Any, found: list[Result], language: LanguageRun | None, ended: str
) -> bytes:
    told: dict[str, Any] = {
        "kind": "game",
        "game": name,
        "seed_start": seed_start,
        "setup": msgspec.to_builtins(setup),
        **({"ise_smoothing": SMOOTHING} if name in FINITE else {}),
        "players": [
            {
                "player": one.player,
                "partner": one.partner,
                "episodes": one.episodes,
                "reward": plain(one.reward),
                "measures": {measure: plain(value) for measure, value in one.measures.items()},
                "ends": one.ends,
            }
            for one in found
        ],
    }
    if language is not None:
        told |= {
            "language_models": _spoken(found),
            "usage": language.usage,
            "stopped": ended or language.stopped or None,
            "episodes_failed": language.failed,
        }
    elif ended:
        told["stopped"] = ended
    return msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n"


def _entry(name: str, documents: Path | None = None) -> Entry:
    """A game by its id; `documents` are for the one that is played with texts, and no other looks at them."""
    try:
        return entry(name, documents if name == Undercover.id else None)
    except (UnknownGame, TextError) as error:
        fail(str(error), BAD_INPUT)


def _options(one: Entry, chosen: list[str]) -> dict[str, Any]:
    """`KEY=VALUE` as the setup's options; a value is JSON, or text."""
    found: dict[str, Any] = {}
    for part in chosen:
        name, equals, value = part.partition("=")
        if not equals or name not in one.options:
            known = ", ".join(one.options) or "none"
            fail(f"--set takes KEY=VALUE with an option of {one.game.id}: {known}{meant(name, one.options)}", BAD_INPUT)
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return text
