"""The signalling game: one sees, the other acts, and between them a word that means nothing yet."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import AGAIN, PLAYED, VOID, Refusal, blame, check_moves, counted, gave_out, whole
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

SEATS: tuple[Seat, Seat] = ("sender", "receiver")
SENDER, RECEIVER = SEATS
SIGNS = 8
"""How many states there are, and messages, and acts (K)."""
MATCH = 1.0
"""What a match pays each, in every round."""
MAX_ROUNDS = 200

_STATE = Purpose.POLICY


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`rounds`: how often a state is drawn, sent and acted on, 1 to 200."""

    rounds: int = 1


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`sign`: the sender's message or the receiver's act, from 0."""

    sign: int


class Round(msgspec.Struct, frozen=True):
    """A round that is over. `matched`: was the act the state's?"""

    state: int
    message: int
    act: int
    matched: bool


class State(msgspec.Struct, frozen=True):
    """An episode. `message`: this round's, once it was sent; `refused`, `tries`: by seat."""

    setup: Setup
    keys: Keys
    past: tuple[Round, ...] = ()
    message: int | None = None
    refused: tuple[Refusal | None, ...] = (None, None)
    tries: tuple[int, ...] = (0, 0)


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. `round` counts from 1; `state`: this round's, for the sender's eyes; `message`: this round's,
    once it was sent; `past`: the rounds that are over; `invalid`: why one's last move was not played."""

    seat: Seat | None
    round: int
    rounds: int
    state: int | None
    message: int | None
    past: tuple[Round, ...]
    invalid: Refusal | None
    ended: str | None
    truth: dict[str, tuple[int, ...]] | None


class Signalling:
    """How a word comes to mean something.

    Description: in every round the sender sees one of eight states and sends one of eight messages; the receiver sees
    the message and chooses one of eight acts. No message means anything by itself.
    Action space: `Move`: a sign from 0 to 7, as a message or as an act.
    Observation space: `View`: the sender's holds this round's state, the receiver's the message; both hold the rounds
    that are over, with everything in them.
    Starting state: every round's state is uniform, from the sender's own key.
    Rewards: `match`: 1 to both in every round in which the act is the state's own, else 0.
    Episode end: `played` after the last round; `void` when one seat has no more tries.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: Lewis 1969, Convention; Skyrms 2010, Signals: Evolution, Learning, and Information.
    """

    id = "signalling"
    title = "Signals without a code"
    rules = (
        "In every round one of eight states, 0 to 7, is drawn, each as likely. The sender sees it and sends one of "
        "eight messages, 0 to 7. The receiver sees the message, not the state, and chooses one of eight acts, 0 to 7. "
        "If the act has the state's number, both of you are paid 1; else nobody is paid anything. Then both of you see "
        "the state, the message and the act. What a message means is nowhere laid down. "
        f"{AGAIN}"
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (0.0, MATCH * MAX_ROUNDS)
    by_seat: frozenset[str] = frozenset()
    facts: Mapping[str, float] = {"signs": SIGNS, "match_pay": MATCH, "most_rounds": MAX_ROUNDS}

    def seated(self, setup: Setup) -> tuple[Seat, ...]:  # noqa: ARG002
        """Both seats."""
        return self.seats

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        whole("rounds", setup.rounds, 1, MAX_ROUNDS)
        return State(setup, derive_keys(seed, secret))

    def to_move(self, state: State) -> frozenset[Seat]:
        """The sender, then the receiver, in every round."""
        return frozenset() if _ended(state) else frozenset((_mover(state),))

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after a message or an act. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        sign = moves[_mover(state)].sign
        if not 0 <= sign < SIGNS:
            problem = Refusal("no_such_sign", f"sign is a whole number from 0 to {SIGNS - 1}")
            refused = tuple(problem if seat in moves else None for seat in SEATS)
            after = replace(state, refused=refused, tries=counted(state.tries, refused))
            return _step(after, dict.fromkeys(SEATS, 0.0) if _ended(after) else {})
        if state.message is None:
            return Step(replace(state, message=sign, refused=(None, None)), {})
        drawn = drawn_state(state.keys, len(state.past))
        done = Round(drawn, state.message, sign, sign == drawn)
        after = replace(state, past=(*state.past, done), message=None, refused=(None, None))
        return _step(after, dict.fromkeys(SEATS, MATCH if done.matched else 0.0))

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        ended = _ended(state)
        shown = viewer.role == "observer" or ended is not None
        sees = ended is None and (shown or viewer.seat == SENDER)
        rounds = state.setup.rounds
        return View(
            viewer.seat,
            min(len(state.past) + 1, rounds),
            rounds,
            drawn_state(state.keys, len(state.past)) if sees else None,
            state.message,
            state.past,
            None if viewer.seat is None else state.refused[SEATS.index(viewer.seat)],
            ended,
            {"states": tuple(drawn_state(state.keys, index) for index in range(rounds))} if shown else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """`void`, `error`: see `blame`. `match`: the share of all the rounds in which the act was the state's;
        `reward`: what they paid. Rounds that were not played match nothing."""
        found = blame(seat, gave_out(state.tries, SEATS))
        if found["void"]:
            return found
        matched = sum(done.matched for done in state.past)
        return found | {"match": matched / state.setup.rounds, "reward": MATCH * matched}


def drawn_state(keys: Keys, index: int) -> int:
    """The state of the round with this index, from 0."""
    return Draws(keys.facts[0]).integer(0, SIGNS - 1, index, _STATE)


def _mover(state: State) -> Seat:
    return SENDER if state.message is None else RECEIVER


def _step(after: State, paid: Mapping[Seat, float]) -> Step:
    ended = _ended(after)
    events = () if ended is None else (Event("end", len(after.past), None, {"reason": ended}),)
    return Step(after, {seat: {"match": value} for seat, value in paid.items()}, events)


def _ended(state: State) -> str | None:
    if len(state.past) == state.setup.rounds:
        return PLAYED
    return VOID if gave_out(state.tries, SEATS) else None
