"""The audit (SPEC §12): every exploit played on held-out seeds, paired with `bayes`, and judged by one rule.

    from training.audit import audit, audit_plan
    found = audit(audit_plan(episodes=100), workers=2)

**What is measured.** In a round everybody plays one episode in every cell (scenario × persona × seat), each cell on a
seed of its own. An exploit's reward less the yardstick's on the same cell and seed, in the mean over the cells, is one
observation a round; no seed enters two of them. (Episodes on one seed share its draws, in whatever cell: on the same
seeds everywhere, five times as many episodes would tell as much.) The true mean of the observations is the exploit's
difference d. The bar is −25: an exploit may come as near to `bayes` as that and no nearer.

**The rule.** Two one-sided paired t-tests over rounds for every exploit. The first asks whether the game is broken
(H0: d ≤ −25 against d > −25), the second whether it is shown to hold (H0: d ≥ −25 against d < −25). Each of the two
families, one p-value an exploit, is corrected by Holm's method at the level .05. So

- **fails**: d is significantly above −25. A sound game fails any exploit at all in at most one audit of twenty;
- **holds**: d is significantly below −25. With a broken game any exploit that breaks it is taken to hold in at most
  one audit of twenty;
- **unproven**: neither. Too few rounds for how near the bar the mean is; `rounds_needed` says how many would do. It is
  no failure, and no pass: `--strict` counts it as failed.

**Words.** Players of kind `words` make their chassis' moves and say something else. Episode by episode everything that
is recorded of one must equal its chassis' (rewards to the last bit): one difference fails. Who says nothing pays for
curtness, so `no_words` is reported and not tested.

**Cells** are reported, never tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, product
from pathlib import Path
from typing import Literal, get_args

import msgspec
import numpy as np
from msgspec.structs import replace

from agent.baselines import ROSTER, UnknownPolicy
from agent.baselines.defences import DEFENCES, Defence
from agent.baselines.roster import CHASSIS
from agent.registry import OPPONENTS
from game.events import Split
from game.scenarios import SeatName, scenarios
from training.audit_players import YARDSTICK, AuditPlan, introduced
from training.episodes import Cell, Result, cells, play_all
from training.evaluate import Progress, missing, plan
from training.grid import Grid
from training.hypotheses import holm, observations_needed, p_above, p_below, sample
from training.measures import BY_KEY, estimates
from training.record import header_of, open_record
from training.stats import Estimate, Floats, ratios

BAR = -25.0
"""Points less than the yardstick that an exploit may reach at most."""
LEVEL = 0.05
"""Of each family of tests, after Holm's correction."""
CURT = frozenset({"no_words"})
"""Players of words that say nothing: the curtness rule is aside."""

Verdict = Literal["holds", "fails", "unproven", "reported"]


class Means(msgspec.Struct, frozen=True):
    """What a player reaches over all its episodes, with bootstrap intervals over rounds."""

    policy: str
    reward: Estimate
    efficiency: Estimate | None
    """E, given a ZOPA."""
    deals: Estimate | None
    """The deal rate, given a ZOPA."""
    difference: Estimate
    """To the yardstick's reward, paired."""
    chassis: str
    """The player that makes the same moves but for the exploit; "" for a play of its own."""
    gain: Estimate | None
    """To the chassis' reward, paired."""


class InCell(msgspec.Struct, frozen=True):
    """An exploit's difference to the yardstick in one cell."""

    cell: Cell
    difference: Estimate


class Exploit(msgspec.Struct, frozen=True):
    """An exploit against the bar."""

    means: Means
    verdict: Verdict
    p_above: float
    """Of no more than the bar, corrected by Holm: a small one fails."""
    p_below: float
    """Of no less than the bar, corrected by Holm: a small one shows that the defence holds."""
    rounds: int
    rounds_needed: int | None
    """Where it is unproven, the rounds that would prove it one way or the other, were the mean the true one."""
    cells: tuple[InCell, ...]

    @property
    def cells_above(self) -> int:
        """In how many cells its mean lies above the bar."""
        return sum(one.difference.value > BAR for one in self.cells)


