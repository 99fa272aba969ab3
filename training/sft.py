"""Supervised fine-tuning on a data set: TRL's trainer, loss on the action's tokens alone.

    from training.sft import run
    run(data=load(Path("outputs/data")), chosen=preset("cpu"), out=Path("outputs/sft"))

Validation is on the set's held-out episodes. A run that was killed goes on from its last checkpoint. What comes out is
`model/`, merged and ready for `--model` of every other command, and with LoRA `adapter/` beside it. Under `accelerate
launch` several processes do it together, and the first alone writes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from training import model_card, models, tiny
from training.adapters import export, lora
from training.chat import CHATML, CHATML_END, Messages
from training.data.form import DataSet
from training.lessons import Lesson, lessons
from training.presets import Preset, as_dict
from training.ranks import first_goes_first, is_first, processes
from training.run_folder import RunFolder

EVALUATIONS = 8
"""Of the validation loss, over a run."""
MOST_VALIDATION, LEAST_VALIDATION = 256, 32
"""Examples that the validation loss is taken over, evenly over the held-out episodes: a sixteenth of those that are
learned from, within these bounds. It is taken `EVALUATIONS` times, and is not to take longer than what is learned."""
KEPT = 2
"""Checkpoints."""
CURVES = ("loss", "eval_loss", "eval_mean_token_accuracy")
_WHOLE = ("trainer_state.json", "optimizer*", "scheduler.pt", "rng_state*.pth")
"""Files of a checkpoint that can be gone on from, of one process or of several; the first is written last."""

Told = Callable[[int, int], object]
"""Told how many steps of how many are done."""


class SftError(ValueError):
    """The run can't be done as asked; the message says what would be right."""


class Result(msgspec.Struct, frozen=True):
    """What a run came to."""

    model: Path
    steps: int
    examples: int
    validation: int
    loss: float | None
    """Of validation, at the end."""
    accuracy: float | None
    """Share of the answers' tokens that were the likeliest, in validation."""


