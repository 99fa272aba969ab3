"""Three signals of strategic play, for any game of two with a finite pay-off table, and where their inputs come from.

    told = signals(strategy, belief, truth, payoffs)    # told.ise, told.srp, told.lo, told.regret

| signal | is | says |
| --- | --- | --- |
| ISE | −KL(belief ‖ truth), at most 0 | how well a player knows what the other will do |
| SRP | the expected value of its strategy under its belief, from 0 (worst move) to 1 (best) | does it act on that? |
| LO | the best expected value that any move has against the truth | what there was to be had |

`payoffs[i, j]` is what a player's move i pays it against the other's move j, `strategy` its distribution over its own
moves, `belief` over the other's, and `truth` the other's real one. Right beliefs that are not acted on show in SRP,
wrong ones that are in ISE; `regret` is what both together cost: LO less what the strategy is really worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parlay_env.games.size_price import buyers, harmonic, sellers
from training.chat import Messages
from training.speaker import Said, prompt_ids, token_logprobs

Floats = NDArray[np.float64]
Side = Literal["buyer", "seller"]

SUM_WITHIN = 1e-6
"""How far the shares of a distribution may be from 1 in sum: what single precision leaves."""
SAME = 1e-12
"""Expected values that differ by no more than this share of the largest pay-off are the same."""
DECIMALS = 9
"""Of utilities in a table of offers: what is equal on paper shall be equal there."""
NOTHING = np.inf
"""The threshold of who accepts nothing."""


class SignalError(ValueError):
    """An argument that is no distribution or no table, or that fits no other; the message says what would be right."""


class Signals(msgspec.Struct, frozen=True):
    """Of one player at one decision. `ise` in nats; `srp` from 0 to 1; `lo` and `regret` in the unit of the table."""

    ise: float
    srp: float
    lo: float
    regret: float


# The signals ----------------------------------------------------------------------------------------------------------


def signals(
    strategy: ArrayLike, belief: ArrayLike, truth: ArrayLike, payoffs: ArrayLike, *, smoothing: float = 0.0
) -> Signals:
    """All of them. Shapes: (m,), (n,), (n,) and (m, n); `smoothing` is that of `ise`. Raises SignalError."""
    return Signals(
        ise(belief, truth, smoothing=smoothing),
        srp(strategy, belief, payoffs),
        lo(truth, payoffs),
        regret(strategy, truth, payoffs),
    )


def ise(belief: ArrayLike, truth: ArrayLike, *, smoothing: float = 0.0) -> float:
    """−KL(belief ‖ truth) in nats, both of shape (n,): 0 for a belief that is right, else less.

    It is −∞ for a belief that gives a chance to what the other never does. `smoothing`, from 0 up to 1, makes it
    finite: so much of both is spread evenly over the n moves first, so that a right belief still has 0 and no other
    has. In this direction a belief that leaves out what the other does costs little: all on a move of chance q costs
    −ln q. Raises SignalError.
    """
    p, q = distribution(belief, "belief"), distribution(truth, "truth")
    if len(p) != len(q):
        raise SignalError(f"a belief over {len(p)} moves is about none of {len(q)}")
    if not 0 <= smoothing < 1:
        raise SignalError(f"smoothing is a share from 0 up to 1; not {smoothing}")
    p, q = (smoothing / len(one) + (1 - smoothing) * one for one in (p, q))
    there = p > 0
    with np.errstate(divide="ignore"):
        found = float(np.sum(p[there] * (np.log(p[there]) - np.log(q[there]))))
    return 0.0 - max(0.0, found)


def srp(strategy: ArrayLike, belief: ArrayLike, payoffs: ArrayLike) -> float:
    """What the strategy is worth under the belief, rescaled: 0 is the worst move's value, 1 the best's.

    Where all moves are worth the same, it is 1: none is better. With the truth in the belief's place it says how much
    of what there was to be had the strategy really gets. Shapes (m,), (n,), (m, n). Raises SignalError.
    """
    table = _table(payoffs)
    values = _values(belief, "belief", table)
    worth = float(_own(strategy, table) @ values)
    worst, best = float(values.min()), float(values.max())
    if best - worst <= SAME * float(np.abs(table).max()):
        return 1.0
    return min(1.0, max(0.0, (worth - worst) / (best - worst)))


def lo(truth: ArrayLike, payoffs: ArrayLike) -> float:
    """The best expected value that a move has against what the other really does, in the table's unit; shapes (n,) and
    (m, n). Raises SignalError."""
    return float(_values(truth, "truth", _table(payoffs)).max())


def regret(strategy: ArrayLike, truth: ArrayLike, payoffs: ArrayLike) -> float:
    """LO less what the strategy is worth against what the other really does: at least 0, in the table's unit. Shapes
    (m,), (n,) and (m, n). Raises SignalError."""
    table = _table(payoffs)
    values = _values(truth, "truth", table)
    return max(0.0, float(values.max() - _own(strategy, table) @ values))


def distribution(shares: ArrayLike, name: str = "a distribution") -> Floats:
    """These shares as a distribution, shape (n,), summing to 1. Raises SignalError unless they are finite, none is
    negative, and they sum to 1 (within `SUM_WITHIN`)."""
    found = _floats(shares, name)
    if found.ndim != 1 or not found.size:
        raise SignalError(f"{name} has one share for each move, shape (n,); not {found.shape}")
    if not np.isfinite(found).all() or (found < 0).any():
        raise SignalError(f"{name} has shares of 0 and more, all finite")
    total = float(found.sum())
    if abs(total - 1) > SUM_WITHIN:
        raise SignalError(f"the shares of {name} sum to 1; not to {total:g}")
    return found / total


def _table(payoffs: ArrayLike) -> Floats:
    found = _floats(payoffs, "payoffs")
    if found.ndim != 2 or not found.size or not np.isfinite(found).all():
        raise SignalError(f"payoffs are finite figures, own moves × the other's, shape (m, n); not {found.shape}")
    return found


def _values(of_other: ArrayLike, name: str, table: Floats) -> Floats:
    """The expected value of each own move against this distribution of the other's."""
    shares = distribution(of_other, name)
    if len(shares) != table.shape[1]:
        raise SignalError(f"{name} is over {len(shares)} moves, and the table has {table.shape[1]} of the other's")
    return table @ shares


