"""A screen in two shapes: the one that is shown depends on how wide the terminal is."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


class Fitted:
    """The wide shape from `least` columns on, else the narrow one."""

    def __init__(self, wide: RenderableType, narrow: RenderableType, least: int) -> None:
        self._wide, self._narrow, self._least = wide, narrow, least

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._wide if options.max_width >= self._least else self._narrow
