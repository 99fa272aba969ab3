"""Who is measured: a policy by its name. The one place that knows which of them are told the truth."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path

from agent.baselines import BASELINES, UnknownPolicy, baseline
from agent.llm.names import PREFIX, is_language, read_name
from parlay_env.core import Policy
from parlay_env.deal.state import Setup

ABLATIONS: dict[str, str] = {
    "bayes_no_updates": "updates",
    "bayes_no_questions": "questions",
    "bayes_no_cards": "cards",
    "bayes_no_challenges": "challenges",
    "bayes_no_reports": "reports",
}
"""`bayes` without one of its tools: what each is worth."""


def _bayes(without: str = "") -> Policy:
    from agent.planner import Bayes, Tools  # compiled: who plans pays for it, nobody else

    return Bayes(Tools(**{without: False}) if without else Tools())


def _oracle(setup: Setup, seed: int) -> Policy:
    from agent.planner import Oracle

    return Oracle(setup, seed)


PLANNERS: dict[str, Callable[[], Policy]] = {
    "bayes": _bayes,
    **{name: partial(_bayes, tool) for name, tool in ABLATIONS.items()},
}
"""Policies that look ahead by their beliefs: `agent.planner`."""
PRIVILEGED: dict[str, Callable[[Setup, int], Policy]] = {"oracle": _oracle}
"""Policies that know the setup and the seed of their episode, and so all that is hidden. They play through views like
everybody else; a result of theirs is a yardstick, never a competitor."""
ORACLE = "oracle"
"""The privileged policy that regret is measured against."""
READERS = frozenset({"echo_opponent"})
"""Policies that read words: their opponents speak, whatever the run says of words."""


def names() -> tuple[str, ...]:
    """Every policy that is played by code, the privileged last."""
    return (*BASELINES, *PLANNERS, *PRIVILEGED)


def check(name: str) -> None:
    """Raise UnknownPolicy unless this is a policy's name, or a language model's."""
    if is_language(name):
        read_name(name)
    elif name not in names():
        raise UnknownPolicy(f"policy must be one of {', '.join(names())}, or {PREFIX}PROVIDER/MODEL")


def make(name: str, setup: Setup, seed: int) -> Policy:
    """A fresh player for one episode. Raises UnknownPolicy."""
    if name in PRIVILEGED:
        return PRIVILEGED[name](setup, seed)
    if name in PLANNERS:
        return PLANNERS[name]()
    if name not in BASELINES:
        raise UnknownPolicy(f"policy must be one of {', '.join(names())}")
    return baseline(name)


def sources(name: str) -> list[Path]:
    """The file that a privileged policy stands in; the others stand in `agent/`."""
    file = inspect.getsourcefile(PRIVILEGED[name]) if name in PRIVILEGED else None
    return [] if file is None else [Path(file)]
