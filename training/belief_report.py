"""A belief study as Markdown, for a page, and as JSON; with two plots, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from agent.beliefs import LEVEL as HELD
from parlay_env import __version__
from training.belief_plots import coverage_by_turn, scores_by_turn
from training.belief_study import ALL, LATER, POOLED, Group, Study, Turn
from training.plots import HOW_TO_GET, PlotsMissing, save
from training.stats import LEVEL, Estimate
from training.summary import plain
from training.tables import table

MARKS = "<!-- beliefs:begin -->", "<!-- beliefs:end -->"
"""A page that has these two lines gets the findings between them."""
JSON, MARKDOWN = "belief_study.json", "belief_study.md"
PLOTS: dict[str, Callable[[Study], Any]] = {"coverage": coverage_by_turn, "belief_scores": scores_by_turn}
PICTURES = {
    "coverage": "Coverage of the limit's intervals by turn, for each opponent",
    "belief_scores": "CRPS and Brier's score by turn, beside the prior's",
}


def write(found: Study, command: str, folder: Path) -> str:
    """Write the JSON, the page and the plots; gives what is missing, in a line, or nothing."""
    drawn, missing = draw(found, folder)
    (folder / JSON).write_bytes(to_json(found, command))
    (folder / MARKDOWN).write_text(f"# Beliefs\n\n{markdown(found, command, drawn)}\n", "utf-8")
    return missing


def draw(found: Study, folder: Path) -> tuple[list[str], str]:
    """Draw the plots as SVG; gives their file names, and what is missing."""
    try:
        for name, plot in PLOTS.items():
            save(partial(plot, found), folder, name, ("svg",))
    except PlotsMissing:
        return [], HOW_TO_GET
    return [f"{name}.svg" for name in PLOTS], ""


# Figures --------------------------------------------------------------------------------------------------------------


def percent(estimate: Estimate | None, form: str = "{} [{}, {}]") -> str:
    """A share with its interval, in per cent."""
    return _told(estimate, lambda share: f"{100 * share:.1f}", "{} %", form)


def score(estimate: Estimate | None, form: str = "{} [{}, {}]") -> str:
    """A score, or a difference of two, with its interval."""
    return _told(estimate, decimals, "{}", form)


def decimals(value: float, places: int = 3) -> str:
    """A figure without the zero before its point: .072, −.031."""
    told = f"{abs(value):.{places}f}".removeprefix("0")
    return f"−{told}" if round(value, places) < 0 else told


def value_of(estimate: Estimate | None, places: int = 2) -> str:
    """A figure alone."""
    return "–" if estimate is None else decimals(estimate.value, places)


def since(group: Group, difference: str) -> str:
    """From which turn on the tracker is better than the prior."""
    turn = group.better_from(difference)
    return "–" if turn is None else str(turn)


def _told(estimate: Estimate | None, one: Callable[[float], str], unit: str, form: str) -> str:
    if estimate is None:
        return "–"
    value = unit.format(one(estimate.value))
    if estimate.low is None or estimate.high is None:
        return value
    return form.format(value, one(estimate.low), one(estimate.high))


def played_in(found: Study) -> str:
    """What was watched, in a line."""
    chosen, seeds = found.plan, found.plan.plan.seeds
    asked = "the four questions in its first four turns" if chosen.asks else "nothing asked"
    return (
        f"{chosen.episodes:,} episodes of the {chosen.plan.split} split (seeds {seeds[0]}–{seeds[-1]}), all "
        f"scenarios and both seats, the learner `{chosen.learner}`, {asked}"
    )


def speed_in_words(found: Study) -> str:
    """How long an update takes, in a line."""
    if found.speed is None:
        return "No episode had a second turn: no update was timed."
    at_once = "one process" if found.workers == 1 else f"{found.workers} processes at once"
    return (
        f"One `Tracker.update` takes {found.speed.mean:.2f} ms in the mean and {found.speed.high:.2f} ms at the 95th "
        f"percentile: wall time of the call alone, {found.speed.updates:,} updates, {at_once}."
    )


# Markdown -------------------------------------------------------------------------------------------------------------


def markdown(found: Study, command: str, pictures: Sequence[str] = ()) -> str:
    """The findings as a section of a page, without its heading; `pictures`: where the page finds the plots."""
    shown = {Path(picture).stem: picture for picture in pictures}
    everybody = next(group for group in found.groups if group.name == ALL)
    parts = [
        f"`{command}`, Parlay {__version__} (sources `{found.sources}`): {played_in(found)}.",
        _groups(found.groups),
        f"Intervals held: {HELD:.0%} intervals, pooled over turns 1 to {POOLED}. The opening is the opponent's first "
        "offer. “Better”, than the prior: from this turn on, and in every later one to turn "
        f"{POOLED}, the whole interval of the difference lies below 0. Figures in brackets: {LEVEL:.0%} intervals by a "
        "bootstrap over seeds. Widths and CRPS in Δ0 of the opponent.".replace("%", " %"),
        _picture(shown, "coverage"),
        _turns(everybody.turns),
        "Differences are the tracker's less the prior's on the same episodes: below 0 the tracker is better. CRPS is "
        "that of the tracker's particles as they are; its intervals are quantiles of them blurred, as few tell too "
        "narrow ones. Brier's score is that of the alternative.",
        _picture(shown, "belief_scores"),
        speed_in_words(found),
    ]
    return "\n\n".join(part for part in parts if part)


def _picture(shown: dict[str, str], name: str) -> str:
    return f"![{PICTURES[name]}]({shown[name]})" if name in shown else ""


def _groups(groups: Sequence[Group]) -> str:
    head = (
        *("opponent", "episodes", "intervals of the limit that hold it", "of the walk-away"),
        *("width after the opening", f"at turn {LATER}", "CRPS better from turn", "Brier better from turn"),
    )
    rows = [
        [
            group.name.capitalize(),
            f"{group.episodes:,}",
            percent(group.coverage),
            percent(group.walk_coverage),
            value_of(group.opened),
            value_of(group.later),
            since(group, "crps_difference"),
            since(group, "brier_difference"),
        ]
        for group in groups
    ]
    return table(head, rows)


def turn_cells(one: Turn, form: str = "{} [{}, {}]") -> list[str]:
    """A turn's row, here and in the terminal; `form` is of the coverage."""
    return [
        str(one.turn),
        f"{one.episodes:,}",
        percent(one.coverage, form),
        value_of(one.width),
        value_of(one.crps, 3),
        value_of(one.crps_prior, 3),
        score(one.crps_difference),
        value_of(one.brier, 3),
        value_of(one.brier_prior, 3),
        score(one.brier_difference),
    ]


