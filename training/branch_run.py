"""A run that learns from branches: draw prefixes, finish each several times, learn from the first messages, again.

    from training.branch_run import run
    run(method="dpo", model="outputs/sft/model", data=load(Path("outputs/data")), chosen=preset("tiny"), ...)

Prefixes are of the data set's training episodes. Held-out ones, of its validation episodes, are the same all through
the run. Before the first round and then every `EVERY` rounds they are finished twice: with the likeliest answers, so
that what is told differs by the model alone, and with answers drawn at GRPO's temperature, by the same draws each time.
The log has the mean, and the mean of what each gained since the beginning, with intervals over seeds.

Every round is logged and kept: a run that was killed goes on with the round that it was in, and its draws.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, Literal, Protocol, get_args

import msgspec

from training import model_card, models, rewards
from training.adapters import export, merged, with_adapters
from training.branching import ALLOWED, Branch, BranchError, Line, finish, picked, played, prefixes, samples, stored
from training.checkpoints import go_on, keep, steps_done
from training.data.form import DataSet
from training.grpo import draws_of
from training.learner_eval import by_seed
from training.presets import Preset, as_dict, check_weights
from training.rollout import AT_ONCE, Rollouts, Task
from training.run_folder import CARD, TRANSCRIPTS, Row, RunFolder
from training.speaker import Speaker
from training.updates import Policy

Method = Literal["grpo", "dpo", "star"]
METHODS: tuple[Method, ...] = get_args(Method)
EVERY = 5
"""Rounds between measures of the held-out prefixes, and between transcripts."""
CURVES = ("reward", "likeliest", "drawn", "spread", "distinct", "loss")

Told = Callable[[int, int, Row], object]
"""Told of each round that is done: its number, of how many, and its figures."""


class Learner(Protocol):
    """What learns from a round's branches."""

    model: Any
    optimizer: Any

    def learn(self, branches: Sequence[Branch], draws: random.Random) -> Row:
        """Update the model; figures of it, `learned` among them: how many examples there were."""
        ...


class Groups:
    """GRPO on the groups of answers."""

    def __init__(self, model: Any, chosen: Preset) -> None:
        options = chosen.grpo
        self._policy = Policy(
            model,
            learning_rate=chosen.branch.learning_rate,
            kl=options.kl,
            clip=options.clip,
            temperature=chosen.branch.temperature,
        )
        self._updates = chosen.branch.updates
        self.model = model
        self.optimizer = self._policy.optimizer

    def learn(self, branches: Sequence[Branch], draws: random.Random) -> Row:
        """So many updates, each on a part of the answers."""
        found = samples(branches)
        if not found:
            return {"learned": 0}
        return {"learned": len(found), **msgspec.to_builtins(self._policy.update(found, self._updates, draws))}


class State(msgspec.Struct, frozen=True):
    """Where a run is, beside model and optimiser."""

    step: int


def method_named(name: str) -> Method:
    """The method of this name. Raises BranchError."""
    for one in METHODS:
        if one == name:
            return one
    raise BranchError(f"a method is one of {', '.join(METHODS)}; not {name!r}")


