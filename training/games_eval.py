"""How players do in a strategic game: each against the same partner on the same seeds, with intervals.

    found = play_all(entry("levers"), ["odd", "random"], "odd", episodes=200)

Seats take turns: on seed k the player sits in seat k of those that are played. A seed is one observation. In games
whose plays make a table, ISE, SRP and LO stand beside the game's own measures: `training.game_signals`. A language
model (`llm:PROVIDER/MODEL`) plays as player or partner where there is somebody to ask: `training.language`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from agent.games.beliefs import Belief, expected
from agent.games.registry import Entry, UnknownPlayer
from agent.llm.base import ProviderError
from agent.llm.names import is_language, read_name
from agent.llm.spoken import Settling, Spoken
from parlay_env.core import Episode, Viewer, play_episode
from parlay_env.rng import Draws
from training.game_signals import FINITE, signals_of
from training.stats import Estimate, ratio
from training.strategies import Decision

if TYPE_CHECKING:
    from training.language import LanguageRun

Told = Callable[[int, int], object]
"""Told of so many episodes of how many."""


class Result(msgspec.Struct, frozen=True):
    """What is said of a player. `measures`: the game's own, then the signals, by name; means over the episodes that
    have a value. `spoken`: how answers were to be read, by language model, the partner's too."""

    player: str
    partner: str
    episodes: int
    reward: Estimate
    measures: dict[str, Estimate]
    ends: dict[str, int]
    """Episodes by why they ended."""
    spoken: dict[str, Spoken] = {}


class Broken(Exception):
    """A provider's failure ended the evaluation. `found`: what was played before."""

    def __init__(self, told: str, found: list[Result]) -> None:
        super().__init__(told)
        self.found = found


class Interrupted(KeyboardInterrupt):
    """A person stopped the evaluation. `found`: what was played before."""

    def __init__(self, found: list[Result]) -> None:
        super().__init__()
        self.found = found


def play_all(
    entry: Entry,
    players: Sequence[str],
    partner: str | None = None,
    *,
    episodes: int = 200,
    seed_start: int = 0,
    setup: Any = None,
    told: Told = lambda _, __: None,
    language: LanguageRun | None = None,
) -> list[Result]:
    """Every player in so many episodes, in the order in which they are named; those without language models first.

    `language` asks the models, and says what was used, what failed, and whether its purse was empty before the end:
    then there are fewer episodes, and nothing of a player that has none. Raises UnknownPlayer, ValueError for a setup
    that can't be played, Broken, and Interrupted for a KeyboardInterrupt.
    """
    plan = _Plan(entry, entry.game.setup_type() if setup is None else setup, partner or entry.partner)
    for name in (*players, plan.partner):
        plan.check(name, language)
    entry.game.start(plan.setup, seed_start)
    rows: dict[str, dict[int, _Row]] = {name: {} for name in players}
    total = len(rows) * episodes

    def keep(one: tuple[str, int, _Row]) -> None:
        name, seed, row = one
        rows[name][seed] = row
        told(sum(map(len, rows.values())), total)

    seeds = range(seed_start, seed_start + episodes)
    spoken = [name for name in rows if is_language(name) or is_language(plan.partner)]
    try:
        for name in (one for one in rows if one not in spoken):
            for seed in seeds:
                keep((name, seed, plan.episode(name, seed)))
        if spoken and language is not None:
            language.play_all((partial(plan.waited, name, seed, language) for seed in seeds for name in spoken), keep)
    except ProviderError as error:
        raise Broken(str(error), _results(plan.partner, rows)) from None
    except KeyboardInterrupt:
        raise Interrupted(_results(plan.partner, rows)) from None
    return _results(plan.partner, rows)


class _Row(msgspec.Struct, frozen=True):
    reward: float
    measures: dict[str, float]
    end: str
    spoken: dict[str, Spoken] = {}


class _Plan(msgspec.Struct, frozen=True):
    """What is played."""

    entry: Entry
    setup: Any
    partner: str

    def check(self, name: str, language: LanguageRun | None) -> None:
        """Raise UnknownPlayer unless this is somebody who can play."""
        if not is_language(name):
            self.entry.player(name)
        elif language is None or read_name(name)[0] not in language.providers:
            raise UnknownPlayer(f"{name!r} is a language model: it plays where there is somebody to ask")

    def episode(self, player: str, seed: int) -> _Row:
        """An episode of players by code."""
        table = _Table(self, player, seed, None)
        return table.row(play_episode(self.entry.game, table.setup, seed, table.players, keep_log=False))

    async def waited(self, player: str, seed: int, language: LanguageRun) -> tuple[str, int, _Row]:
        """An episode with language models. Raises ProviderError, PurseEmpty."""
        from training.language import play_out

        table = _Table(self, player, seed, language)
        return player, seed, table.row(await play_out(self.entry.game, table.setup, seed, table.players))


