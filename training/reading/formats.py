"""Files of dialogues: CaSiNo's (Chawla et al. 2021), and a plain one: lists of `{"speaker", "text"}`."""

from __future__ import annotations

from typing import Literal

import msgspec

from training.reading.table import Line
from training.reading.types import Issue, ReadingError, check

MOST_BYTES = 64 * 1024 * 1024
CAMPING = (Issue("Food", 3), Issue("Water", 3), Issue("Firewood", 3))
"""CaSiNo's issues, in the order in which its figures stand everywhere here."""
POINTS = {"High": 5, "Medium": 4, "Low": 3}
"""CaSiNo pays these for a package, by what the side ranks it, and WALKED for no deal."""
WALKED = 5
SATISFACTION = (
    "Extremely dissatisfied",
    "Slightly dissatisfied",
    "Undecided",
    "Slightly satisfied",
    "Extremely satisfied",
)


class Event(msgspec.Struct, frozen=True):
    """A structured message: a deal put forward, taken, refused, or a walk-away; `after` lines of text had been said."""

    kind: Literal["submit", "accept", "reject", "walk_away"]
    seat: int
    after: int
    split: tuple[int, ...] | None = None
    """What seat 0 gets of each issue."""


class Side(msgspec.Struct, frozen=True):
    """What is annotated of a side: points for a package of each issue, points made, satisfaction from 0 to 4."""

    values: tuple[int, ...]
    points: int
    satisfaction: int


class Dialogue(msgspec.Struct, frozen=True):
    """A dialogue of two; `sides` and `events` are empty where nothing is annotated."""

    name: str
    issues: tuple[Issue, ...]
    speakers: tuple[str, str]
    lines: tuple[Line, ...]
    places: tuple[int, ...]
    """Where in its file each line stood, structured messages counted too."""
    events: tuple[Event, ...] = ()
    sides: tuple[Side, ...] = ()

    @property
    def deal(self) -> tuple[int, ...] | None:
        """The split that was put forward last and taken."""
        split = None
        for event in self.events:
            if event.kind == "submit":
                split = event.split
            elif event.kind == "accept":
                return split
        return None


# As they are written --------------------------------------------------------------------------------------------------


class _Task(msgspec.Struct):
    issue2youget: dict[str, int] | None = None
    issue2theyget: dict[str, int] | None = None
    data: str | None = None


class _Message(msgspec.Struct):
    text: str
    id: str
    task_data: _Task = msgspec.field(default_factory=_Task)


class _Outcomes(msgspec.Struct):
    points_scored: int
    satisfaction: str


class _Participant(msgspec.Struct):
    value2issue: dict[Literal["High", "Medium", "Low"], str]
    outcomes: _Outcomes


class _Casino(msgspec.Struct):
    dialogue_id: int
    chat_logs: list[_Message]
    participant_info: dict[str, _Participant]


class _Said(msgspec.Struct, forbid_unknown_fields=True):
    speaker: str
    text: str


_FORMATS = 'CaSiNo\'s list of {"dialogue_id", "chat_logs", "participant_info"}, or a list of {"speaker", "text"}'


def dialogues(content: bytes, issues: tuple[Issue, ...] | None = None) -> tuple[Dialogue, ...]:
    """The dialogues of a file. `issues` are those of a plain one (None: one price); CaSiNo has its own.

    Raises ReadingError for what is neither format, naming the place and what would be right.
    """
    if len(content) > MOST_BYTES:
        raise ReadingError(f"the file has {len(content):,} bytes; at most {MOST_BYTES:,} are read, so split it")
    try:
        whole = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadingError(f"the file is no JSON ({error}); use {_FORMATS}") from None
    if not isinstance(whole, list) or not whole:
        raise ReadingError(f"the file holds no list of dialogues; use {_FORMATS}")
    try:
        if isinstance(whole[0], dict) and "chat_logs" in whole[0]:
            return tuple(_casino(one) for one in msgspec.convert(whole, list[_Casino], strict=False))
        plain = whole if isinstance(whole[0], list) else [whole]
        chosen = (Issue("price"),) if issues is None else issues
        check(chosen)
        said = msgspec.convert(plain, list[list[_Said]])
    except msgspec.ValidationError as error:
        raise ReadingError(f"{error}; use {_FORMATS}") from None
    return tuple(_plain(str(k + 1), one, chosen) for k, one in enumerate(said))


def _plain(name: str, said: list[_Said], issues: tuple[Issue, ...]) -> Dialogue:
    speakers = _two(name, [one.speaker for one in said])
    lines = tuple(Line(speakers.index(one.speaker), one.text) for one in said)
    return Dialogue(name, issues, speakers, lines, tuple(range(len(lines))))


def _two(name: str, all_of_them: list[str]) -> tuple[str, str]:
    found = list(dict.fromkeys(all_of_them))
    if len(found) != 2:
        raise ReadingError(f"dialogue {name} has {len(found)} speakers; two negotiate")
    return found[0], found[1]


_KINDS: dict[str, Literal["submit", "accept", "reject", "walk_away"]] = {
    "Submit-Deal": "submit",
    "Accept-Deal": "accept",
    "Reject-Deal": "reject",
    "Walk-Away": "walk_away",
}


def _casino(one: _Casino) -> Dialogue:
    name = str(one.dialogue_id)
    speakers = _two(name, [message.id for message in one.chat_logs])
    lines: list[Line] = []
    places: list[int] = []
    events: list[Event] = []
    for place, message in enumerate(one.chat_logs):
        seat, kind = speakers.index(message.id), _KINDS.get(message.text)
        if kind is None:
            lines.append(Line(seat, message.text))
            places.append(place)
        else:
            split = _split(name, message, seat) if kind == "submit" else None
            events.append(Event(kind, seat, len(lines), split))
    sides = tuple(_side(name, speaker, one.participant_info) for speaker in speakers)
    return Dialogue(name, CAMPING, speakers, tuple(lines), tuple(places), tuple(events), sides)


def _split(name: str, message: _Message, seat: int) -> tuple[int, ...]:
    mine, theirs = message.task_data.issue2youget or {}, message.task_data.issue2theyget or {}
    for issue in CAMPING:
        if mine.get(issue.name, -1) < 0 or mine[issue.name] + theirs.get(issue.name, -1) != issue.quantity:
            raise ReadingError(f"dialogue {name}: a deal splits {issue.quantity} packages of {issue.name} between two")
    return tuple((mine if seat == 0 else theirs)[issue.name] for issue in CAMPING)


def _side(name: str, speaker: str, participants: dict[str, _Participant]) -> Side:
    if speaker not in participants:
        raise ReadingError(f"dialogue {name}: participant_info has nobody called {speaker}")
    one = participants[speaker]
    values = {issue: POINTS[rank] for rank, issue in one.value2issue.items()}
    if sorted(values) != sorted(issue.name for issue in CAMPING) or one.outcomes.satisfaction not in SATISFACTION:
        raise ReadingError(f"dialogue {name}: value2issue ranks Food, Water and Firewood, satisfaction is a known word")
    ranked = tuple(values[issue.name] for issue in CAMPING)
    return Side(ranked, one.outcomes.points_scored, SATISFACTION.index(one.outcomes.satisfaction))


def points(values: tuple[int, ...], split: tuple[float, ...], seat: int) -> float:
    """What a split of CaSiNo's packages (seat 0's counts) is worth to a seat."""
    return sum(
        value * (count if seat == 0 else issue.quantity - count)
        for value, count, issue in zip(values, split, CAMPING, strict=True)
    )
