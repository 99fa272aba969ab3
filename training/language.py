"""Episodes of language models: many at once on one event loop, each with its own player, all with one purse.

An evaluation (`LanguageRun.play`) and self-play (`training.selfplay`) have the same loop, the same purse, and bear the
same failures. What an evaluation asks first is every cell's first seed, for all models, then the second: a run that is
stopped has whole seeds, which can be compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from agent.llm.base import (
    Message,
    Provider,
    ProviderError,
    RateLimited,
    Reply,
    TooSlow,
    Unavailable,
    Usage,
)
from agent.llm.learner import LanguagePolicy
from agent.llm.names import read_name
from agent.llm.providers import provider
from agent.llm.retry import Prices
from agent.llm.spoken import Settling
from agent.registry import opponent
from parlay_env.core import Episode, Game, Seat, Viewer, policy_draws
from parlay_env.deal.state import SEATS
from parlay_env.log import EventLog
from training.episodes import Job, Result, setup_of, told
from training.witness import Witness

CONCURRENCY = 8
"""Episodes at once."""
FAILURES = 3
"""Episodes that a provider's failure may end, one after the other, before the run is stopped."""
PASSING = (RateLimited, Unavailable, TooSlow)
"""Failures that another episode need not meet; any other stops the run at once."""

Keep = Callable[[list[Result]], None]
T = TypeVar("T")


class Means(msgspec.Struct, frozen=True):
    """With what language models are played. `prices` by the provider's name, `""` for every other."""

    concurrency: int = CONCURRENCY
    max_dollars: float | None = None
    max_tokens: int | None = None
    """Of all requests together. None: no limit."""
    prices: Mapping[str, Prices] = {}
    requests_per_minute: float | None = None
    """Of each provider."""
    timeout: float = 60.0
    """Seconds for one request."""


class PurseEmpty(Exception):
    """The purse is empty. What was asked before is still waited for, so that all of it is counted."""


class LanguageRun:
    """Plays language models' jobs, once. `usage` is of all requests, `failed` counts the episodes that a provider's
    failure ended, `stopped` says why the run ended early, if it did."""

    def __init__(self, policies: Sequence[str], means: Means | None = None) -> None:
        """Makes the providers of these policies. Raises UnknownPolicy, and ProviderError where one can't be."""
        self.means = means or Means()
        self.usage = Usage()
        self.failed = 0
        self.stopped = ""
        self._row = 0
        self._watching: Callable[[], None] | None = None
        self.providers: dict[str, Provider] = {}
        """By name; each with the run's purse."""
        for name in dict.fromkeys(read_name(policy)[0] for policy in policies):
            self.providers[name] = _Metered(self._made(name), self)

    def _made(self, name: str) -> Provider:
        prices = self.means.prices.get(name, self.means.prices.get(""))
        return provider(
            name,
            timeout=self.means.timeout,
            prices=prices,
            requests_per_minute=self.means.requests_per_minute,
        )

    def play(self, jobs: Sequence[Job], keep: Keep) -> None:
        """Play these jobs, and give each episode's result to `keep` as it comes; what was kept stays kept, whatever
        ends the run. Raises ProviderError, and OSError of `keep`."""
        self.play_all((partial(self._episode, job, seed) for job, seed in _by_seed(jobs)), lambda one: keep([one]))

    def play_all(self, episodes: Iterable[Callable[[], Awaitable[T]]], keep: Callable[[T], None]) -> None:
        """Play these episodes, begun in this order, and give what each comes to to `keep` when it is over. Raises
        ProviderError, and OSError of `keep`."""
        asyncio.run(self._play(iter(episodes), keep))

    async def _play(self, waiting: Iterator[Callable[[], Awaitable[T]]], keep: Callable[[T], None]) -> None:
        async def work() -> None:
            while not self.stopped and (episode := next(waiting, None)) is not None:
                try:
                    await self._one(episode, keep)
                except PurseEmpty:
                    self.stopped = self._limit()

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.means.concurrency):
                    group.create_task(work())
        except* (ProviderError, OSError) as failures:
            raise _first(failures) from None
        finally:
            for one in self.providers.values():
                await one.close()

    async def _one(self, episode: Callable[[], Awaitable[T]], keep: Callable[[T], None]) -> None:
        try:
            result = await episode()
        except PASSING:
            self.failed += 1
            self._row += 1
            if self._row >= max(FAILURES, self.means.concurrency):
                raise
            return
        self._row = 0
        keep(result)

    async def _episode(self, job: Job, seed: int) -> Result:
        """One episode of an evaluation."""
        setup = setup_of(job)
        game, (mine, other) = Witness(setup.learner), (SEATS[setup.learner], SEATS[1 - setup.learner])
        name, manner = read_name(job.policy)
        player = LanguagePolicy(self.providers[name], manner)
        played = await play_out(game, setup, seed, {mine: player, other: opponent(job.cell.persona, True)})
        return replace(told(job.policy, job.cell, seed, game, played.state), spoken=player.spoken)

    def unpriced(self) -> list[str]:
        """Providers without a price."""
        return [name for name in self.providers if not {name, ""} & self.means.prices.keys()]

    def watch(self, told: Callable[[], None]) -> None:
        """Call this whenever something was used."""
        self._watching = told

    def spend(self, usage: Usage) -> None:
        """Count what was used."""
        self.usage += usage
        if self._watching is not None:
            self._watching()

    def check(self) -> None:
        """Raise PurseEmpty when no more may be asked."""
        if self._limit():
            raise PurseEmpty

    def _limit(self) -> str:
        """Which limit is reached; nothing: none."""
        if self.means.max_dollars is not None and self.usage.dollars >= self.means.max_dollars:
            return f"${self.usage.dollars:,.4f} are spent, of at most ${self.means.max_dollars:,.4f}"
        if self.means.max_tokens is not None and self.usage.tokens >= self.means.max_tokens:
            return f"{self.usage.tokens:,} tokens are used, of at most {self.means.max_tokens:,}"
        return ""


