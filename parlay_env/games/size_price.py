"""A buyer and a seller agree on how many and for how much, each knowing only what it is worth to themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import LAST_TRY, VOID, Refusal, advantage, blame, check_moves, counted, gave_out, whole
from parlay_env.games.messages import Spoken, Thought, Turn, opened
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

Table = tuple[tuple[float, ...], ...]

SEATS: tuple[Seat, Seat] = ("buyer", "seller")
VALUES = (30, 150)
"""What the first unit may be worth to the buyer, in coins; each number as likely. The k-th is worth a k-th of it."""
COSTS = (10, 50)
"""What a unit may cost the seller, in coins; each number as likely. About one pair in 21 leaves no gains from trade."""
UNITS = (1, 20)
PRICES = (1, 200)
TURNS = (2, 40)
LEAST_SCALE = 20.0
"""Coins that a reward of 1 stands for where the best deal is worth less, or nothing."""
_BEGINS, _WORTH, _COST = Purpose.OPENER, Purpose.POLICY, Purpose.POLICY + 1


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`turns`: moves of both together, after which there is no deal. `value`, `cost`: None: the seed draws it."""

    turns: int = 10
    value: int | None = None
    cost: int | None = None


class Offer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So many units, at this price each, in coins."""

    units: int
    price: int


class Move(Spoken, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An offer or `accept`, after thinking; in a text, `<play>` holds `4 at 25` or `accept`. There is no talk."""

    play: Offer | Literal["accept"] | None = None


