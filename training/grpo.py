"""GRPO over the live socket: play groups of episodes, learn from what came of them, again.

    from training.grpo import run
    run(model="outputs/sft/model", chosen=preset("tiny"), out=Path("outputs/grpo"))

A step draws tasks (scenario, persona, seat, a seed of `train`), plays each `group` times with the model as it is, pays
every episode by the weighted reward functions (`training.rewards`), and makes one clipped update for each minibatch
(`training.updates`). The loop is ours because an episode here is many prompts: TRL's trainer takes one sequence an
episode. (Its own multi-turn way, a tool-calling model with `environment_factory`, is examples/trl_environment.py.)

Every step is logged, transcripts are kept, and a run that was killed goes on from its last checkpoint, with the same
tasks and draws as if it had not been.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import msgspec

from agent.llm.spoken import CLASSES
from game.scenarios import scenarios
from parlay_env.tasks import seed_range
from training import model_card, models, rewards
from training.adapters import export, merged, with_adapters
from training.advantages import SeatBaselines, advantages
from training.checkpoints import go_on, keep, steps_done
from training.instances import led
from training.policies import names as policies
from training.presets import Grpo, Preset, as_dict, check_weights
from training.rollout import AT_ONCE, Episode, Rollouts, Task, seat_named
from training.run_folder import CARD, TRANSCRIPTS, Row, RunFolder
from training.speaker import Speaker
from training.updates import Policy, Sample
from training.vllm_speaker import ModelServer, ServedPolicy, ServedSpeaker

SERVED = "served"
"""The folder of adapters for a sampler."""
EVERY = 10
"""Steps from checkpoint to checkpoint, and between transcripts."""
CURVES = ("reward", "efficiency", "deals", "beyond_limit", "entropy", "kl")

Told = Callable[[int, int, Row], object]
"""Told of each step that is done: its number, of how many, and its figures."""


class GrpoError(ValueError):
    """The run can't be done as asked; the message says what would be right."""


class State(msgspec.Struct, frozen=True):
    """Where a run is, beside model and optimiser."""

    step: int
    baselines: dict[str, float]


def run(
    *,
    model: str,
    chosen: Preset,
    out: Path,
    url: str,
    seed: int = 0,
    weights: Mapping[str, float] = rewards.WEIGHTS,
    events: bool = True,
    command: str = "",
    told: Told = lambda _, __, ___: None,
    sampler: ModelServer | None = None,
) -> Path:
    """Train, or go on with a run that was killed; gives the folder of the trained model. `model`: a folder or hub name,
    to begin with; `url`: the environment's server; `events`: headlines occur; `sampler`: a server that answers in the
    model's place, with each step's adapter.

    Raises GrpoError, PresetError, ModelMissing, RunMismatch, SamplerError, and ParlayClientError where the server
    refuses, or goes for good.
    """
    models.need("torch", "transformers", *(["peft"] if chosen.lora else []))
    check(chosen.grpo, weights)
    check_weights(chosen)
    if sampler is not None and chosen.lora is None:
        raise GrpoError("a sampler takes adapters alone: set lora={rank: 16, alpha: 32, dropout: 0.0}, or a preset's")
    folder = RunFolder(out)
    folder.begin(
        {
            "kind": "grpo",
            "preset": as_dict(chosen, "grpo"),
            "model": model,
            "seed": seed,
            "weights": dict(weights),
            "events": events,
            "command": command,
        },
        length=("preset", "grpo", "steps"),
        done=steps_done(folder),
    )
    served = None if sampler is None else ServedPolicy(sampler, model, folder.folder / SERVED)
    trainer = Trainer(model, chosen, folder, url, seed, weights, events, served)
    done = trainer.step == chosen.grpo.steps and (folder.model / CARD).exists()
    try:
        while trainer.step < chosen.grpo.steps:
            row = trainer.advance()
            told(trainer.step, chosen.grpo.steps, row)
    finally:
        trainer.rollouts.close()
        if served is not None:
            served.close()
    if done:
        return folder.model
    export(trainer.policy.model, trainer.tokenizer, folder)
    folder.draw(CURVES, f"GRPO of {model}, {chosen.grpo.tasks} × {chosen.grpo.group} episodes a step")
    model_card.write(folder)
    return folder.model


