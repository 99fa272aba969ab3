"""Two agents negotiate with each other: each has its own socket, one hosts the table and the other joins it by a code.

.venv/bin/python examples/two_agents.py [--url http://localhost:8000] [--scenario saas_enterprise] [--seed 7]
"""

from __future__ import annotations

import argparse
import asyncio
import math

from parlay_env.client import ParlayAction, ParlayObservation, ParlayTable, StepResult
from parlay_env.models import IssueView


def move(seen: ParlayObservation) -> ParlayAction:
    """Go from the target toward the limit, a little every turn, and take what is as good."""
    sign = 1 if seen.seat == "seller" else -1
    if len(seen.scenario.issues) > 1:
        return package(seen)
    name, step = seen.scenario.issues[0].name, seen.scenario.issues[0].step or 1.0
    ask = seen.own.target + (seen.own.limit - seen.own.target) * min(1.0, seen.turn / 18)
    if seen.opponent_offer is not None and sign * (seen.opponent_offer[name] - ask) >= 0:
        return ParlayAction(utterance="We have a deal.", accept_deal=True)
    ask = sign * math.ceil(sign * ask / step) * step  # on the grid, and not beyond the limit
    return ParlayAction(utterance=f"Turn {seen.turn}: {ask:,.0f}.", offer_amount=ask)


def package(seen: ParlayObservation) -> ParlayAction:
    """Several issues: give way on all of them at once, by the same share of each scale, as long as the limit allows."""
    last, theirs = min(18, seen.own.deadline - 1), seen.opponent_offer
    share = min(1.0, seen.turn / last)
    ask = seen.own.target + (seen.own.limit - seen.own.target) * share
    if theirs is not None and worth(seen, theirs) >= ask:
        return ParlayAction(utterance="We have a deal.", accept_deal=True)
    offers = [{issue.name: value_at(issue, k / 40) for issue in seen.scenario.issues} for k in range(41)]
    offer = min((offer for offer in offers if worth(seen, offer) >= ask), key=lambda offer: worth(seen, offer))
    words = ", ".join(f"{name} {value:g}" for name, value in offer.items())
    return ParlayAction(utterance=f"Turn {seen.turn}: {words}.", offer=offer)


def worth(seen: ParlayObservation, offer: dict[str, float]) -> float:
    """What an offer of several issues is worth to this seat, in money: to be held against `own.limit`."""
    assert seen.own.weights is not None and seen.scenario.stake is not None
    total = 0.0
    for issue in seen.scenario.issues:
        scale, value = issue.values or [issue.low, issue.high], offer[issue.name]
        place = (
            scale.index(value) / (len(scale) - 1) if issue.values else (value - issue.low) / (issue.high - issue.low)
        )
        total += seen.own.weights[issue.name] * (place if issue.better_for_you == "higher" else 1 - place)
    return seen.scenario.stake * total


def value_at(issue: IssueView, place: float) -> float:
    """The value that lies this far, 0 to 1, from the best for this seat toward the worst; on the grid."""
    place = 1 - place if issue.better_for_you == "higher" else place
    if issue.values:
        return issue.values[round(place * (len(issue.values) - 1))]
    step = issue.step or 0.01
    return round(round((issue.low + place * (issue.high - issue.low)) / step) * step, 2)


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
