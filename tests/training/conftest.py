"""Small evaluations: fabricated results, and a policy that knows the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from parlay_env.deal.game import Deal
from parlay_env.deal.state import Belief, Move, Setup
from parlay_env.deal.terms import asking, terms_of, worth
from parlay_env.deal.value import extras
from parlay_env.deal.views import View
from parlay_env.rng import Draws
from training import policies
from training.episodes import Cell, Plan, Result
from training.evaluate import evaluate, plan
from training.grid import Grid
from training.local_server import serving

SAAS = Cell("saas_enterprise", "shark", "seller")
SUPPLY = Cell("supplier_contract", "diplomat", "buyer")
CELLS = (SAAS, SUPPLY)


def small(*names: str, episodes: int = 3, **options: Any) -> Plan:
    """A plan that plays in a moment."""
    return plan(names or ("tit_for_tat", "boulware"), episodes=episodes, where=CELLS, **options)


def made_up(policy: str, cell: Cell, seed: int, **fields: Any) -> Result:
    """A result of one's choice: by default a deal that gives nothing."""
    known: dict[str, Any] = {
        "terms": {},
        "efficiency": 0.0,
        "zopa": True,
        "walk_was_right": False,
        "zopa_width": 0.5,
        "deal": True,
        "end": "deal",
        "by": cell.seat,
        "turns": 10,
        "breach": False,
        "invalid_moves": 0,
    }
    fields = known | fields
    reward = fields.pop("reward", sum(fields["terms"].values()))
    return Result(policy, cell.scenario, cell.persona, cell.seat, seed, reward, **fields)


def made_up_grid(episode: Callable[[str, int], dict[str, Any]], *names: str, seeds: int = 8, **options: Any) -> Grid:
    """An evaluation in which `episode(policy, seed)` says what came of each."""
    chosen = Plan(names, CELLS, "test", 0, seeds, **options)
    found = [made_up(p, cell, s, **episode(p, s)) for p in names for cell in CELLS for s in chosen.seeds]
    return Grid(chosen, found)


class Seer:
    """Knows the opponent's facts as they were at the start: believes the truth, asks for all of it, walks without a
    ZOPA, disputes every claim."""

    told: ClassVar[list[tuple[Setup, int]]] = []

    def __init__(self, setup: Setup, seed: int) -> None:
        Seer.told.append((setup, seed))
        self.theirs = Deal().start(setup, seed).facts[1 - setup.learner]

    def act(self, view: View, rng: Draws) -> Move:
        own, terms = view.own, terms_of(view.setup.scenario)
        assert own is not None
        facts = self.theirs
        told = Belief(facts.walk_away, facts.walk_away, facts.urgency, float(facts.has_alternative))
        limit = own.limit - extras(view.setup.scenario, view.public, own)
        mine = view.public.sides[1 - view.seat].standing
        if mine is not None and worth(own.utility, mine) >= limit:
            return Move(voiced=True, accept=True, belief=told)
        demand = limit + round(0.2 * terms.delta0[view.seat])
        offer = asking(terms, own.utility, terms.declared[1 - view.seat], demand)
        return Move(voiced=True, offer=offer, belief=told)


@pytest.fixture
def seer(monkeypatch: pytest.MonkeyPatch) -> type[Seer]:
    """A privileged policy by the name of the oracle."""
    monkeypatch.setitem(policies.PRIVILEGED, policies.ORACLE, Seer)
    Seer.told = []
    return Seer


@pytest.fixture(scope="session")
def played() -> Grid:
    """A real evaluation of three policies."""
    return evaluate(small("tit_for_tat", "conceder", "random", episodes=6))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of the real environment's server, for the whole session."""
    with serving() as url:
        yield url
