"""A first result: one negotiation through Parlay's own client, its transcript, and what it was worth.

.venv/bin/python examples/first_result.py [--url http://localhost:8000] [--persona veteran] [--seed 7]
"""

from __future__ import annotations

import argparse
import math

from parlay_env.client import ParlayAction, ParlayEnvClient, ParlayObservation


def move(seen: ParlayObservation) -> ParlayAction:
    """A simple seller: go from the target toward the limit, a little every turn, and take what is as good."""
    ask = seen.own.target + (seen.own.limit - seen.own.target) * min(1.0, seen.turn / 18)
    if seen.opponent_offer is not None and seen.opponent_offer["price"] >= ask:
        return ParlayAction(utterance="We have a deal.", accept_deal=True)
    ask = math.ceil(ask / 100) * 100  # on the grid, and not below the limit
    return ParlayAction(utterance=f"We could sign at {ask:,.0f} USD.", offer_amount=ask)


def main() -> None:
    parser = argparse.ArgumentParser(description="One negotiation, its transcript and its grade.")
    parser.add_argument("--url", default="http://localhost:8000")
    parser.add_argument("--persona", default="veteran")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with ParlayEnvClient(arguments.url).sync() as env:
        result = env.reset(scenario_id="saas_enterprise", persona=arguments.persona, seed=arguments.seed)
        paid = 0.0
        while not result.done:
            seen = result.observation
            action = move(seen)
            result = env.step(action)
            paid += result.reward or 0.0
            print(f"{seen.turn:2}  {'you':9} {action.utterance}")
            if not action.accept_deal:
                print(f"    {arguments.persona:9} {result.observation.opponent_utterance}")
    last = result.observation
    assert last.grade is not None and last.truth is not None
    print(f"\nEnded by {last.termination_reason}: {last.final_offer}; reward {paid:.1f}.")
    for name, value in last.grade.items():
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            print(f"  {name:24} {value:.3f}" if isinstance(value, float) else f"  {name:24} {value}")
    print(f"Their limit was {last.truth['buyer']['limit']:,.0f}, yours {last.truth['seller']['limit']:,.0f}.")


if __name__ == "__main__":
    main()
