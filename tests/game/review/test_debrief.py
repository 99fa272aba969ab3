"""The debrief says what the log says, in the form of the pages."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from game.review import beliefs
from game.review.debrief import debrief as of
from game.review.rubric import ITEMS
from game.scenarios import scenarios
from parlay_env.deal.state import SEATS, Belief, Move, Setup
from parlay_env.deal.terms import terms_of, to_offer, worth
from parlay_env.deal.value import extras, surplus_of
from parlay_env.deal.views import View
from parlay_env.figures import shown
from parlay_env.log import EventLog, LogError
from parlay_env.observe import observation
from parlay_env.session import GAME, Table
from tests.game.review.games import SECRET, played, setup_of

PARTS = {
    *("reason", "by", "turn", "final_offer", "grade", "truth", "numbers"),
    *("claims", "news", "beliefs", "rubric", "review"),
}


@pytest.mark.parametrize("name", sorted(scenarios()))
@pytest.mark.parametrize("learner", ["question_flood", "tit_for_tat", "conceder"])
def test_a_debrief_says_what_the_player_is_told_at_the_end(name: str, learner: str) -> None:
    for seed, seat in enumerate(SEATS):
        setup = setup_of(name, ("shark", "diplomat")[seed], seat)
        table = played(setup, 90 + seed, learner, SECRET)
        found = of(table.log, SECRET, seat, tracked=False, reviewed=False)
        told = observation(table.view(seat))
        assert set(found) == PARTS
        assert msgspec.json.decode(msgspec.json.encode(found)) is not None
        assert found["reason"] == told["termination_reason"] and found["turn"] == told["turn"]
        assert found["final_offer"] == told["final_offer"]
        assert found["grade"] == told["grade"] and found["truth"] == told["truth"]
        for part in ("efficiency", "surplus", "left_on_table", "reward"):
            assert found["numbers"][part] == told["grade"][part]
        check_even_split(table, found["numbers"], told["truth"])
        assert [one["headline"] for one in found["news"]] == [one["headline"] for one in told["events"]]
        assert [one["effect"] for one in found["news"]] == [one["effect"] for one in told["truth"]["events"]]
        assert [one["bluff"] for one in found["claims"]] == [one["bluff"] for one in told["truth"]["claims"]]
        assert tuple(item["item"] for item in found["rubric"]) == ITEMS
        assert found["review"] == {"status": "working", "progress": 0.0, "moves": []}


def check_even_split(table: Table, numbers: dict[str, Any], truth: dict[str, Any]) -> None:
    """With nothing thrown in the Nash point is the truth's; else it splits what there is with the gifts in, and better
    than the other one does. The limits are those that the surplus was counted from."""
    scenario, public = table.setup.scenario, table.state.public
    terms, facts = terms_of(scenario), table.state.facts
    given = [extras(scenario, public, one) for one in facts]
    limits = [shown(terms, one.limit - gift) for one, gift in zip(facts, given, strict=True)]
    assert numbers["limits"] == dict(zip(SEATS, limits, strict=True))
    if not any(given) or truth["nash"] is None:
        assert numbers["nash_offer"] == truth["nash"]
        return

    def product(values: dict[str, float]) -> float:
        offer = to_offer(terms, values)
        return math.prod(surplus_of(scenario, public, one, offer) / 100 for one in facts)

    assert product(numbers["nash_offer"]) >= product(truth["nash"]) > 0


def test_from_nash_is_the_deal_less_the_even_split() -> None:
    setup = setup_of("saas_enterprise", "diplomat")
    terms = terms_of(setup.scenario)
    seen = []
    for seed in range(120, 132):
        table = played(setup, seed, "conceder")
        found = of(table.log, b"", "seller", tracked=False, reviewed=False)
        nash, deal = found["numbers"]["nash_offer"], found["final_offer"]
        if nash is None or deal is None:
            assert found["numbers"]["from_nash"] is None
            continue
        utility = table.state.facts[0].utility
        gap = (worth(utility, to_offer(terms, deal)) - worth(utility, to_offer(terms, nash))) / 100
        assert found["numbers"]["from_nash"] == gap
        seen.append(gap)
    assert seen and len(set(seen)) > 1


def test_believed_against_true_turn_by_turn() -> None:
    """Reports add up field by field, the truth is that of the turn, and refused moves are no turns of their own."""
    setup = setup_of("saas_enterprise", "shark")
    terms = terms_of(setup.scenario)

    def choose(view: View) -> Move:
        turn, errors = view.public.turn, view.public.sides[0].errors
        if turn == 2 and not errors:
            return Move(voiced=True, accept=True, walk=True)
        report = {1: Belief(walk_away=-16_000_000), 3: Belief(urgency=0.5, has_alternative=0.25)}.get(turn)
        return Move(voiced=True, belief=report) if turn < 6 else Move(walk=True)

    seed = next(s for s in range(50) if GAME.start(setup, s).public.turn == 1)
    table = played(setup, seed, choose, SECRET)
    found = beliefs.beliefs(table.log, "seller", SECRET)
    assert [one["turn"] for one in found] == list(range(1, len(found) + 1)) and len(found) >= 4
    empty = {"est_budget": None, "est_urgency": None, "est_has_alternative": None}
    assert found[0]["stated"] == found[1]["stated"] == {"est_walk_away": 160_000.0, **empty}
    assert found[2]["stated"] == {
        "est_walk_away": 160_000.0,
        "est_budget": None,
        "est_urgency": 0.5,
        "est_has_alternative": 0.25,
    }
    assert all(one["estimate"]["source"] == "tracker" for one in found[1:])
    assert all(one["estimate"]["turn"] == one["turn"] for one in found)
    facts = table.state.facts[1]
    assert found[-1]["truth"]["urgency"] == facts.urgency
    start = GAME.start(setup, seed, SECRET).facts[1]
    assert found[0]["truth"]["limit"] == abs(start.limit) / 100
    assert found[0]["truth"]["budget"] == (None if start.budget is None else abs(start.budget) / 100)
    assert terms.is_price
    quick = beliefs.beliefs(table.log, "seller", SECRET, tracked=False)
    assert [one["estimate"]["source"] for one in quick] == ["prior"] * len(found)
    assert [one["truth"] for one in quick] == [one["truth"] for one in found]


def test_a_whole_debrief_holds_the_review() -> None:
    setup = setup_of("supplier_contract", "veteran", "buyer")
    table = played(setup, 95, "tit_for_tat", SECRET, words=True)
    told: list[float] = []
    found = of(table.log, SECRET, "buyer", progress=told.append)
    assert found["review"]["status"] == "ready" and found["review"]["progress"] == told[-1] == 1.0
    moves = found["review"]["moves"]
    assert len(moves) == sum("buyer" in one for one in table.moves)
    assert set(moves[0]) == {"number", "turn", "reward", "hindsight", "fair", "verdict"}
    assert set(moves[0]["fair"]) == set(moves[0]["hindsight"]) == {"cost", "best", "best_value"}


def people() -> Table:
    table = Table(Setup(scenarios()["hiring_package"], both_graded=True), 7, dict.fromkeys(SEATS), SECRET)
    while not table.over:
        table.play(table.mover, Move("I see.", voiced=True) if table.state.public.turn < 3 else Move(walk=True))
    return table


@pytest.mark.parametrize("seat", SEATS)
def test_a_game_between_people_has_a_debrief_without_a_review(seat: str) -> None:
    table = people()
    found = of(table.log, SECRET, seat)
    assert found["review"]["status"] == "failed" and found["review"]["why"] == "no_policy"
    assert found["grade"] == msgspec.to_builtins(table.view(seat).grade)
    assert all(one["estimate"]["source"] == "prior" for one in found["beliefs"])


def test_what_is_no_finished_game_is_refused() -> None:
    setup = setup_of()
    with pytest.raises(ValueError, match="over"):
        of(EventLog.begin("deal", setup, 5), b"", "seller")
    log = played(setup, 5, "walk_at_once").log
    lines = log.to_jsonl().replace(b'"walk":true', b'"accept":true')
    with pytest.raises(LogError):
        of(EventLog.from_jsonl(lines), b"", "seller")


def test_another_secret_is_another_game() -> None:
    """A log is not enough to learn what was hidden: without the game's secret it is of other facts."""
    setup = setup_of()
    log = played(setup, 5, "walk_at_once", SECRET).log
    with_it = of(log, SECRET, "seller", tracked=False, reviewed=False)

    def without() -> Any:
        return of(log, b"", "seller", tracked=False, reviewed=False)

    with contextlib.suppress(LogError):  # there the other side may open
        assert without()["truth"] != with_it["truth"]


def test_a_quick_debrief_loads_nothing_compiled() -> None:
    """A server may give it before anything heavy is loaded."""
    program = (
        "import sys; from game.review.debrief import debrief; from parlay_env.log import EventLog;"
        "found = debrief(EventLog.from_jsonl(sys.stdin.buffer.read()), b'', 'seller', tracked=False, reviewed=False);"
        "print(len(found), 'numba' in sys.modules)"
    )
    log = played(setup_of(), 5, "walk_at_once").log
    done = subprocess.run([sys.executable, "-c", program], input=log.to_jsonl(), capture_output=True, check=True)
    assert done.stdout.decode().split() == [str(len(PARTS)), "False"]
