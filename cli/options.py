"""Options that several commands of `parlay` share, each told once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

# Language models ------------------------------------------------------------------------------------------------------

Concurrency = Annotated[int, typer.Option(min=1, max=1024, help="Language models: episodes at once.")]
MaxDollars = Annotated[
    float | None, typer.Option(min=0, help="Language models: stop when so many US dollars are spent.")
]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Language models: stop when so many tokens are used.")]
Prices = Annotated[
    str, typer.Option(help="Language models: US dollars a million tokens, IN/OUT or MODEL=IN/OUT, comma-separated.")
]
RequestsPerMinute = Annotated[
    float | None, typer.Option(min=0.01, help="Language models: requests a minute to each, at most.")
]
Timeout = Annotated[float, typer.Option(min=0.1, help="Language models: seconds for one request.")]

# What is played, and by how many --------------------------------------------------------------------------------------

Workers = Annotated[int, typer.Option(min=0, max=512, help="Processes; 0: as many as help.")]
EngineName = Annotated[
    str, typer.Option("--engine", help="local: processes here. ray: the cluster at RAY_ADDRESS, or one started here.")
]
SeedStart = Annotated[int, typer.Option(min=0, help="Where in the split's seeds to begin.")]
Episodes = Annotated[int, typer.Option(min=1, max=1_000_000, help="Episodes (seeds) in each cell.")]
ScenariosPlayed = Annotated[str, typer.Option(help="Scenario ids or files, comma-separated, or all.")]
Opponents = Annotated[str, typer.Option(help="Opponents, comma-separated, or all.")]
Seats = Annotated[str, typer.Option(help="seller, buyer or both.")]
HeldOutSplit = Annotated[str, typer.Option(help="test, validation or train: whose seeds and headlines.")]

# What is written, and the rest ----------------------------------------------------------------------------------------

FindingsJson = Annotated[Path | None, typer.Option(help="Write all findings to this file; - for standard output.")]
SecondsForMove = Annotated[float, typer.Option(min=0.1, help="So long the model may take for a move.")]
Tokenizer = Annotated[str, typer.Option(help="estimate, a GGUF file, or a folder that transformers reads.")]
DataFolder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a data set.")]
TablePage = Annotated[Path | None, typer.Option(help="Put the table into this page.")]
