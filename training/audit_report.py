"""The audit's findings as Markdown, for a page, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agent.baselines import ROSTER
from agent.baselines.defences import DEFENCES
from parlay_env import __version__
from training.audit import BAR, LEVEL, Audit, Exploit, Means, Words, by_construction
from training.audit_tests import TestRun
from training.live import Compared
from training.stats import Estimate
from training.summary import plain
from training.tables import table

MARKS = "<!-- audit:begin -->", "<!-- audit:end -->"
"""A page that has these two lines gets the findings between them."""


class Findings(msgspec.Struct, frozen=True):
    """Everything that an audit found."""

    audit: Audit
    command: str
    live: tuple[Compared, ...] = ()
    """Empty where the socket was left out."""
    tests: TestRun | None = None
    """None where the tests were not run."""

    def failures(self) -> list[str]:
        """Whatever fails the audit, in a few words each."""
        words = {one.means.policy for one in self.audit.words}
        return [
            *(
                f"{name} earns otherwise than its moves do" if name in words else f"{name} comes too near"
                for name in self.audit.failed
            ),
            *(f"{one.policy} differs over the socket" for one in self.live if one.differing),
            *(["a test of what can't be played fails"] if self.tests is not None and not self.tests.passed else []),
        ]


# Figures --------------------------------------------------------------------------------------------------------------


def points(estimate: Estimate | None, sign: bool = True, form: str = "{} [{}, {}]") -> str:
    """A mean in points with its interval."""
    if estimate is None:
        return "–"
    one = "{:+.1f}" if sign else "{:.1f}"
    if estimate.low is None or estimate.high is None:
        return one.format(estimate.value)
    return form.format(*(one.format(value) for value in (estimate.value, estimate.low, estimate.high)))


def share(estimate: Estimate | None, form: str = "{:.2f}") -> str:
    """A share."""
    return "–" if estimate is None else form.format(estimate.value)


def probability(exploit: Exploit) -> str:
    """The corrected p-value that decided, or came nearest to deciding."""
    p = min(exploit.p_above, exploit.p_below)
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def told(one: Exploit | Words) -> str:
    """The verdict in a few words."""
    if one.verdict == "fails":
        return "FAILS" if isinstance(one, Exploit) else f"FAILS: {one.differing} of {one.episodes} episodes differ"
    if isinstance(one, Words):
        return "equal" if one.verdict == "holds" else "curt: not tested"
    if one.verdict == "unproven":
        return f"unproven ({f'{one.rounds_needed:,}' if one.rounds_needed else 'more'} rounds)"
    return one.verdict


def played_in(audit: Audit) -> str:
    """What was played, in a line."""
    plan = audit.plan
    return (
        f"{plan.rounds} rounds of {len(plan.cells)} cells (scenario × persona × seat), each cell on a seed of its own "
        f"({plan.seeds[0]}–{plan.seeds[-1]}, split {plan.split}), the same for everybody"
    )


def live_in_words(live: Iterable[Compared]) -> str:
    """What came of the socket, in a line."""
    found = list(live)
    episodes, steps = sum(one.episodes for one in found), sum(one.steps for one in found)
    differing = sum(one.differing for one in found)
    what = f"{episodes:,} episodes of {len(found)} players over `/env/ws`, {steps:,} steps"
    return f"{what}: {'equal to the last bit' if not differing else f'{differing} DIFFER'}"


# Markdown -------------------------------------------------------------------------------------------------------------


def markdown(findings: Findings) -> str:
    """The findings as a section of a page, without its heading."""
    audit = findings.audit
    plan = audit.plan
    parts = [
        f"`{findings.command}`, Parlay {__version__} (sources `{audit.sources}`): {played_in(audit)}.",
        _exploits(audit),
        "Intervals: bootstrap 95 % over rounds; E and deals: given a ZOPA. An exploit **holds** when its difference "
        f"to `{plan.policies[0]}` is significantly below {_bar()}, **fails** when it is significantly above (both "
        f"one-sided, paired, Holm-corrected at {LEVEL:g}), else it is unproven; p is the smaller of the two. "
        "“Cells”: in how many its mean lies above the bar; reported, not tested.",
    ]
    if audit.words:
        parts += ["Words alone, against the same moves without them:", _words(audit)]
    if findings.live:
        parts.append(f"The live socket: {live_in_words(findings.live)}.")
    parts += ["What no player can express, and the tests that show it:", _constructed()]
    if findings.tests is not None:
        parts.append(f"These tests: {findings.tests.told if findings.tests.passed else 'FAILED'}.")
    return "\n\n".join(parts)


def _bar() -> str:
    return f"−{-BAR:g}"


def _exploits(audit: Audit) -> str:
    yardstick = audit.plan.policies[0]
    head = ("player", "reward", "E", "deals", f"to `{yardstick}`", "beyond its chassis", "p", "cells", "verdict")
    honest = [[*_figures(one), "–", "–", "honest"] for one in audit.honest]
    exploits = [
        [*_figures(one.means), probability(one), f"{one.cells_above} of {len(one.cells)}", told(one)]
        for one in audit.exploits
    ]
    return table(head, honest + exploits)


def _figures(one: Means) -> list[str]:
    means = [f"`{one.policy}`", points(one.reward, sign=False), share(one.efficiency), share(one.deals, "{:.0%}")]
    return [*means, points(one.difference), points(one.gain)]


def _words(audit: Audit) -> str:
    head = ("player", "what it does", "beyond its chassis", "verdict")
    rows = [
        [f"`{one.means.policy}`", ROSTER[one.means.policy].summary, points(one.means.gain), told(one)]
        for one in audit.words
    ]
    return table(head, rows, figures=False)


def _constructed() -> str:
    rows = [[one.exploit, one.holds, "<br>".join(f"`{test}`" for test in one.tests)] for one in by_construction()]
    return table(("exploit", "why it is impossible", "tests"), rows, figures=False)


# JSON -----------------------------------------------------------------------------------------------------------------


def to_json(findings: Findings) -> bytes:
    """Everything."""
    audit = findings.audit
    plan = audit.plan
    content: dict[str, Any] = {
        "parlay": __version__,
        "sources": audit.sources,
        "command": findings.command,
        "yardstick": plan.policies[0],
        "bar": BAR,
        "level": LEVEL,
        "split": plan.split,
        "seeds": [plan.seeds[0], plan.seeds[-1]],
        "cells": plan.cells,
        "episodes_a_cell": plan.rounds,
        "failures": findings.failures(),
        "unproven": audit.unproven,
        "honest": [_fields(one) for one in audit.honest],
        "exploits": [_exploit(one) for one in audit.exploits],
        "words": [_fields(one.means) | _own(one) for one in audit.words],
        "socket": [msgspec.to_builtins(one) | {"verdict": one.verdict} for one in findings.live],
        "defences": [_defence(one.exploit, one.agents, one.tests) for one in DEFENCES],
        "tests": findings.tests,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _fields(one: Means) -> dict[str, Any]:
    means = ("reward", "efficiency", "deals", "difference", "gain")
    return {"policy": one.policy, "chassis": one.chassis} | {name: plain(getattr(one, name)) for name in means}


def _exploit(one: Exploit) -> dict[str, Any]:
    cells = [{"cell": part.cell, "difference": plain(part.difference)} for part in one.cells]
    return _fields(one.means) | {"farms": ROSTER[one.means.policy].farms} | _own(one) | {"cells": cells}


def _own(one: Exploit | Words) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__struct_fields__ if name not in ("means", "cells")}


def _defence(exploit: str, agents: tuple[str, ...], tests: tuple[str, ...]) -> dict[str, Any]:
    return {"exploit": exploit, "by_construction": not agents, "played_by": agents, "tests": tests}
