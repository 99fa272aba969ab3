"""Ten levers: two players who can't speak pull one each, and are paid if it is the same."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import AGAIN, PLAYED, VOID, Refusal, blame, check_moves, counted, gave_out, whole
from parlay_env.rng import Keys, derive_keys

SEATS: tuple[Seat, Seat] = ("first", "second")
LEVERS = 10
COMMON = 1.0
"""What every lever but one pays when both pull it."""
ODD = 0.9
"""What the odd one pays: the only lever that two strangers can tell from the others."""


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`odd`: which lever pays less, from 0; players see it."""

    odd: int = LEVERS - 1


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`lever`: which one to pull, from 0."""

    lever: int


class State(msgspec.Struct, frozen=True):
    """An episode. `pulled`: both levers, after the end; `refused`, `tries`: by seat."""

    setup: Setup
    keys: Keys
    pulled: tuple[int, int] | None = None
    refused: tuple[Refusal | None, ...] = (None, None)
    tries: tuple[int, ...] = (0, 0)


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. `pays`: of each lever, if both pull it; `invalid`: why one's last move was not played."""

    seat: Seat | None
    pays: tuple[float, ...]
    invalid: Refusal | None
    ended: str | None
    truth: dict[str, tuple[int, int] | None] | None


def pays(setup: Setup) -> tuple[float, ...]:
    """What each lever pays, if both pull it."""
    return tuple(ODD if lever == setup.odd else COMMON for lever in range(LEVERS))


class Levers:
    """Pure coordination between strangers.

    Description: ten levers, nine that pay 1.0 and one that pays 0.9; both players pull one at the same time.
    Action space: `Move`: a lever from 0 to 9.
    Observation space: `View`: what every lever pays.
    Starting state: the same for every seed; the seed feeds the players' draws alone.
    Rewards: `match`: the lever's pay if both pulled it, else 0, to both.
    Episode end: `played` after one move each; `void` when one seat has no more tries.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: Hu et al. 2020, "Other-Play" for Zero-Shot Coordination, ICML.
    """

    id = "levers"
    title = "Ten levers"
    rules = (
        "You and another player, whom you can't speak with, each pull one of ten levers, at the same time. If you both "
        "pull the same lever, each of you is paid what that lever pays; else nobody is paid anything. "
        f"{AGAIN}"
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (0.0, COMMON)
    by_seat: frozenset[str] = frozenset(("pulled",))
    facts: Mapping[str, float] = {"levers": LEVERS, "common_pay": COMMON, "odd_pay": ODD}

    def seated(self, setup: Setup) -> tuple[Seat, ...]:  # noqa: ARG002
        """Both seats."""
        return self.seats

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        whole("odd", setup.odd, 0, LEVERS - 1)
        return State(setup, derive_keys(seed, secret))

    def to_move(self, state: State) -> frozenset[Seat]:
        """Both, once."""
        return frozenset() if _ended(state) else frozenset(SEATS)

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after both moves. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        pulled = (moves[SEATS[0]].lever, moves[SEATS[1]].lever)
        refused = (_problem(pulled[0]), _problem(pulled[1]))
        if any(refused):
            after = replace(state, refused=refused, tries=counted(state.tries, refused))
            matched = 0.0
        else:
            after = replace(state, pulled=pulled, refused=(None, None))
            matched = pays(state.setup)[pulled[0]] if pulled[0] == pulled[1] else 0.0
        ended = _ended(after)
        if ended is None:
            return Step(after, {})
        return Step(after, {seat: {"match": matched} for seat in SEATS}, (Event("end", 1, None, {"reason": ended}),))

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        ended = _ended(state)
        shown = viewer.role == "observer" or ended is not None
        invalid = None if viewer.seat is None else state.refused[SEATS.index(viewer.seat)]
        return View(viewer.seat, pays(state.setup), invalid, ended, {"pulled": state.pulled} if shown else None)

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """`void`, `error`: see `blame`. `match`: did both pull the same lever? `reward`: what it paid."""
        found = blame(seat, gave_out(state.tries, SEATS))
        if found["void"]:
            return found
        matched = state.pulled is not None and state.pulled[0] == state.pulled[1]
        paid = pays(state.setup)[state.pulled[0]] if matched and state.pulled is not None else 0.0
        return found | {"match": float(matched), "reward": paid}


def _problem(lever: int) -> Refusal | None:
    if 0 <= lever < LEVERS:
        return None
    return Refusal("no_such_lever", f"lever is a whole number from 0 to {LEVERS - 1}")


def _ended(state: State) -> str | None:
    if state.pulled is not None:
        return PLAYED
    return VOID if gave_out(state.tries, SEATS) else None
