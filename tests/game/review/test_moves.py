"""The review names what went wrong, by what was so and by what could be known, and invents nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from agent.planner import Bayes, Oracle
from game.review.fair import fair_costs
from game.review.moves import BEST, NoReview, review, verdict_of
from game.review.replay import FIRST_NUMBER, replayed
from game.review.rows import follow
from game.review.what_if import what_if
from game.scenarios import scenarios
from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, Belief, Move, Setup
from parlay_env.deal.terms import asking, terms_of
from parlay_env.deal.views import View
from parlay_env.grader import grade
from parlay_env.log import EventLog
from parlay_env.rng import Draws
from parlay_env.session import GAME, Table
from tests.game.review.games import SECRET, played, setup_of
from tests.world import RandomIllegal

CASES = [(name, persona) for name in sorted(scenarios()) for persona in ("shark", "diplomat", "veteran")]


def wild(setup: Setup, seed: int, secret: bytes = b"", words: bool = False) -> Table:
    """A learner that does anything at all, some of it not allowed."""
    player, draws = RandomIllegal(seed, 0.1), Draws(seed)

    def choose(view: View) -> Move:
        move = player.act(view, draws)
        return replace(move, utterance="You have heard it: 12 or nothing.") if words and move.voiced else move

    return played(setup, seed, choose, secret)


@pytest.mark.parametrize("secret", [b"", SECRET], ids=["open", "secret"])
@pytest.mark.parametrize("name", sorted(scenarios()))
def test_the_records_follow_the_log(name: str, secret: bytes) -> None:
    """Wild moves, refused moves and fined words: the batched core comes to what the log came to, move by move
    (`follow` raises if not), and to the same end and pay but for what reports brought."""
    ends = set()
    for seed in range(24):
        setup = setup_of(name, ("shark", "diplomat", "veteran")[seed % 3], SEATS[seed % 2])
        game = replayed(wild(setup, seed, secret, words=seed % 2 == 0).log, secret)
        found = follow(game, setup.seat, game.moves_of(setup.seat))
        row, graded = found.rows[-1][0], grade(game.last, setup.learner)
        ends.add(game.last.public.ended.reason)
        fined = [sum(line[term] for line in graded.ledger) for term in ("concession", "noise")]
        assert float(row["fines"]) == pytest.approx(-sum(fined), abs=1e-6)
        if game.last.public.ended.reason != "forfeit":
            assert [float(row["concession"]), float(row["noise"])] == pytest.approx(fined, abs=1e-6)
        assert float(row["efficiency"]) == pytest.approx(graded.efficiency)
        assert bool(row["breach"]) == graded.breach
        if not graded.deal:
            assert float(row["terminal"][4]) == graded.terminal["no_deal"] or graded.terminal["no_deal"] == -10.0
        assert sum(found.fines) <= -sum(line["noise"] for line in graded.ledger) + 1e-6
    assert len(ends) >= 2


@pytest.mark.parametrize(("name", "persona"), CASES)
def test_a_review_adds_up(name: str, persona: str) -> None:
    """No cost is negative, what the moves cost in hindsight is what the game lost, and the last move is worth what the
    grade paid."""
    for seed, learner in ((31, "tit_for_tat"), (32, "conceder")):
        setup = setup_of(name, persona, SEATS[seed % 2])
        table = played(setup, seed, learner, SECRET, words=True)
        told: list[float] = []
        found = review(table.log, SECRET, setup.seat, progress=told.append)
        paid = table.view(setup.seat).grade.reward
        assert [one["number"] for one in found] == list(range(FIRST_NUMBER, FIRST_NUMBER + len(found)))
        assert found[-1]["reward"] == pytest.approx(paid, abs=2e-3)
        costs = [one["hindsight"]["cost"] for one in found]
        assert min(costs) >= 0.0 and min(one["fair"]["cost"] for one in found) >= 0.0
        assert sum(costs) == pytest.approx(found[0]["hindsight"]["best_value"] - paid, abs=0.02)
        for one, after in zip(found, [*found[1:], None], strict=True):
            assert one["hindsight"]["best_value"] - one["hindsight"]["cost"] == pytest.approx(one["reward"], abs=3e-3)
            assert one["verdict"] == verdict_of(one["fair"]["cost"])
            assert after is None or after["hindsight"]["best_value"] == pytest.approx(one["reward"], abs=3e-3)
        assert told == sorted(told) and told[-1] == 1.0 and len(told) > len(found)
        assert msgspec.json.decode(msgspec.json.encode(found)) == found


def test_the_oracle_has_nothing_to_learn_in_hindsight() -> None:
    for seed in range(40, 46):
        setup = setup_of("saas_enterprise" if seed % 2 else "supplier_contract", "veteran", SEATS[seed % 2])
        table = played(setup, seed, Oracle(setup, seed))
        found = review(table.log, b"", setup.seat, fair=False)
        assert sum(one["hindsight"]["cost"] for one in found) < 1.5
        assert all(one["fair"] is None for one in found)


def test_bayes_loses_little_and_the_careless_lose_much_by_what_could_be_known() -> None:
    def lost(learner: Any) -> float:
        total, moves = 0.0, 0
        for seed in range(50, 56):
            setup = setup_of("hiring_package", "shark", SEATS[seed % 2])
            table = played(setup, seed, learner() if callable(learner) else learner)
            found = review(table.log, b"", setup.seat)
            total += sum(one["fair"]["cost"] for one in found)
            moves += len(found)
        return total / moves

    careful, careless = lost(Bayes), lost("staller")
    assert careful < 3.0 and careless > 2.0 * careful


# What went wrong ------------------------------------------------------------------------------------------------------


@cache
def generous() -> tuple[Setup, int]:
    """A game with plenty to agree on: the first such seed in which the learner opens."""
    setup = setup_of("saas_enterprise", "diplomat")
    for seed in range(200, 300):
        state = GAME.start(setup, seed)
        room = -state.facts[1].limit - state.facts[0].limit
        if state.public.turn == 1 and room > 0.8 * terms_of(setup.scenario).delta0[0]:
            return setup, seed
    raise AssertionError("no such seed")


def asked(view: View, share: float) -> tuple[int, ...]:
    """An offer that leaves this share of Δ0 over the own limit."""
    terms, own = terms_of(view.setup.scenario), view.own
    least = own.limit + round(share * terms.delta0[view.seat])
    return asking(terms, own.utility, terms.declared[1 - view.seat], least)


def test_an_offer_beyond_the_limit_is_the_blunder() -> None:
    setup, seed = generous()

    def careless(view: View) -> Move:
        turn = view.public.turn
        return Move(voiced=True, offer=asked(view, {1: 1.7, 2: 1.65}.get(turn, -0.3)))

    table = played(setup, seed, careless)
    assert table.view("seller").grade.breach
    found = review(table.log, b"", "seller")
    worst = max(found, key=lambda one: one["hindsight"]["cost"])
    assert worst["turn"] == 3 and worst["hindsight"]["cost"] > 200.0
    assert worst["fair"]["cost"] > 100.0 and worst["verdict"] == "blunder"
    assert "offer_amount" in worst["fair"]["best"]
    assert all(one["fair"]["cost"] < 20.0 for one in found if one["turn"] < 3)


def test_taking_little_where_much_could_be_had_is_found() -> None:
    setup, seed = generous()

    def eager(view: View) -> Move:
        if view.public.turn < 3:
            return Move(voiced=True, offer=asked(view, 1.1 - 0.05 * view.public.turn))
        return Move(voiced=True, offer=asked(view, 0.03))

    table = played(setup, seed, eager)
    graded = table.view("seller").grade
    assert graded.deal and graded.efficiency < 0.1
    found = review(table.log, b"", "seller")
    worst = max(found, key=lambda one: one["fair"]["cost"])
    assert worst["turn"] == 3 and worst["verdict"] == "blunder" and worst["hindsight"]["cost"] > 40.0


def test_leaving_a_good_deal_is_a_blunder_and_leaving_a_bad_one_is_not() -> None:
    setup, seed = generous()
    left = review(played(setup, seed, "walk_at_once").log, b"", "seller")
    assert left[0]["verdict"] == "blunder" and left[0]["hindsight"]["cost"] > 40.0
    assert "walk_away" not in left[0]["hindsight"]["best"]
    barren = next(
        seed for seed in range(500) if (s := GAME.start(setup, seed)).facts[0].limit > -s.facts[1].limit + 800_000
    )
    table = played(setup, barren, "walk_at_once")
    assert table.view("seller").grade.reward == 10.0
    assert review(table.log, b"", "seller")[0]["hindsight"]["cost"] < 5.0


def test_the_best_move_keeps_its_promise() -> None:
    """Played instead, the best move in hindsight costs nothing."""
    for seed in (61, 62, 63):
        setup = setup_of("saas_enterprise", "shark", SEATS[seed % 2])
        log = played(setup, seed, "tit_for_tat", SECRET).log
        found = review(log, SECRET, setup.seat, fair=False)
        worst = max(found, key=lambda one: one["hindsight"]["cost"])
        other = what_if(log, SECRET, setup.seat, worst["number"], worst["hindsight"]["best"])
        again = review(other.log, SECRET, setup.seat, fair=False)[worst["number"] - FIRST_NUMBER]
        assert again["hindsight"]["cost"] < BEST < worst["hindsight"]["cost"]


def test_fined_words_and_refused_moves_cost_their_fine() -> None:
    setup, seed = generous()
    script = [
        Move("I ask for a good price here.", voiced=True, offer=None),
        Move("I ask for a good price here.", voiced=True, offer=None),
        Move(voiced=True, accept=True, offer=(5,)),
    ]

    def choose(view: View) -> Move:
        return script.pop(0) if script else Move(walk=True)

    found = review(played(setup, seed, choose).log, b"", "seller")
    assert found[1]["hindsight"]["cost"] >= 10.0 and found[1]["fair"]["cost"] >= 10.0
    assert found[2]["hindsight"]["cost"] >= 10.0 and found[2]["fair"]["cost"] == pytest.approx(10.0)
    assert found[1]["turn"] == 2 and found[2]["turn"] == found[3]["turn"] == 3


def test_reports_do_not_enter_what_moves_cost() -> None:
    """The same moves with wild reports of beliefs: the same costs."""
    setup, seed = generous()

    def player(report: bool):
        def choose(view: View) -> Move:
            belief = Belief(walk_away=0, urgency=0.0, has_alternative=0.5) if report else None
            return Move(voiced=True, offer=asked(view, 1.0 - 0.06 * view.public.turn), belief=belief)

        return choose

    found = [review(played(setup, seed, player(report)).log, b"", "seller") for report in (False, True)]
    for one, two in zip(*found, strict=True):
        assert one["hindsight"]["cost"] == pytest.approx(two["hindsight"]["cost"], abs=2e-3)
        assert one["fair"] == two["fair"] or one["fair"]["cost"] == two["fair"]["cost"]


# What could be known --------------------------------------------------------------------------------------------------


def test_fair_costs_know_nothing_of_what_comes_later_or_is_hidden() -> None:
    """They are a function of views and moves so far: neither the rest of the game nor other hidden facts behind the
    same views change anything."""
    setup = setup_of("saas_enterprise", "veteran")
    game = replayed(played(setup, 71, "tit_for_tat").log)
    own = game.moves_of("seller")[:6]
    whole = fair_costs([one.seen for one in own])
    assert fair_costs([one.seen for one in own[:3]]) == whole[:3]
    changed = []
    for one in own:
        state = one.played.before
        theirs = replace(state.facts[1], walk_away=state.facts[1].walk_away - 900_000, deadline=12, urgency=0.9)
        other = replace(state, facts=(state.facts[0], theirs), truths=tuple(not t for t in state.truths))
        changed.append(replace(one.seen, view=GAME.view(other, Viewer("trainer", "seller"))))
    assert fair_costs(changed) == whole


# No review ------------------------------------------------------------------------------------------------------------


def test_games_without_a_review_say_why() -> None:
    setup, seed = generous()
    log = played(setup, seed, "walk_at_once").log
    with pytest.raises(NoReview) as found:
        review(log, b"", "buyer")
    assert found.value.why == "not_the_learner"
    with pytest.raises(NoReview) as found:
        review(EventLog.begin("deal", setup, seed), b"", "seller")
    assert found.value.why == "not_over"
    people = Table(Setup(setup.scenario, both_graded=True), 5, {"seller": None, "buyer": None})
    while not people.over:
        people.play(people.mover, Move(walk=True))
    with pytest.raises(NoReview, match="person") as found:
        review(people.log, b"", "seller")
    assert found.value.why == "no_policy"
    older = replace(setup, opponent=replace(setup.opponent, temper=0.77))
    with pytest.raises(NoReview) as found:
        review(played(older, seed, "walk_at_once").log, b"", "seller")
    assert found.value.why == "another_release"
    literal = replace(setup, reward=replace(setup.reward, when="immediate"))
    with pytest.raises(NoReview) as found:
        review(played(literal, seed, "walk_at_once").log, b"", "seller")
    assert found.value.why == "no_room"


def test_an_opponent_that_did_not_play_by_its_policy_is_noticed() -> None:
    setup, seed = generous()
    table = Table(setup, seed, {"seller": None, "buyer": None})
    table.play("seller", Move(voiced=True, offer=asked(table.view("seller"), 1.0)))
    table.play("buyer", Move(voiced=True))
    table.play("seller", Move(walk=True))
    with pytest.raises(NoReview) as found:
        review(table.log, b"", "seller")
    assert found.value.why == "not_by_policy"
