"""Does the reward pay for negotiating well? Three looks at a finished evaluation.

1. Over policies × cells: the rank correlation of the mean reward with E given a ZOPA, and with the surplus.
2. Every term of the reward left out in turn: what becomes of the policies' order. Policies don't see the reward, so
   an episode's other terms are what they were, and nothing is played again.
3. Beside the same evaluation under the literal reward: whom that pays more who reaches no more, which is what an
   exploit does.

A difference of two policies is *clear* when its 95 % interval over seeds leaves out 0. That is a list to look at, not
a test: many pairs are compared, and a few are clear by chance.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from training.compare import Means
from training.episodes import TERMS
from training.grid import Grid
from training.measures import EFFICIENCY
from training.record import EvaluationError, Header
from training.stats import LEVEL, Estimate, Floats, kendall, ranks, spearman
from training.tables import table

JSON, MARKDOWN = "reward_study.json", "reward_study.md"
SHOWN = 12
"""Pairs that the page lists; the JSON has all."""


class Pair(msgspec.Struct, frozen=True):
    """Two policies that an order has the other way round."""

    over: str
    """Paid more by the order in question."""
    under: str
    paid: float
    """By how many points."""
    instead: float
    """By how much `over` leads `under` in the other order (less than nothing): points, or E given a ZOPA."""
    clear: bool
    """Both differences are; of equals none is."""


class Ablation(msgspec.Struct, frozen=True):
    """The reward without a term. Nobody is paid by a term that is left out, nor fined."""

    term: str
    tau: float
    """Kendall's τ-b of the policies' order with the full reward's."""
    with_efficiency: float
    with_surplus: float
    """Spearman's correlation over policies × cells, as for the full reward."""
    swaps: list[Pair]


class Paid(msgspec.Struct, frozen=True):
    """A policy under both rewards."""

    policy: str
    efficiency: float
    default: float
    default_rank: float
    literal: float
    literal_rank: float
    more: dict[str, float]
    """By which terms the literal reward pays more, in points."""


class Study(msgspec.Struct, frozen=True):
    """What a reward study finds."""

    points: int
    """Policies × cells."""
    efficiency: Estimate | None
    surplus: Estimate | None
    ablations: list[Ablation]
    inversions: list[Pair]
    """Pairs of which the one that is paid clearly more reaches no higher E given a ZOPA."""
    literal: list[Paid]
    literal_inversions: list[Pair]


def study(grid: Grid, literal: Grid | None = None) -> Study:
    """The study of an evaluation under the default reward, and of the same under the literal one.

    Raises EvaluationError for fewer than three policies, or for evaluations that don't belong together.
    """
    if len(grid.plan.policies) < 3:
        raise EvaluationError("a reward study needs an order: evaluate at least three policies")
    points = Means(grid, by_cell=True)
    found = _inversions(grid)
    return Study(
        points=points.points,
        efficiency=points.agreement(EFFICIENCY.key),
        surplus=points.agreement("surplus"),
        ablations=[_ablation(grid, points, term) for term in TERMS if grid.terms[term].any()],
        inversions=found,
        literal=[] if literal is None else _paid(grid, literal),
        literal_inversions=[] if literal is None else _inversions(literal),
    )


def check_together(default: Header, literal: Header) -> None:
    """Raise EvaluationError unless both evaluations played the same from the same sources, but for the reward."""
    if default.plan.reward != "default" or literal.plan.reward != "literal":
        raise EvaluationError("the study compares a run under --reward default with one under --reward literal")
    for name in ("policies", "cells", "split", "first_seed", "episodes"):
        if getattr(default.plan, name) != getattr(literal.plan, name):
            raise EvaluationError(f"the two runs have other {name.replace('_', ' ')}: play both with the same options")
    if literal.sources != default.sources:
        raise EvaluationError(
            f"the two runs were played from other sources ({default.sources} and {literal.sources}): play both again"
        )


def _ablation(grid: Grid, points: Means, term: str) -> Ablation:
    rest = grid.reward - grid.terms[term]
    by_cell = rest.mean(axis=2).ravel()
    known = np.isfinite(points.now[EFFICIENCY.key])
    full, without = Means(grid, by_cell=False), Means(grid, by_cell=False, reward=rest)
    before, after = full.now["reward"], without.now["reward"]
    clear = _clear(full.drawn["reward"]) * _clear(without.drawn["reward"]) == -1
    changed = (after[:, None] > after) & (before[:, None] < before)
    return Ablation(
        term=term,
        tau=kendall(before, after),
        with_efficiency=spearman(by_cell[known], points.now[EFFICIENCY.key][known]),
        with_surplus=spearman(by_cell, points.now["surplus"]),
        swaps=_pairs(grid.plan.policies, after, before, changed, clear),
    )


def _inversions(grid: Grid) -> list[Pair]:
    """The pairs of which the one that is paid clearly more has no higher E."""
    means = Means(grid, by_cell=False)
    reward, efficiency = means.now["reward"], means.now[EFFICIENCY.key]
    paid, better = _clear(means.drawn["reward"]) == 1, _clear(means.drawn[EFFICIENCY.key]) == -1
    return _pairs(grid.plan.policies, reward, efficiency, paid & (efficiency[:, None] <= efficiency), better)


