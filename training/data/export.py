"""A data set as trainers read it: the conversational forms of TRL, as JSON Lines or Parquet, one file a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from parlay_env.tools import ROW_OPTIONS
from training.data.files import together
from training.data.form import SETS, DataSet, SetName, Told, nobody
from training.data.pairs import FINISH, LEAST_MARGIN, pairs

Form = Literal["sft", "dpo", "grpo"]
FORMS: tuple[Form, ...] = get_args(Form)
Rows = Iterator[dict[str, Any]]


class ExportError(ValueError):
    """The set can't be exported as asked; the message says what would be right."""


class Exported(msgspec.Struct, frozen=True):
    """What was written."""

    files: tuple[Path, ...]
    rows: dict[SetName, int]
    left_out: dict[SetName, int]
    """Examples without a row: `grpo`, where the moment can't be reset to; `dpo`, where no other move is worse or better
    by the margin, too."""


def sft_rows(data: DataSet, which: SetName) -> Rows:
    """`messages`: the prompt as the user's, the action as the assistant's."""
    for example in data.examples[which]:
        yield {"messages": [_user(example.prompt), _assistant(example.action)]}


def grpo_rows(data: DataSet, which: SetName) -> Rows:
    """`prompt`, and the options of `reset` that lead to its moment, as columns (`parlay_env.tools.ROW_OPTIONS`)."""
    for example in data.examples[which]:
        options = data.episodes[example.episode].options(example.step)
        if options is not None:
            yield {"prompt": [_user(example.prompt)], **{n: options[n] for n in ROW_OPTIONS if n in options}}


def dpo_rows(
    data: DataSet,
    which: SetName,
    *,
    least: float = LEAST_MARGIN,
    finish: str = FINISH,
    workers: int = 1,
    told: Told = nobody,
) -> Rows:
    """`prompt`, `chosen` and `rejected`, each a conversation, and by how many points the chosen move is better."""
    episodes, examples = list(data.episodes.values()), data.examples[which]
    heard = partial(told, which)
    for pair in pairs(episodes, examples, least=least, finish=finish, workers=workers, told=heard):
        yield {
            "prompt": [_user(pair.prompt)],
            "chosen": [_assistant(pair.chosen)],
            "rejected": [_assistant(pair.rejected)],
            "margin": pair.margin,
            "chosen_reward": pair.chosen_reward,
            "rejected_reward": pair.rejected_reward,
            "learner_chosen": pair.learner_chosen,
            "against": pair.against,
        }


def export(
    data: DataSet,
    form: Form,
    out: Path,
    *,
    parquet: bool = False,
    least: float = LEAST_MARGIN,
    finish: str = FINISH,
    workers: int = 1,
    told: Told = nobody,
) -> Exported:
    """Write the set in this form, a file for `train` and one for `validation`, which come together when both are
    whole. `told` hears of each set's examples, and of the episodes that have had their pairs.

    Raises ExportError without pyarrow where Parquet is asked for, and OSError.
    """
    write = _parquet_writer() if parquet else _write_lines
    rows: dict[SetName, int] = {}
    names = [f"{which}.{'parquet' if parquet else 'jsonl'}" for which in SETS]
    with together(out, names) as places:
        for which, place in zip(SETS, places, strict=True):
            if form == "dpo":
                found = list(dpo_rows(data, which, least=least, finish=finish, workers=workers, told=told))
            else:
                found = list((sft_rows if form == "sft" else grpo_rows)(data, which))
                told(which, len(data.examples[which]), len(data.examples[which]))
            write(place, found)
            rows[which] = len(found)
    files = [out / name for name in names]
    left_out: dict[SetName, int] = {which: len(data.examples[which]) - rows[which] for which in SETS}
    return Exported(tuple(files), rows, left_out)


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def _parquet_writer() -> Callable[[Path, list[dict[str, Any]]], None]:
    try:
        import pyarrow as pa
        from pyarrow import parquet as pq
    except ModuleNotFoundError:
        raise ExportError(
            "Parquet needs pyarrow: pip install 'openenv-parlay-env[data]'; or leave out --parquet"
        ) from None

    def write(path: Path, rows: list[dict[str, Any]]) -> None:
        pq.write_table(pa.Table.from_pylist(rows), path)

    return write


def _user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def _assistant(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}