def run(
    *,
    method: Method,
    model: str,
    data: DataSet,
    chosen: Preset,
    out: Path,
    url: str,
    seed: int = 0,
    weights: Mapping[str, float] = rewards.WEIGHTS,
    command: str = "",
    told: Told = lambda _, __, ___: None,
) -> Path:
    """Train, or go on with a run that was killed; gives the folder of the trained model. `model`: a folder or hub name,
    to begin with; `url`: the environment's server.

    Raises BranchError, PresetError, SftError, ModelMissing, RunMismatch, and ParlayClientError where the server
    refuses, or goes for good.
    """
    models.need("torch", "transformers", *(["peft"] if chosen.lora else []))
    check_weights(chosen)
    if chosen.branch.prefixes * chosen.branch.k > AT_ONCE:
        raise BranchError(f"a round plays at most {AT_ONCE} episodes (prefixes × k), which is what the sockets hold")
    lines, held_out = stored(data, "train"), stored(data, "validation")
    folder = RunFolder(out)
    folder.begin(
        {
            "kind": f"branch {method}",
            "preset": as_dict(chosen, "grpo", "branch"),
            "model": model,
            "seed": seed,
            "weights": dict(weights),
            "data": data.manifest.digest,
            "command": command,
        },
        length=("preset", "branch", "rounds"),
        done=steps_done(folder),
    )
    trainer = Trainer(method, model, chosen, folder, url, seed, weights, lines, held_out)
    done = trainer.step == chosen.branch.rounds and (folder.model / CARD).exists()
    try:
        trainer.begin()
        while trainer.step < chosen.branch.rounds:
            row = trainer.advance()
            told(trainer.step, chosen.branch.rounds, row)
    finally:
        trainer.rollouts.close()
    if done:
        return folder.model
    export(trainer.learner.model, trainer.tokenizer, folder)
    folder.draw(CURVES, f"{method} at branches of {model}, {chosen.branch.prefixes} × {chosen.branch.k} a round")
    model_card.write(folder)
    return folder.model


class Trainer:
    """A run under way. `step`: how many rounds are done."""

    def __init__(
        self,
        method: Method,
        model: str,
        chosen: Preset,
        folder: RunFolder,
        url: str,
        seed: int,
        weights: Mapping[str, float],
        lines: Sequence[Line],
        held_out: Sequence[Line],
    ) -> None:
        self.chosen = chosen
        self.folder = folder
        self.seed = seed
        self.weights = weights
        self.lines = lines
        base, self.tokenizer = models.load(models.place_of(model), chosen.dtype)
        network = with_adapters(base, chosen, seed)
        self.learner = _learner(method, network, self.tokenizer, chosen, folder)
        state = go_on(folder, State, self.learner.model, self.learner.optimizer)
        self.step = 0 if state is None else state.step
        draws = draws_of(seed, 0, "held out")
        self.held_out = prefixes(picked(held_out, min(chosen.branch.held_out, len(held_out), AT_ONCE), draws), draws)
        self.rollouts = Rollouts(url, self._answer, form=chosen.form, rewards_of="immediate")
        self._speakers: list[Speaker] = []

    def _answer(self, conversations: Sequence[Any]) -> list[Any]:
        """By the first of the speakers at the branch, where all answer together, and by the last from then on."""
        speaker = self._speakers[0] if len(self._speakers) == 1 else self._speakers.pop(0)
        return speaker.answer(conversations)

    def _speaking(self, temperature: float, draws: random.Random) -> Speaker:
        return Speaker(
            self.learner.model,
            self.tokenizer,
            answer_tokens=self.chosen.answer_tokens,
            temperature=temperature,
            seed=draws.randrange(2**31),
        )

    def begin(self) -> None:
        """Measure the model that the run begins with, unless that is done."""
        if not self.folder.rows():
            self.folder.log({"step": 0, **self._measured()})

    def advance(self) -> Row:
        """One round; its figures, which are logged."""
        options, began = self.chosen.branch, time.perf_counter()
        waited = self.rollouts.environment_s
        draws = draws_of(self.seed, self.step, "tokens")
        speakers = [self._speaking(options.temperature, draws), self._speaking(options.rest, draws)]
        with merged(self.learner.model):
            tasks = self._prefixes()
            self._speakers = [*speakers]
            branches = finish(self.rollouts, tasks, options.k, self.weights, options.shaping)
        played_at = time.perf_counter()
        measured = self.learner.learn(branches, draws_of(self.seed, self.step, "order"))
        ended = time.perf_counter()
        self.step += 1
        row = {
            "step": self.step,
            **summary(branches),
            **measured,
            "tokens": sum(one.tokens for one in speakers),
            "rollout_s": round(played_at - began, 3),
            "update_s": round(ended - played_at, 3),
            "environment_share": round((self.rollouts.environment_s - waited) / (ended - began), 5),
        }
        if self.step % EVERY == 0 or self.step == options.rounds:
            row |= self._measured()
            self._tell(branches[0])
        self.folder.log(row)
        keep(self.folder, self.step, State(self.step), self.learner.model, self.learner.optimizer)
        return row

    def _prefixes(self) -> list[Task]:
        """This round's, by the run's seed and the round alone, and with `own` by how the model plays."""
        draws = draws_of(self.seed, self.step, "prefixes")
        lines = picked(self.lines, self.chosen.branch.prefixes, draws)
        if self.chosen.branch.own:
            self._speakers = [self._speaking(self.chosen.grpo.temperature, draws)]
            lines = played(self.rollouts.play([one.task for one in lines]))
        return prefixes(lines, draws)

    def _measured(self) -> Row:
        """What the held-out prefixes come to, by the likeliest answers and by drawn ones, and what they gained in the
        run so far: means, with intervals."""
        first = next(iter(self.folder.rows()), {})
        row: Row = {}
        for name, temperature in (("likeliest", 0.0), ("drawn", self.chosen.grpo.temperature)):
            self._speakers = [self._speaking(temperature, draws_of(self.seed, 0, "held out tokens"))]
            with merged(self.learner.model):
                branches = finish(self.rollouts, self.held_out, 1, self.weights)
            found = [round(one.rewards[0], 6) for one in branches]
            before = first.get(f"{name}_rewards", found)
            gains = [now - then for now, then in zip(found, before, strict=True)]
            row |= {
                **_estimated(name, found, self.held_out),
                **_estimated(f"{name}_gain", gains, self.held_out),
                f"{name}_rewards": found,
            }
        return row

    def _tell(self, one: Branch) -> None:
        """A branch of this round, as it was answered each time."""
        answers = [
            {"said": said.text, "kind": kind, "reward": reward, "shaping": shaping}
            for said, kind, reward, shaping in zip(one.answers, one.kinds, one.rewards, one.shaping, strict=True)
        ]
        told = {"step": self.step, "task": one.task, "asked": one.messages[-1]["content"], "answers": answers}
        with (self.folder.folder / TRANSCRIPTS).open("ab") as file:
            file.write(msgspec.json.encode(told) + b"\n")


