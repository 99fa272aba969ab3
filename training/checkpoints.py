"""Where a killed run goes on: weights, optimiser and the run's own state, in a folder that appears whole."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from training.run_folder import RunFolder, replace_file

State = TypeVar("State", bound=msgspec.Struct)
_STATE, _WEIGHTS = "state.json", "weights.pt"


def keep(folder: RunFolder, step: int, state: msgspec.Struct, model: Any, optimizer: Any) -> None:
    """A checkpoint of this step; the ones before it go when it is whole."""
    import torch

    place = folder.checkpoints / f"checkpoint-{step}"
    beside = place.with_name(f"{place.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    weights = {name: one for name, one in model.named_parameters() if one.requires_grad}
    torch.save({"weights": weights, "optimizer": optimizer.state_dict()}, beside / _WEIGHTS)
    replace_file(beside / _STATE, msgspec.json.encode(state))
    shutil.rmtree(place, ignore_errors=True)
    beside.rename(place)
    for old in folder.checkpoints.glob("checkpoint-*"):
        if old != place:
            shutil.rmtree(old)


def go_on(folder: RunFolder, kind: type[State], model: Any, optimizer: Any) -> State | None:
    """The newest checkpoint's state, with its weights and optimiser loaded, and the log taken back to it; None where
    the run begins."""
    import torch

    newest = _newest(folder)
    folder.back_to(0 if newest is None else _step(newest))
    if newest is None:
        return None
    kept = torch.load(newest / _WEIGHTS, map_location=model.device, weights_only=True)
    model.load_state_dict(kept["weights"], strict=False)
    optimizer.load_state_dict(kept["optimizer"])
    return msgspec.json.decode((newest / _STATE).read_bytes(), type=kind)


def steps_done(folder: RunFolder) -> int:
    """The step that a run in this folder would go on from; 0 where it would begin."""
    newest = _newest(folder)
    return 0 if newest is None else _step(newest)


def _newest(folder: RunFolder) -> Path | None:
    found = [one for one in folder.checkpoints.glob("checkpoint-*") if (one / _STATE).exists()]
    return max((one for one in found if not one.name.endswith(".new")), key=_step, default=None)


def _step(place: Path) -> int:
    return int(place.name.rpartition("-")[2])
