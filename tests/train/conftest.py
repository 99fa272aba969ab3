"""What the tests of training share: a server, a data set of self-play, and a tiny model that has learned a little."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from training import models, sft, tiny
from training.chat import CHATML
from training.data.build import Options, build
from training.data.form import DataSet, load
from training.data.sources import files_of, logs_in
from training.lessons import lessons
from training.local_server import serving
from training.presets import Preset, preset
from training.selfplay import plan, play_to

collect_ignore_glob = [] if find_spec("torch") is not None else ["test_*"]
"""Without PyTorch there is nothing to test here: `make test-trl` brings it."""

TWO_WAYS = ("fixed_step", "conceder")
"""Policies that move differently in the same place: who learns from both is not sure what to say, and tries both."""


QUICK = (
    "sft.epochs=2",
    "sft.batch=16",
    "sft.learning_rate=2e-3",
    "grpo.steps=2",
    "grpo.tasks=2",
    "grpo.group=2",
    "grpo.answers=1.0",
)
"""Options of the preset `tiny` that a test can wait for."""


LONGEST = "test_grpo_learns"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test first: begun last, it would be waited for alone."""
    items.sort(key=lambda one: one.path.stem != LONGEST)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Tests share their cores."""
    models.settle(1)


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The environment's server."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of sixteen episodes of a price game."""
    logs, out = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("data")
    play_to(plan(TWO_WAYS, pairs=[("saas_enterprise", "diplomat")], seats=("seller",), episodes=8), logs)
    found = (one for file in files_of([logs]) for one in logs_in(file))
    build(found, Options("parlay data build LOGS --out DIR", filter="all", validation_share=0.3), out)
    return out


@pytest.fixture(scope="session")
def data(data_folder: Path) -> DataSet:
    return load(data_folder)


@pytest.fixture(scope="session")
def chosen() -> Preset:
    """The preset `tiny`, made small enough for a test."""
    sizes = ["branch.rounds=3", "branch.prefixes=3", "branch.k=4", "branch.held_out=3", "branch.learning_rate=1e-3"]
    return preset("tiny", ["sft.examples=0", "sft.epochs=8", "sft.batch=16", "sft.learning_rate=3e-3", *sizes])


@pytest.fixture(scope="session")
def untrained(data: DataSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of random weights, and a tokenizer for the data set's words."""
    place = tmp_path_factory.mktemp("untrained")
    tiny.make((part["content"] for one in lessons(data, "train", "brief") for part in one.conversation()), place)
    return place


@pytest.fixture(scope="session")
def learned(data: DataSet, chosen: Preset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learned to answer with moves."""
    return sft.run(data, chosen, tmp_path_factory.mktemp("sft")).model


@pytest.fixture(scope="session")
def quick() -> Preset:
    return preset("tiny", QUICK)


@pytest.fixture
def loaded(untrained: Path) -> tuple[Any, Any]:
    """Model and tokenizer of random weights, fresh."""
    model, tokenizer = models.load(str(untrained))
    tokenizer.chat_template = CHATML
    return model, tokenizer
