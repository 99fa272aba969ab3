"""parlay-bench-1 over the socket: play every test task with your agent, and write the record that is scored.

.venv/bin/python examples/benchmark_client.py [--url http://localhost:8000] [--out mine.jsonl] [--first 480]
.venv/bin/parlay benchmark score mine.jsonl

The same command goes on where it was stopped; no task is played to its end twice.
"""

from __future__ import annotations

import argparse
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path

from two_agents import move as my_agent  # yours: from an observation to an action

from parlay_env.client import ParlayAction, ParlayEnvClient, ParlayObservation


def play(url: str, out: Path, agent: Callable[[ParlayObservation], ParlayAction], first: int) -> None:
    kind = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{url}/parlay_env/tasks", b'{"split": "test"}', kind)  # noqa: S310
    with urllib.request.urlopen(asked) as reply:  # noqa: S310
        tasks = json.load(reply)["tasks"][:first]
    done = {json.loads(line)["task_id"] for line in out.read_text().splitlines()} if out.exists() else set()
    with out.open("a") as record, ParlayEnvClient(url).sync() as env:
        for task in (one for one in tasks if one["id"] not in done):
            result, actions, paid = env.reset(task_id=task["id"]), [], 0.0
            while not result.done:
                action = agent(result.observation)
                result = env.step(action)
                actions.append(action.model_dump(exclude_defaults=True))
                paid += result.reward or 0.0
            record.write(json.dumps({"task_id": task["id"], "actions": actions, "reward": paid}) + "\n")
            record.flush()
            print(f"{task['index'] + 1:3} of {len(tasks)}  {task['scenario_id']}  {task['persona']}  {paid:+.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Play the test tasks, and write the record.")
    parser.add_argument("--url", default="http://localhost:8000")
    parser.add_argument("--out", type=Path, default=Path("mine.jsonl"))
    parser.add_argument("--first", type=int, default=480, help="only so many tasks, for a try")
    arguments = parser.parse_args()
    play(arguments.url, arguments.out, my_agent, arguments.first)


if __name__ == "__main__":
    main()
