"""Rock, paper, scissors after talk: words that cost nothing, and may be true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import PLAYED, VOID, Refusal, advantage, blame, check_moves, counted, gave_out
from parlay_env.games.messages import Said, Spoken, Thought, Turn, opened
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

Play = Literal["rock", "paper", "scissors"]
Table = tuple[tuple[float, ...], ...]

SEATS: tuple[Seat, Seat] = ("first", "second")
PLAYS: tuple[Play, ...] = get_args(Play)
BEATEN_BY: Mapping[Play, Play] = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
"""What beats each."""
MESSAGES = 5
"""How many messages each may send."""
WIN, TIE, LOSS = 2.0, 1.0, 0.0
ERROR = -1.0
"""What a move that is not allowed is worth to who made it; the other's episode is void, and worth 0."""
ERRORS = 1
"""A seat's moves that are not allowed, with which the episode is void: nobody tries twice."""
_BEGINS = Purpose.OPENER


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`no_paper`: may the `limited` seat not play paper? That seat alone is told."""

    no_paper: bool = False
    limited: Seat = SEATS[0]


class Move(Spoken, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A message or a play, after thinking; in a text, `<play>` holds one of the three words."""

    play: Play | None = None


class State(msgspec.Struct, frozen=True):
    """An episode. `mover`: whose turn it is, 0 or 1. `plays`, `refused`, `tries`: by seat."""

    setup: Setup
    keys: Keys
    mover: int
    said: tuple[Said, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    plays: tuple[Play | None, Play | None] = (None, None)
    refused: tuple[Refusal | None, ...] = (None, None)
    tries: tuple[int, ...] = (0, 0)


class Truth(msgspec.Struct, frozen=True):
    """What was hidden. `plays`: by seat; `limited`: who may not play paper; `wrong`: who made an error."""

    plays: tuple[Play | None, Play | None]
    thoughts: tuple[Thought, ...]
    limited: Seat | None
    wrong: Seat | None
    error: Refusal | None


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. Pairs are by seat, `first` before `second`.

    `rules`: the rules as this seat knows them; `may`: what it may play; `mover`: whose turn it is; `left`: messages
    that each may still send; `played`: who has played; `own`: what this seat has played; `talks`: may who moves talk?
    """

    seat: Seat | None
    rules: str
    may: tuple[Play, ...]
    mover: Seat | None
    talks: bool
    left: tuple[int, int]
    said: tuple[Said, ...]
    played: tuple[bool, bool]
    own: Play | None
    invalid: Refusal | None
    ended: str | None
    truth: Truth | None


def allowed(setup: Setup, seat: Seat) -> tuple[Play, ...]:
    """What a seat may play, in the order of `PLAYS`."""
    limited = setup.no_paper and seat == setup.limited
    return tuple(play for play in PLAYS if not (limited and play == "paper"))


def points(own: Play, other: Play) -> float:
    """What one's play is worth against the other's: 2, 1 or 0."""
    if own == other:
        return TIE
    return WIN if BEATEN_BY[other] == own else LOSS


def payoffs(setup: Setup) -> tuple[Table, Table]:
    """The pay-offs without the talk, to the first and to the second seat, each as rows by what the first plays and
    columns by what the second plays, as `allowed` lists them."""
    rows, columns = (allowed(setup, seat) for seat in SEATS)
    first = tuple(tuple(points(row, column) for column in columns) for row in rows)
    second = tuple(tuple(points(column, row) for column in columns) for row in rows)
    return first, second


def turn_of(move: Move) -> Turn[Play] | Refusal:
    """What a move says, in parts or in one text, or why it is none in any state."""
    return opened(move, move.play, _read)


class RpsTalk:
    """Rock, paper, scissors with up to five messages each.

    Description: two players take turns; at each, one sends a message or plays. A play stays hidden until both have
    played, and once one has played the other must. Talk is free and binds nobody.
    Action space: `Move`: private thinking, then a message or `rock`, `paper`, `scissors`.
    Observation space: `View`: the messages, who has played, what one may play oneself.
    Starting state: the seed draws who begins.
    Rewards: `points`: 2 for a win, 1 for a tie, 0 for a loss. `error`: −1 for a move that is not allowed; `void`: 0 to
    the other.
    Episode end: `played` when both have; `void` at the first move that is not allowed.
    Arguments: see `Setup`; with `no_paper`, one seat may not play paper, and the other does not know.
    Version history: 1, first.
    References: Farrell & Rabin 1996, "Cheap Talk", Journal of Economic Perspectives 10(3).
    """

    id = "rps_talk"
    title = "Rock, paper, scissors, and talk"
    rules = (
        "You and another player take turns. At your turn you may think in private, and then either send the other a "
        "message or play rock, paper or scissors. Each of you may send up to five messages of at most 500 characters. "
        "What you play stays hidden until both have played; once one of you has played, the other must play at their "
        "next turn. Paper beats rock, rock beats scissors, scissors beat paper. A win pays 2, a tie 1, a loss 0. "
        "Messages need not be true. A move that is not allowed ends the game at once: it costs who made it 1, and the "
        "other is paid nothing."
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (ERROR, WIN)
    by_seat: frozenset[str] = frozenset(("left", "played", "plays"))
    facts: Mapping[str, float] = {"messages": MESSAGES, "win": WIN, "tie": TIE, "loss": LOSS, "error": ERROR}

    def seated(self, setup: Setup) -> tuple[Seat, ...]:  # noqa: ARG002
        """Both seats."""
        return self.seats

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        if setup.limited not in SEATS:
            raise ValueError(f"limited is one of {', '.join(SEATS)}")
        keys = derive_keys(seed, secret)
        return State(setup, keys, Draws(keys.visible).integer(0, 1, 0, _BEGINS))

    def to_move(self, state: State) -> frozenset[Seat]:
        """Whose turn it is."""
        return frozenset() if _ended(state) else frozenset((SEATS[state.mover],))

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after a message or a play. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        after = _after(state, moves[SEATS[state.mover]])
        ended = _ended(after)
        if ended is None:
            return Step(after, {})
        return Step(after, _rewards(after), (Event("end", 1, None, {"reason": ended}),))

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        ended, seat = _ended(state), viewer.seat
        at = None if seat is None else SEATS.index(seat)
        may = PLAYS if seat is None else allowed(state.setup, seat)
        return View(
            seat,
            self.rules if may == PLAYS else f"{self.rules} {LIMIT}",
            may,
            None if ended else SEATS[state.mover],
            ended is None and _may_talk(state),
            _left(state),
            state.said,
            (state.plays[0] is not None, state.plays[1] is not None),
            None if at is None else state.plays[at],
            None if at is None else state.refused[at],
            ended,
            _truth(state) if viewer.role == "observer" or ended else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """Of an ended episode. `void`, `error`: see `blame`; with an error one has not won. `win`, `tie`: 1 or 0 (the
        mean of `win` is the win rate; a tie is none). `nra`, `nra_abs`: see `advantage`; of the two rewards, in
        episodes without an error."""
        at, found = SEATS.index(seat), blame(seat, _wrong(state))
        if found["void"]:
            return found
        own, other = state.plays[at], state.plays[1 - at]
        if found["error"] or own is None or other is None:
            return found | {"win": 0.0, "tie": 0.0, "reward": ERROR}
        mine, theirs = points(own, other), points(other, own)
        return found | {
            "win": float(mine == WIN),
            "tie": float(mine == TIE),
            "reward": mine,
            **advantage(mine, theirs),
        }


LIMIT = "But you may not play paper in this game, and the other player has not been told so: to play it is an error."
"""What a limited seat's rules say besides."""


def _after(state: State, move: Move) -> State:
    at, seat = state.mover, SEATS[state.mover]
    turn = turn_of(move)
    problem = turn if isinstance(turn, Refusal) else _problem(state, turn)
    if problem is not None or isinstance(turn, Refusal):
        refused = tuple(problem if one == seat else None for one in SEATS)
        return replace(state, refused=refused, tries=counted(state.tries, refused))
    number = 1 + len(state.said) + sum(play is not None for play in state.plays)
    thoughts = (*state.thoughts, Thought(seat, number, turn.think)) if turn.think else state.thoughts
    after = replace(state, thoughts=thoughts, mover=1 - at)
    if turn.talk is not None:
        return replace(after, said=(*state.said, Said(seat, turn.talk)))
    plays = (turn.play, state.plays[1]) if at == 0 else (state.plays[0], turn.play)
    return replace(after, plays=plays)


def _read(words: str) -> Play | Refusal:
    for play in PLAYS:
        if words == play:
            return play
    return Refusal("no_such_play", f"<play> holds one of {', '.join(PLAYS)}")


def _problem(state: State, turn: Turn[Play]) -> Refusal | None:
    may = allowed(state.setup, SEATS[state.mover])
    if turn.play is not None:
        return None if turn.play in may else Refusal("not_allowed", f"you may play {' or '.join(may)}")
    if state.plays[1 - state.mover] is not None:
        return Refusal("must_play", "the other has played: now play")
    return None if _may_talk(state) else Refusal("no_messages_left", f"all {MESSAGES} messages are sent: now play")


def _left(state: State) -> tuple[int, int]:
    first = sum(said.seat == SEATS[0] for said in state.said)
    return MESSAGES - first, MESSAGES - (len(state.said) - first)


def _may_talk(state: State) -> bool:
    return state.plays == (None, None) and _left(state)[state.mover] > 0


def _rewards(state: State) -> dict[Seat, dict[str, float]]:
    if wrong := _wrong(state):
        return {seat: {"error": ERROR} if seat in wrong else {"void": 0.0} for seat in SEATS}
    first, second = state.plays
    assert first is not None and second is not None
    return {SEATS[0]: {"points": points(first, second)}, SEATS[1]: {"points": points(second, first)}}


def _truth(state: State) -> Truth:
    limited = state.setup.limited if state.setup.no_paper else None
    wrong, error = next(iter(_wrong(state)), None), next(filter(None, state.refused), None)
    return Truth(state.plays, state.thoughts, limited, wrong, error)


def _wrong(state: State) -> tuple[Seat, ...]:
    return gave_out(state.tries, SEATS, ERRORS)


def _ended(state: State) -> str | None:
    if _wrong(state):
        return VOID
    return None if None in state.plays else PLAYED
