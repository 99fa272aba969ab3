"""What `parlay read` tells: the measures of groups of dialogues, the rubric's correlations, a dialogue line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from training.reading.formats import Dialogue
from training.reading.habits import Habit
from training.reading.score import (
    Correlation,
    Labels,
    Points,
    Quality,
    Rate,
    Reading,
    Stances,
    computed_points,
    correlations,
    qualities,
    readings,
    rubrics,
    stances,
)
from training.reading.table import Heard
from training.reading.types import ReadingError
from training.stats import Estimate


class Group(msgspec.Struct, frozen=True):
    """Dialogues that are measured together."""

    name: str
    count: int
    qualities: tuple[Quality, ...]
    points: Points
    stances: Stances


class Report(msgspec.Struct, frozen=True):
    """`groups` and `correlations` are empty where nothing is annotated."""

    readings: tuple[Reading, ...]
    groups: tuple[Group, ...]
    correlations: tuple[Correlation, ...]


def report(dialogues: Sequence[Dialogue], split: int | None = None, labels: Labels | None = None) -> Report:
    """Reads all dialogues; with `split`, the first so many are measured as development, the others as held out.

    Raises ReadingError for a split that leaves one of both empty, and for labels that fit no dialogue.
    """
    if split is not None and not 0 < split < len(dialogues):
        raise ReadingError(
            f"a split after {split} of {len(dialogues)} dialogues leaves nothing; use 1 to {len(dialogues) - 1}"
        )
    read = readings(dialogues)
    annotated = tuple(one for one in read if one.dialogue.sides)
    if not annotated:
        if labels is not None:
            raise ReadingError("labels are of annotated dialogues; these have no annotations")
        return Report(read, (), ())
    if labels is not None and not any(one.dialogue.name in labels for one in annotated):
        raise ReadingError("the labels name none of these dialogues; their keys are dialogue ids")
    parts = [("all", read)] if split is None else [("development", read[:split]), ("held out", read[split:])]
    groups = tuple(
        Group(name, len(part), qualities(part, labels), computed_points(part), stances(part)) for name, part in parts
    )
    return Report(read, groups, correlations(read))


class _LabelFile(msgspec.Struct, forbid_unknown_fields=True):
    development: dict[str, dict[int, dict[str, int]]] = {}
    held_out: dict[str, dict[int, dict[str, int]]] = {}


def labels_of(content: bytes) -> Labels:
    """Offers marked by hand: `{"development" or "held_out": {dialogue: {line's place: {issue: speaker's count}}}}`."""
    try:
        found = msgspec.json.decode(content, type=_LabelFile, strict=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadingError(f"these are no labels ({error}); use {labels_of.__doc__}") from None
    return {**found.development, **found.held_out}


# In words -------------------------------------------------------------------------------------------------------------


def rate(one: Rate) -> str:
    """ "48/54 = 89 % (78…95)"."""
    if one.value is None or one.ends is None:
        return "none"
    low, high = one.ends
    return f"{one.hits}/{one.of} = {100 * one.value:.0f} % ({100 * low:.0f}…{100 * high:.0f})"


def correlation(one: Estimate) -> str:
    """ "0.25 (−0.04…0.54)"; "constant" where every side has the same."""
    if one.value != one.value:
        return "constant"
    ends = "" if one.low is None or one.high is None else f" ({one.low:.2f}…{one.high:.2f})"
    return f"{one.value:.2f}{ends}".replace("-", "−")


def offer_words(one: Reading, heard: Heard) -> str:
    """ "Ann: Food 2, Water 1"; a price as it is."""
    if one.dialogue.issues[0].is_price:
        return ", ".join(f"{value:,.10g}" for value in heard.proposed.values())
    said = ", ".join(f"{name} {value:g}" for name, value in heard.proposed.items())
    return f"{one.dialogue.speakers[heard.line.seat]}: {said}"


def table_words(one: Reading, heard: Heard) -> str:
    """What lies on the table, from the first speaker's side; an open issue as ?."""
    issues = one.dialogue.issues
    cells = ", ".join(
        f"{issue.name} {'?' if cell is None else f'{cell.value:,.10g}'}"
        for issue, cell in zip(issues, heard.table, strict=True)
    )
    return cells if issues[0].is_price else f"{one.dialogue.speakers[0]}: {cells}"


