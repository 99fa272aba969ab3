"""What the options of `parlay run`, `eval` and `selfplay` say of language models, and what is shown of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table

from agent.baselines import UnknownPolicy
from agent.llm.base import ProviderError
from agent.llm.names import is_language
from agent.llm.retry import Prices
from agent.llm.spoken import CLASSES, Spoken
from cli.console import BAD_INPUT, fail
from cli.plans import bar
from training.episodes import Result
from training.language import LanguageRun, Means

if TYPE_CHECKING:
    from training.evaluate import Progress

CLASSES_NOTE = (
    "ok: one JSON object, a move. repaired: a move could be made of it. illegal: the game refused it, or a field "
    "can't be read. absent: no move in it. The last two are invalid moves."
)


def means(
    concurrency: int,
    max_dollars: float | None,
    max_tokens: int | None,
    prices: str,
    requests_per_minute: float | None,
    timeout: float,
) -> Means:
    """What these options say; fails with what would be right."""
    read = dict(_price(one) for one in prices.split(",") if one.strip())
    if max_dollars is not None and not read:
        fail("--max-dollars needs --prices, in US dollars for a million tokens: --prices 0.15/0.60", BAD_INPUT)
    return Means(concurrency, max_dollars, max_tokens, read, requests_per_minute, timeout)


def _price(given: str) -> tuple[str, Prices]:
    """`0.15/0.60`, or `openai/some-model=0.15/0.60`."""
    name, _, figures = given.strip().rpartition("=")
    try:
        prompt, completion = (float(part) for part in figures.split("/"))
    except ValueError:
        prompt = completion = -1.0
    if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
        fail(
            f"a price is IN/OUT or MODEL=IN/OUT, in US dollars for a million tokens, here {given.strip()!r}", BAD_INPUT
        )
    return name, Prices(prompt, completion)


def language_run(players: Iterable[str], how: Means) -> LanguageRun | None:
    """What plays the language models among these; None without any. Fails where one can't be asked."""
    spoken = [name for name in players if is_language(name)]
    if not spoken:
        return None
    try:
        run = LanguageRun(spoken, how)
    except (UnknownPolicy, ProviderError) as error:
        fail(str(error), BAD_INPUT)
    if how.max_dollars is not None and (free := run.unpriced()):
        fail(f"--max-dollars needs a price for {free[0]}: --prices {free[0]}=0.15/0.60", BAD_INPUT)
    return run


@contextmanager
def progress(total: int, run: LanguageRun) -> Iterator[Progress]:
    """A bar with what was spent, on the error stream, where that is a terminal."""
    with bar() as update:
        update(description="episodes", total=total)
        run.watch(lambda: update(more=used(run)))
        yield lambda done: update(completed=done)


def used(run: LanguageRun) -> str:
    """Tokens and dollars so far."""
    usage = run.usage
    dollars = f", ${usage.dollars:,.4f}" if run.means.prices else ""
    return f"{usage.tokens:,} tokens in {usage.requests:,} requests{dollars}"


def spoken_of(results: Iterable[Result]) -> dict[str, Spoken]:
    """By policy, of those that are language models: all that was said."""
    found: dict[str, Spoken] = {}
    for result in results:
        if isinstance(result.spoken, Spoken):
            found[result.policy] = found.get(result.policy, Spoken({})) + result.spoken
    return found


def spoken_table(found: Mapping[str, Spoken]) -> Table:
    """How answers were to be read, by language model."""
    table = Table(
        title="Answers of language models",
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    table.add_column("", overflow="fold")
    for heading in ("moves", *CLASSES, "cut", "tokens\nin", "tokens\nout", "dollars"):
        table.add_column(heading, justify="right", no_wrap=True)
    for policy, said in found.items():
        shares = [f"{said.moves[name] / said.total:.1%}" if said.total else "–" for name in CLASSES]
        usage = said.usage
        dollars = f"{usage.dollars:.4f}" if usage.dollars else "–"
        tokens = (f"{usage.prompt_tokens:,}", f"{usage.completion_tokens:,}")
        table.add_row(policy, f"{said.total:,}", *shares, f"{said.cut:,}", *tokens, dollars)
    return table


def spoken_json(results: Iterable[Result]) -> dict[str, Any]:
    """The same as JSON, with the repairs."""
    return {policy: msgspec.to_builtins(said) for policy, said in spoken_of(results).items()}