class Words(msgspec.Struct, frozen=True):
    """A player of words against its chassis."""

    means: Means
    verdict: Verdict
    episodes: int
    differing: int
    """Episodes in which anything at all that is recorded differs."""
    first: str = ""
    """The first of them, in words."""


class Audit(msgspec.Struct, frozen=True):
    """The audit's findings on what can be played."""

    plan: AuditPlan
    grid: Grid
    """By round."""
    sources: str
    """The digest of all that decides an episode."""
    honest: tuple[Means, ...]
    """The yardstick, and the chassis that exploits are mounted on."""
    exploits: tuple[Exploit, ...]
    """Nearest to the bar first."""
    words: tuple[Words, ...]

    @property
    def failed(self) -> list[str]:
        return self._with("fails")

    @property
    def unproven(self) -> list[str]:
        return self._with("unproven")

    def _with(self, verdict: Verdict) -> list[str]:
        return [one.means.policy for one in (*self.exploits, *self.words) if one.verdict == verdict]


# What is played -------------------------------------------------------------------------------------------------------


def audited() -> tuple[str, ...]:
    """Every player that the audit is about."""
    return tuple(name for name, one in ROSTER.items() if one.kind in ("exploit", "words"))


def by_construction() -> tuple[Defence, ...]:
    """The exploits that no player can express, with the tests that show it."""
    return tuple(one for one in DEFENCES if not one.agents)


def quick_cells() -> tuple[Cell, ...]:
    """Six cells that have every scenario, every persona and both seats: each persona from each seat once."""
    places = product(OPPONENTS, get_args(SeatName))
    return tuple(Cell(scenario, *place) for scenario, place in zip(cycle(scenarios()), places, strict=False))


def audit_plan(
    only: Sequence[str] = (),
    *,
    episodes: int,
    split: Split = "test",
    seed_start: int = 0,
    where: Sequence[Cell] | None = None,
    yardstick: str = YARDSTICK,
) -> AuditPlan:
    """The yardstick, the chassis and these exploits (all of them, if none is named), so many episodes in each cell.

    Raises UnknownPolicy for who is no exploit, and what `training.evaluate.plan` raises.
    """
    chosen = tuple(dict.fromkeys(only)) or audited()
    for name in chosen:
        if name not in audited():
            raise UnknownPolicy(f"exploit must be one of {', '.join(audited())}")
    places = tuple(where) if where is not None else tuple(cells(tuple(scenarios()), OPPONENTS, get_args(SeatName)))
    base = plan((CHASSIS,), episodes=episodes * len(places), split=split, seed_start=seed_start, where=places)
    honest = (yardstick, *(chassis for name in chosen if (chassis := ROSTER[name].chassis)))
    players = tuple(dict.fromkeys((*honest, *chosen)))
    return AuditPlan(players, places, base.split, base.first_seed, base.episodes)


def audit(chosen: AuditPlan, folder: Path | None = None, workers: int = 1, progress: Progress | None = None) -> Audit:
    """Play what is missing of the plan, and judge. With a folder every episode is kept there as it comes.

    Raises what `training.evaluate.evaluate` raises.
    """
    told = progress or (lambda _: None)
    with introduced():
        sources = header_of(chosen).sources
        if folder is None:
            found: list[Result] = []
            told(0)
            for results in play_all(chosen.jobs(), workers):
                found += results
                told(len(found))
            return judged(chosen, chosen.grid(found), sources)
        with open_record(folder, chosen) as record:
            told(len(record.found))
            for results in play_all(missing(chosen, record.found), workers):
                record.append(results)
                told(len(record.found))
            return judged(chosen, chosen.grid(record.found.values()), sources)


# What is found --------------------------------------------------------------------------------------------------------


def judged(chosen: AuditPlan, grid: Grid, sources: str = "") -> Audit:
    """The verdicts on what was played of a plan, by round."""
    names = chosen.policies
    means = _means(grid)
    exploits = [name for name in names if name in ROSTER and ROSTER[name].kind == "exploit"]
    words = [name for name in names if name in ROSTER and ROSTER[name].kind == "words"]
    apart = {*exploits, *words}
    return Audit(
        chosen,
        grid,
        sources,
        tuple(means[name] for name in names if name not in apart or name == names[0]),
        tuple(sorted(_against_the_bar(grid, means, exploits), key=lambda one: -one.means.difference.value)),
        tuple(_against_its_chassis(chosen, grid, means[name]) for name in words),
    )


