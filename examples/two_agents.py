"""Two agents negotiate with each other: each has its own socket, one hosts the table and the other joins it by a code.

python examples/two_agents.py [--url http://localhost:8000] [--scenario saas_enterprise] [--seed 7]
"""

from __future__ import annotations

import argparse
import asyncio

from parlay_env.client import ParlayAction, ParlayObservation, ParlayTable, StepResult


def move(seen: ParlayObservation) -> ParlayAction:
    """Go from the target toward the limit, a little every turn, and take what is as good."""
    sign = 1 if seen.seat == "seller" else -1
    name, step = seen.scenario.issues[0].name, seen.scenario.issues[0].step or 1.0
    ask = seen.own.target + (seen.own.limit - seen.own.target) * min(1.0, seen.turn / 18)
    if seen.opponent_offer is not None and sign * (seen.opponent_offer[name] - ask) >= 0:
        return ParlayAction(utterance="We have a deal.", accept_deal=True)
    ask = round(ask / step) * step
    return ParlayAction(utterance=f"Turn {seen.turn}: {ask:,.0f}.", offer_amount=ask)


async def play(table: ParlayTable, result: StepResult[ParlayObservation]) -> tuple[float, ParlayObservation]:
    """One seat's game from its first observation: what it was paid, and what it saw last."""
    paid = 0.0
    while not result.done:
        action = move(result.observation)
        print(f"{result.observation.turn:2}  {result.observation.seat:6}  {action.utterance}")
        result = await table.step(action)
        paid += result.reward or 0.0
    return paid, result.observation


async def negotiate(url: str, scenario: str, seed: int) -> None:
    async with ParlayTable(url) as host, ParlayTable(url) as guest:
        code = await host.host(scenario_id=scenario, seat="seller", seed=seed)

        async def hosting() -> tuple[float, ParlayObservation]:
            return await play(host, await host.begin())

        async def joining() -> tuple[float, ParlayObservation]:
            return await play(guest, await guest.join(code))

        for paid, last in await asyncio.gather(hosting(), joining()):
            print(f"{last.seat}: {last.termination_reason} at {last.final_offer}, reward {paid:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Two scripted agents over two sockets.")
    parser.add_argument("--url", default="http://localhost:8000")
    parser.add_argument("--scenario", default="saas_enterprise")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    asyncio.run(negotiate(arguments.url, arguments.scenario, arguments.seed))


if __name__ == "__main__":
    main()
