"""A run's folder is one run's: another is refused, a torn line is left out, files are whole or as they were."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from statistics import pstdev

import msgspec
import pytest

from training import run_folder
from training.run_folder import (
    CONFIG,
    LOG,
    TRANSCRIPTS,
    RunFolder,
    RunMismatch,
    replace_file,
    run_of,
    same_run,
    versions,
)

ASKED = {
    "kind": "sft",
    "model": "tiny",
    "seed": 3,
    "preset": {"sft": {"omega": (50.0, 200.0)}},
    "command": "parlay train",
}


@pytest.fixture
def run(folder: Path) -> RunFolder:
    """A run that began and logged five steps."""
    one = RunFolder(folder)
    one.begin(ASKED)
    for step in range(1, 6):
        one.log({"step": step, "loss": 1.0 / step, "note": "n"})
    return one


# Whose folder it is ---------------------------------------------------------------------------------------------------


def test_a_run_writes_what_it_was_asked_with_its_versions(run: RunFolder) -> None:
    there = msgspec.json.decode((run.folder / CONFIG).read_bytes())
    assert {**there, "preset": None} == {**ASKED, "preset": None, "versions": versions(), "before": [], "local": False}
    assert there["preset"] == {"sft": {"omega": [50.0, 200.0]}}
    assert there["versions"].keys() >= {"parlay", "python"}


def test_the_same_run_goes_on_with_any_command_and_other_versions(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folder, "__version__", "9.9")
    RunFolder(run.folder).begin({**ASKED, "command": "parlay train again"})
    there = msgspec.json.decode((run.folder / CONFIG).read_bytes())
    assert (there["command"], there["versions"]["parlay"]) == ("parlay train again", "9.9")
    assert len(run.rows()) == 5, "what was logged stays"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 4}, "another seed;"),
        ({"seed": 4, "model": "smollm2"}, "another model and seed;"),
        ({"preset": {"sft": {"omega": (60.0, 200.0)}}}, "another preset;"),
        ({"weights": {"tom": 1.0}}, "another weights;"),
    ],
)
def test_another_run_is_refused_and_told_what_differs(run: RunFolder, change: dict[str, object], named: str) -> None:
    before = (run.folder / CONFIG).read_bytes()
    with pytest.raises(RunMismatch) as error:
        RunFolder(run.folder).begin({**ASKED, **change})
    assert named in str(error.value) and str(run.folder) in str(error.value)
    assert (run.folder / CONFIG).read_bytes() == before


LENGTH = ("preset", "grpo", "steps")


def asked(steps: int, rate: float = 0.1) -> dict[str, object]:
    return {**ASKED, "kind": "grpo", "preset": {"name": "tiny", "grpo": {"steps": steps, "rate": rate}}}


def test_a_run_may_be_made_longer_and_its_old_model_goes(folder: Path) -> None:
    one = RunFolder(folder)
    one.begin(asked(20), LENGTH)
    one.log({"step": 20})
    for place in (one.model, one.adapter):
        place.mkdir()
    one.begin(asked(20), LENGTH, done=20)
    assert one.model.exists() and one.adapter.exists(), "the same run, told again"
    one.begin(asked(30), LENGTH, done=20)
    assert not one.model.exists() and not one.adapter.exists()
    assert msgspec.json.decode((folder / CONFIG).read_bytes())["preset"]["grpo"]["steps"] == 30
    assert len(one.rows()) == 1
    one.begin(asked(25), LENGTH, done=20)
    assert msgspec.json.decode((folder / CONFIG).read_bytes())["preset"]["grpo"]["steps"] == 25


@pytest.mark.parametrize(
    ("again", "why"),
    [
        (asked(19), "holds 20 steps already: ask for as many or more"),
        (asked(30, rate=0.2), "another preset;"),
        ({**ASKED, "kind": "grpo", "preset": {"name": "tiny"}}, "another preset;"),
        ({**ASKED, "kind": "grpo", "preset": None}, "another preset;"),
    ],
)
def test_a_run_made_shorter_than_it_is_or_otherwise_is_refused(
    folder: Path, again: dict[str, object], why: str
) -> None:
    one = RunFolder(folder)
    one.begin(asked(20), LENGTH)
    one.model.mkdir()
    before = (folder / CONFIG).read_bytes()
    with pytest.raises(RunMismatch, match=why):
        one.begin(again, LENGTH, done=20)
    assert (folder / CONFIG).read_bytes() == before and one.model.exists()


def test_a_run_that_lacks_what_the_folder_s_has_is_another(run: RunFolder) -> None:
    with pytest.raises(RunMismatch, match="another seed"):
        RunFolder(run.folder).begin({name: value for name, value in ASKED.items() if name != "seed"})


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"not a config", b'{"model_type": "llama"}'])
def test_a_folder_with_a_file_of_that_name_that_is_no_config_is_refused(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / CONFIG).write_bytes(content)
    with pytest.raises(RunMismatch, match=r"config\.json.*name another folder"):
        RunFolder(folder).begin(ASKED)
    assert (folder / CONFIG).read_bytes() == content


def trained(folder: Path, digest: str) -> str:
    """A folder of a model that a run of SFT made; gives its path."""
    one = RunFolder(folder)
    one.begin({**ASKED, "data": digest})
    one.model.mkdir(exist_ok=True)
    return str(one.model)


def test_a_run_does_not_go_on_from_another_model_of_the_same_name(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "grpo")
    run.begin({"kind": "grpo", "model": trained(tmp_path / "sft", "one")})
    kept = (run.folder / CONFIG).read_bytes()
    run.begin({"kind": "grpo", "model": trained(tmp_path / "sft", "one")})
    assert same_run(run_of(str(run.model)), msgspec.json.decode(kept))
    (tmp_path / "sft" / CONFIG).unlink()
    with pytest.raises(RunMismatch, match=r"began from another model of that name: .*sft.model was trained anew"):
        run.begin({"kind": "grpo", "model": trained(tmp_path / "sft", "two")})
    there = run_of(str(run.model))
    assert there is not None and there["before"][0]["data"] == "one"
    assert not same_run({**there, "before": [{**there["before"][0], "data": "two"}]}, there)


def test_what_made_the_model_may_have_been_gone_on_with_by_any_command(tmp_path: Path) -> None:
    run, model = RunFolder(tmp_path / "grpo"), trained(tmp_path / "sft", "one")
    run.begin({"kind": "grpo", "model": model})
    RunFolder(tmp_path / "sft").begin({**ASKED, "data": "one", "command": "parlay train sft again"})
    run.begin({"kind": "grpo", "model": model})


# The log --------------------------------------------------------------------------------------------------------------


def test_rows_are_what_was_logged(run: RunFolder) -> None:
    assert run.rows() == [{"step": step, "loss": 1.0 / step, "note": "n"} for step in range(1, 6)]
    assert RunFolder(run.folder / "none").rows() == []


def test_a_torn_last_line_is_left_out_at_every_length(run: RunFolder) -> None:
    whole = (run.folder / LOG).read_bytes()
    rows = run.rows()
    for length in range(len(whole) + 1):
        (run.folder / LOG).write_bytes(whole[:length])
        assert run.rows() == rows[: whole[:length].count(b"\n")]


def test_a_run_goes_on_after_a_torn_line(run: RunFolder) -> None:
    """What is logged next is a line of its own."""
    with (run.folder / LOG).open("ab") as file:
        file.write(b'{"step":6,"lo')
    run.back_to(5)
    run.log({"step": 6, "loss": 0.1})
    assert [row["step"] for row in RunFolder(run.folder).rows()] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("step", "left"), [(0, 0), (3, 3), (5, 5), (99, 5)])
def test_back_to_a_step_forgets_what_came_after(run: RunFolder, step: int, left: int) -> None:
    run.back_to(step)
    assert [row["step"] for row in run.rows()] == list(range(1, left + 1))


def test_back_to_the_beginning_of_nothing(folder: Path) -> None:
    RunFolder(folder).back_to(0)
    assert RunFolder(folder).rows() == []


# Curves ---------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="curves are drawn with matplotlib")
def test_curves_are_drawn_of_what_there_are_figures_of(run: RunFolder) -> None:
    path = run.draw(("loss", "note", "never"), "A run")
    assert path == run.folder / "curves.png"
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    height = int.from_bytes(content[20:24], "big")
    for step in range(1, 6):
        run.log({"step": step, "reward": float(step)})
    again = run.draw(("loss", "reward"), "A run")
    assert again is not None
    assert int.from_bytes(again.read_bytes()[20:24], "big") > height, "one above the other"


def test_nothing_is_drawn_of_a_step_or_of_none(folder: Path) -> None:
    one = RunFolder(folder)
    one.begin(ASKED)
    assert one.draw(("loss",), "A run") is None
    one.log({"step": 1, "loss": 1.0})
    assert one.draw(("loss",), "A run") is None
    assert not (folder / "curves.png").exists()


def test_the_running_mean_is_of_ten_steps_with_its_interval() -> None:
    steps = [*map(float, range(1, 11)), 21.0]
    found = run_folder.running(steps)
    assert [mean for mean, _, _ in found] == [5.5, 7.5]
    for (mean, low, high), ten in zip(found, (steps[:10], steps[1:]), strict=True):
        error = pstdev(ten) / 10**0.5
        assert low == pytest.approx(mean - 1.96 * error, abs=0.5 * error)
        assert high == pytest.approx(mean + 1.96 * error, abs=0.5 * error)


def test_figures_that_stand_still_have_an_interval_of_nothing() -> None:
    assert run_folder.running([2.0] * 12) == [(2.0, 2.0, 2.0)] * 3


# Files ----------------------------------------------------------------------------------------------------------------


def test_a_file_is_the_old_one_until_the_new_one_is_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "deep" / "file"
    replace_file(file, b"old")
    assert file.read_bytes() == b"old"

    def dies(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", dies)
        with pytest.raises(KeyboardInterrupt):
            replace_file(file, b"new and longer")
    assert file.read_bytes() == b"old"
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert [one.name for one in file.parent.iterdir()] == ["file"]


def test_a_model_tells_the_run_that_made_it(tmp_path: Path) -> None:
    RunFolder(tmp_path / "run").begin({"kind": "sft", "seed": 3})
    found = run_of(str(tmp_path / "run" / "model"))
    assert found is not None and (found["kind"], found["seed"]) == ("sft", 3)
    assert run_of(str(tmp_path / "elsewhere" / "model")) is None
    assert run_of("Qwen/Qwen2.5-1.5B-Instruct") is None
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    assert run_of(str(tmp_path / "model")) is None


def test_transcripts_of_steps_that_are_done_again_are_forgotten(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.begin({"kind": "grpo"})
    (tmp_path / TRANSCRIPTS).write_bytes(b'{"step":10}\n{"step":20}\n{"ste')
    folder.back_to(10)
    assert (tmp_path / TRANSCRIPTS).read_bytes() == b'{"step":10}\n'