class State(msgspec.Struct, frozen=True):
    """An episode. `value`, `cost`: what the seats know of themselves; `began`: who made the first offer, 0 or 1."""

    setup: Setup
    keys: Keys
    value: int
    cost: int
    began: int
    offers: tuple[Offer, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    accepted: bool = False
    refused: tuple[Refusal | None, ...] = (None, None)
    tries: tuple[int, ...] = (0, 0)


class Truth(msgspec.Struct, frozen=True):
    """What was hidden, with the most that any deal was worth to both together (0: there was nothing to gain)."""

    value: int
    cost: int
    best: float
    thoughts: tuple[Thought, ...]
    wrong: Seat | None


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. `value`: the buyer's own, of its first unit; `cost`: the seller's own, of each unit; None to
    everybody else. `offers`: all so far, by turns, from who `began` on; the last stands. `standing`: what it would be
    worth to this seat, in coins, if this seat accepted it now. `turns_left`: moves, this one included; `deal`: the
    offer that was accepted.
    """

    seat: Seat | None
    value: int | None
    cost: int | None
    mover: Seat | None
    began: Seat
    turns_left: int
    offers: tuple[Offer, ...]
    standing: float | None
    deal: Offer | None
    invalid: Refusal | None
    ended: str | None
    truth: Truth | None


@cache
def harmonic(units: int) -> float:
    """H(u) = 1 + 1/2 + … + 1/u; H(0) = 0."""
    found = 0.0
    for k in range(1, units + 1):
        found += 1 / k
    return found


def buyers(value: Any, harmonics: Any, units: Any, price: Any) -> Any:
    """v·H(u) − u·p: of numbers, or of arrays of them."""
    return value * harmonics - units * price


def sellers(cost: Any, units: Any, price: Any) -> Any:
    """u·(p − c): of numbers, or of arrays of them."""
    return units * (price - cost)


def buyer_utility(value: int, offer: Offer) -> float:
    """v·H(u) − u·p, in coins."""
    return buyers(value, harmonic(offer.units), offer.units, offer.price)


def seller_utility(cost: int, offer: Offer) -> float:
    """u·(p − c), in coins."""
    return float(sellers(cost, offer.units, offer.price))


def best_surplus(value: int, cost: int) -> float:
    """The most that a deal is worth to both together, v·H(u) − u·c at its best u; 0 where every deal costs them."""
    return max(0.0, *(value * harmonic(units) - units * cost for units in range(UNITS[0], UNITS[1] + 1)))


def payoffs(value: int, cost: int, grid: Sequence[Offer]) -> tuple[Table, Table]:
    """The haggling as one simultaneous move, since its tree is no table: both name an offer of the grid, and have that
    deal if it is the same, else none (after the demand game of Nash 1953). To the buyer and to the seller, in coins,
    each as rows by what the buyer names and columns by what the seller names."""
    size = range(len(grid))
    buyer = tuple(tuple(buyer_utility(value, grid[i]) if i == j else 0.0 for j in size) for i in size)
    seller = tuple(tuple(seller_utility(cost, grid[i]) if i == j else 0.0 for j in size) for i in size)
    return buyer, seller


class SizePrice:
    """Bargaining over a quantity and a price with private worths.

    Description: a buyer and a seller take turns to offer "u units at p each", or accept the other's last offer. What
    units are worth to the buyer falls (the k-th is worth v/k), what they cost the seller does not.
    Action space: `Move`: private thinking, then an offer (1 to 20 units at 1 to 200 coins each) or `accept`.
    Observation space: `View`: the offers, one's own worth, and what the standing offer would bring.
    Starting state: the seed draws v from 30 to 150, c from 10 to 50, and who begins.
    Rewards: `utility`, at the end: own utility (buyer v·H(u) − u·p, seller u·(p − c), no deal 0) / what the best deal
    is worth to both together, or 20 coins where that is more; held to −1 … 1. Nobody who gives the other no loss gets
    past the bounds, so they touch only deals that one side should not have made.
    Episode end: `deal`; `no_deal` after the last turn; `void` when one seat has sent eight moves that are not allowed.
    Arguments: see `Setup`.
    Version history: 1, first.
    References: Myerson & Satterthwaite 1983, Journal of Economic Theory 29(2). Rubinstein 1982, Econometrica 50(1).
    """

    id = "size_price"
    title = "How many, and for how much"
    rules = (
        "A buyer and a seller take turns. At your turn you may think in private, and then either offer a deal, so many "
        "units (1 to 20) at so many coins each (1 to 200), or accept the other's last offer, which ends the game. The "
        "first unit is worth v coins to the buyer, the second v/2, the third v/3, and so on; the buyer gains what the "
        "units are worth to them less what they pay. Each unit costs the seller c coins; the seller gains what they "
        "are paid less what the units cost. Only the buyer knows v, some number from 30 to 150; only the seller knows "
        "c, some number from 10 to 50. Without a deal after the last turn neither gains anything, and it can happen "
        "that no deal is good for both. "
        f"{LAST_TRY}"
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (-1.0, 1.0)
    by_seat: frozenset[str] = frozenset()
    facts: Mapping[str, float] = {
        "least_value": VALUES[0],
        "most_value": VALUES[1],
        "least_cost": COSTS[0],
        "most_cost": COSTS[1],
        "most_units": UNITS[1],
        "most_price": PRICES[1],
    }

    def seated(self, setup: Setup) -> tuple[Seat, ...]:  # noqa: ARG002
        """Both seats."""
        return self.seats

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        keys = derive_keys(seed, secret)
        value, cost = setup.value, setup.cost
        value = Draws(keys.facts[0]).integer(*VALUES, 0, _WORTH) if value is None else value
        cost = Draws(keys.facts[1]).integer(*COSTS, 0, _COST) if cost is None else cost
        whole("turns", setup.turns, *TURNS)
        whole("value", value, *VALUES)
        whole("cost", cost, *COSTS)
        return State(setup, keys, value, cost, Draws(keys.visible).integer(0, 1, 0, _BEGINS))

    def to_move(self, state: State) -> frozenset[Seat]:
        """Whose turn it is."""
        return frozenset() if _ended(state) else frozenset((SEATS[_mover(state)],))

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after an offer or an acceptance. Raises EpisodeOver and WrongSeat."""
        check_moves(self.to_move(state), moves)
        at = _mover(state)
        after = _after(state, at, moves[SEATS[at]])
        ended = _ended(after)
        if ended is None:
            return Step(after, {})
        rewards = {seat: {"utility": _reward(after, i)} for i, seat in enumerate(SEATS)}
        return Step(after, rewards, (Event("end", len(after.offers), None, {"reason": ended}),))

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        ended = _ended(state)
        at = None if viewer.seat is None else SEATS.index(viewer.seat)
        standing = None
        if at is not None and ended is None and state.offers and _mover(state) == at:
            standing = _utility(state, at, state.offers[-1])
        shown = viewer.role == "observer" or ended is not None
        return View(
            viewer.seat,
            state.value if at == 0 else None,
            state.cost if at == 1 else None,
            None if ended else SEATS[_mover(state)],
            SEATS[state.began],
            0 if ended else state.setup.turns - len(state.offers),
            state.offers,
            standing,
            _deal(state),
            None if at is None else state.refused[at],
            ended,
            _truth(state) if shown else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """Of an ended episode. `void`, `error`: see `blame`. `deal`: was there one? `utility`: own, in coins; `reward`.
        `efficiency`: what the deal was worth to both / what the best one was, where there was something to gain. `bp`:
        own / both utilities, where the two together are more than 0. `nra`, `nra_abs`: see `advantage`; of the two
        rewards."""
        at, deal, found = SEATS.index(seat), _deal(state), blame(seat, gave_out(state.tries, SEATS))
        if found["void"]:
            return found
        own, other = (0.0 if deal is None else _utility(state, i, deal) for i in (at, 1 - at))
        mine, theirs = _reward(state, at), _reward(state, 1 - at)
        found |= {"deal": float(deal is not None), "utility": own, "reward": mine}
        best = best_surplus(state.value, state.cost)
        if best > 0.0:
            found["efficiency"] = (own + other) / best
        if own + other > 0.0:
            found["bp"] = own / (own + other)
        return found | advantage(mine, theirs)


def _after(state: State, at: int, move: Move) -> State:
    turn = opened(move, move.play, _read)
    problem = turn if isinstance(turn, Refusal) else _problem(state, turn)
    if problem is not None or isinstance(turn, Refusal):
        refused = tuple(problem if seat == SEATS[at] else None for seat in SEATS)
        return replace(state, refused=refused, tries=counted(state.tries, refused))
    thought = (Thought(SEATS[at], len(state.offers) + 1, turn.think),) if turn.think else ()
    after = replace(state, thoughts=state.thoughts + thought, refused=(None, None))
    if isinstance(turn.play, Offer):
        return replace(after, offers=(*state.offers, turn.play))
    return replace(after, accepted=True)


def _read(words: str) -> Offer | Literal["accept"] | Refusal:
    if words == "accept":
        return "accept"
    parts = words.split(" at ")
    digits = all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts)
    if len(parts) == 2 and digits:
        return Offer(int(parts[0]), int(parts[1]))
    return Refusal("no_offer", "<play> holds accept, or an offer like 4 at 25: units, then the price of each")


def _problem(state: State, turn: Turn[Offer | Literal["accept"]]) -> Refusal | None:
    if turn.play is None:
        return Refusal("no_talk", "there is no talk in this game: offer or accept")
    if turn.play == "accept":
        return None if state.offers else Refusal("nothing_to_accept", "the other has offered nothing yet")
    offer = turn.play
    if not UNITS[0] <= offer.units <= UNITS[1] or not PRICES[0] <= offer.price <= PRICES[1]:
        return Refusal(
            "no_such_offer", f"an offer is of {UNITS[0]} to {UNITS[1]} units at {PRICES[0]} to {PRICES[1]} coins each"
        )
    return None


def _mover(state: State) -> int:
    return (state.began + len(state.offers)) % 2


def _deal(state: State) -> Offer | None:
    return state.offers[-1] if state.accepted else None


def _utility(state: State, at: int, offer: Offer) -> float:
    return buyer_utility(state.value, offer) if at == 0 else seller_utility(state.cost, offer)


def _reward(state: State, at: int) -> float:
    deal = _deal(state)
    if deal is None:
        return 0.0
    scale = max(best_surplus(state.value, state.cost), LEAST_SCALE)
    return max(-1.0, min(1.0, _utility(state, at, deal) / scale))


def _truth(state: State) -> Truth:
    best = best_surplus(state.value, state.cost)
    return Truth(state.value, state.cost, best, state.thoughts, next(iter(gave_out(state.tries, SEATS)), None))


def _ended(state: State) -> str | None:
    if state.accepted:
        return "deal"
    if gave_out(state.tries, SEATS):
        return VOID
    return "no_deal" if len(state.offers) >= state.setup.turns else None
