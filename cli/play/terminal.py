"""Lines from a person: at a terminal with its editing keys, or through a pipe."""

from __future__ import annotations

import contextlib
import sys

from cli.console import console


class Left(Exception):
    """The person leaves the game before its end."""


class Terminal:
    """Where lines come from."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdin.isatty()
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 (arrow keys and a history for `input`)

    def line(self, prompt: str) -> str:
        """The next line. Raises EOFError at the end of the input, KeyboardInterrupt at Ctrl-C."""
        sys.stdout.flush()
        typed = input(prompt)
        if not self._is_terminal:  # A pipe shows nothing of what it sends: a transcript should.
            console().print(typed, soft_wrap=True)
        return typed

    def in_game(self, prompt: str) -> str:
        """The next line of a game. Ctrl-C asks whether to leave. Raises Left for yes, or when the input ends."""
        while True:
            try:
                return self.line(prompt)
            except EOFError:
                console().print()
                raise Left from None
            except KeyboardInterrupt:
                console().print()
                self._confirm_leaving()

    def agrees(self, question: str) -> bool:
        """Does the person say yes?"""
        return self.in_game(f"{question} [y/N] ").strip().lower() in ("y", "yes")

    def _confirm_leaving(self) -> None:
        try:
            leave = self.line("Leave this game? [y/N] ").strip().lower() in ("y", "yes")
        except (EOFError, KeyboardInterrupt):
            console().print()
            raise Left from None
        if leave:
            raise Left