def _own(strategy: ArrayLike, table: Floats) -> Floats:
    shares = distribution(strategy, "strategy")
    if len(shares) != table.shape[0]:
        raise SignalError(f"strategy is over {len(shares)} moves, and the table has {table.shape[0]} of the player's")
    return shares


def _floats(figures: ArrayLike, name: str) -> Floats:
    try:
        return np.asarray(figures, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SignalError(f"{name} is an array of figures, all rows of one length") from None


# A table for units and prices -----------------------------------------------------------------------------------------


class Offers(msgspec.Struct, frozen=True):
    """A last offer of `u` units at `p` each, and its answer, as a finite game.

    Who offers names a row of `offers`; who answers has a threshold, and takes what is worth at least that to it. Every
    rule "take this, and all that is as good" is a threshold, so that a belief over thresholds is a belief about the
    other's hidden figure.
    """

    offers: Floats
    """(u, p), shape (m, 2)."""
    thresholds: Floats
    """Rising, shape (n,); the last is `NOTHING`."""
    proposer: Floats
    """What who offers gets, shape (m, n)."""
    responder: Floats
    """What who answers gets, shape (n, m): its own moves are the rows."""


def offers_table(
    units: Sequence[int],
    prices: Sequence[float],
    *,
    v: float,
    c: float,
    proposer: Side = "buyer",
    otherwise: tuple[float, float] = (0.0, 0.0),
) -> Offers:
    """The table of every (u, p) of these units and prices between a buyer, to whom u units at p are worth
    v·H(u) − u·p with H(u) = 1 + 1/2 + … + 1/u, and a seller, to whom they are worth u·(p − c).

    `otherwise`: what who offers and who answers get when nothing is taken, 0 in the last turn; before it, what playing
    on is worth. Raises SignalError for a grid without offers, and for figures that are none.
    """
    whole = all(isinstance(u, int | np.integer) and u >= 1 for u in units)
    if not len(units) or not len(prices) or not whole:
        raise SignalError("offers are of 1 unit and more, in whole units, at one price at least")
    if not np.isfinite([*prices, v, c, *otherwise]).all():
        raise SignalError("prices, v, c and what there is otherwise are finite figures")
    offers = np.array([(u, p) for u in units for p in prices], dtype=np.float64)
    u, p = offers.T
    harmonics = np.array([harmonic(int(one)) for one in u])
    worth: dict[str, Floats] = {
        "buyer": np.round(buyers(v, harmonics, u, p), DECIMALS),
        "seller": np.round(sellers(c, u, p), DECIMALS),
    }
    mine, theirs = worth[proposer], worth["seller" if proposer == "buyer" else "buyer"]
    thresholds = np.append(np.unique(theirs), NOTHING)
    taken = theirs[:, None] >= thresholds[None, :]
    return Offers(
        offers,
        thresholds,
        np.where(taken, mine[:, None], otherwise[0]),
        np.where(taken, theirs[:, None], otherwise[1]).T,
    )


# A strategy from a language model -------------------------------------------------------------------------------------


def from_model(
    model: Any,
    tokenizer: Any,
    prompt: str | Messages,
    moves: Sequence[str],
    *,
    temperature: float = 1.0,
    ended: bool = True,
) -> Floats:
    """A language model's distribution over legal moves, shape (moves,): of each answer the product of its tokens'
    probabilities, rescaled to sum to 1 over the moves that are legal.

    `model`, `tokenizer`: of transformers. `prompt`: text as it is, or a conversation, up to where the answer begins;
    `moves`: whole answers; `temperature`: of each token. `ended`: an answer ends with the tokenizer's end, so that "1"
    is not the beginning of "10"; without it no move's tokens may begin another's. Raises SignalError for moves that
    can't be told apart, and where the model gives none of them a chance.
    """
    start = prompt_ids(tokenizer, prompt) if not isinstance(prompt, str) else list(tokenizer(prompt)["input_ids"])
    end = [tokenizer.eos_token_id] if ended else []
    answers = [(*tokenizer(one, add_special_tokens=False)["input_ids"], *end) for one in moves]
    if not start or not answers or not all(answers):
        raise SignalError("a distribution needs a prompt and at least one move, with a token each")
    ordered = sorted(answers)
    if any(longer[: len(one)] == one for one, longer in pairwise(ordered)):
        raise SignalError("two moves are the same tokens, or one begins the other: name moves that can be told apart")
    said = [Said(text, tuple(start), ids, (), not ended) for text, ids in zip(moves, answers, strict=True)]
    summed = np.array([sum(row) for row in token_logprobs(model, said, temperature)])
    if not np.isfinite(summed.max()):
        raise SignalError("the model gives none of these moves a chance")
    weights = np.exp(summed - summed.max())
    return weights / weights.sum()
