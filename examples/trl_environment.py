"""How Parlay plugs into TRL's `GRPOTrainer`: a dry run, without torch, of what the trainer does with the environment.

    .venv/bin/python examples/trl_environment.py [--url http://localhost:8000]      without --url in this process

The training script itself is a few lines more:

    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    trainer = GRPOTrainer(
        model="Qwen/Qwen2.5-1.5B-Instruct",
        args=GRPOConfig(max_completion_length=4096, max_tool_calling_iterations=25),
        train_dataset=Dataset.from_list(ROWS),
        environment_factory=NegotiationTools,  # on a server: partial(NegotiationTools, url="http://localhost:8000")
    )
    trainer.train()

A row chooses the episode; its group of completions plays that one episode. The reward is what the episode paid.
"""

from __future__ import annotations

import argparse
import inspect
import math
from functools import partial

from parlay_env.models import ParlayObservation
from parlay_env.tools import NegotiationTools

ROWS = [
    {
        "prompt": [{"role": "user", "content": "Negotiate. "}],
        "scenario_id": "saas_enterprise",
        "persona": persona,
        "seat": seat,
        "seed": seed,
    }
    for seed, (persona, seat) in enumerate([("diplomat", "seller"), ("veteran", "buyer"), ("shark", "seller")])
]
WORDS = ("We have looked at it again", "To move this forward", "That is a step toward you", "Let us try this")
STEP = (0.03, 0.12)
"""The least and the most that the caller gives at a time, of its way from the target to its limit."""


def show_tools(environment: NegotiationTools) -> None:
    """The methods that become tools, by TRL's rule: every public one but reset and get_reward."""
    for name, method in inspect.getmembers(type(environment), predicate=inspect.isfunction):
        if name not in ("reset", "get_reward") and not name.startswith("_"):
            summary = (inspect.getdoc(method) or "").split("\n")[0]
            print(f"{name}{inspect.signature(getattr(environment, name))}\n    {summary}")


def play(environment: NegotiationTools) -> None:
    """What a sensible model would do: open at its target, ask, report a belief, give back what it is given (within
    `STEP`), never go beyond its limit, and take what is as good as its next offer."""
    seen = _seen(environment)
    print(
        "\n" + environment.make_offer(words="Thank you for your time. This would work for us.", amount=seen.own.target)
    )
    if "question" in _seen(environment).available_moves:
        print("\n" + environment.report_belief(walk_away=seen.prior.walk_away.mean, urgency=seen.prior.urgency.mean))
        print("\n" + environment.ask(topic="timeline", words="By when do you need to decide?"))
    while not (seen := _seen(environment)).done:
        own, theirs = seen.own, seen.opponent_offer
        sign = 1 if seen.seat == "seller" else -1
        mine = [one["offer"]["price"] for one in seen.offers if one["seat"] == seen.seat]
        made = [one["offer"]["price"] for one in seen.offers if one["seat"] != seen.seat]
        given, way = sign * (made[-1] - made[-2]) if len(made) > 1 else 0.0, sign * (own.target - own.limit)
        ask = sign * mine[-1] - min(max(given, STEP[0] * way), STEP[1] * way)
        ask = sign * math.ceil(max(sign * own.limit, ask) / 100) * 100  # on the grid, and not beyond the limit
        if theirs is not None and sign * (theirs["price"] - ask) >= 0:
            print("\n" + environment.accept_deal(words="Agreed, and thank you."))
        else:
            print("\n" + environment.make_offer(words=f"{WORDS[seen.turn % len(WORDS)]}: {ask:,.0f}.", amount=ask))


def _seen(environment: NegotiationTools) -> ParlayObservation:
    assert environment.observation is not None
    return environment.observation


def main() -> None:
    parser = argparse.ArgumentParser(description="A dry run of what TRL does with the environment.")
    parser.add_argument("--url", default=None)
    factory = partial(NegotiationTools, url=parser.parse_args().url)
    environment = factory()
    show_tools(environment)
    for row in ROWS[:2]:
        print(f"\n=== {row['persona']}, {row['seat']} ===\n{environment.reset(**row)}")
        play(environment)
        print(f"\nreward {environment.get_reward():.2f}")


if __name__ == "__main__":
    main()