async def play_out(game: Game, setup: Any, seed: int, players: Mapping[Seat, Any]) -> Episode:
    """One episode to its end, as `play_episode` plays it. A player that has to be waited for is waited for; a language
    model is shown the end. Raises ProviderError, PurseEmpty."""
    draws = {seat: policy_draws(game, seed, seat) for seat in players}
    viewers = {seat: Viewer("player", seat) for seat in players}
    paid: dict[Seat, list[Mapping[str, float]]] = {seat: [] for seat in game.seats}
    log, state = EventLog.begin(game.id, setup, seed), game.start(setup, seed)
    while seats := game.to_move(state):
        moves: dict[Seat, Any] = {}
        for seat in game.seats:
            if seat in seats:
                move = players[seat].act(game.view(state, viewers[seat]), draws[seat])
                moves[seat] = await move if isawaitable(move) else move
        log, step = log.append(moves), game.play(state, moves)
        for seat, terms in step.rewards.items():
            paid[seat].append(terms)
        state = step.state
    for seat, player in players.items():
        if isinstance(player, Settling):
            player.settle(game.view(state, viewers[seat]))
    return Episode(state, {seat: tuple(terms) for seat, terms in paid.items()}, log)


class _Metered:
    """A provider whose use is counted, and which is no longer asked when the purse is empty."""

    def __init__(self, inner: Provider, run: LanguageRun) -> None:
        self.name = inner.name
        self._inner = inner
        self._run = run

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        self._run.check()
        try:
            reply = await self._inner.complete(
                messages, schema, max_tokens=max_tokens, temperature=temperature, seed=seed
            )
        except ProviderError as error:
            self._run.spend(error.usage)
            raise
        self._run.spend(reply.usage)
        return reply

    async def close(self) -> None:
        await self._inner.close()


def _by_seed(jobs: Sequence[Job]) -> Iterator[tuple[Job, int]]:
    """The episodes of jobs, seed by seed."""
    yield from sorted(((job, seed) for job in jobs for seed in job.seeds), key=lambda one: one[1])


def _first(failures: BaseExceptionGroup[Any]) -> Exception:
    """The first failure in a group of them."""
    one: Any = failures
    while isinstance(one, BaseExceptionGroup):
        one = one.exceptions[0]
    return one