class _Table:
    """Who sits where in one episode, and what came of it."""

    def __init__(self, plan: _Plan, player: str, seed: int, language: LanguageRun | None) -> None:
        seats = plan.entry.game.seated(plan.setup)
        self.plan = plan
        self.seat = seats[seed % len(seats)]
        self.setup = plan.entry.for_learner(plan.setup, self.seat)
        self.names = {seat: player if seat == self.seat else plan.partner for seat in seats}
        self.players = {seat: _Noting(self._made(seat, language)) for seat in seats}

    def _made(self, seat: str, language: LanguageRun | None) -> Any:
        """A new player, by name or by model. A model is asked what it expects where that is measured of it."""
        name, game = self.names[seat], self.plan.entry.game
        if not is_language(name):
            return self.plan.entry.player(name)
        from agent.games.language import LanguagePlayer

        assert language is not None, "checked before"
        provider, manner = read_name(name)
        finite = FINITE.get(game.id)
        plays = () if finite is None or seat != self.seat else finite.table(self.setup, seat).others
        return LanguagePlayer(language.providers[provider], game, manner, plays)

    def row(self, played: Episode) -> _Row:
        """What came of the episode for the player."""
        game = self.plan.entry.game
        measures = {**game.measures(played.state, self.seat), **self._signals(played.state)}
        end = game.view(played.state, Viewer("observer")).ended
        return _Row(played.total(self.seat), measures, end, self._spoken())

    def _signals(self, state: Any) -> dict[str, float]:
        finite, mine = FINITE.get(self.plan.entry.game.id), self.players[self.seat]
        if finite is None:
            return {}
        (theirs,) = (one for seat, one in self.players.items() if seat != self.seat)
        partner = self.plan.partner
        again = None if is_language(partner) else partial(self.plan.entry.player, partner)
        return signals_of(finite, state, self.seat, theirs.made, mine.belief, again)

    def _spoken(self) -> dict[str, Spoken]:
        found: dict[str, Spoken] = {}
        for seat, one in self.players.items():
            if isinstance(said := getattr(one.player, "spoken", None), Spoken):
                _add(found, {self.names[seat]: said})
        return found


class _Noting:
    """A player whose decisions are noted, and what it expected at the last: it plays as without."""

    def __init__(self, player: Any) -> None:
        self.player = player
        self.made: list[Decision] = []
        self.belief: Belief | None = None

    def act(self, view: Any, rng: Draws) -> Any:
        move = self.player.act(view, rng)
        return self._waited(move, view, rng) if isawaitable(move) else self._noted(move, view, rng)

    def settle(self, view: Any) -> None:
        if isinstance(self.player, Settling):
            self.player.settle(view)

    async def _waited(self, move: Any, view: Any, rng: Draws) -> Any:
        return self._noted(await move, view, rng)

    def _noted(self, move: Any, view: Any, rng: Draws) -> Any:
        self.made.append(Decision(view, move))
        self.belief = expected(self.player, view, rng)
        return move


def _results(partner: str, rows: Mapping[str, Mapping[int, _Row]]) -> list[Result]:
    """Of every player with an episode, in the order of the seeds, however they came."""
    return [_result(name, partner, [by[seed] for seed in sorted(by)]) for name, by in rows.items() if by]


def _result(name: str, partner: str, rows: Sequence[_Row]) -> Result:
    reward = ratio([row.reward for row in rows], np.ones(len(rows)))
    assert reward is not None, "a player plays one episode at least"
    ends = [row.end for row in rows]
    spoken: dict[str, Spoken] = {}
    for row in rows:
        _add(spoken, row.spoken)
    by_end = {end: ends.count(end) for end in sorted(set(ends))}
    return Result(name, partner, len(rows), reward, dict(_means(rows)), by_end, spoken)


def _means(rows: Sequence[_Row]) -> Iterator[tuple[str, Estimate]]:
    for measure in dict.fromkeys(measure for row in rows for measure in row.measures):
        top = [row.measures.get(measure, 0.0) for row in rows]
        bottom = [float(measure in row.measures) for row in rows]
        if (mean := ratio(top, bottom)) is not None:
            yield measure, mean


def _add(found: dict[str, Spoken], more: Mapping[str, Spoken]) -> None:
    """Add what was said, by model."""
    for name, said in more.items():
        found[name] = found.get(name, Spoken({})) + said
