"""Self-play: episodes of learners in every cell, as event logs that replay to the last bit.

    from training.selfplay import plan, play_to
    played = play_to(plan(("bayes", "tit_for_tat"), pairs=None, episodes=4), Path("outputs/selfplay"), workers=2)

Every episode of a cell (scenario × opponent × seat) has a seed of its own, one after the other; all learners play the
same ones. Learners speak, and report what they believe (`training.voicing`). Every episode is kept as soon as it is
over (`training.selfplay_file`); a run that was stopped, however it was stopped, goes on where it was, and comes to the
same file. Language models play with the purse of an evaluation (`training.language`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, get_args

import msgspec

from agent.llm.base import Provider, Usage
from agent.llm.learner import LanguagePolicy
from agent.llm.names import PREFIX, is_language, read_name
from agent.registry import OPPONENTS, opponent, profile
from game.events import Split
from game.scenarios import SeatName, scenarios
from parlay_env import __version__
from parlay_env.core import Policy, Seat
from parlay_env.deal.state import SEATS, Profile, Setup
from parlay_env.grader import grade
from parlay_env.log import EventLog
from parlay_env.session import GAME
from parlay_env.tasks import seed_range
from training.cluster import Cluster
from training.episodes import Cell, Plan, scenario_of, share_out
from training.evaluate import Progress, Unfinished
from training.language import LanguageRun, play_out
from training.policies import PLANNERS, PRIVILEGED, UnknownPolicy, make, names
from training.record import sources_digest
from training.rules import ROOT
from training.selfplay_file import FORMAT, KIND, Header, Match, Played, SelfPlan, opened
from training.voicing import Speaking

SPLITS: tuple[Split, ...] = ("train", "validation")
"""Whose seeds may be learned from: those of `test` are for measuring."""
_WORDED_BY = ("selfplay", "selfplay_file", "voicing", "wire")

Asked = Mapping[str, "Provider"]
"""Language models by their providers' names."""


class SelfPlayError(ValueError):
    """A run that can't be played as asked; the message says what would be right."""


# The plan -------------------------------------------------------------------------------------------------------------


def plan(
    learners: Sequence[str],
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    seats: Sequence[SeatName] = get_args(SeatName),
    opponent: str | None = None,
    episodes: int = 1,
    split: Split = "train",
    seed_start: int = 0,
) -> SelfPlan:
    """A plan that can be played. `pairs`: (scenario, opponent), left out every scenario with every persona; `opponent`:
    who sits opposite in all of them instead. `seed_start` counts from the split's first seed. Raises SelfPlayError."""
    found = list(product(scenarios(), OPPONENTS)) if pairs is None else list(pairs)
    if opponent is not None:
        found = [(scenario, opponent) for scenario, _ in found]
    cells = tuple(Cell(scenario, other, seat) for (scenario, other), seat in product(dict.fromkeys(found), seats))
    for cell in cells:
        _check_pair(cell)
    for name in learners:
        _check_player(name, "a learner")
    if not learners or not cells or episodes < 1 or len(set(learners)) < len(learners):
        raise SelfPlayError("self-play has at least one learner, each once, one pair, one seat and one episode")
    if split not in SPLITS:
        raise SelfPlayError(f"split must be one of {', '.join(SPLITS)}: seeds of test are for measuring, not to learn")
    first, last = seed_range(split)
    room = last - first - episodes * len(cells) + 1
    if not 0 <= seed_start <= room:
        raise SelfPlayError(f"seed_start counts from the split's first seed: 0 to {room}")
    return SelfPlan(tuple(learners), cells, split, first + seed_start, episodes)


def _check_pair(cell: Cell) -> None:
    if cell.scenario not in scenarios():
        raise SelfPlayError(f"there is no scenario {cell.scenario!r}; choose from {', '.join(scenarios())}")
    if cell.persona not in OPPONENTS:
        _check_player(cell.persona, f"an opponent ({', '.join(OPPONENTS)}, or a policy)")


def _check_player(name: str, what: str) -> None:
    if is_language(name):
        try:
            read_name(name)
        except UnknownPolicy as error:
            raise SelfPlayError(str(error)) from None
        return
    if name in PRIVILEGED:
        raise SelfPlayError(f"{name!r} knows what is hidden: what it does can't be learned from what a player sees")
    if name not in names():
        known = ", ".join(one for one in names() if one not in PRIVILEGED)
        raise SelfPlayError(f"there is no policy {name!r}; {what} is one of {known}, or {PREFIX}PROVIDER/MODEL")


# Playing --------------------------------------------------------------------------------------------------------------


