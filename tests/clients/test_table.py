"""Two clients at one table, each with its own socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from parlay_env.client import (
    ParlayAction,
    ParlayClientError,
    ParlayObservation,
    ParlayState,
    ParlayTable,
    ParlayTimeoutError,
    StepResult,
)

Result = StepResult[ParlayObservation]
OPTIONS: dict[str, Any] = {"scenario_id": "saas_enterprise", "seat": "seller", "seed": 7}


def move(seen: ParlayObservation) -> ParlayAction:
    sign = 1 if seen.seat == "seller" else -1
    ask = seen.own.target + (seen.own.limit - seen.own.target) * min(1.0, seen.turn / 18)
    if seen.opponent_offer is not None and sign * (seen.opponent_offer["price"] - ask) >= 0:
        return ParlayAction(utterance="Agreed.", accept_deal=True)
    return ParlayAction(utterance=f"Turn {seen.turn}.", offer_amount=round(ask / 100) * 100)


async def play(table: ParlayTable, result: Result) -> list[Result]:
    results = [result]
    while not results[-1].done:
        results.append(await table.step(move(results[-1].observation)))
    return results


async def both(url: str, **options: Any) -> list[list[Result]]:
    async with ParlayTable(url) as host, ParlayTable(url) as guest:
        code = await host.host(**{**OPTIONS, **options})

        async def hosting() -> list[Result]:
            return await play(host, await host.begin())

        async def joining() -> list[Result]:
            return await play(guest, await guest.join(code))

        return list(await asyncio.gather(hosting(), joining()))


def host_is_alone(state: ParlayState) -> bool:
    return "join_code" in state.model_dump()


async def seated(host: ParlayTable, guest: ParlayTable, opens: str) -> asyncio.Task[Result]:
    """A table at which this seat opens, and the guest's joining, under way."""
    for seed in range(40):
        code = await host.host(**{**OPTIONS, "seed": seed})
        if (await host.state()).model_dump()["to_move"] == opens:
            return asyncio.create_task(guest.join(code))
    raise AssertionError(f"the {opens} never opens")


async def test_two_agents_play_a_whole_game_each_from_its_own_seat(url: str) -> None:
    mine, theirs = await both(url)
    assert [result[-1].observation.seat for result in (mine, theirs)] == ["seller", "buyer"]
    assert mine[-1].done
    assert theirs[-1].done
    assert mine[-1].observation.termination_reason == theirs[-1].observation.termination_reason == "deal"
    assert mine[-1].observation.final_offer == theirs[-1].observation.final_offer
    for results in (mine, theirs):
        last = results[-1].observation
        assert last.grade is not None
        paid = sum(result.reward or 0.0 for result in results)
        assert paid == pytest.approx(last.grade["reward"])
        for result in results[:-1]:
            assert result.observation.truth is None
            assert result.observation.seat == last.seat


async def test_both_see_the_same_public_history_and_neither_the_others_limit(url: str) -> None:
    mine, theirs = await both(url)
    limits = {results[0].observation.seat: results[0].observation.own.limit for results in (mine, theirs)}
    assert mine[-1].observation.offers == theirs[-1].observation.offers
    for results, other in ((mine, "buyer"), (theirs, "seller")):
        for result in results[:-1]:
            assert str(limits[other]) not in result.observation.model_dump_json()


async def test_one_seed_is_one_game_for_two_as_well(url: str) -> None:
    assert await both(url) == await both(url)


async def test_a_code_that_nobody_gave_is_refused(url: str) -> None:
    async with ParlayTable(url) as guest:
        with pytest.raises(ParlayClientError) as found:
            await guest.join("nobody-gave-this")
    assert found.value.code == "INVALID_OPTION"


async def test_a_table_seats_two_and_no_third(url: str) -> None:
    async with ParlayTable(url) as host, ParlayTable(url) as guest, ParlayTable(url) as third:
        code = await host.host(**OPTIONS)
        joining = asyncio.create_task(guest.join(code))
        while host_is_alone(await host.state()):
            pass
        with pytest.raises(ParlayClientError):
            await third.join(code)
        joining.cancel()


@pytest.mark.parametrize("opens", ["seller", "buyer"])
async def test_who_leaves_has_walked_away(url: str, opens: str) -> None:
    async with ParlayTable(url) as host, ParlayTable(url) as guest:
        joining = await seated(host, guest, opens)
        if opens == "buyer":
            await joining
            await guest.close()
            result = await host.begin()
        else:
            stepping = asyncio.create_task(host.step(move((await host.begin()).observation)))
            await joining
            await guest.close()
            result = await stepping
    assert result.done
    assert result.observation.termination_reason == "walk_away"
    assert result.observation.opponent_move == "walk_away"


async def test_a_seat_without_a_table_says_what_to_do() -> None:
    with pytest.raises(ParlayClientError, match=r"Call host\(\) or join\(\) first"):
        await ParlayTable().step({"utterance": "hello?"})


async def test_waiting_for_the_other_side_ends_in_time_and_a_table_can_be_opened_anew(url: str) -> None:
    async with ParlayTable(url, message_timeout_s=0.3) as host, ParlayTable(url) as guest:
        joining = await seated(host, guest, opens="buyer")
        with pytest.raises(ParlayTimeoutError, match=r"host\(\) or join\(\) begin a new game"):
            await host.begin()
        assert await host.host(**OPTIONS)
        await joining