def line_words(one: Reading, heard: Heard) -> str:
    """All that was read from a line."""
    found = heard.found
    said = [f"offers {offer_words(one, heard)}"] if heard.proposed else []
    if heard.stance:
        said.append({"accept": "accepts", "reject": "refuses", "walk_away": "would leave"}[heard.stance])
        if found.conditional:
            said[-1] += " on a condition"
    for claim in found.claims:
        value = "" if claim.value is None else f" {claim.value:,.10g}"
        issue = "" if claim.issue is None else f" {claim.issue}"
        whose = "" if claim.who == "me" else "their "
        said.append(f"{'claims' if claim.holds else 'denies'} {whose}{claim.kind}{issue}{value}")
    said += [f"asks ({question.topic})" for question in found.questions]
    said += ["gives a reason"] if found.reasons else []
    return "; ".join(said)


def markdown(found: Report) -> str:
    """The measures of all groups side by side, as docs/reading.md shows them."""
    head = [f"{group.name}: {side}" for group in found.groups for side in ("precision", "recall")]
    rows = [f"| | {' | '.join(head)} |", f"| --- |{' --- |' * len(head)}"]
    for k, one in enumerate(found.groups[0].qualities if found.groups else ()):
        cells = [rate(r) for group in found.groups for r in (group.qualities[k].precision, group.qualities[k].recall)]
        rows.append(f"| {one.name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def rubric_markdown(found: Report) -> str:
    """The rubric's correlations as docs/reading.md shows them."""
    rows = ["| item | sides | with points | with satisfaction |", "| --- | --- | --- | --- |"]
    for one in found.correlations:
        cells = f"{correlation(one.points)} | {correlation(one.satisfaction)}"
        rows.append(f"| `{one.item}` | {one.points.over} | {cells} |")
    return "\n".join(rows)


# For machines ---------------------------------------------------------------------------------------------------------


def to_json(found: Report) -> bytes:
    """Everything, as JSON: measures, correlations, every dialogue with every line as read."""
    scored = iter(rubrics(found.readings))
    whole = {
        "groups": [_group(group) for group in found.groups],
        "correlations": [
            {"item": one.item, "points": _estimate(one.points), "satisfaction": _estimate(one.satisfaction)}
            for one in found.correlations
        ],
        "dialogues": [_dialogue(one, next(scored) if one.dialogue.sides else ()) for one in found.readings],
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n"


def _rate(one: Rate) -> dict[str, Any]:
    return {"hits": one.hits, "of": one.of, "value": one.value, "interval": one.ends}


def _estimate(one: Estimate) -> dict[str, Any]:
    value = None if one.value != one.value else one.value
    return {"value": value, "interval": None if one.low is None else (one.low, one.high), "over": one.over}


def _group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "dialogues": group.count,
        "qualities": {
            one.name: {"precision": _rate(one.precision), "recall": _rate(one.recall)} for one in group.qualities
        },
        "points": {
            "annotated": _rate(group.points.annotated),
            "read": _rate(group.points.read),
            "mean_absolute_error": group.points.error,
        },
        "stances": group.stances._asdict(),
    }


def _dialogue(one: Reading, rubric: Sequence[Sequence[Habit]]) -> dict[str, Any]:
    names = [issue.name for issue in one.dialogue.issues]
    last = one.heard[-1] if one.heard else None
    deal = None if last is None or last.deal is None else dict(zip(names, last.deal, strict=True))
    return {
        "name": one.dialogue.name,
        "speakers": one.dialogue.speakers,
        "deal": deal,
        "agreed": last is not None and last.agreed,
        "annotated_deal": None if one.dialogue.deal is None else dict(zip(names, one.dialogue.deal, strict=True)),
        "rubric": dict(zip(one.dialogue.speakers, rubric, strict=True)) if rubric else None,
        "lines": [
            {
                "place": place,
                "speaker": one.dialogue.speakers[heard.line.seat],
                "text": heard.line.text,
                "offers": heard.proposed,
                "stance": heard.stance,
                "found": heard.found,
                "table": [None if cell is None else cell.value for cell in heard.table],
                "agreed": heard.agreed,
            }
            for heard, place in zip(one.heard, one.dialogue.places, strict=True)
        ],
    }
