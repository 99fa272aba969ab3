"""Games for the review's tests: a learner's policy against a persona, as a log and as what the learner saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agent.baselines import baseline
from agent.registry import opponent, profile
from game.scenarios import scenarios
from parlay_env.core import Policy
from parlay_env.deal.state import SEATS, Move, Setup
from parlay_env.deal.terms import terms_of, to_offer
from parlay_env.deal.views import View
from parlay_env.rng import Draws
from parlay_env.session import Table

Chooser = Callable[[View], Move]
SECRET = bytes(range(32))


def setup_of(name: str = "saas_enterprise", persona: str = "veteran", seat: str = "seller", **fields: Any) -> Setup:
    return Setup(scenarios()[name], seat, profile(persona), **fields)


def played(
    setup: Setup,
    seed: int,
    learner: Policy | Chooser | str = "tit_for_tat",
    secret: bytes = b"",
    moves_at_most: int = 60,
    words: bool = False,
) -> Table:
    """A table with the game played out; a learner that is no policy is asked for a move at every view."""
    policy = baseline(learner) if isinstance(learner, str) else learner
    seats: dict[str, Policy | None] = {
        setup.seat: None,
        SEATS[1 - setup.learner]: opponent(setup.opponent.name, words),
    }
    table = Table(setup, seed, seats, secret)
    draws = Draws(seed + 1)
    for _ in range(moves_at_most):
        if table.over:
            break
        view = table.view(setup.seat)
        move = policy.act(view, draws) if isinstance(policy, Policy) else policy(view)
        table.play(setup.seat, move)
    return table


def seen_by(setup: Setup, seed: int, learner: str = "question_flood", secret: bytes = b"", moves: int = 12) -> list:
    """(view, the learner's move before it, the state) at the learner's moves."""
    policy, found, before = baseline(learner), [], None
    table = Table(
        setup, seed, {setup.seat: None, SEATS[1 - setup.learner]: opponent(setup.opponent.name, False)}, secret
    )
    while not table.over and len(found) < moves:
        view = table.view(setup.seat)
        found.append((view, before, table.state))
        before = policy.act(view, Draws(seed + 1))
        table.play(setup.seat, before)
    return found


def offer_of(setup: Setup, *figures: float) -> tuple[int, ...]:
    terms = terms_of(setup.scenario)
    names = [issue.name for issue in setup.scenario.issues]
    return to_offer(terms, dict(zip(names, figures, strict=True)))


def script(moves: Sequence[Move]) -> Chooser:
    """A learner that makes these moves in turn, then walks away."""
    left = list(moves)

    def choose(_: View) -> Move:
        return left.pop(0) if left else Move(walk=True)

    return choose
