"""The settings of this environment, for a command."""

from __future__ import annotations

from pydantic import ValidationError

from cli.console import BAD_INPUT, fail
from parlay_env.settings import Settings


def settings_here() -> Settings:
    """The settings; fails with the one that can't be used, and never quotes its value."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        told = first["msg"].removeprefix("Value error, ")
        fail(f"the setting PARLAY_{name} can't be used: {told}; mend or unset it", BAD_INPUT)