def check(options: Grpo, weights: Mapping[str, float]) -> None:
    """Raise GrpoError for scenarios, personas, seats or weights that there are not, and for what can't go together."""
    from agent.registry import OPPONENTS

    for what, given, known in (
        ("scenarios", options.scenarios, ("all", *scenarios())),
        ("personas", options.personas, OPPONENTS),
        ("seats", options.seats, ("seller", "buyer")),
        ("lead.by", (options.lead.by,), policies()),
        ("weights", tuple(weights), rewards.FUNCTIONS),
    ):
        unknown = [one for one in given if one not in known]
        if unknown or not given:
            raise GrpoError(
                f"{what} {'is' if '.' in what else 'are'} of {', '.join(known)}; not {', '.join(unknown) or 'none'}"
            )
    if options.credit == "turn" and options.baseline == "seat":
        raise GrpoError("credit=turn is against the group at that turn: baseline=seat goes with credit=episode")
    if options.tasks * options.group > AT_ONCE:
        raise GrpoError(f"a step plays at most {AT_ONCE} episodes (tasks × group), which is what the sockets hold")


def tasks_of(options: Grpo, seed: int, step: int, *, events: bool = True) -> list[Task]:
    """The tasks of this step, each once: seeds of `train`, drawn by the run's seed and the step alone."""
    draws = draws_of(seed, step, "tasks")
    chosen = list(scenarios()) if "all" in options.scenarios else list(options.scenarios)
    cells = list(product(chosen, options.personas, options.seats))
    first, last = seed_range("train")
    picked = draws.sample(cells, len(cells)) * (options.tasks // len(cells) + 1)
    return [
        Task(
            scenario, persona, seat_named(seat), draws.randrange(first, last), "train", events, omega_of(options, step)
        )
        for scenario, persona, seat in picked[: options.tasks]
    ]


def omega_of(options: Grpo, step: int) -> float:
    """The cliff's height at this step: the first until `omega_steps` are done, then the second."""
    return options.omega[0] if step < options.omega_steps else options.omega[1]


def draws_of(seed: int, step: int, purpose: str) -> random.Random:
    """What is drawn at a step for one purpose: the same again when a run goes on."""
    return random.Random(f"{seed} {step} {purpose}")  # noqa: S311 - no secret


class Trainer:
    """A run under way. `step`: how many steps are done."""

    def __init__(
        self,
        model: str,
        chosen: Preset,
        folder: RunFolder,
        url: str,
        seed: int,
        weights: Mapping[str, float],
        events: bool,
        served: ServedPolicy | None = None,
    ) -> None:
        self.chosen = chosen
        self._served = served
        self.folder = folder
        self.seed = seed
        self.weights = weights
        self.events = events
        base, self.tokenizer = models.load(models.place_of(model), chosen.dtype)
        network = with_adapters(base, chosen, seed)
        options = chosen.grpo
        self.policy = Policy(
            network,
            learning_rate=options.learning_rate,
            kl=options.kl,
            clip=options.clip,
            temperature=options.temperature,
        )
        self.baselines = SeatBaselines()
        self.step = 0
        state = go_on(folder, State, self.policy.model, self.policy.optimizer)
        if state is not None:
            self.step, self.baselines = state.step, SeatBaselines(state.baselines)
        self.rollouts = Rollouts(
            url, self._answer, form=chosen.form, rewards_of="immediate" if options.credit == "turn" else None
        )
        self._speaker: Speaker | ServedSpeaker | None = None

    def _answer(self, conversations: Sequence[Any]) -> list[Any]:
        assert self._speaker is not None
        return self._speaker.answer(conversations)

    def advance(self) -> Row:
        """One step; its figures, which are logged."""
        options, began = self.chosen.grpo, time.perf_counter()
        self._speaker = self._who_answers()
        moves = options.lead.moves if self.step < options.lead.steps else 0
        tasks = [
            led(one, options.lead.by, moves) for one in tasks_of(options, self.seed, self.step, events=self.events)
        ]
        waited = self.rollouts.environment_s
        with nullcontext() if self._served is not None else merged(self.policy.model):
            episodes = self.rollouts.play([one for one in tasks for _ in range(options.group)])
        played = time.perf_counter()
        worth = advantages(
            [self._paid(one) for one in episodes],
            [one.task.seat for one in episodes],
            options.group,
            self.baselines,
            credit=options.credit,
            baseline=options.baseline,
            turns=[[turn.number for turn in one.turns] for one in episodes],
        )
        samples = [
            Sample(turn.said, value, 1.0 / sum(len(each.said.ids) for each in one.turns))
            for one, values in zip(episodes, worth, strict=True)
            for turn, value in zip(one.turns, values, strict=True)
        ]
        samples = _some(samples, options.answers, draws_of(self.seed, self.step, "answers"))
        measured = self.policy.update(samples, options.minibatches, draws_of(self.seed, self.step, "order"))
        ended = time.perf_counter()
        self.step += 1
        row = {
            "step": self.step,
            **summary(episodes, self.weights),
            **msgspec.to_builtins(measured),
            "omega": omega_of(options, self.step - 1),
            "led": moves,
            "tokens": self._speaker.tokens,
            "rollout_s": round(played - began, 3),
            "update_s": round(ended - played, 3),
            "environment_share": round((self.rollouts.environment_s - waited) / (ended - began), 5),
        }
        self.folder.log(row)
        if self.step % EVERY == 0 or self.step == options.steps:
            self._keep(episodes)
            state = State(self.step, self.baselines.kept)
            keep(self.folder, self.step, state, self.policy.model, self.policy.optimizer)
        return row

    def _who_answers(self) -> Speaker | ServedSpeaker:
        """The policy as it is now: in this process, or served."""
        how: dict[str, Any] = {
            "answer_tokens": self.chosen.answer_tokens,
            "temperature": self.chosen.grpo.temperature,
            "seed": draws_of(self.seed, self.step, "tokens").randrange(2**31),
        }
        if self._served is None:
            return Speaker(self.policy.model, self.tokenizer, **how)
        name = self._served.publish(self.policy.model, self.step)
        return ServedSpeaker(self._served.server, name, self.tokenizer, **how)

    def _paid(self, episode: Episode) -> list[float]:
        """What each of the episode's answers was paid by the weighted functions."""
        of_term = {term: self.weights[name] for name, terms in rewards.TERMS.items() for term in terms}
        lost = self.weights["format"] * rewards.UNREADABLE
        return [
            sum(of_term[term] * value for term, value in turn.terms.items()) - (lost if turn.action is None else 0.0)
            for turn in episode.turns
        ]

    def _keep(self, episodes: Sequence[Episode]) -> None:
        """One episode of this step, as it was said."""
        one = episodes[0]
        told = {
            "step": self.step,
            "task": one.task,
            "end": one.end,
            "reward": one.reward,
            "turns": [
                {"asked": turn.messages[-1]["content"], "said": turn.said.text, "kind": turn.kind} for turn in one.turns
            ],
        }
        with (self.folder.folder / TRANSCRIPTS).open("ab") as file:
            file.write(msgspec.json.encode(told) + b"\n")


def _some(samples: list[Sample], share: float, draws: random.Random) -> list[Sample]:
    """This share of the answers that say anything, at least one: the rest would cost as much and add little."""
    telling = [one for one in samples if one.advantage] or samples
    return draws.sample(telling, max(1, round(share * len(telling))))


def summary(episodes: Sequence[Episode], weights: Mapping[str, float] = rewards.WEIGHTS) -> Row:
    """Figures of some episodes: means of reward and of its functions, shares of ends and of classes of answers."""
    n = len(episodes)
    totals = rewards.totals(episodes, weights)
    functions = [rewards.parts(one) for one in episodes]
    answers = sum(len(one.turns) for one in episodes)
    return {
        "episodes": n,
        "reward": fmean(one.reward for one in episodes),
        "weighted": fmean(totals),
        "spread": pstdev(totals),
        **{f"reward_{name}": fmean(part[name] for part in functions) for name in rewards.FUNCTIONS},
        "efficiency": fmean(one.grade["efficiency"] for one in episodes),
        "deals": sum(one.end == "deal" for one in episodes) / n,
        "beyond_limit": sum(bool(one.grade["breach"]) for one in episodes) / n,
        "turns": answers / n,
        **{kind: sum(one.classes()[kind] for one in episodes) / answers for kind in CLASSES},
        "reruns": sum(one.reruns for one in episodes),
    }