def _means(grid: Grid) -> dict[str, Means]:
    """Every player's means."""
    names = grid.plan.policies
    wanted = [BY_KEY[key] for key in ("reward", "efficiency_given_zopa", "deal_rate_given_zopa", "difference")]
    chassis = {name: ROSTER[name].chassis for name in names if name in ROSTER and ROSTER[name].chassis in names}
    beyond = np.stack(
        [grid.reward[p] - grid.reward[names.index(chassis.get(name, name))] for p, name in enumerate(names)]
    )
    gains = _by_round(beyond)
    found = {}
    for p, (name, one) in enumerate(zip(names, estimates(grid, grid.groups("policy"), wanted), strict=True)):
        reward, difference = one["reward"], one["difference"]
        assert reward is not None and difference is not None
        found[name] = Means(
            policy=name,
            reward=reward,
            efficiency=one["efficiency_given_zopa"],
            deals=one["deal_rate_given_zopa"],
            difference=difference,
            chassis=chassis.get(name, ""),
            gain=gains[p] if name in chassis else None,
        )
    return found


def _by_round(values: Floats) -> list[Estimate | None]:
    """The mean of each row of shape (cells, rounds), with its interval over rounds."""
    tops = values.sum(axis=1).T
    return ratios(tops, np.full(tops.shape, float(values.shape[1])))


def _against_the_bar(grid: Grid, means: dict[str, Means], exploits: Sequence[str]) -> Iterable[Exploit]:
    where = [grid.plan.policies.index(name) for name in exploits]
    apart = grid.reward[where] - grid.reward[0]
    samples = [sample(one.mean(axis=0)) for one in apart]
    above = holm([p_above(one, BAR) for one in samples])
    below = holm([p_below(one, BAR) for one in samples])
    undecided = {side: max(1, sum(p > LEVEL for p in found)) for side, found in ((True, above), (False, below))}
    for k, name in enumerate(exploits):
        verdict: Verdict = "fails" if above[k] <= LEVEL else "holds" if below[k] <= LEVEL else "unproven"
        level = LEVEL / undecided[samples[k].mean > BAR]
        needed = observations_needed(samples[k], BAR, level) if verdict == "unproven" else None
        by_cell = zip(grid.plan.cells, _by_round(apart[k][:, None, :]), strict=True)
        yield Exploit(
            means=means[name],
            verdict=verdict,
            p_above=above[k],
            p_below=below[k],
            rounds=samples[k].n,
            rounds_needed=needed,
            cells=tuple(InCell(cell, found) for cell, found in by_cell if found is not None),
        )


def _against_its_chassis(chosen: AuditPlan, grid: Grid, means: Means) -> Words:
    mine, theirs = (_episodes(grid, name) for name in (means.policy, means.chassis))
    pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if replace(a, policy=b.policy) != b]
    if means.policy in CURT:
        return Words(means, "reported", len(mine), len(pairs))
    first = _how(chosen, *pairs[0]) if pairs else ""
    return Words(means, "fails" if pairs else "holds", len(mine), len(pairs), first)


def _episodes(grid: Grid, policy: str) -> list[Result]:
    _, places, rounds = grid.shape
    start = grid.plan.policies.index(policy) * places * rounds
    return grid.results[start : start + places * rounds]


def _how(chosen: AuditPlan, mine: Result, theirs: Result) -> str:
    """Where two episodes differ, rewards before all else."""
    names = sorted(Result.__struct_fields__[1:], key=lambda name: name != "reward")
    name = next(name for name in names if getattr(mine, name) != getattr(theirs, name))
    seed = chosen.seed(chosen.cells.index(mine.cell), mine.seed - chosen.first_seed)
    return f"{mine.cell}, seed {seed}: {name} {getattr(mine, name)} instead of {getattr(theirs, name)}"