def run(
    data: DataSet,
    chosen: Preset,
    out: Path,
    *,
    seed: int = 0,
    model: str | None = None,
    command: str = "",
    told: Told = lambda _, __: None,
) -> Result:
    """Train, or go on with a run that was killed. `model`: another one than the preset's.

    A run that is done is not done again: what it came to is told. Raises SftError, ModelMissing, RunMismatch.
    """
    models.need("torch", "transformers", "trl", "datasets", *(["peft"] if chosen.lora else []))
    import torch

    folder = RunFolder(out)
    name = model or chosen.model
    if is_first():
        folder.begin(_config(data, chosen, name, seed, command))
    if (done := folder.finished(Result)) is not None:
        return replace(done, model=folder.model)
    learned = lessons(data, "train", chosen.form, chosen.sft.examples)
    tested = min(MOST_VALIDATION, max(LEAST_VALIDATION, len(learned) // 16))
    held_out = lessons(data, "validation", chosen.form, tested)
    if not learned:
        raise SftError("the data set has no examples to train on: build one with more episodes")
    with first_goes_first():
        place = _base(name, learned, folder, seed)
    network, tokenizer = models.load(place, chosen.dtype, device="cpu")  # the trainer knows which GPU is whose
    _shape(network, tokenizer)
    learned, held_out = (_short(some, tokenizer, chosen) for some in (learned, held_out))
    torch.manual_seed(seed)  # adapters begin drawn
    made = _trainer(network, tokenizer, learned, held_out, chosen, folder, seed, told)
    last = newest(folder.checkpoints)
    if is_first():
        folder.back_to(0 if last is None else int(last.name.rpartition("-")[2]))
    made.train(resume_from_checkpoint=None if last is None else str(last))
    measured = made.evaluate() if held_out else {}
    _export(made, tokenizer, folder, place, chosen)
    if is_first():
        folder.draw(CURVES, f"SFT of {name} on {len(learned):,} examples")
    result = Result(
        folder.model,
        made.state.global_step,
        len(learned),
        len(held_out),
        measured.get("eval_loss"),
        measured.get("eval_mean_token_accuracy"),
    )
    if is_first():
        model_card.write(folder)
        folder.finish(result)
    return result


def _config(data: DataSet, chosen: Preset, model: str, seed: int, command: str) -> dict[str, Any]:
    return {
        "kind": "sft",
        "preset": as_dict(chosen, "sft"),
        "model": model,
        "seed": seed,
        "data": data.manifest.digest,
        "processes": processes(),
        "command": command,
    }


def _shape(network: Any, tokenizer: Any) -> None:
    """Give them the form of conversation that is trained, and its end: whoever samples stops where it was taught to.
    Raises SftError."""
    tokenizer.chat_template = template(tokenizer)
    if tokenizer.chat_template == CHATML:
        tokenizer.eos_token = CHATML_END
        if tokenizer.eos_token_id not in (ends := models.ends_of(tokenizer)[1:]):
            network.generation_config.eos_token_id = [tokenizer.eos_token_id, *ends]


def template(tokenizer: Any) -> str:
    """The chat template to train with, which marks what the assistant says. Raises SftError for a form of chat that
    neither we nor TRL know."""
    known = tokenizer.get_vocab()
    if "<|im_start|>" in known and "<|im_end|>" in known:
        return CHATML
    from trl import get_training_chat_template

    try:
        return get_training_chat_template(tokenizer) or tokenizer.chat_template
    except ValueError as error:
        raise SftError(
            "this model's chat template doesn't mark what the assistant says, and TRL knows no other for it "
            f"({error}); take a model with ChatML, such as smollm2 or Qwen2.5"
        ) from None


def newest(folder: Path) -> Path | None:
    """The newest checkpoint that is whole; one that was being written when the process died is not."""
    found = [one for one in folder.glob("checkpoint-*") if all(any(one.glob(name)) for name in _WHOLE)]
    return max(found, key=lambda one: int(one.name.rpartition("-")[2]), default=None)


def _base(name: str, learned: Sequence[Lesson], folder: RunFolder, seed: int) -> str:
    """Where the model to begin with is; a tiny one is made of the lessons' texts, once."""
    if name != models.TINY:
        return models.place_of(name)
    place = folder.folder / "base"
    if not (place / "config.json").exists():
        tiny.make((one["content"] for lesson in learned for one in lesson.conversation()), place, seed)
    return str(place)


def _short(some: Sequence[Lesson], tokenizer: Any, chosen: Preset) -> list[Lesson]:
    """Those whose prompt and answer fit; a cut answer would teach not to end. Raises SftError where most don't."""
    most = chosen.prompt_tokens + chosen.answer_tokens
    kept = [one for one in some if _length(one, tokenizer) <= most]
    if len(kept) < len(some) / 2:
        raise SftError(
            f"{len(some) - len(kept)} of {len(some)} examples are longer than {most} tokens: "
            "set prompt_tokens and answer_tokens higher, or form=brief"
        )
    return kept


def _length(lesson: Lesson, tokenizer: Any) -> int:
    return len(tokenizer.apply_chat_template(lesson.conversation(), tokenize=True, return_dict=False))


def _trainer(
    network: Any,
    tokenizer: Any,
    learned: Sequence[Lesson],
    held_out: Sequence[Lesson],
    chosen: Preset,
    folder: RunFolder,
    seed: int,
    told: Told,
) -> Any:
    steps = _steps(len(learned), chosen)
    every = max(1, steps // EVALUATIONS)
    made = trainer(
        network,
        tokenizer,
        [one.conversation() for one in learned],
        settings(chosen, folder.checkpoints, seed)
        | {
            "num_train_epochs": chosen.sft.epochs,
            "per_device_train_batch_size": chosen.sft.batch,
            "per_device_eval_batch_size": chosen.sft.batch,
            "gradient_accumulation_steps": chosen.sft.accumulate,
            "learning_rate": chosen.sft.learning_rate,
            "lr_scheduler_type": "cosine",
            "warmup_steps": math.ceil(chosen.sft.warmup * steps),
            "logging_steps": max(1, steps // 100),
            "eval_strategy": "steps" if held_out else "no",
            "eval_steps": every,
            "save_strategy": "steps",
            "save_steps": every,
            "save_total_limit": KEPT,
        },
        held_out=[one.conversation() for one in held_out],
        peft_config=lora(chosen, network),
    )
    made.add_callback(_keeper(folder, told))
    return made


def settings(chosen: Preset, place: Path, seed: int) -> dict[str, Any]:
    """What every trainer of TRL is told here: how to use this machine, and to be silent."""
    import torch

    on_gpu = torch.cuda.is_available()
    return {
        "output_dir": str(place),
        "use_cpu": not on_gpu,
        "bf16": on_gpu and chosen.dtype == "bfloat16",
        "gradient_checkpointing": on_gpu,
        "dataloader_pin_memory": on_gpu,
        "max_length": chosen.prompt_tokens + chosen.answer_tokens,
        "seed": seed,
        "report_to": "none",
        "disable_tqdm": True,
        "ddp_find_unused_parameters": False,
    }


def trainer(
    network: Any,
    tokenizer: Any,
    learned: Sequence[Messages],
    options: Mapping[str, Any],
    *,
    held_out: Sequence[Messages] = (),
    **others: Any,
) -> Any:
    """TRL's trainer on these conversations, loss on what the assistant says. `options`: of its config; `others`: its
    own arguments."""
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl import SFTConfig, SFTTrainer

    made = SFTTrainer(
        model=network,
        args=SFTConfig(assistant_only_loss=True, train_sampling_strategy="random", **options),
        train_dataset=Dataset.from_list(_rows(learned)),
        eval_dataset=Dataset.from_list(_rows(held_out)) if held_out else None,
        processing_class=tokenizer,
        **others,
    )
    made.remove_callback(PrinterCallback)
    return made


def _rows(some: Sequence[Messages]) -> list[dict[str, Any]]:
    return [{"messages": one} for one in some]


def _steps(examples: int, chosen: Preset) -> int:
    return chosen.sft.epochs * math.ceil(examples / (chosen.sft.batch * chosen.sft.accumulate * processes()))


def _keeper(folder: RunFolder, told: Told) -> Any:
    """What TRL measures goes into the run's log."""
    from transformers import TrainerCallback

    class Keeper(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:  # noqa: ARG002
            if state.is_world_process_zero and logs:
                folder.log({"step": state.global_step, **logs})

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            if state.is_world_process_zero:
                told(state.global_step, state.max_steps)

    return Keeper()


def _export(trainer: Any, tokenizer: Any, folder: RunFolder, place: str, chosen: Preset) -> None:
    """The trained model, merged; with LoRA the adapter, too. What was there of it goes only when the new is whole."""
    network = trainer.accelerator.unwrap_model(trainer.model)
    if trainer.is_fsdp_enabled:
        network = joined(trainer.accelerator.get_state_dict(trainer.model_wrapped), place, chosen)
    if not is_first():
        return
    export(network, tokenizer, folder)


def joined(weights: dict[str, Any], place: str, chosen: Preset) -> Any:
    """A model that was trained in shards, whole again on the first process; None on the others. `weights`: of all
    shards together; `place`: of the model that was begun with."""
    if not is_first():
        return None
    network, _ = models.load(place, chosen.dtype, device="cpu")
    settings = lora(chosen, network)
    if settings is not None:
        from peft import get_peft_model

        network = get_peft_model(network, settings)
    network.load_state_dict(weights)
    return network
