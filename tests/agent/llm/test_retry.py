"""How long a provider is waited for: what `Retry-After` says, and the waits in between."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.llm.base import Reply, TooSlow, Unavailable, Usage
from agent.llm.retry import Again, Asking, Patience, retry_after
from tests.agent.llm.conftest import BRISK

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Sun, 01 Mar 2026 12:01:30 GMT", 90.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=40))
def test_retry_after_never_fails(value: str) -> None:
    found = retry_after(value, NOW)
    assert found is None or found >= 0


async def test_waits_grow_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Full jitter: a draw from 0 to twice the last bound, and to the longest at most."""
    bounds: list[tuple[float, float]] = []

    def drawn(low: float, high: float) -> float:
        bounds.append((low, high))
        return 0.0

    monkeypatch.setattr("random.uniform", drawn)

    async def once() -> Reply:
        raise Again(Unavailable("no"))

    with pytest.raises(Unavailable):
        await Asking("some/model", Patience(tries=7, first_wait=0.5, longest_wait=5.0)).reply(once)
    assert bounds == [(0, 0.5), (0, 1.0), (0, 2.0), (0, 4.0), (0, 5.0), (0, 5.0)]


async def test_a_fault_of_our_own_is_no_failure_of_the_provider() -> None:
    calls = 0

    async def once() -> Reply:
        nonlocal calls
        calls += 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Asking("some/model", BRISK).reply(once)
    assert calls == 1


async def test_what_failed_tries_used_is_in_the_sum() -> None:
    error = Unavailable("half an answer")

    async def once() -> Reply:
        raise Again(error)

    with pytest.raises(Unavailable) as caught:
        await Asking("some/model", BRISK).reply(once)
    assert caught.value.usage == Usage(requests=BRISK.tries)


def test_a_year_that_there_is_not_asks_for_nothing() -> None:
    assert retry_after("Sun, 01 Mar 99999999999999999999 12:00:00 GMT", NOW) is None


async def test_who_is_cancelled_has_used_no_turn() -> None:
    """At 600 a minute a hundred of them would have put the next off by ten seconds."""
    asking = Asking("some/model", BRISK, requests_per_minute=600)
    times: list[float] = []

    async def once() -> Reply:
        times.append(asyncio.get_running_loop().time())
        return Reply("Yes.")

    await asking.reply(once)
    waiting = [asyncio.create_task(asking.reply(once)) for _ in range(100)]
    await asyncio.sleep(0)  # all of them wait for their turns
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert asking._next - times[0] < 1.0
    await asking.reply(once)
    assert len(times) == 2
    assert times[1] - times[0] >= 0.09


async def test_a_request_in_flight_when_all_time_is_over_is_counted() -> None:
    async def once() -> Reply:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(TooSlow, match="all tries together") as caught:
        await Asking("some/model", Patience(total_seconds=0.05)).reply(once, 12)
    assert caught.value.usage == Usage(12, 0, 1)
