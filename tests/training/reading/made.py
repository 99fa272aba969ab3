"""Dialogues of our own in CaSiNo's format."""

from __future__ import annotations

import json
from typing import Any

from training.reading.formats import CAMPING

A, B = "mturk_agent_1", "mturk_agent_2"


def casino(
    *messages: tuple[str, str] | tuple[str, str, dict[str, Any]], points_made: tuple[int, int] = (5, 5)
) -> bytes:
    """A file of one dialogue in CaSiNo's format; A ranks Food, Water, Firewood, B the other way round."""
    ranks = (
        {"High": "Food", "Medium": "Water", "Low": "Firewood"},
        {"High": "Firewood", "Medium": "Water", "Low": "Food"},
    )
    people = {
        name: {"value2issue": rank, "outcomes": {"points_scored": made, "satisfaction": "Slightly satisfied"}}
        for name, rank, made in zip((A, B), ranks, points_made, strict=True)
    }
    logs = [{"text": m[1], "id": m[0], "task_data": m[2] if len(m) > 2 else {}} for m in messages]
    return json.dumps([{"dialogue_id": 1, "chat_logs": logs, "participant_info": people}]).encode()


def submit(*mine: int) -> dict[str, Any]:
    names = [issue.name for issue in CAMPING]
    theirs = [3 - count for count in mine]
    return {
        "issue2youget": dict(zip(names, map(str, mine), strict=True)),
        "issue2theyget": dict(zip(names, map(str, theirs), strict=True)),
    }


AGREED = (
    (A, "I take 3 food and 2 water, you get all the firewood. Food matters most for my family because we cook a lot."),
    (B, "Sounds good, deal!"),
    (A, "Submit-Deal", submit(3, 2, 0)),
    (B, "Accept-Deal"),
)
