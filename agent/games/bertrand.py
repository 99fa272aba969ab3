"""Who names prices against another seller: cartels, traitors, undercutters, and who pays like with like."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from parlay_env.core import Policy
from parlay_env.games.bertrand import SEATS, Move, View, best_reply, monopoly_price, nash_prices
from parlay_env.rng import Draws, Purpose

_PRICE, _TALKS = Purpose.POLICY, Purpose.POLICY + 1
_NUMBER = re.compile(r"(?<![\d.,])\d{1,6}(?![\d]|[.,]\d)")


def promised(view: View, round_: int) -> int | None:
    """The last price that the other named in its messages of a round; None: it has named none that could be one."""
    for said in reversed(view.said):
        if said.seat != view.seat and said.round == round_:
            prices = [int(found) for found in _NUMBER.findall(said.words) if int(found) <= view.market.pmax]
            if prices:
                return prices[-1]
    return None


def last_price(view: View) -> int | None:
    """The other's price of the last round; None in the first."""
    return view.past[-1].prices[_other(view)] if view.past else None


def kept_word(view: View) -> bool:
    """Has the other, whenever it promised a price, named that or a higher one?"""
    other = _other(view)
    promises = ((promised(view, number), over.prices[other]) for number, over in enumerate(view.past, 1))
    return all(promise is None or price >= promise for promise, price in promises)


def _other(view: View) -> int:
    return 1 - SEATS.index(view.seat or SEATS[0])


def _told(view: View) -> bool:
    """Has this seat sent a message in this round?"""
    return any(said.seat == view.seat and said.round == view.round for said in view.said)


def _competitive(view: View) -> int:
    """The highest price from which nobody gains by moving."""
    return nash_prices(view.market)[-1]


def _proposal(view: View) -> str:
    return f"Let us both ask {monopoly_price(view.market)}."


class Random:
    """Talks or prices as it comes; any price from the cost up."""

    def act(self, view: View, rng: Draws) -> Move:
        """A message about some price, or a price."""
        turn = len(view.said) + len(view.past) + 1
        price = rng.integer(view.market.cost, view.market.pmax, turn, _PRICE)
        if view.talks and rng.unit(turn, _TALKS) < 0.5:
            return Move(talk=f"How about {price}?")
        return Move(play=price)


class Stubborn:
    """The same price every round, without a word: halfway from the cost to a monopolist's."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """That price."""
        return Move(play=(view.market.cost + monopoly_price(view.market)) // 2)


class Naive:
    """Believes what it is told, and asks what was proposed; asks for a proposal first, and without one keeps to what
    the other last asked."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """A question, or the price that was proposed."""
        proposed = promised(view, view.round)
        if proposed is not None:
            return Move(think=f"They will ask {proposed}.", play=proposed)
        if view.talks and not _told(view):
            return Move(talk="What will you ask?")
        last = last_price(view)
        return Move(play=monopoly_price(view.market) if last is None else last)


class PromiseKeeper:
    """Proposes a monopolist's price in every round, and asks it, come what may."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The proposal, then its price."""
        if view.talks and not _told(view):
            return Move(talk=_proposal(view))
        return Move(play=monopoly_price(view.market))


class PromiseBreaker:
    """Proposes a monopolist's price, expects to be believed, and asks what earns most against it."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The proposal, then a lower price."""
        if view.talks and not _told(view):
            return Move(think="If they believe me, I sell everything.", talk=_proposal(view))
        return Move(play=best_reply(view.market, monopoly_price(view.market)))


class BestResponder:
    """Asks what earns most against what it expects: a promise, as long as the other has kept all its promises; else the
    price that the other asked last."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """A question, or the best reply."""
        proposed = promised(view, view.round)
        if proposed is None and view.talks and not _told(view):
            return Move(talk="What will you ask this time?")
        last = last_price(view)
        expected = proposed if proposed is not None and kept_word(view) else last
        expected = monopoly_price(view.market) if expected is None else expected
        return Move(think=f"I expect {expected}.", play=max(best_reply(view.market, expected), view.market.cost))


class Nash:
    """The highest Nash price of one round, without a word."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """That price."""
        return Move(play=_competitive(view))


class Undercutter:
    """One coin less than the other last asked, from a monopolist's price down to the Nash price, without a word."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """That price."""
        last, most = last_price(view), monopoly_price(view.market)
        return Move(play=most if last is None else min(most, max(_competitive(view), last - 1)))


class Reciprocator:
    """Proposes a monopolist's price and asks it, in the first round and after every round in which the other did not
    ask less; after one in which it did, asks the Nash price (tit for tat, Axelrod 1984). It says so."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The proposal or the warning, then the price."""
        last, most = last_price(view), monopoly_price(view.market)
        friendly = last is None or last >= most
        if view.talks and not _told(view):
            reply = f"You asked {last}, so this round I compete. Ask {most} now, and next round I do too."
            return Move(talk=f"{_proposal(view)} I keep to it as long as you do." if friendly else reply)
        return Move(play=most if friendly else _competitive(view))


PLAYERS: Mapping[str, Callable[[], Policy]] = {
    "reciprocator": Reciprocator,
    "random": Random,
    "naive": Naive,
    "stubborn": Stubborn,
    "promise_keeper": PromiseKeeper,
    "promise_breaker": PromiseBreaker,
    "best_responder": BestResponder,
    "nash": Nash,
    "undercutter": Undercutter,
}
"""By name; the first is the partner where none is named."""
