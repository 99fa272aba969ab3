"""The commons: five who fish one lake, which feeds them all year or is empty in a month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import AGAIN, PLAYED, VOID, Refusal, blame, check_moves, counted, gave_out, whole
from parlay_env.games.messages import is_plain
from parlay_env.rng import Keys, derive_keys

FISHERS = 5
SEATS: tuple[Seat, ...] = tuple(f"fisher_{number}" for number in range(1, FISHERS + 1))
TONNE_KG = 1000
CAPACITY_T = 100
"""What the lake holds at first, and at most."""
COLLAPSE_T = 5
"""A lake with less than this left after a month's fishing is dead."""
GROWTH = 2
"""What is left at a month's end grows by this factor, up to the capacity."""
MONTHS = 12
MOST_WORDS = 280
"""Characters in a message."""


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`months`: how long the year is, 1 to 12; `chat`: does every month begin with a message from everybody?"""

    months: int = MONTHS
    chat: bool = False


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`catch_t`: the tonnes to fish, when fishing; `say`: the message, when talking (empty: silence)."""

    catch_t: int | None = None
    say: str = ""


class Month(msgspec.Struct, frozen=True):
    """A month that was fished: what the lake held, what each asked for, and what each caught."""

    lake_kg: int
    asked_t: tuple[int, ...]
    caught_kg: tuple[int, ...]


class State(msgspec.Struct, frozen=True):
    """An episode. `lake_kg`: what the lake holds now; `said`: everybody's messages, a row for each month that has them;
    `refused`, `tries`: by seat."""

    setup: Setup
    keys: Keys
    lake_kg: int = CAPACITY_T * TONNE_KG
    past: tuple[Month, ...] = ()
    said: tuple[tuple[str, ...], ...] = ()
    refused: tuple[Refusal | None, ...] = (None,) * FISHERS
    tries: tuple[int, ...] = (0,) * FISHERS


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. `month` counts from 1; `lake_t`: tonnes in the lake; `phase`: what is due, `talk` or `fish`;
    `caught_t` and `said`: a row for each month so far, by fisher; `invalid`: why one's last move was not played."""

    seat: Seat | None
    month: int
    months: int
    lake_t: int
    phase: str
    chat: bool
    caught_t: tuple[tuple[float, ...], ...]
    said: tuple[tuple[str, ...], ...]
    invalid: Refusal | None
    ended: str | None
    truth: dict[str, tuple[tuple[int, ...], ...]] | None