def _turns(turns: Sequence[Turn]) -> str:
    head = (
        *("turn", "episodes", "intervals of the limit that hold it", "width"),
        *("CRPS", "the prior's", "difference", "Brier", "the prior's", "difference"),
    )
    rows = [turn_cells(one) for one in turns]
    return table(head, rows)


# JSON -----------------------------------------------------------------------------------------------------------------


def to_json(found: Study, command: str) -> bytes:
    """Everything."""
    chosen, seeds = found.plan, found.plan.plan.seeds
    content: dict[str, Any] = {
        "parlay": __version__,
        "sources": found.sources,
        "command": command,
        "learner": chosen.learner,
        "asks": chosen.asks,
        "split": chosen.plan.split,
        "seeds": [seeds[0], seeds[-1]],
        "episodes": chosen.episodes,
        "level": HELD,
        "pooled_to_turn": POOLED,
        "interval": f"bootstrap over seeds, {LEVEL:.0%}",
        "groups": [_group(group) for group in found.groups],
        "update_milliseconds": None
        if found.speed is None
        else {"updates": found.speed.updates, "mean": found.speed.mean, "percentile_95": found.speed.high}
        | {"workers": found.workers},
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "episodes": group.episodes,
        "coverage": plain(group.coverage),
        "walk_away_coverage": plain(group.walk_coverage),
        "width_after_the_opening": plain(group.opened),
        f"width_at_turn_{LATER}": plain(group.later),
        "better_than_the_prior_from_turn": {
            name: group.better_from(f"{name}_difference") for name in ("crps", "brier")
        },
        "by_turn": [
            {"turn": one.turn, "episodes": one.episodes}
            | {name: plain(getattr(one, name)) for name in Turn._fields[1:]}
            for one in group.turns
        ],
    }
