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
STEP = (0.03, 0.12)
"""The least and the most that is given at a time, of the way from the target to the limit: a crumb for nothing, and no
landslide for terms that cost them little."""
WORDS = ("we can come this far.", "here is a step toward you.", "this is our figure.", "let's try this.")


def move(seen: dict[str, Any]) -> dict[str, Any]:
    """A simple negotiator: opens at its target, gives back what it is given within `STEP`, takes what is as good as its
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
    """What the limit asks for, and the next ask: the last one less what they have just given."""
    unit = 1 if len(seen["scenario"]["issues"]) > 1 else sign(seen)
    least, target = unit * seen["own"]["limit"], unit * seen["own"]["target"]
    last, made = own_offer(seen), [one for one in seen["offers"] if one["seat"] != seen["seat"]]
    if last is None:
        return least, target
    given, way = 0.0, target - least
    if len(made) > 1 and made[-1]["turn"] >= seen["turn"] - 1:
        given = value(seen, made[-1]["offer"]) - value(seen, made[-2]["offer"])
    return least, max(least, value(seen, last) - min(max(given, STEP[0] * way), STEP[1] * way))


def own_offer(seen: dict[str, Any]) -> dict[str, float] | None:
    """The last own offer, also if a headline has voided it."""
    return next((made["offer"] for made in reversed(seen["offers"]) if made["seat"] == seen["seat"]), None)


def sign(seen: dict[str, Any]) -> int:
    """A seller wants a higher price, a buyer a lower one."""
    return 1 if seen["seat"] == "seller" else -1


def value(seen: dict[str, Any], offer: dict[str, float]) -> float:
    """What an offer is worth to this seat: the price, or of several issues the worth."""
    return worth(seen, offer) if len(seen["scenario"]["issues"]) > 1 else sign(seen) * next(iter(offer.values()))


def worth(seen: dict[str, Any], offer: dict[str, float]) -> float:
    """What an offer of several issues is worth to this seat, in money: to be held against `own.limit`."""
    return seen["scenario"]["stake"] * share(seen, seen["own"]["weights"], offer)


def share(seen: dict[str, Any], weights: dict[str, float], offer: dict[str, float]) -> float:
    """How much an offer gives this seat of all that it wants, 0 to 1, by these weights."""
    return sum(weights[issue["name"]] * place(issue, offer[issue["name"]]) for issue in seen["scenario"]["issues"])


def place(issue: dict[str, Any], value: float) -> float:
    """Where a value lies between the worst for this seat, 0, and the best, 1."""
    low, high, values = issue["low"], issue["high"], issue["values"]
    at = values.index(value) / (len(values) - 1) if values else (value - low) / (high - low)
    return at if issue["better_for_you"] == "higher" else 1 - at


def package(seen: dict[str, Any], ask: float) -> dict[str, float]:
    """Of the outcomes worth at least `ask` the one that should cost them least, by what usually matters to them; the
    last offer again if that is no better for them."""

    def cost(offer: dict[str, float]) -> float:
        return round(share(seen, seen["prior"]["weights"], offer), 9)

    issues, last = seen["scenario"]["issues"], own_offer(seen)
    names = [issue["name"] for issue in issues]
    offers = [dict(zip(names, values, strict=True)) for values in product(*map(scale, issues))]
    enough = [offer for offer in offers if worth(seen, offer) >= ask]
    best = min(enough, key=lambda offer: (cost(offer), -worth(seen, offer)))
    again = last is not None and worth(seen, last) >= seen["own"]["limit"] and cost(last) <= cost(best)
    return last if again else best


def scale(issue: dict[str, Any]) -> list[float]:
    """The values that may be offered."""
    low, high, step = issue["low"], issue["high"], issue["step"]
    return issue["values"] or [round(low + k * step, 2) for k in range(round((high - low) / step) + 1)]


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
