"""A training run on disk: what it was asked, what it measured at each step, and where it goes on.

config.json      the options, versions, seed and data: written first; another run is not continued by accident
log.jsonl        a line of figures a step, and what is evaluated now and then
tensorboard/     the same figures for TensorBoard, where it is installed
result.json      what an SFT came to: with it the run is done, and the same command only tells it again
curves.png       drawn when the run ends, where matplotlib is installed
checkpoints/     where a killed run goes on
model/           what came out: model and tokenizer as transformers loads them, and the model's card; adapter/ beside
                 it with LoRA
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from parlay_env import __version__
from training.models import NAMES
from training.stats import LEVEL, ratios

CONFIG, LOG, TRANSCRIPTS, RESULT, CARD = "config.json", "log.jsonl", "transcripts.jsonl", "result.json", "README.md"
_LIBRARIES = ("torch", "transformers", "trl", "peft", "accelerate", "datasets")
_FREE = ("versions", "command", "local")
"""Parts of a config that may differ when a run goes on."""
_BEFORE = "before"
"""Of a config: the runs that made the model to begin with."""

Row = dict[str, Any]
Finished = TypeVar("Finished", bound=msgspec.Struct)


class RunMismatch(ValueError):
    """The folder holds another run; the message says what differs."""


class RunFolder:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._board: Any = None
        self._again_from: int | None = None
        """The first step that is done again, so that TensorBoard drops what it has of it."""

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    @property
    def model(self) -> Path:
        return self.folder / "model"

    @property
    def adapter(self) -> Path:
        return self.folder / "adapter"

    def begin(self, config: Mapping[str, Any], length: Sequence[str] = (), done: int = 0) -> None:
        """Write what is asked; where the folder holds a run already, it must be this one. Raises RunMismatch.

        `length`: where in the config its number of steps stands, which may be another when the run goes on, if there
        are not more of them `done`. The model of a run that gets longer goes: it would be taken for what is to come.
        """
        model = config.get("model", "")
        local = model not in NAMES and Path(model).is_dir()
        asked = {**config, "versions": versions(), "before": _line(model) if local else [], "local": local}
        file = self.folder / CONFIG
        if file.exists():
            there, wanted = self._config(), _plain(asked)
            before = _take(there, length)
            now = _take(wanted, length)
            differing = _differing(there, wanted)
            if differing == [_BEFORE]:
                raise RunMismatch(
                    f"{self.folder} holds a run that began from another model of that name: {model} was trained anew "
                    "since; name another folder, or remove it"
                )
            if differing:
                told = " and ".join(name for name in differing if name != _BEFORE)
                raise RunMismatch(f"{self.folder} holds a run with another {told}; name another folder, or remove it")
            if now is not None and now < done:
                raise RunMismatch(f"{self.folder} holds {done} {length[-1]} already: ask for as many or more")
            if now != before:
                for place in (self.model, self.adapter):
                    shutil.rmtree(place, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_file(file, msgspec.json.format(msgspec.json.encode(asked), indent=2))

    def _config(self) -> Row:
        """What the folder's run was asked. Raises RunMismatch for a file of that name that no run wrote, such as a
        model's."""
        file = self.folder / CONFIG
        try:
            there = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
        except msgspec.DecodeError:
            there = {}
        if "kind" not in there:
            raise RunMismatch(f"{file} is no run's; name another folder")
        return there

    def rows(self) -> list[Row]:
        """What was logged so far; a line that was being written when the process died is left out."""
        return self._lines(LOG)

    def _lines(self, name: str) -> list[Row]:
        file = self.folder / name
        if not file.exists():
            return []
        return [msgspec.json.decode(line) for line in file.read_bytes().split(b"\n")[:-1] if line]

    def back_to(self, step: int) -> None:
        """Forget what was logged and kept of steps after this one, since they are done again."""
        self._again_from = step + 1
        for name in (LOG, TRANSCRIPTS):
            kept = [row for row in self._lines(name) if row["step"] <= step]
            if kept or (self.folder / name).exists():
                replace_file(self.folder / name, b"".join(msgspec.json.encode(row) + b"\n" for row in kept))

    def log(self, row: Row) -> None:
        """Keep a step's figures. `row["step"]` says of which."""
        with (self.folder / LOG).open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")
        board = self._writer()
        if board is not None:
            for name, value in row.items():
                if isinstance(value, int | float) and not isinstance(value, bool) and name != "step":
                    board.add_scalar(name, value, row["step"])
            board.flush()

    def _writer(self) -> Any:
        if self._board is None and find_spec("tensorboard") is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._board = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self._again_from)
        return self._board

    def finish(self, result: msgspec.Struct) -> None:
        """Keep what the run came to, as the last thing that it does."""
        replace_file(self.folder / RESULT, msgspec.json.encode(result, enc_hook=str))

    def finished(self, kind: type[Finished]) -> Finished | None:
        """What the run came to; None where it is not done, or its model is gone."""
        file = self.folder / RESULT
        if not file.exists() or not self.model.exists():
            return None
        return msgspec.json.decode(file.read_bytes(), type=kind, dec_hook=lambda as_, value: as_(value))

    def draw(self, names: Sequence[str], title: str) -> Path | None:
        """Curves of these figures by step, one above the other; None without matplotlib, or with nothing to draw."""
        series = {
            name: [(row["step"], row[name]) for row in self.rows() if isinstance(row.get(name), int | float)]
            for name in names
        }
        series = {name: points for name, points in series.items() if len(points) > 1}
        if find_spec("matplotlib") is None or not series:
            return None
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 1.9 * len(series) + 0.6), layout="constrained")
        axes = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
        for one, (name, points) in zip(axes, series.items(), strict=True):
            x, y = zip(*points, strict=True)
            one.plot(x, y, color="#9db4c9", linewidth=1, marker="." if len(points) < 40 else "")
            if len(points) >= _SMOOTH:
                means, lows, highs = zip(*running(y), strict=True)
                one.fill_between(x[_SMOOTH - 1 :], lows, highs, color="#12507b", alpha=0.15, linewidth=0)
                one.plot(x[_SMOOTH - 1 :], means, color="#12507b", linewidth=1.8)
            one.set_ylabel(name.replace("_", " "))
            one.spines[["top", "right"]].set_visible(False)
            one.grid(axis="y", alpha=0.25)
        told = f"; dark: the mean of the last {_SMOOTH}, with its {LEVEL:.0%} interval"
        axes[-1].set_xlabel("step" + (told if any(len(points) >= _SMOOTH for points in series.values()) else ""))
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
        path = self.folder / "curves.png"
        figure.savefig(path, dpi=120)
        return path