def _pairs(policies: tuple[str, ...], order: Floats, other: Floats, which: np.ndarray, clear: np.ndarray) -> list[Pair]:
    """These pairs, the largest differences first."""
    found = [
        Pair(policies[i], policies[j], float(order[i] - order[j]), float(other[i] - other[j]), bool(clear[i, j]))
        for i, j in np.argwhere(which)
    ]
    return sorted(found, key=lambda pair: -pair.paid)


def _clear(drawn: Floats) -> np.ndarray:
    """Of every two policies: 1 or −1 where the first is clearly more or less than the second, else 0."""
    tail = 0.5 - LEVEL / 2
    rows = []
    for i in range(drawn.shape[1]):
        low, high = np.nanquantile(drawn[:, [i]] - drawn, [tail, 1 - tail], axis=0)
        rows.append((low > 0).astype(int) - (high < 0).astype(int))
    return np.array(rows)


def _paid(grid: Grid, literal: Grid) -> list[Paid]:
    means, naive = Means(grid, by_cell=False).now, Means(literal, by_cell=False).now
    places, naive_places = ranks(-means["reward"]), ranks(-naive["reward"])
    more = {term: (literal.terms[term] - grid.terms[term]).mean(axis=(1, 2)) for term in TERMS}
    found = [
        Paid(
            policy,
            float(means[EFFICIENCY.key][i]),
            float(means["reward"][i]),
            float(places[i]),
            float(naive["reward"][i]),
            float(naive_places[i]),
            {term: float(values[i]) for term, values in more.items() if abs(values[i]) > 1e-9},
        )
        for i, policy in enumerate(grid.plan.policies)
    ]
    return sorted(found, key=lambda one: one.literal_rank)


# As a page ------------------------------------------------------------------------------------------------------------


def write(found: Study, folder: Path) -> str:
    """Write `reward_study.json` and `reward_study.md`; gives the page."""
    (folder / JSON).write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    page = markdown(found)
    (folder / MARKDOWN).write_text(page, "utf-8")
    return page


def markdown(found: Study) -> str:
    """The study as a page."""
    parts = [
        "# Reward study",
        f"Over {found.points} points (policies × cells), rank correlation (Spearman) of the mean reward with",
        table(
            ["", f"correlation [{LEVEL:.0%} interval over seeds]"],
            [["E given a ZOPA", _told(found.efficiency)], ["surplus (Δ0)", _told(found.surplus)]],
        ),
        "Paid clearly more, without a higher E given a ZOPA:",
        _listed(found.inversions, "E given ZOPA", "{:+.2f}"),
        "## Without a term",
        "The policies' order without a term, against the full one (Kendall's τ); the correlations as above; the pairs "
        "that change places, and how many of them clearly in both orders.",
        table(
            ["without", "τ", "with E", "with surplus", "swaps", "clear"],
            [
                [
                    f"`{one.term}`",
                    f"{one.tau:+.2f}",
                    f"{one.with_efficiency:+.2f}",
                    f"{one.with_surplus:+.2f}",
                    str(len(one.swaps)),
                    str(sum(pair.clear for pair in one.swaps)),
                ]
                for one in found.ablations
            ],
        ),
        *(part for one in found.ablations for part in _swaps(one)),
        "## The literal reward",
        *_literal(found),
    ]
    return "\n\n".join(parts) + "\n"


def _told(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:+.3f}"
    return f"{estimate.value:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}]"


def _swaps(one: Ablation) -> list[str]:
    clear = [pair for pair in one.swaps if pair.clear]
    if not clear:
        return []
    return [f"Clear swaps without `{one.term}`:", _listed(clear, "with all terms", "{:+.1f}")]


def _counted(pairs: list[Pair]) -> str:
    return f"{len(pairs)} pairs ({sum(pair.clear for pair in pairs)} with a clearly lower one)"


def _listed(pairs: list[Pair], other: str, form: str) -> str:
    if not pairs:
        return "none."
    lines = [[f"`{p.over}`", f"`{p.under}`", f"{p.paid:+.1f}", form.format(p.instead)] for p in pairs[:SHOWN]]
    more = len(pairs) - len(lines)
    return table(["is paid more", "than", "points", other], lines) + (f"\n\nand {more} more." if more > 0 else "")


def _literal(found: Study) -> list[str]:
    if not found.literal:
        return [
            "Not compared. Play the same evaluation with `--reward literal` into another folder, and name that folder "
            "with `--literal`."
        ]
    tau = kendall([one.default for one in found.literal], [one.literal for one in found.literal])
    known = {(pair.over, pair.under) for pair in found.inversions}
    admitted = [pair for pair in found.literal_inversions if (pair.over, pair.under) not in known]
    return [
        "Belief accuracy paid at every turn, speed whatever the deal, event estimates not centred. Kendall's τ of the "
        f"policies' orders under both rewards: {tau:+.2f}.",
        table(
            ["policy", "E given ZOPA", "default", "rank", "literal", "rank", "paid more by"],
            [
                [
                    f"`{one.policy}`",
                    f"{one.efficiency:.2f}",
                    f"{one.default:.1f}",
                    f"{one.default_rank:g}",
                    f"{one.literal:.1f}",
                    f"{one.literal_rank:g}",
                    ", ".join(f"{term} {value:+.1f}" for term, value in one.more.items()) or "–",
                ]
                for one in found.literal
            ],
        ),
        f"Paid clearly more without a higher E given a ZOPA: {_counted(found.inversions)} under the default reward, "
        f"{_counted(found.literal_inversions)} under the literal one. What only the literal one admits:",
        _listed(admitted, "E given ZOPA", "{:+.2f}"),
    ]
