"""OpenEnv's own client, which knows nothing of this project, plays every scenario × persona × seat to an end.

pip install "openenv-core>=0.3.0"        or: pip install openenv
python examples/stock_client.py [--url http://localhost:8000] [--seed 7]
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

from openenv.core import GenericEnvClient

SCENARIOS = ("saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract")
PERSONAS = ("shark", "diplomat", "veteran")
SEATS = ("seller", "buyer")


def move(seen: dict[str, Any]) -> dict[str, Any]:
    """A simple negotiator: ask for less with every turn, take what is as good, leave with what is too little."""
    theirs, turn = seen["opponent_offer"], seen["turn"]
    if len(seen["scenario"]["issues"]) == 1:
        own, sign = seen["own"], 1 if seen["seat"] == "seller" else -1
        ask = own["target"] + (own["limit"] - own["target"]) * min(1.0, turn / 18)
        if theirs is not None and sign * (next(iter(theirs.values())) - ask) >= 0:
            return {"utterance": "We have a deal.", "accept_deal": True}
        return {"utterance": f"Round {turn}: this is our figure.", "offer_amount": round(ask, 2)}
    ask = 0.98 - 0.32 * min(1.0, turn / 18)
    if theirs is not None and share(seen, theirs) >= ask:
        return {"utterance": "We have a deal.", "accept_deal": True}
    return {"utterance": f"Round {turn}: these are our terms.", "offer": package(seen, ask)}


def share(seen: dict[str, Any], offer: dict[str, float]) -> float:
    """What an offer of several issues is worth to this seat, of the most that any could be."""
    total = 0.0
    for issue in seen["scenario"]["issues"]:
        values, value = issue["values"], offer[issue["name"]]
        if values:
            place = values.index(value) / (len(values) - 1)
        else:
            place = (value - issue["low"]) / (issue["high"] - issue["low"])
        total += seen["own"]["weights"][issue["name"]] * (place if issue["better_for_you"] == "higher" else 1 - place)
    return total


def package(seen: dict[str, Any], least: float) -> dict[str, float]:
    """An offer worth at least this share: give way first where it costs this seat least."""
    weights, spare, offer = seen["own"]["weights"], 1.0 - least, {}
    for issue in sorted(seen["scenario"]["issues"], key=lambda issue: weights[issue["name"]]):
        weight, values = weights[issue["name"]], issue["values"]
        count = len(values) if values else round((issue["high"] - issue["low"]) / issue["step"]) + 1
        given = int(min(1.0, spare / weight) * (count - 1) + 1e-9)
        spare -= weight * given / (count - 1)
        at = count - 1 - given if issue["better_for_you"] == "higher" else given
        offer[issue["name"]] = values[at] if values else round(issue["low"] + at * issue["step"], 2)
    return offer


def play(url: str, **options: Any) -> tuple[int, float, dict[str, Any]]:
    """One game: how many moves, what it paid, the last observation."""
    with GenericEnvClient(base_url=url).sync() as env:
        result, moves, paid = env.reset(**options), 0, 0.0
        while not result.done:
            result = env.step(move(result.observation))
            moves, paid = moves + 1, paid + (result.reward or 0.0)
        return moves, paid, result.observation


def main() -> None:
    parser = argparse.ArgumentParser(description="OpenEnv's own client plays every combination to an end.")
    parser.add_argument("--url", default="http://localhost:8000")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    print(f"{'scenario':24} {'persona':9} {'seat':7} {'moves':>5}  {'end':14} {'reward':>8}")
    for scenario, persona, seat in product(SCENARIOS, PERSONAS, SEATS):
        options = {"scenario_id": scenario, "persona": persona, "seat": seat, "seed": arguments.seed}
        moves, paid, last = play(arguments.url, **options)
        print(f"{scenario:24} {persona:9} {seat:7} {moves:5}  {last['termination_reason']:14} {paid:8.1f}")


if __name__ == "__main__":
    main()