_SMOOTH = 10
"""Steps of the running mean that is drawn over the figures."""


def running(values: Sequence[float]) -> list[tuple[float, float, float]]:
    """The mean of each ten steps in a row, and the ends of its bootstrap interval over them; the steps of a run have
    other tasks each."""
    found = np.lib.stride_tricks.sliding_window_view(np.asarray(values, float), _SMOOTH).T
    return [
        (one.value, one.low, one.high)
        for one in ratios(found, np.ones_like(found))
        if one is not None and one.low is not None and one.high is not None
    ]


def run_of(model: str) -> Row | None:
    """What the run was asked that made the model in this folder, as its `config.json` says; None of any other."""
    file = Path(model).parent / CONFIG
    try:
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return None
    return found if "kind" in found else None


def same_run(one: Row | None, other: Row) -> bool:
    """Are these the configs of one run, whatever command and libraries went on with it?"""
    return one is not None and not _differing(one, other)


def _differing(one: Row, other: Row) -> list[str]:
    """What these two configs differ in, by name; whatever may differ is left out, also of the runs before them."""
    return sorted(
        name for name in one.keys() | other.keys() if name not in _FREE and _kept(name, one) != _kept(name, other)
    )


def _kept(name: str, config: Row) -> Any:
    found = config.get(name)
    if name != _BEFORE:
        return found
    return [{part: value for part, value in run.items() if part not in _FREE} for run in found or []]


def _line(model: str) -> list[Row]:
    """The runs that made the model in this folder, the first of them first; none where no run here did."""
    before = run_of(model)
    return [] if before is None else [*before.get("before", []), {**before, "before": []}]


def versions() -> dict[str, str]:
    """Of Parlay, Python and the libraries that train."""
    found = {"parlay": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it finds the old one or the new one, whenever the process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _take(config: Row, path: Sequence[str]) -> Any:
    """Take what stands there out of it; None where nothing does."""
    for name in path[:-1]:
        config = config.get(name) or {}
    return config.pop(path[-1], None) if path else None


def _plain(value: Any) -> Any:
    """As it comes back from JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))
