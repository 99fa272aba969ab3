"""PPO of Stable-Baselines3 on the batched deals: a few CPU minutes of training, then a comparison on held-out seeds.

.venv/bin/pip install -e '.[rl,plots]'
.venv/bin/python examples/ppo.py --minutes 8 --write docs

It trains on the split `train`, draws its curve on `validation`, and is compared on `test` with scripted baselines that
play the same instances. One core; what is compiled is compiled before the clock starts.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import gymnasium
import numpy as np
import stable_baselines3
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agent.registry import OPPONENTS
from cli.console import put_into
from parlay_env.deal.state import SEATS
from training.episodes import cells
from training.evaluate import evaluate, plan
from training.vector_env import ParlayVectorEnv, price_scenarios
from training.vector_play import MARKS, Act, Point, compare, draw, play, report, to_json

PLACES = 512
"""Deals at once."""
SCALE = 0.01
"""An episode pays from −300 to 200: a value network likes it smaller."""
RATES = 1e-3, 1e-4
"""The learning rate at the start, and at the end of the time."""
SETTINGS: dict[str, Any] = {
    "n_steps": 32,
    "batch_size": 4096,
    "n_epochs": 4,
    "gamma": 1.0,  # at most twenty turns, paid at the end
    "gae_lambda": 0.95,
    "ent_coef": 0.01,
    "policy_kwargs": {"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
}
AGAINST = ("tit_for_tat", "boulware", "fixed_step", "conceder", "safe_price", "random_legal")
POINTS, POINT_SEEDS = 12, 12
"""Points of the curve, and seeds in every cell of each."""


class Deals(VecEnv):
    """`ParlayVectorEnv` as Stable-Baselines3 wants it."""

    def __init__(self, deals: ParlayVectorEnv, seed: int) -> None:
        self.deals, self.first, self.actions = deals, seed, np.zeros(0)
        super().__init__(deals.num_envs, deals.single_observation_space, deals.single_action_space)

    def reset(self) -> np.ndarray:
        return self.deals.reset(seed=self.first)[0]

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        seen, rewards, ended, _, info = self.deals.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended):
            grade = info["grade"]
            infos[i]["terminal_observation"] = info["final_obs"][i]
            infos[i]["episode"] = {"r": float(grade["reward"][i]), "l": int(grade["moves"][i]), "t": 0.0}
        return seen, (SCALE * rewards).astype(np.float32), ended, infos

    def close(self) -> None:
        self.deals.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ARG002
        return [getattr(self.deals, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002
        setattr(self.deals, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:  # noqa: ARG002
        return list(getattr(self.deals, method_name)(*args, **kwargs))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        return [False] * self.num_envs


class Clock(BaseCallback):
    """Ends the training after so many CPU minutes, and looks at the policy now and then; looking isn't counted."""

    def __init__(self, minutes: float, look: Callable[[PPO], float] | None = None) -> None:
        super().__init__()
        self.limit, self.look = 60 * minutes, look
        self.begun, self.apart = time.process_time(), 0.0
        self.curve: list[Point] = []

    @property
    def spent(self) -> float:
        """CPU seconds."""
        return time.process_time() - self.begun - self.apart

    def rate(self, _: float) -> float:
        """The learning rate now."""
        return RATES[0] + (RATES[1] - RATES[0]) * min(1.0, self.spent / self.limit)

    def peek(self) -> None:
        """Add a point to the curve."""
        if self.look is not None:
            spent = self.spent
            self.curve.append(Point(spent, self.num_timesteps, self.look(self.model)))  # type: ignore[arg-type]
            self.apart = time.process_time() - self.begun - spent
            print(f"{spent:6.0f} s {self.num_timesteps:10,} moves {self.curve[-1].reward:7.1f} points", flush=True)

    def _on_training_start(self) -> None:
        self.begun, self.apart = time.process_time(), 0.0

    def _on_rollout_start(self) -> None:
        if self.spent >= len(self.curve) * self.limit / POINTS:
            self.peek()

    def _on_step(self) -> bool:
        return self.spent < self.limit


def train(
    minutes: float, seed: int = 0, places: int = PLACES, look: Callable[[PPO], float] | None = None
) -> tuple[PPO, Clock]:
    """A policy after so many CPU minutes, and the clock with its curve."""
    torch.set_num_threads(1)
    deals = Deals(ParlayVectorEnv(places, split="train"), 1 + 1_000_000 * seed)
    deals.reset()
    deals.deals.step(deals.deals.action_space.sample())  # compiled before the clock starts
    clock = Clock(minutes, look)
    model = PPO("MlpPolicy", deals, learning_rate=clock.rate, seed=seed, device="cpu", **SETTINGS)
    model.learn(10**12, callback=clock)
    clock.peek()
    return model, clock


def acts(model: PPO) -> Act:
    """Its likeliest action."""
    return lambda seen: model.predict(seen, deterministic=True)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train PPO on the batched deals and compare it with baselines.")
    parser.add_argument("--minutes", type=float, default=8.0, help="CPU minutes of training")
    parser.add_argument("--seeds", type=int, default=60, help="held-out seeds in every cell")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--against", nargs="+", default=AGAINST, help="baselines to compare with")
    parser.add_argument("--save", type=Path, help="keep the policy in this file")
    parser.add_argument("--write", type=Path, help="put the results into ppo.md of this folder, curve and JSON beside")
    chosen = parser.parse_args()
    if chosen.write is not None:
        put_into(chosen.write / "ppo.md", MARKS)  # better told now than after the training
    where = cells(price_scenarios(), OPPONENTS, SEATS)
    model, clock = train(
        chosen.minutes,
        chosen.seed,
        look=lambda model: float(play(acts(model), where, "validation", POINT_SEEDS).reward.mean()),
    )
    if chosen.save is not None:
        model.save(chosen.save)
    mine = play(acts(model), where, "test", chosen.seeds)
    rows = compare("PPO", mine, where, chosen.against, "test")
    versions = ", ".join(f"{one.__name__} {one.__version__}" for one in (stable_baselines3, torch, gymnasium, np))
    setting = (
        f"{chosen.minutes:g} CPU minutes of training on one core, {clock.num_timesteps:,} moves, seed {chosen.seed}; "
        f"then {mine.reward.size:,} episodes of every policy: the same {chosen.seeds} seeds of the split `test` in "
        f"each of {len(where)} cells. Means and 95 % intervals over seeds. {versions}."
    )
    text = report(rows, mine, clock.curve, setting)
    print(text)
    if chosen.write is not None:
        levels = evaluate(plan(("tit_for_tat", "boulware"), episodes=POINT_SEEDS, split="validation", where=where))
        means = {name: float(found.mean()) for name, found in zip(levels.plan.policies, levels.reward, strict=True)}
        below = f"mean reward on the validation split, {POINT_SEEDS} seeds in each of {len(where)} cells"
        draw(chosen.write, "PPO", clock.curve, means, below)
        put_into(chosen.write / "ppo.md", MARKS, text)
        found = {"setting": setting, "curve": clock.curve, "rows": rows, "habits": mine.habits}
        (chosen.write / "ppo.json").write_bytes(to_json(found))


if __name__ == "__main__":
    main()
