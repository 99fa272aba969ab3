"""OpenEnv's own client, which knows nothing of this project, plays every scenario × persona × seat to an end.

In an environment of its own (about 100 packages, a minute), outside the clone:

    python3 -m venv /tmp/stock
    /tmp/stock/bin/pip install openenv-core==0.3.0        # or: openenv==0.10.0
    /tmp/stock/bin/python examples/stock_client.py [--url http://localhost:8000] [--seed 7]
"""

from __future__ import annotations

import argparse
import math
from itertools import product
from typing import Any

from openenv.core import GenericEnvClient

SCENARIOS = ("saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract")
PERSONAS = ("shark", "diplomat", "veteran")
SEATS = ("seller", "buyer")
AMBITION = 4 / 3
"""How far beyond the limit it opens, in targets: an opening short of the own anchor is taken for softness."""
CRUMB = 0.03
"""What is given for nothing, of the way from the target to the limit."""
WORDS = ("we can come this far.", "here is a step toward you.", "this is our figure.", "let's try this.")


def move(seen: dict[str, Any]) -> dict[str, Any]:
    """A simple negotiator: opens at its target, gives back what it is given or a crumb, takes what is as good as its
    next ask, and late all that the limit allows."""
    theirs, turn, least, ask = seen["opponent_offer"], seen["turn"], *asks(seen)
    if theirs is not None and value(seen, theirs) >= (least if turn >= 12 else ask):
        return {"utterance": "We have a deal.", "accept_deal": True}
    words = f"Round {turn}: {WORDS[turn % len(WORDS)]}"
    if len(seen["scenario"]["issues"]) > 1:
        return {"utterance": words, "offer": package(seen, ask)}
    step = seen["scenario"]["issues"][0]["step"]  # up to the grid, so that rounding never goes beyond the limit
    return {"utterance": words, "offer_amount": sign(seen) * math.ceil(ask / step) * step}


def asks(seen: dict[str, Any]) -> tuple[float, float]:
    """What the limit asks for, and the next ask: the last one less what they have just given, or less a crumb."""
    unit = 1 if len(seen["scenario"]["issues"]) > 1 else sign(seen)
    least, best = unit * seen["own"]["limit"], unit * seen["own"]["target"]
    best = least + AMBITION * (best - least)
    if seen["own_offer"] is None:
        return least, best
    made = [one for one in seen["offers"] if one["seat"] != seen["seat"]]
    given = 0.0
    if len(made) > 1 and made[-1]["turn"] >= seen["turn"] - 1:
        given = value(seen, made[-1]["offer"]) - value(seen, made[-2]["offer"])
    return least, max(least, value(seen, seen["own_offer"]) - max(given, CRUMB * (best - least)))


def sign(seen: dict[str, Any]) -> int:
    """A seller wants a higher price, a buyer a lower one."""
    return 1 if seen["seat"] == "seller" else -1


def value(seen: dict[str, Any], offer: dict[str, float]) -> float:
    """What an offer is worth to this seat: the price, or of several issues the worth."""
    return worth(seen, offer) if len(seen["scenario"]["issues"]) > 1 else sign(seen) * next(iter(offer.values()))


def worth(seen: dict[str, Any], offer: dict[str, float]) -> float:
    """What an offer of several issues is worth to this seat, in money: to be held against `own.limit`."""
    places = {issue["name"]: place(issue, offer[issue["name"]]) for issue in seen["scenario"]["issues"]}
    return seen["scenario"]["stake"] * sum(seen["own"]["weights"][name] * at for name, at in places.items())


def place(issue: dict[str, Any], value: float) -> float:
    """Where a value lies between the worst for this seat, 0, and the best, 1."""
    low, high, values = issue["low"], issue["high"], issue["values"]
    at = values.index(value) / (len(values) - 1) if values else (value - low) / (high - low)
    return at if issue["better_for_you"] == "higher" else 1 - at


def package(seen: dict[str, Any], ask: float) -> dict[str, float]:
    """An offer worth about `ask`, never less than the limit: from the last offer toward theirs, a step at a time, on
    every issue, most on those that they hold most firmly. No issue goes back, so it is never worse for them."""
    issues = seen["scenario"]["issues"]
    theirs = [made["offer"] for made in seen["offers"] if made["seat"] != seen["seat"]]
    scales = {issue["name"]: scale(issue) for issue in issues}
    offer = seen["own_offer"]
    if offer is None or worth(seen, offer) < seen["own"]["limit"]:  # none yet, or a headline has tightened the limit
        offer = {name: values[0] for name, values in scales.items()}
    while worth(seen, offer) > ask:
        steps = []
        for issue in issues:
            name, here = issue["name"], place(issue, offer[issue["name"]])
            worse = [value for value in scales[name] if place(issue, value) < here - 1e-9]
            first, last = (place(issue, made[name]) for made in (theirs[0], theirs[-1])) if theirs else (0.0, 0.0)
            if worse and here > last and worth(seen, step := {**offer, name: worse[0]}) >= seen["own"]["limit"]:
                steps.append((1 - here + 2 * (last - first), name, step))
        if not steps:
            break
        offer = min(steps, key=lambda found: found[:2])[2]
    return offer


def scale(issue: dict[str, Any]) -> list[float]:
    """The values of an issue, from the best for this seat to the worst: all there are, or 21 on a long scale."""
    low, high, step = issue["low"], issue["high"], issue["step"]
    grid = issue["values"] or [round(low + round(k * (high - low) / 20 / step) * step, 2) for k in range(21)]
    return sorted(grid, reverse=issue["better_for_you"] == "higher")


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
