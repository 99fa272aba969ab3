"""What trainers read: conversations, preferences that hold when played again, rows that lead to their moment."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.session import Session
from parlay_env.tools import ROW_OPTIONS, NegotiationTools
from training.data.build import Options, build
from training.data.export import Exported, ExportError, export
from training.data.form import DataSet, load
from training.data.headline import headline
from training.data.sources import files_of, logs_in
from training.selfplay import plan, play_to

PAIRS = (("saas_enterprise", "diplomat"), ("supplier_contract", "veteran"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    folder = tmp_path_factory.mktemp("set")
    play_to(plan(("tit_for_tat",), pairs=PAIRS, episodes=3), folder / "logs")
    found = (one for file in files_of([folder / "logs"]) for one in logs_in(file))
    build(found, Options("made here", filter="all", validation_share=0.3), folder)
    return load(folder)


def rows_of(done: Exported, which: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.files[which].read_text("utf-8").splitlines()]


def test_sft_is_a_conversation_of_the_prompt_and_the_action(data: DataSet, tmp_path: Path) -> None:
    done = export(data, "sft", tmp_path)
    assert [file.name for file in done.files] == ["train.jsonl", "validation.jsonl"]
    for which, (name, examples) in enumerate(data.examples.items()):
        assert done.rows[name] == len(examples) > 0
        assert rows_of(done, which) == [
            {"messages": [{"role": "user", "content": e.prompt}, {"role": "assistant", "content": e.action}]}
            for e in examples
        ]


def test_an_export_tells_how_far_it_is_and_comes_whole_or_not_at_all(
    data: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int, int]] = []
    export(data, "dpo", tmp_path, told=lambda *one: told.append(one))
    for which in ("train", "validation"):
        steps = [(done, total) for name, done, total in told if name == which]
        assert steps == [(done, len(steps) - 1) for done in range(len(steps))]
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert set(before) == {"train.jsonl", "validation.jsonl"}
    write = Path.write_bytes

    def no_room(self: Path, content: bytes) -> int:
        if "validation" in self.name:
            raise OSError(28, "No space left on device")
        return write(self, content)

    monkeypatch.setattr(Path, "write_bytes", no_room)
    with pytest.raises(OSError, match="No space"):
        export(data, "sft", tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_every_grpo_row_resets_to_the_moment_of_its_prompt(data: DataSet, tmp_path: Path) -> None:
    done = export(data, "grpo", tmp_path)
    assert done.left_out == {"train": 0, "validation": 0}
    tools = NegotiationTools()
    for row, example in zip(rows_of(done), data.examples["train"], strict=True):
        assert set(row) - {"prompt"} <= set(ROW_OPTIONS)
        options = {name: row[name] for name in row if name != "prompt"}
        session = Session.open(ResetOptions(**options))
        assert row["prompt"] == [{"role": "user", "content": session.observe(with_prompt=True)["prompt"]}]
        assert row["prompt"][0]["content"] == example.prompt
        assert f"Turn {example.turn} of" in str(tools.reset(**row))


def test_parquet_holds_the_same_rows_and_resets_as_well(data: DataSet, tmp_path: Path) -> None:
    lines = export(data, "grpo", tmp_path)
    done = export(data, "grpo", tmp_path, parquet=True)
    assert [file.suffix for file in done.files] == [".parquet", ".parquet"]
    table = parquet.read_table(done.files[0]).to_pylist()
    tools = NegotiationTools()
    for row, line in zip(table, rows_of(lines), strict=True):
        assert (row["prompt"], row["seed"]) == (line["prompt"], line["seed"])
        assert tools.reset(**row) == NegotiationTools().reset(**line)


def test_without_pyarrow_parquet_is_refused_with_what_is_missing(
    data: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ExportError, match=r"openenv-parlay-env\[data\]"):
        export(data, "sft", tmp_path / "out", parquet=True)
    assert not (tmp_path / "out").exists()


def test_preferences_are_one_moment_two_decisions_and_what_each_came_to(data: DataSet, tmp_path: Path) -> None:
    done = export(data, "dpo", tmp_path)
    prompts = {example.prompt: example for example in data.examples["train"]}
    found = rows_of(done)
    assert len(found) + done.left_out["train"] == len(prompts)
    assert len(found) > 10
    for row in found:
        example = prompts.pop(row["prompt"][0]["content"])
        chosen, rejected = (json.loads(row[which][0]["content"]) for which in ("chosen", "rejected"))
        assert [row[which][0]["role"] for which in ("prompt", "chosen", "rejected")] == [
            "user",
            "assistant",
            "assistant",
        ]
        assert row["margin"] == row["chosen_reward"] - row["rejected_reward"] >= 5.0
        assert chosen != rejected
        assert chosen.get("belief") == rejected.get("belief")
        own = json.loads(example.action)
        assert (chosen if row["learner_chosen"] else rejected) == own
    assert {row["learner_chosen"] for row in found} == {True, False}


def test_what_a_preference_says_was_paid_is_paid_when_it_is_played_again(data: DataSet, tmp_path: Path) -> None:
    """Moves that end the episode at once need nobody to go on: their pay can be read off a session."""
    rows, checked = rows_of(export(data, "dpo", tmp_path)), 0
    resets = {row["prompt"][0]["content"]: row for row in rows_of(export(data, "grpo", tmp_path / "grpo"))}
    for row in rows:
        options = {name: value for name, value in resets[row["prompt"][0]["content"]].items() if name != "prompt"}
        for which in ("chosen", "rejected"):
            action = ParlayAction.model_validate_json(row[which][0]["content"])
            if action.accept_deal or action.walk_away:
                session = Session.open(ResetOptions(**options))
                answer = session.step(action)
                assert answer.done
                assert answer.observation["grade"]["reward"] == row[f"{which}_reward"]
                checked += 1
    assert checked > 0


def test_preferences_do_not_depend_on_the_number_of_processes(data: DataSet, tmp_path: Path) -> None:
    one, two = export(data, "dpo", tmp_path / "1"), export(data, "dpo", tmp_path / "2", workers=2)
    assert rows_of(one) == rows_of(two)


def test_a_greater_margin_leaves_fewer(data: DataSet, tmp_path: Path) -> None:
    all_of, few = export(data, "dpo", tmp_path), export(data, "dpo", tmp_path / "few", least=60.0)
    assert few.rows["train"] < all_of.rows["train"]
    assert all(row["margin"] >= 60.0 for row in rows_of(few))


@pytest.mark.slow
def test_the_headline_set_is_the_same_every_time_and_covers_every_cell(tmp_path: Path) -> None:
    first = headline(tmp_path / "a", rounds=2, kept=30)
    second = headline(tmp_path / "b", rounds=2, kept=30, workers=2)
    assert first == second
    assert (tmp_path / "a" / "README.md").read_bytes() == (tmp_path / "b" / "README.md").read_bytes()
    assert first.kept == 30
    assert len(first.cells) == 24
    assert all(cell.kept >= 1 for cell in first.cells)
    assert headline(tmp_path / "a", rounds=2, kept=30) == first


def test_episodes_against_a_policy_are_checked_like_any_other_and_have_sft_rows_alone(tmp_path: Path) -> None:
    pairs = [("saas_enterprise", "shark"), ("supplier_contract", "shark")]
    play_to(plan(("tit_for_tat",), pairs=pairs, opponent="conceder"), tmp_path / "logs")
    file = tmp_path / "logs" / "episodes.jsonl"

    def built(name: str) -> DataSet:
        found = (one for file in files_of([tmp_path / "logs"]) for one in logs_in(file))
        build(found, Options("made here", filter="all"), tmp_path / name)
        return load(tmp_path / name)

    data = built("honest")
    assert {episode.persona for episode in data.episodes.values()} == {"conceder"}
    assert sum(export(data, "sft", tmp_path / "sft").rows.values()) == sum(data.manifest.examples.values()) > 0
    for form in ("grpo", "dpo"):
        assert sum(export(data, form, tmp_path / form).rows.values()) == 0
    file.write_bytes(file.read_bytes().replace(b'"persona":"conceder"', b'"persona":"boulware"'))
    assert built("forged").manifest.refused == {"forged": 4}
