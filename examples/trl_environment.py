"""How Parlay plugs into TRL's `GRPOTrainer`: a dry run, without torch, of what the trainer does with the environment.

    python examples/trl_environment.py [--url http://localhost:8000]      without --url it plays in this process

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
from functools import partial

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


def show_tools(environment: NegotiationTools) -> None:
    """The methods that become tools, by TRL's rule: every public one but reset and get_reward."""
    for name, method in inspect.getmembers(type(environment), predicate=inspect.isfunction):
        if name not in ("reset", "get_reward") and not name.startswith("_"):
            summary = (inspect.getdoc(method) or "").split("\n")[0]
            print(f"{name}{inspect.signature(getattr(environment, name))}\n    {summary}")


def play(environment: NegotiationTools) -> None:
    """What a model would do: open, meet the other side halfway, and take what it gets."""
    print("\n" + environment.make_offer(words="This is what we have in mind.", amount=_own(environment).target))
    print("\n" + environment.report_belief(urgency=0.6))
    print("\n" + environment.ask(topic="timeline", words="By when do you need to decide?"))
    while environment.observation is not None and not environment.observation.done:
        theirs, own = environment.observation.opponent_offer, _own(environment)
        if theirs is None or environment.observation.turn < 8:
            gap = (own.limit - own.target) * environment.observation.turn / 12
            answer = environment.make_offer(words="We can move a little.", amount=round(own.target + gap, -2))
        elif (own.limit - theirs["price"]) * (own.limit - own.target) >= 0:
            answer = environment.accept_deal(words="Agreed.")
        else:
            answer = environment.walk_away(words="Then we part as friends.")
        print("\n" + answer)


def _own(environment: NegotiationTools):
    assert environment.observation is not None
    return environment.observation.own


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
