"""Two sellers of one product name prices, round after round, and may talk before each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import (
    LAST_TRY,
    PLAYED,
    VOID,
    Refusal,
    advantage,
    blame,
    check_moves,
    counted,
    gave_out,
    whole,
)
from parlay_env.games.messages import Said, Spoken, Thought, Turn, opened
from parlay_env.games.products import COUNT, Market, products
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

Table = tuple[tuple[float, ...], ...]

SEATS: tuple[Seat, Seat] = ("first", "second")
ROUNDS = 5
MESSAGES = 2
"""How many messages each may send in a round."""
PMAX = (40, 10_000)
"""The ceiling price of a market that one brings along."""
BUYERS_AT_LEAST = 40
"""pmax is so many times den, and twice the cost: then at least nine pieces sell at a monopolist's price, and even
whole markets sold at price 0 lose less than nine monopoly profits."""
WORST = -9.0
_BEGINS, _PRODUCT = Purpose.OPENER, Purpose.POLICY


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`product`: which of the catalogue, from 0; None: the seed draws it. `market`: another one, instead."""

    product: int | None = None
    market: Market | None = None


class Move(Spoken, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A message or a price, after thinking; in a text, `<play>` holds the digits of the price."""

    play: int | None = None


class Round(msgspec.Struct, frozen=True):
    """A round that is over, by seat: the `prices`, the pieces sold, the raw `profits` in coins."""

    prices: tuple[int, int]
    units: tuple[int, int]
    profits: tuple[int, int]


class State(msgspec.Struct, frozen=True):
    """An episode. `began`: who began the first round, 0 or 1; `mover`: whose turn it is; `prices`: of this round."""

    setup: Setup
    keys: Keys
    market: Market
    began: int
    mover: int
    said: tuple[Said, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    prices: tuple[int | None, int | None] = (None, None)
    past: tuple[Round, ...] = ()
    refused: tuple[Refusal | None, ...] = (None, None)
    tries: tuple[int, ...] = (0, 0)
    moves: int = 0


class Truth(msgspec.Struct, frozen=True):
    """What was hidden. `prices`: this round's, by seat; `wrong`: whose refused moves made the episode void."""

    prices: tuple[int | None, int | None]
    thoughts: tuple[Thought, ...]
    wrong: Seat | None


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. Pairs are by seat, `first` before `second`.

    `round`: from 1, of `rounds`; `mover`: whose turn it is; `talks`: may who moves talk? `left`: messages that each may
    still send in this round; `priced`: who has named a price in it; `own`: the price that this seat has named; `past`:
    the rounds that are over; `invalid`: why one's last move was not played.
    """

    seat: Seat | None
    market: Market
    round: int
    rounds: int
    mover: Seat | None
    talks: bool
    left: tuple[int, int]
    said: tuple[Said, ...]
    priced: tuple[bool, bool]
    own: int | None
    past: tuple[Round, ...]
    invalid: Refusal | None
    ended: str | None
    truth: Truth | None


def demand(market: Market, price: int) -> int:
    """Pieces that one seller alone sells at this price: max(0, ⌊(pmax − p)/den⌋)."""
    return max(0, (market.pmax - price) // market.den)


def outcome(market: Market, prices: tuple[int, int]) -> Round:
    """What a round's prices bring: the cheaper sells all the demand, at a tie each sells ⌊(pmax − p)/(2·den)⌋."""
    first, second = prices
    if first == second:
        sold = max(0, (market.pmax - first) // (2 * market.den))
        units = (sold, sold)
    else:
        units = (demand(market, first), 0) if first < second else (0, demand(market, second))
    return Round(prices, units, ((first - market.cost) * units[0], (second - market.cost) * units[1]))


def _alone(market: Market, price: int) -> int:
    """What a sole seller earns at this price, in coins."""
    return (price - market.cost) * demand(market, price)


def _best_below(market: Market, price: int) -> int:
    """The price below this one, which is 1 to pmax + 1, at which a sole seller earns most, the lowest such.

    Of the prices at which k pieces are sold the highest earns most, so only price − 1 and those of the form
    pmax − k·den are in question; the latter earn k·(pmax − c − k·den), which is concave in k: best beside
    (pmax − c)/(2·den), or as near to it as the price lets k be. No loop: scripted players ask this while others wait.
    """
    top = price - 1
    peak = (market.pmax - market.cost) // (2 * market.den)
    fewest, most = -(-(market.pmax - top) // market.den), market.pmax // market.den
    pieces = [min(max(k, fewest), most) for k in (peak, peak + 1)] if fewest <= most else []
    candidates = [top, *(market.pmax - k * market.den for k in pieces)]
    return max(candidates, key=lambda one: (_alone(market, one), -one))


def monopoly_price(market: Market) -> int:
    """The price at which a sole seller earns most, the lowest such."""
    return _best_below(market, market.pmax + 1)


def monopoly_profit(market: Market) -> int:
    """The most that a sole seller earns in a round, in coins."""
    return _alone(market, monopoly_price(market))


def best_reply(market: Market, price: int) -> int:
    """The price that earns most against this one, the lowest such; pmax, where nothing earns more than nothing.

    Below it the best of all prices is in question, beside the same, and any above (nothing is sold)."""
    candidates = [price, market.pmax] if price <= market.pmax else [market.pmax]
    if price > 0:
        candidates.insert(0, _best_below(market, min(price, market.pmax + 1)))
    return max(candidates, key=lambda own: outcome(market, (own, price)).profits[0])


def nash_prices(market: Market) -> tuple[int, ...]:
    """The prices that, named by both, are a Nash equilibrium of one round in pure strategies, ascending (Bertrand
    1883; on whole coins the cost itself and a few coins above it).

    In question are the cost and two coins more. Below the cost who sells loses; from three coins above it, a coin less
    keeps at least two thirds of what a piece earns, on all the pieces in place of half.
    """
    return tuple(price for price in range(market.cost, market.cost + 3) if _holds(market, price))


def _holds(market: Market, price: int) -> bool:
    """Does nobody gain by leaving this price, if both name it?"""
    earned = outcome(market, (price, price)).profits[0]
    return earned >= (max(0, _alone(market, _best_below(market, price))) if price else 0)


def payoffs(market: Market, prices: Sequence[int]) -> tuple[Table, Table]:
    """One round's pay-offs without the talk, on a grid of prices, in shares of the monopoly profit: to the first and to
    the second seat, each as rows by the first's price and columns by the second's."""
    scale = monopoly_profit(market)
    rounds = [[outcome(market, (row, column)).profits for column in prices] for row in prices]
    first, second = (tuple(tuple(pair[seat] / scale for pair in row) for row in rounds) for seat in (0, 1))
    return first, second


class Bertrand:
    """Price competition between two sellers who may talk.

    Description: five rounds. In each, two sellers of the same product take turns; at each turn one sends a message or
    names a whole price. A price stays hidden until both are named, and once one has named its own the other must. The
    cheaper seller serves all buyers; at the same price they share them.
    Action space: `Move`: private thinking, then a message (two a round each) or a price from 0 to pmax.
    Observation space: `View`: the market, the messages, the rounds that are over.
    Starting state: the seed draws the product, where the setup names none, and who begins; then they take it in turns.
    Rewards: `profit`, at each round's end: (p − c)·D, divided by the profit of a monopolist and by five. An episode's
    sum is the measure NE: 1 is five times a monopolist's profit, 0.5 a cartel's half, about 0 the Nash equilibrium.
    Episode end: `played` after five rounds; `void` when one seat has sent eight moves that are not allowed.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: Bertrand 1883, Journal des Savants. Calvano et al. 2020, "Artificial Intelligence, Algorithmic Pricing,
    and Collusion", American Economic Review 110(10).
    """

    id = "bertrand"
    title = "Two sellers, one product"
    rules = (
        "You and another seller offer the same product for five rounds. A piece costs both of you the same to make. In "
        "each round you take turns: at your turn you may think in private, and then either send the other a message "
        "(two each in a round, at most 500 characters) or name your price, a whole number of coins from 0 to pmax. A "
        "price stays hidden until both are named; once one of you has named a price, the other must at their next "
        "turn. Then whoever is cheaper sells (pmax − price) / den pieces, rounded down, and the other none; at the "
        "same price each sells (pmax − price) / (2 × den), rounded down. Your profit is (price − cost) for each piece "
        "that you sell, and you want as much of it as you can get over the five rounds. Messages need not be true. "
        f"{LAST_TRY}"
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (WORST, 1.0)
    by_seat: frozenset[str] = frozenset(("left", "priced", "prices", "units", "profits"))
    facts: Mapping[str, float] = {"rounds": ROUNDS, "messages": MESSAGES, "least_pmax": PMAX[0], "most_pmax": PMAX[1]}

    def seated(self, setup: Setup) -> tuple[Seat, ...]:  # noqa: ARG002
        """Both seats."""
        return self.seats

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        keys = derive_keys(seed, secret)
        draws = Draws(keys.visible)
        if setup.market is not None:
            market = _checked(setup.market)
        else:
            number = draws.integer(0, COUNT - 1, 0, _PRODUCT) if setup.product is None else setup.product
            whole("product", number, 0, COUNT - 1)
            market = products()[number]
        began = draws.integer(0, 1, 0, _BEGINS)
        return State(setup, keys, market, began, began)

    def to_move(self, state: State) -> frozenset[Seat]:
        """Whose turn it is."""
        return frozenset() if _ended(state) else frozenset((SEATS[state.mover],))

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after a message or a price; at a round's end both are paid. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        after = _after(state, moves[SEATS[state.mover]])
        ended = _ended(after)
        events = () if ended is None else (Event("end", _round(after), None, {"reason": ended}),)
        if len(after.past) > len(state.past):
            share = after.past[-1].profits
            scale = monopoly_profit(state.market) * ROUNDS
            return Step(after, {seat: {"profit": share[i] / scale} for i, seat in enumerate(SEATS)}, events)
        return Step(after, {seat: {"profit": 0.0} for seat in SEATS} if ended else {}, events)

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        ended = _ended(state)
        at = None if viewer.seat is None else SEATS.index(viewer.seat)
        shown = viewer.role == "observer" or ended is not None
        return View(
            viewer.seat,
            state.market,
            _round(state),
            ROUNDS,
            None if ended else SEATS[state.mover],
            ended is None and _may_talk(state),
            _left(state),
            state.said,
            (state.prices[0] is not None, state.prices[1] is not None),
            None if at is None else state.prices[at],
            state.past,
            None if at is None else state.refused[at],
            ended,
            Truth(state.prices, state.thoughts, next(iter(_wrong(state)), None)) if shown else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """Of an ended episode. `void`, `error`: see `blame`. Rounds that were not played bring nothing. `ne`: profit /
        monopoly profit / 5, the reward; `profit` in coins; `win`: 1 for more profit than the other, 0.5 for the same, 0
        with an error of one's own, so that nobody runs off with a lead; `price`: the mean of its prices, from 0 at the
        cost to 1 at the monopoly price; `nra`, `nra_abs`: see `advantage`; of the profits, in episodes without an
        error."""
        at, wrong = SEATS.index(seat), _wrong(state)
        found = blame(seat, wrong)
        if found["void"]:
            return found
        sums = [sum(over.profits[i] for over in state.past) for i in (0, 1)]
        own, other = sums[at], sums[1 - at]
        found |= {
            "ne": own / monopoly_profit(state.market) / ROUNDS,
            "profit": float(own),
            "win": 0.0 if wrong else 0.5 if own == other else float(own > other),
        }
        if state.past:
            mean = sum(over.prices[at] for over in state.past) / len(state.past)
            found["price"] = (mean - state.market.cost) / (monopoly_price(state.market) - state.market.cost)
        return found if wrong else found | advantage(own, other)


def _checked(market: Market) -> Market:
    whole("market.pmax", market.pmax, *PMAX)
    whole("market.cost", market.cost, 0, market.pmax // 2)
    whole("market.den", market.den, 1, market.pmax // BUYERS_AT_LEAST)
    if not 1 <= len(market.name) <= 80 or not market.name.isprintable():
        raise ValueError("market.name is a name of 1 to 80 printable characters")
    return market


def _after(state: State, move: Move) -> State:
    at, seat = state.mover, SEATS[state.mover]
    turn = opened(move, move.play, _read)
    problem = turn if isinstance(turn, Refusal) else _problem(state, turn)
    if problem is not None or isinstance(turn, Refusal):
        refused = tuple(problem if one == seat else None for one in SEATS)
        return replace(state, refused=refused, tries=counted(state.tries, refused))
    thoughts = (*state.thoughts, Thought(seat, state.moves + 1, turn.think)) if turn.think else state.thoughts
    after = replace(state, thoughts=thoughts, mover=1 - at, refused=(None, None), moves=state.moves + 1)
    if turn.talk is not None:
        return replace(after, said=(*state.said, Said(seat, turn.talk, _round(state))))
    first, second = prices = (turn.play, state.prices[1]) if at == 0 else (state.prices[0], turn.play)
    if first is None or second is None:
        return replace(after, prices=prices)
    past = (*state.past, outcome(state.market, (first, second)))
    return replace(after, prices=(None, None), past=past, mover=(state.began + len(past)) % 2)


def _read(words: str) -> int | Refusal:
    if words.isascii() and words.isdigit() and len(words) <= len(str(PMAX[1])):
        return int(words)
    return Refusal("no_price", "<play> holds the digits of a whole price")


def _problem(state: State, turn: Turn[int]) -> Refusal | None:
    if turn.play is not None:
        pmax = state.market.pmax
        return (
            None if 0 <= turn.play <= pmax else Refusal("no_such_price", f"a price is a whole number from 0 to {pmax}")
        )
    if state.prices[1 - state.mover] is not None:
        return Refusal("must_play", "the other has named a price: now name yours")
    if _may_talk(state):
        return None
    return Refusal("no_messages_left", f"all {MESSAGES} messages of this round are sent: now name a price")


def _round(state: State) -> int:
    """The round that is played, from 1; after the last, the last."""
    return min(ROUNDS, len(state.past) + 1)


def _left(state: State) -> tuple[int, int]:
    sent = [said.seat for said in state.said if said.round == len(state.past) + 1]
    return MESSAGES - sent.count(SEATS[0]), MESSAGES - sent.count(SEATS[1])


def _may_talk(state: State) -> bool:
    return state.prices == (None, None) and _left(state)[state.mover] > 0


def _wrong(state: State) -> tuple[Seat, ...]:
    return gave_out(state.tries, SEATS)


def _ended(state: State) -> str | None:
    if len(state.past) == ROUNDS:
        return PLAYED
    return VOID if _wrong(state) else None