class Commons:
    """A resource that all may use and only restraint keeps.

    Description: five fishers share a lake of 100 tonnes. In every month all name their catch at the same time; what is
    left doubles, up to 100 tonnes; a lake with less than 5 tonnes left is dead.
    Action space: `Move`: a catch in whole tonnes, from 0 to what the lake holds; with the option `chat`, before that a
    message of up to 280 characters.
    Observation space: `View`: the lake, everybody's catches and messages so far.
    Starting state: the same for every seed; the seed feeds the players' draws alone.
    Rewards: `catch`: one's own catch in tonnes, in every month.
    Episode end: `played` after the last month with a lake that lives; `collapsed` when less than 5 tonnes are left
    after a month's fishing; `void` when one seat has no more tries.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: Hardin 1968, The Tragedy of the Commons, Science; Ostrom 1990, Governing the Commons; Piatti et al.
    2024, Cooperate or Collapse, NeurIPS (this lake); Sprumont 1991, Econometrica (how what is short is shared out).
    """

    id = "commons"
    title = "Five fishers and a lake"
    rules = (
        "Five of you fish the same lake. It holds 100 tonnes, and never more. In every month each of you names a catch "
        "in whole tonnes, from 0 to what the lake holds, all at the same time, and is paid 1 for every tonne caught. "
        "If together you ask for more than there is, the lake is dealt out evenly, a kilogram to each in turn, until "
        "each has what they asked for or nothing is left; fisher_1 is dealt to first in month 1, fisher_2 in month 2, "
        "and so on in turn. If less than 5 tonnes are left after the fishing, the lake is dead and the game is over. "
        "Otherwise what is left doubles, up to 100 tonnes, before the next month. After month 12 (or as many months as "
        "you are told) the game is over, and what is left in the lake is worth nothing. Everybody sees the lake and "
        "all catches so far. Where talk is allowed, every month begins with one message from each of you to all, up to "
        "280 characters, all at the same time; nobody is bound by what they say. "
        f"{AGAIN}"
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (0.0, CAPACITY_T + (MONTHS - 1) * CAPACITY_T / GROWTH)
    by_seat: frozenset[str] = frozenset(("caught_t", "said", "asked_t"))
    facts: Mapping[str, float] = {
        "fishers": FISHERS,
        "capacity_t": CAPACITY_T,
        "collapse_t": COLLAPSE_T,
        "growth": GROWTH,
        "months": MONTHS,
        "tonne_kg": TONNE_KG,
        "most_words": MOST_WORDS,
    }

    def seated(self, setup: Setup) -> tuple[Seat, ...]:  # noqa: ARG002
        """All five seats."""
        return self.seats

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        whole("months", setup.months, 1, MONTHS)
        return State(setup, derive_keys(seed, secret, FISHERS))

    def to_move(self, state: State) -> frozenset[Seat]:
        """All five: to talk, where there is talk, and to fish, in every month."""
        return frozenset() if _ended(state) else frozenset(SEATS)

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after everybody's message or catch. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        made = [moves[seat] for seat in SEATS]
        refused = tuple(_problem(state, move) for move in made)
        if any(refused):
            after = replace(state, refused=refused, tries=counted(state.tries, refused))
            return _step(after, (0,) * FISHERS) if _ended(after) else Step(after, {})
        kept = replace(state, refused=(None,) * FISHERS)
        if _talks(state):
            return Step(replace(kept, said=(*state.said, tuple(move.say for move in made))), {})
        asked = tuple(move.catch_t or 0 for move in made)
        caught, lake = fished(state.lake_kg, asked, len(state.past))
        return _step(replace(kept, lake_kg=lake, past=(*state.past, Month(state.lake_kg, asked, caught))), caught)

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        ended = _ended(state)
        shown = viewer.role == "observer" or ended is not None
        return View(
            viewer.seat,
            len(state.past) + (ended in (None, VOID)),
            state.setup.months,
            state.lake_kg // TONNE_KG,
            "talk" if _talks(state) else "fish",
            state.setup.chat,
            tuple(tuple(kg / TONNE_KG for kg in month.caught_kg) for month in state.past),
            state.said,
            None if viewer.seat is None else state.refused[SEATS.index(viewer.seat)],
            ended,
            {"asked_t": tuple(month.asked_t for month in state.past)} if shown else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """`void`, `error`: see `blame`. `catch`: one's own, in tonnes; `total`: everybody's; `equality`: 1 less the
        Gini coefficient of the five (left out where nothing was caught); `over_use`: the share of the catches, one a
        fisher and month, that were above a fifth of what could be fished without leaving a smaller lake to the next
        month; `efficiency`: the total as a share of the best possible one; `survival`: the share of the months that
        were fished; `survived`: did the lake live to the end of the last? Of who made an episode void, months that it
        lacks count as not fished: else who has brought the lake down could make the episode void, and it would not be
        counted."""
        found = blame(seat, gave_out(state.tries, SEATS))
        if found["void"]:
            return found
        caught = [sum(month.caught_kg[place] for month in state.past) for place in range(FISHERS)]
        total = sum(caught) / TONNE_KG
        found |= {"catch": caught[SEATS.index(seat)] / TONNE_KG, "total": total}
        if total:
            found["equality"] = 1.0 - gini(caught)
        if state.past:
            found["over_use"] = sum(map(_over, state.past)) / (FISHERS * len(state.past))
        months = state.setup.months
        found["efficiency"] = total / best_total_t(months)
        found["survival"] = len(state.past) / months
        found["survived"] = float(_ended(state) == PLAYED)
        return found


def shared_out(lake_kg: int, asked_kg: Sequence[int], first: int = 0) -> tuple[int, ...]:
    """What each gets, in kg, of a lake in which all are dealt a kilogram in turn, beginning with place `first`, until
    each has what they asked for or nothing is left. Where there is enough, each gets what they asked for (the uniform
    rule: Sprumont 1991; asking for more than one wants gains nothing under it)."""
    got = [0] * len(asked_kg)
    short = [(first + place) % len(asked_kg) for place in range(len(asked_kg))]
    left = lake_kg
    while content := [place for place in short if asked_kg[place] * len(short) <= left]:
        for place in content:
            got[place] = asked_kg[place]
            left -= asked_kg[place]
        short = [place for place in short if place not in content]
    for turn, place in enumerate(short):
        got[place] = left // len(short) + (turn < left % len(short))
    return tuple(got)


def grown(left_kg: int) -> int:
    """What the next month's lake holds, in kg, of what a month's fishing left: nothing if the lake collapsed."""
    return 0 if left_kg < COLLAPSE_T * TONNE_KG else min(GROWTH * left_kg, CAPACITY_T * TONNE_KG)


def fished(lake_kg: int, asked_t: Sequence[int], index: int) -> tuple[tuple[int, ...], int]:
    """What each catches in the month with this index, from 0, and what the next month's lake holds; both in kg."""
    caught = shared_out(lake_kg, [TONNE_KG * tonnes for tonnes in asked_t], index % len(asked_t))
    return caught, grown(lake_kg - sum(caught))


def sustainable_t(lake_t: float) -> float:
    """The most that all together can fish in a month without leaving a smaller lake to the next, in tonnes. A living
    lake holds at least 10 tonnes at a month's start, so half of it never leaves less than 5."""
    return lake_t - lake_t / GROWTH


def best_total_t(months: int) -> float:
    """The most that a year of so many months can yield, in tonnes: half the lake in every month but the last, and all
    of it then. What is fished is the first lake and all that grew, less what is left; a lake of which s is left grows
    by min(s, 100 − s), which is at most 50."""
    return CAPACITY_T + (months - 1) * CAPACITY_T / GROWTH


def gini(amounts: Sequence[float]) -> float:
    """The Gini coefficient of amounts that are not all 0: the mean difference of two of them, over twice their mean
    (Gini 1912). From 0, all alike, to 1 − 1/n, one has everything."""
    pairs = sum(abs(one - other) for one in amounts for other in amounts)
    return pairs / (2 * len(amounts) * sum(amounts))


def _over(month: Month) -> int:
    """How many caught more than their share of what the month could sustain."""
    return sum(FISHERS * kg > sustainable_t(month.lake_kg) for kg in month.caught_kg)


def _talks(state: State) -> bool:
    """Are messages due, not catches?"""
    return state.setup.chat and len(state.said) == len(state.past) and _ended(state) is None


def _problem(state: State, move: Move) -> Refusal | None:
    if _talks(state):
        if move.catch_t is not None:
            return Refusal("talk_first", "this month's messages are due: say something, or nothing, without a catch_t")
        if len(move.say) > MOST_WORDS:
            return Refusal("too_long", f"a message has at most {MOST_WORDS} characters; yours has {len(move.say)}")
        if not is_plain(move.say):
            return Refusal("not_text", "a message is plain text, without control characters")
        return None
    if move.say:
        return Refusal("no_talk_now", "catches are due: leave say empty")
    lake = state.lake_kg // TONNE_KG
    if move.catch_t is None or not 0 <= move.catch_t <= lake:
        return Refusal("no_such_catch", f"catch_t is a whole number of tonnes from 0 to {lake}")
    return None


def _step(after: State, caught_kg: Sequence[int]) -> Step:
    ended = _ended(after)
    events = () if ended is None else (Event("end", len(after.past), None, {"reason": ended}),)
    paid = {seat: {"catch": kg / TONNE_KG} for seat, kg in zip(SEATS, caught_kg, strict=True)}
    return Step(after, paid, events)


def _ended(state: State) -> str | None:
    if state.lake_kg == 0:
        return "collapsed"
    if len(state.past) == state.setup.months:
        return PLAYED
    return VOID if gave_out(state.tries, SEATS) else None
