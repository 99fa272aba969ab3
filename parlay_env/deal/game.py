"""The deal as a `Game`: the rules of `rules.py`, the pay of `grader.py`, the view of `views.py`."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from parlay_env import grader
from parlay_env.core import EpisodeOver, Event, Seat, Step, Viewer, WrongSeat
from parlay_env.deal import rules, views
from parlay_env.deal.instance import first_state
from parlay_env.deal.state import SEATS, Move, Public, Setup, State, with_seat
from parlay_env.deal.terms import terms_of

_TO_MOVE = (frozenset((SEATS[0],)), frozenset((SEATS[1],)), frozenset())


class Deal:
    """A bilateral negotiation under hidden information.

    Description: two seats bargain over a price, or over several issues, for at most twenty turns. Each knows its own
        limit, urgency, alternative and deadline, and not the other's.
    Action space: `Move`: words, at most one of {offer, accept, walk away}, at most one of {card, question}; besides, a
        belief report, an estimate of what an event did, a challenge.
    Observation space: `View`: the public history and one's own facts.
    Starting state: `Setup` and a seed draw both seats' facts; who opens is drawn too.
    Rewards: `grader.py`; what depends on hidden facts is paid with the end.
    Episode end: deal, walk_away, timeout, zopa_collapsed, forfeit.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: docs/rules.md.
    """

    id = "deal"
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a seed outside 0…2⁵³−1."""
        return replace(first_state(setup, seed, secret), books=grader.open_books(setup))

    def to_move(self, state: State) -> frozenset[Seat]:
        """The seat that moves next; nobody after the end."""
        return _TO_MOVE[state.public.mover]

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after this move. Raises EpisodeOver and WrongSeat."""
        seat = state.public.mover
        if seat < 0:
            raise EpisodeOver("the episode is over")
        if len(moves) != 1 or SEATS[seat] not in moves:
            raise WrongSeat(f"it is the {SEATS[seat]}'s move")
        move, terms = moves[SEATS[seat]], terms_of(state.setup.scenario)
        if found := rules.problem_with(state, terms, seat, move):
            after = rules.invalid(state, seat, found)
            if state.books[seat] is not None:
                after = replace(after, books=with_seat(state.books, seat, grader.book_invalid(state, seat)))
                if after.public.ended is None and grader.exhausted(after, seat):
                    after = rules.forfeited(after, seat)
        else:
            after = rules.apply(state, terms, seat, move)
            if state.books[seat] is not None:
                after = replace(after, books=with_seat(state.books, seat, grader.book_move(state, after, seat, move)))
            if state.books[seat] is not None and grader.exhausted(after, seat):
                after = rules.forfeited(after, seat)
            else:
                after = rules.go_on(after, terms, seat, move)
        return _paid(state.public, after)

    def view(self, state: State, viewer: Viewer) -> views.View:
        """What this viewer may see."""
        return views.view(state, viewer)


def _paid(before: Public, state: State) -> Step:
    """The step into this state: a seat is paid when it is next to move, and all that is left with the end."""
    rewards: dict[Seat, Mapping[str, float]] = {}
    books, public = state.books, state.public
    if public.ended is not None:
        final: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for seat, book in enumerate(books):
            if book is not None:
                settled, rewards[SEATS[seat]], terminal = grader.settle(state, seat)
                books = with_seat(books, seat, settled)
                final = with_seat(final, seat, dict(terminal))
        state = replace(state, books=books, final=final)
    else:
        mover = public.mover
        book = books[mover]
        if book is not None and book.row is not None:
            paid, rewards[SEATS[mover]] = grader.pay(state, mover)
            state = replace(state, books=with_seat(books, mover, paid))
    return Step(state, rewards, _events(before, public))


def _events(before: Public, after: Public) -> tuple[Event, ...]:
    """What the mechanism did by itself."""
    if after.turn == before.turn and after.ended is None:
        return ()
    found = [Event("headline", news.turn, None, {"words": news.words}) for news in after.news[len(before.news) :]]
    if after.ticks > before.ticks:
        found.append(Event("erosion", after.turn, None, {"ticks": after.ticks}))
    if after.ended is not None:
        seat = None if after.ended.seat is None else SEATS[after.ended.seat]
        found.append(Event("end", after.ended.turn, seat, {"reason": after.ended.reason}))
    return tuple(found)