def policy_named(name: str, setup: Setup, seed: int, asked: Asked | None = None) -> Policy | LanguagePolicy:
    """A fresh player for one episode: a policy of `training.policies`, or a language model, asked through `asked`.

    Raises UnknownPolicy.
    """
    if not is_language(name):
        return make(name, setup, seed)
    from agent.llm.learner import LanguagePolicy

    if asked is None:
        raise UnknownPolicy(f"{name!r} is a language model: it plays where there is somebody to ask")
    provider, manner = read_name(name)
    return LanguagePolicy(asked[provider], manner)


def setup_of(match: Match) -> Setup:
    """The setup of an episode: against a persona the learner alone is graded, against a policy both are."""
    scripted = match.cell.persona in OPPONENTS
    return Setup(
        scenario=scenario_of(match.cell.scenario),
        seat=match.cell.seat,
        opponent=profile(match.cell.persona) if scripted else Profile(),
        split=match.split,
        both_graded=not scripted,
    )


def player(name: str, setup: Setup, seed: int, asked: Asked | None = None) -> Policy | LanguagePolicy:
    """Who plays by this name; a policy speaks, and believes what it can."""
    if name in OPPONENTS:
        return opponent(name)
    found = policy_named(name, setup, seed, asked)
    if is_language(name):
        return found
    believes = setup.opponent.name in OPPONENTS and (name not in PLANNERS or name == "bayes_no_reports")
    return Speaking(found, believes=believes)  # pyright: ignore[reportArgumentType]


def play(match: Match) -> Played:
    """Play one episode of policies."""
    return asyncio.run(played(match))


async def played(match: Match, asked: Asked | None = None) -> Played:
    """Play one episode, as `play_episode` does; a language model is waited for. Raises ProviderError."""
    setup = setup_of(match)
    other = SEATS[1 - setup.learner]
    names_of = {match.cell.seat: match.learner, other: match.cell.persona}
    players: dict[Seat, Any] = {seat: player(name, setup, match.seed, asked) for seat, name in names_of.items()}
    episode = await play_out(GAME, setup, match.seed, players)
    graded, ended = grade(episode.state, setup.learner), episode.state.public.ended
    assert graded is not None and ended is not None and episode.log is not None
    lines = tuple(msgspec.Raw(line) for line in episode.log.to_jsonl().splitlines())
    models = [one for one in players.values() if isinstance(one, LanguagePolicy)]
    used = sum((one.spoken.usage for one in models), Usage())
    return Played(match, graded.reward, graded.efficiency, ended.reason, ended.turn, used, lines)


def play_to(
    chosen: SelfPlan,
    folder: Path,
    workers: int | Cluster = 1,
    progress: Progress | None = None,
    *,
    language: LanguageRun | None = None,
) -> list[Played]:
    """Play what is missing of the plan, keep every episode in the folder as soon as it is over, and give all of them,
    in the plan's order.

    Episodes of code alone are played first, on so many processes; then those of language models, as `language` says.
    Raises RunMismatch, RecordDamaged, RecordBusy, OSError for a folder that can't be written, ProviderError, Unfinished
    when language models left some of it unplayed, BrokenProcessPool when a worker process is killed, and ClusterError
    when a node of a cluster fails; what was played is kept.
    """
    told = progress or (lambda _: None)
    with opened(folder, header_of(chosen)) as kept:

        def keep(one: Played) -> None:
            kept.keep(one)
            told(len(kept))

        told(len(kept))
        left = [match for match in chosen.matches() if match not in kept]
        with closing(share_out(play, [one for one in left if not one.models], workers)) as playing:
            for one in playing:
                keep(one)
        if spoken := [one for one in left if one.models]:
            run = language or LanguageRun(chosen.models)
            run.play_all((partial(played, match, run.providers) for match in spoken), keep)
            if missing := chosen.total - len(kept):
                why = f"stopped: {run.stopped}" if run.stopped else "a provider failed"
                raise Unfinished(f"{missing:,} of {chosen.total:,} episodes are missing ({why})")
        return kept.played()


def header_of(chosen: SelfPlan) -> Header:
    """The header of a run of this plan, here and now."""
    policies = tuple(name for name in chosen.learners if not is_language(name))
    plain = Plan(policies, chosen.cells, chosen.split, chosen.first_seed, chosen.episodes)
    digest = hashlib.blake2b(sources_digest(plain).encode(), digest_size=8)
    for name in _WORDED_BY:
        digest.update((ROOT / "training" / f"{name}.py").read_bytes())
    return Header(KIND, FORMAT, __version__, digest.hexdigest(), chosen)


def log_of(played: Played) -> EventLog:
    """The episode's log, verified line by line. Raises LogError."""
    return EventLog.from_jsonl(played.log_lines())
