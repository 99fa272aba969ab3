"""A trained model's card tells what its run's files and evaluations hold, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from msgspec.structs import replace

from training.learner_report import Kept, read
from training.model_card import CardError, write
from training.presets import as_dict, preset
from training.run_folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
MEASURED = read(ROOT / "results" / "tiny-grpo.json")


def run(folder: Path, kind: str, model: str, *, adapter: bool = False, **more: Any) -> RunFolder:
    """A run that is done, as its files are."""
    made = RunFolder(folder)
    stage = kind.split(maxsplit=1)[0]
    chosen = preset("tiny", ["lora={rank: 4, alpha: 8, dropout: 0.0}"] if adapter else [])
    made.begin({"kind": kind, "preset": as_dict(chosen, stage), "model": model, "seed": 3, **more})  # pyright: ignore[reportArgumentType]
    made.model.mkdir()
    if adapter:
        made.adapter.mkdir()
    return made


@pytest.fixture
def sft(tmp_path: Path) -> RunFolder:
    made = run(tmp_path / "sft", "sft", "smollm2", data="d1ge57", command="parlay train sft --data outputs/data")
    for step, loss in ((50, 0.9), (100, 0.25)):
        made.log({"step": step, "eval_loss": loss, "eval_mean_token_accuracy": 0.875})
    return made


@pytest.fixture
def grpo(tmp_path: Path, sft: RunFolder) -> RunFolder:
    made = run(tmp_path / "grpo", "grpo", str(sft.model), adapter=True, command="parlay train grpo")
    for step in range(1, 31):
        made.log({"step": step, "reward": float(step), "deals": 0.5, "beyond_limit": 0.0, "turns": 9.0})
    return made


def measured(folder: RunFolder, name: str = "grpo") -> Kept:
    """A real evaluation's findings, as if this run's model had been in it."""
    config = msgspec.json.decode((folder.folder / "config.json").read_bytes())
    return replace(MEASURED, runs={**MEASURED.runs, name: config})


def front(text: str) -> dict[str, Any]:
    return yaml.safe_load(text.split("---\n")[1])


def test_it_names_the_model_that_all_began_as_with_its_licence_and_every_command_since(grpo: RunFolder) -> None:
    files = write(grpo)
    assert files == [grpo.model / "README.md", grpo.adapter / "README.md"]
    text, beside = (file.read_text("utf-8") for file in files)
    assert front(text)["base_model"] == "HuggingFaceTB/SmolLM2-135M-Instruct"
    assert front(text)["license"] == "apache-2.0"
    assert (front(text)["library_name"], front(beside)["library_name"]) == ("transformers", "peft")
    assert "base_model" not in front(beside), "it fits what GRPO began from, and nothing on the hub"
    assert front(beside)["license"] == "apache-2.0"
    assert f"it belongs on the merged model of the step before (`{grpo.folder.parent / 'sft' / 'model'}`)" in beside
    assert text.index("parlay train sft --data outputs/data") < text.index("`parlay train grpo`")
    assert "the adapter alone" in beside and "the adapter alone" not in text


@pytest.mark.parametrize(("name", "base"), [("smollm2", "HuggingFaceTB/SmolLM2-135M-Instruct"), ("a/model", "a/model")])
def test_an_adapter_of_a_first_run_belongs_on_the_model_of_the_hub(tmp_path: Path, name: str, base: str) -> None:
    made = run(tmp_path / "sft", "sft", name, adapter=True)
    text = write(made)[1].read_text("utf-8")
    assert front(text)["base_model"] == base
    assert ("four bits" in text) == (name == "smollm2")


def test_sft_tells_its_last_loss_and_grpo_the_means_of_its_first_and_last_steps(
    sft: RunFolder, grpo: RunFolder
) -> None:
    text = write(sft)[0].read_text("utf-8")
    assert "0.250 a token at step 100, 87.5%" in text and "d1ge57" in text
    text = write(grpo)[0].read_text("utf-8")
    assert "| the first 10 steps of whole games | 5.50 |" in text
    assert "| the last 10 steps of whole games | 25.50 |" in text


def test_steps_that_code_led_into_are_told_apart(tmp_path: Path) -> None:
    made = run(tmp_path / "run", "grpo", "smollm2", command="")
    for step in range(1, 8):
        made.log({"step": step, "reward": 10.0 * step, "led": 8 if step < 3 else 0})
    text = write(made)[0].read_text("utf-8")
    assert "| the 2 steps of shorter games, which code led into | 15.00 |" in text
    assert "| the first 2 steps of whole games | 35.00 |" in text
    assert "| the last 2 steps of whole games | 65.00 |" in text, "no step is of both"


@pytest.mark.parametrize("name", ["tiny", "smollm2"])
def test_a_run_in_the_folder_that_one_is_in_is_not_its_own_ancestor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    made = run(Path(), "sft", name, command="parlay train sft --out .")
    assert write(made)[0].read_text("utf-8").count("parlay train sft --out .") == 1


def test_a_card_tells_what_came_before_wherever_it_is_written(
    grpo: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sft" / "config.json").unlink()
    monkeypatch.chdir(grpo.folder)
    assert "parlay train sft --data outputs/data" in write(RunFolder(Path()))[0].read_text("utf-8")


def test_results_of_the_run_are_its_own_whatever_command_went_on_with_it(grpo: RunFolder) -> None:
    found = measured(grpo)
    config = msgspec.json.decode((grpo.folder / "config.json").read_bytes())
    other = {**config, "command": "parlay train grpo --out ./grpo", "versions": {"parlay": "0.0"}}
    assert "it is `grpo`" in write(grpo, [replace(found, runs={"grpo": other})])[0].read_text("utf-8")
    with pytest.raises(CardError):
        write(grpo, [replace(found, runs={"grpo": {**other, "seed": 4}})])


def test_it_says_so_where_nothing_was_measured_and_has_the_tables_where_something_was(grpo: RunFolder) -> None:
    assert "Nothing yet." in write(grpo)[0].read_text("utf-8")
    text = write(grpo, [measured(grpo)])[0].read_text("utf-8")
    assert "Nothing yet." not in text and "it is `grpo`" in text
    assert "| grpo | 17.4 [8.2, 26.4] | +20.3 [12.8, 27.9] |" in text
    assert "| stands still | 1.7% |" in text


def test_results_of_other_models_are_refused_and_the_card_stays(grpo: RunFolder) -> None:
    before = write(grpo)[0].read_bytes()
    with pytest.raises(CardError, match="none of these results"):
        write(grpo, [MEASURED])
    assert (grpo.model / "README.md").read_bytes() == before


def test_a_folder_without_a_run_and_a_run_that_is_not_done_are_refused(tmp_path: Path, sft: RunFolder) -> None:
    with pytest.raises(CardError, match="holds no run that is done"):
        write(RunFolder(tmp_path))
    (sft.folder / "log.jsonl").write_text('{"step":\n{}\n')
    with pytest.raises(CardError, match=r"log\.jsonl has a line"):
        write(sft)
    (sft.folder / "config.json").write_text('{"kind": "grpo"}')
    with pytest.raises(CardError, match=r"config\.json is no run's"):
        write(sft)
    sft.model.rmdir()
    with pytest.raises(CardError, match="holds no run that is done"):
        write(sft)


def test_a_folder_that_was_begun_with_is_no_name_on_the_hub(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    own = write(run(tmp_path / "one", "sft", str(tmp_path / "mine"), command=""))[0].read_text("utf-8")
    assert "base_model" not in front(own) and "license" not in front(own) and "| sft | Python |" in own
    tiny = write(run(tmp_path / "two", "sft", "tiny", command=""))[0].read_text("utf-8")
    assert not {"base_model", "license"} & front(tiny).keys()
