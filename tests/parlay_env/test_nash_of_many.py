"""The Nash point where there are more outcomes than can be looked at."""

from __future__ import annotations

import msgspec
import pytest

from game.scenarios import scenarios
from parlay_env.deal import views
from parlay_env.deal.state import Setup
from parlay_env.deal.terms import worth
from parlay_env.session import GAME

SUPPLIER = scenarios()["supplier_contract"]


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_one_that_all_outcomes_have(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    state = GAME.start(Setup(SUPPLIER), seed, b"")
    of_all = views.nash_offer(state)
    monkeypatch.setattr(views, "OUTCOMES_AT_MOST", 0)
    assert views.nash_offer(state) == of_all


def test_ten_million_prices_take_no_time() -> None:
    """A scenario that somebody brings along may have so many: its end kept the whole server, and its database, busy."""
    price, *others = SUPPLIER.issues
    assert price.step > 0
    fine = msgspec.structs.replace(price, step=0.01, high=price.low + 100_000.0)
    wide = msgspec.structs.replace(SUPPLIER, issues=(fine, *others), stake=SUPPLIER.stake * 1000)
    wide = msgspec.structs.replace(
        wide,
        seller=msgspec.structs.replace(wide.seller, limit=wide.seller.limit * 1000),
        buyer=msgspec.structs.replace(wide.buyer, limit=wide.buyer.limit * 1000),
    )
    state = GAME.start(Setup(wide), 1, b"")
    found = views.nash_offer(state)
    assert found is not None
    (a, b), near = state.facts, []
    for step in (-1, 0, 1):
        place = (max(0, found[0] + step), *found[1:])
        near.append((worth(a.utility, place) - a.limit) * (worth(b.utility, place) - b.limit))
    assert near[1] > 0 and near[1] == pytest.approx(max(near), rel=1e-9)