def _learner(method: Method, model: Any, tokenizer: Any, chosen: Preset, folder: RunFolder) -> Learner:
    if method == "grpo":
        return Groups(model, chosen)
    if method == "dpo":
        from training.dpo import Dpo

        return Dpo(model, tokenizer, chosen, folder.checkpoints)
    from training.star import Star

    return Star(model, tokenizer, chosen, folder.checkpoints)


def summary(branches: Sequence[Branch]) -> Row:
    """Figures of some branches: the mean reward from there on, and what of it is shaping; how much a group's differ, in
    how many groups they do, how many different answers a group has, and the share of answers that were a move."""
    return {
        "branches": len(branches),
        "reward": fmean(fmean(one.rewards) for one in branches),
        "shaping": fmean(fmean(one.shaping) for one in branches),
        "spread": fmean(pstdev(one.rewards) for one in branches),
        "telling": sum(len(set(one.rewards)) > 1 for one in branches) / len(branches),
        "distinct": fmean(len({said.text for said in one.answers}) for one in branches),
        "turn": fmean(len(one.task.history) for one in branches),
        "ok": fmean(sum(kind in ALLOWED for kind in one.kinds) / len(one.kinds) for one in branches),
    }


def _estimated(name: str, values: Sequence[float], tasks: Sequence[Task]) -> Row:
    """The mean as `name`, and its interval over seeds as `name_low` and `name_high`."""
    found = by_seed([(one.seed, value, 1.0) for value, one in zip(values, tasks, strict=True)])
    assert found is not None, "there are held-out prefixes"
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
