"""Teamwork: everybody is paid what the team is worth, so that nobody can tell their own part of it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import AGAIN, PLAYED, VOID, Refusal, blame, check_moves, counted, gave_out, share, whole
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

SEATS: tuple[Seat, ...] = tuple(f"agent_{number}" for number in range(1, 9))
MAX_ROUNDS = 100
MAX_NOISE = 0.5
WIDEST = 2 * math.sqrt(3)
"""No noise is further from 0 than this many standard deviations (see `Draws.normal`)."""

_NOISE = Purpose.POLICY


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`players`: how many, 2 to 8; `rounds`: how often they choose, 1 to 100; `noise`: the standard deviation of what
    is added to a round's pay, 0 to 0.5."""

    players: int = 4
    rounds: int = 1
    noise: float = 0.1


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`work`: 1 to work, 0 not to."""

    work: int


class State(msgspec.Struct, frozen=True):
    """An episode. `worked`: everybody's choices, a row for each round that is over; `paid`: what each of those rounds
    paid everybody; `refused`, `tries`: by seat."""

    setup: Setup
    keys: Keys
    refused: tuple[Refusal | None, ...]
    tries: tuple[int, ...]
    worked: tuple[tuple[int, ...], ...] = ()
    paid: tuple[float, ...] = ()


class Own(msgspec.Struct, frozen=True):
    """What a seat knows of a round that is over: what it did, and what everybody was paid."""

    work: int
    paid: float


class Truth(msgspec.Struct, frozen=True):
    """What was hidden of the rounds that are over: everybody's choices, a row for each, and the noise in each."""

    worked: tuple[tuple[int, ...], ...]
    noise: tuple[float, ...]


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. `round` counts from 1; `noise`: its standard deviation; `past`: the rounds that are over, as
    this seat knows them; `invalid`: why one's last move was not played."""

    seat: Seat | None
    players: int
    round: int
    rounds: int
    noise: float
    past: tuple[Own, ...]
    invalid: Refusal | None
    ended: str | None
    truth: Truth | None


class Teamwork:
    """Credit where many are paid for the work of all.

    Description: in every round each of n agents works or does not, all at the same time; work costs nothing. All are
    paid the share that worked, and some noise, the same for all.
    Action space: `Move`: 1 to work, 0 not to.
    Observation space: `View`: what one did in each round that is over, and what was paid; nothing of what others did.
    Starting state: every round's noise has mean 0, the setup's standard deviation, and is at most 2√3 of those.
    Rewards: `team`: the share that worked, plus the noise, to all, in every round.
    Episode end: `played` after the last round; `void` when one seat has no more tries.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: Wolpert & Tumer 2002, Optimal Payoff Functions for Members of Collectives, Advances in Complex Systems
    (the difference reward).
    """

    id = "teamwork"
    title = "The work of many"
    rules = (
        "You are one of a team. In every round each of you chooses, at the same time and without a word, to work (1) "
        "or not to work (0). Working costs you nothing. Then every one of you is paid the same: the share of the team "
        "that worked, from 0 to 1, plus a random amount, positive or negative, that nobody can foresee. You are told "
        "what you were paid, not who worked. "
        f"{AGAIN}"
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (-WIDEST * MAX_NOISE * MAX_ROUNDS, (1 + WIDEST * MAX_NOISE) * MAX_ROUNDS)
    by_seat: frozenset[str] = frozenset(("worked",))
    facts: Mapping[str, float] = {
        "most_players": len(SEATS),
        "most_rounds": MAX_ROUNDS,
        "most_noise": MAX_NOISE,
        "widest_noise": WIDEST,
    }

    def seated(self, setup: Setup) -> tuple[Seat, ...]:
        """The first so many seats."""
        return SEATS[: setup.players]

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        whole("players", setup.players, 2, len(SEATS))
        whole("rounds", setup.rounds, 1, MAX_ROUNDS)
        share("noise", setup.noise, 0.0, MAX_NOISE)
        keys = derive_keys(seed, secret, len(SEATS))
        return State(setup, keys, (None,) * setup.players, (0,) * setup.players)

    def to_move(self, state: State) -> frozenset[Seat]:
        """All who are seated, once in every round."""
        return frozenset() if _ended(state) else frozenset(self.seated(state.setup))

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after everybody's choice. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        seated = self.seated(state.setup)
        chosen = tuple(moves[seat].work for seat in seated)
        refused = tuple(_problem(work) for work in chosen)
        if any(refused):
            after, paid = replace(state, refused=refused, tries=counted(state.tries, refused)), 0.0
        else:
            paid = sum(chosen) / len(chosen) + noise(state, len(state.paid))
            after = replace(state, worked=(*state.worked, chosen), paid=(*state.paid, paid), refused=refused)
        ended = _ended(after)
        if after.worked is state.worked and ended is None:
            return Step(after, {})
        events = () if ended is None else (Event("end", len(after.worked), None, {"reason": ended}),)
        return Step(after, {seat: {"team": paid} for seat in seated}, events)

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        setup, ended = state.setup, _ended(state)
        shown = viewer.role == "observer" or ended is not None
        place = _place(setup, viewer.seat)
        rounds = zip(state.worked, state.paid, strict=True)
        return View(
            viewer.seat,
            setup.players,
            min(len(state.worked) + 1, setup.rounds),
            setup.rounds,
            setup.noise,
            () if place is None else tuple(Own(row[place], paid) for row, paid in rounds),
            None if place is None else state.refused[place],
            ended,
            Truth(state.worked, tuple(noise(state, index) for index in range(len(state.worked)))) if shown else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """`void`, `error`: see `blame`. `work`: the share of all choices that were work; `difference`: a seat's
        difference reward, the mean over the rounds of what was paid less what would have been paid had this seat alone
        not worked (Wolpert & Tumer 2002); the noise is in both, so it is the seat's own part and nothing else. Of who
        made an episode void, both are means over all the rounds of the setup, and in those that it lacks nobody
        worked: else it could work once, make the episode void, and be measured as if it always had. `reward`: all that
        was paid."""
        found = blame(seat, gave_out(state.tries, self.seated(state.setup)))
        if found["void"]:
            return found
        place = _place(state.setup, seat)
        found["reward"] = sum(state.paid)
        if place is None:
            return found
        choices = state.setup.rounds * state.setup.players
        work = sum(map(sum, state.worked)) / choices
        return found | {"work": work, "difference": sum(row[place] for row in state.worked) / choices}


def noise(state: State, index: int) -> float:
    """What is added to the pay of the round with this index, from 0."""
    return state.setup.noise * Draws(state.keys.hidden).normal(index, _NOISE)


def _place(setup: Setup, seat: Seat | None) -> int | None:
    """A seat's place in a row, from 0; None for an observer and for a seat that is not played."""
    return SEATS.index(seat) if seat in SEATS[: setup.players] else None


def _problem(work: int) -> Refusal | None:
    return None if work in (0, 1) else Refusal("no_such_choice", "work is 1 to work or 0 not to")


def _ended(state: State) -> str | None:
    if len(state.worked) == state.setup.rounds:
        return PLAYED
    return VOID if gave_out(state.tries, SEATS[: state.setup.players]) else None
