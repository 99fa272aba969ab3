"""Lines from a person: at a terminal with its editing keys, or through a pipe."""

from __future__ import annotations

import contextlib
import sys
import textwrap

from cli.console import console


class Left(Exception):
    """The person leaves the game before its end."""


class Instead(Exception):
    """At a yes-or-no question the person typed another line: it is read as one, and the question counts as no."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line


_YES = ("y", "yes", "yep", "yeah", "sure", "ok", "okay")
_NO = ("", "n", "no", "nope")


def wrapped(text: str, indent: str = "  ") -> str:
    """The text on lines that fit the screen, each with this indent."""
    return textwrap.fill(
        text, max(20, console().width - 1), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


class Terminal:
    """Where lines come from."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdin.isatty()
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 (arrow keys and a history for `input`)

    def line(self, prompt: str) -> str:
        """The next line. Raises EOFError at the end of the input, KeyboardInterrupt at Ctrl-C."""
        before, newline, last = prompt.rpartition("\n")
        if newline:
            console().print(before, soft_wrap=True)
        sys.stdout.flush()
        typed = input(last)
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
                if typed := self._confirm_leaving():
                    return typed

    def agrees(self, question: str) -> bool:
        """Does the person say yes? Raises Instead when the answer is neither yes nor no."""
        typed = self.in_game(f"{wrapped(f'{question} [y/N]', '')} ").strip()
        if typed.lower().strip(".!") in _YES:
            return True
        if typed.lower().strip(".!") in _NO:
            return False
        raise Instead(typed)

    def _confirm_leaving(self) -> str:
        """What was typed instead of an answer; nothing for no. Raises Left for yes."""
        try:
            typed = self.line("Leave this game? [y/N] ").strip()
        except (EOFError, KeyboardInterrupt):
            console().print()
            raise Left from None
        if typed.lower() in _YES:
            raise Left
        return "" if typed.lower() in _NO else typed
