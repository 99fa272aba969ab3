"""The rubric moves with conduct, names the turn, and can't be had by words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from game.review.replay import replayed
from game.review.rubric import ITEMS, rubric, rubric_of
from game.scenarios import scenarios
from parlay_env.deal.state import SEATS, Move, Setup
from parlay_env.deal.terms import asking, terms_of
from parlay_env.deal.views import View
from parlay_env.log import EventLog
from parlay_env.session import GAME, Table
from tests.game.review.games import SECRET, played, setup_of

WORDS = (
    "Onboarding takes your team two weeks, so this covers the people we set aside for it.",
    "We have kept the renewal clause short because your auditors asked for that last spring.",
    "Our support desk answers within the hour at night, which nobody else in this market does.",
    "Moving your old records over is work that we would do before anything is billed.",
)


def offer(view: View, share: float, **fields: Any) -> Move:
    """An offer that leaves this share of Δ0 over the own limit."""
    terms, own = terms_of(view.setup.scenario), view.own
    least = own.limit + round(share * terms.delta0[view.seat])
    return Move(voiced=True, offer=asking(terms, own.utility, terms.declared[1 - view.seat], least), **fields)


def duel(mine: list[Any], theirs: list[Any], setup: Setup | None = None, seed: int = 5) -> Table:
    """Both sides by hand, the first named seat first: a step is a share to ask for over one's limit, or a move."""
    setup = setup or Setup(replace(scenarios()["saas_enterprise"], headlines=()), events=False, both_graded=True)
    while GAME.start(setup, seed).public.mover != 0:
        seed += 1
    table = Table(setup, seed, dict.fromkeys(SEATS))
    left = {"seller": list(mine), "buyer": list(theirs)}
    while not table.over:
        seat = table.mover
        step = left[seat].pop(0) if left[seat] else Move(walk=True)
        table.play(seat, step if isinstance(step, Move) else offer(table.view(seat), step))
    return table


def scores(table: Table, seat: str = "seller") -> dict[str, Any]:
    return {item["item"]: item["score"] for item in rubric_of(replayed(table.log), seat)}


def evidence(table: Table, item: str, seat: str = "seller") -> list[dict[str, Any]]:
    return next(one["evidence"] for one in rubric_of(replayed(table.log), seat) if one["item"] == item)


@pytest.mark.parametrize("name", sorted(scenarios()))
@pytest.mark.parametrize("learner", ["tit_for_tat", "question_flood", "walk_at_once", "instant_accept", "card_spam"])
def test_every_game_has_a_rubric_in_both_languages(name: str, learner: str) -> None:
    for seed, seat in enumerate(SEATS):
        setup = setup_of(name, "veteran", seat)
        table = played(setup, seed + 80, learner, SECRET, words=True)
        found = rubric(table.log, seat, SECRET)
        assert tuple(one["item"] for one in found) == ITEMS
        for one in found:
            assert one["score"] is None or 0.0 <= one["score"] <= 1.0
            assert one["evidence"]
            for told in one["evidence"]:
                assert 0 <= told["turn"] <= 20
                assert re.search("[\u4e00-\u9fff]", told["text"]["zh"]) and told["text"]["en"].isascii() is not None
                assert "{" not in told["text"]["en"] + told["text"]["zh"]
                assert not re.search("[\u4e00-\u9fff]", told["text"]["en"])


def test_an_ambitious_opening_scores_more_than_a_soft_one_and_an_absurd_one_less() -> None:
    def opened(share: float) -> Any:
        return scores(duel([share], [0.5]))["opening_ambition"]

    assert opened(0.1) < opened(0.5) < opened(1.0)
    assert opened(3.0) < opened(1.0)
    assert scores(duel([Move(walk=True)], []))["opening_ambition"] is None


def test_who_names_the_first_figure() -> None:
    first = scores(duel([1.0, 0.9], [0.9, 0.8]))["first_offer"]
    after = scores(duel([Move(voiced=True), 1.0], [0.9, 0.8]))["first_offer"]
    late = scores(duel([Move(voiced=True), Move(voiced=True), 1.0], [0.9, 0.8, 0.7]))["first_offer"]
    assert first > after > late
    assert scores(duel([0.2, 0.1], [0.9, 0.8]))["first_offer"] < first  # a soft anchor is none
    assert scores(duel([Move(voiced=True), Move(walk=True)], [0.9]))["first_offer"] == 0.0


def test_steps_that_run_ahead_cost_strength_and_name_their_turn() -> None:
    firm = duel([1.0, 0.97, 0.94], [0.9, 0.87, 0.84])
    soft = duel([1.0, 0.97, 0.5], [0.9, 0.87, 0.84])
    assert scores(firm)["counter_strength"] == 1.0
    assert scores(soft)["counter_strength"] <= 0.5
    assert [one["turn"] for one in evidence(soft, "counter_strength")] == [3]
    matched = duel([1.0, 0.97, 0.67], [0.9, 0.60, 0.57])  # a big step that answers one
    assert scores(matched)["counter_strength"] > scores(soft)["counter_strength"]
    assert scores(duel([1.0], [0.9]))["counter_strength"] is None


def test_giving_back_is_reciprocity_and_standing_still_is_not() -> None:
    gives = duel([1.0, 0.95, 0.90], [0.9, 0.85, 0.80])
    stands = duel([1.0, 1.0, 1.0, 1.0], [0.9, 0.85, 0.80, 0.75])
    assert scores(gives)["reciprocity"] == 1.0 and scores(stands)["reciprocity"] == 0.0
    assert [one["turn"] for one in evidence(stands, "reciprocity")] == [3, 4, 5][: len(evidence(stands, "reciprocity"))]
    assert scores(duel([1.0, 0.9, 0.8], [0.9, 0.9, 0.9]))["reciprocity"] is None
    taken = duel([1.0, Move(accept=True)], [0.9])
    assert scores(taken)["reciprocity"] is None  # their opening is no step


def test_limits_are_held() -> None:
    breach = duel([1.0, -0.4], [0.9, Move(accept=True)])
    assert breach.view("seller").grade.breach
    assert scores(breach)["walk_away_discipline"] == 0.0 and scores(breach)["closing"] == 0.0
    risky = duel([1.0, -0.05, Move(walk=True)], [0.9, 0.8, 0.8])
    assert scores(risky)["walk_away_discipline"] < 0.6
    assert evidence(risky, "walk_away_discipline")[0]["turn"] == 2
    good = duel([1.0, 0.5, 0.2], [0.9, 0.5, Move(accept=True)])
    assert scores(good)["walk_away_discipline"] == 1.0


def test_leaving_is_right_only_where_nothing_suits_both() -> None:
    setup = Setup(replace(scenarios()["saas_enterprise"], headlines=()), events=False, both_graded=True)
    seeds = {True: 0, False: 0}
    for seed in range(300):
        state = GAME.start(setup, seed)
        if state.public.mover == 0:
            seeds[-state.facts[1].limit >= state.facts[0].limit] = seed
    left = {zopa: scores(duel([1.0], [0.9], setup, seed)) for zopa, seed in seeds.items()}
    assert left[False]["walk_away_discipline"] == left[False]["closing"] == 1.0
    assert left[True]["walk_away_discipline"] == 0.25 and left[True]["closing"] == 0.0


def test_a_close_below_what_was_offered_before_is_a_worse_one() -> None:
    def closed(first: float, last: float) -> Any:
        return scores(duel([1.2, 1.1, Move(accept=True)], [first, last], seed=generous()))["closing"]

    assert closed(0.1, 0.1) == 1.0
    assert 0.5 <= closed(0.1, 0.4) < 1.0


def generous() -> int:
    setup = Setup(replace(scenarios()["saas_enterprise"], headlines=()), events=False, both_graded=True)
    for seed in range(400):
        state = GAME.start(setup, seed)
        room = -state.facts[1].limit - state.facts[0].limit
        if state.public.mover == 0 and room > 0.9 * terms_of(setup.scenario).delta0[0]:
            return seed
    raise AssertionError("no such seed")


def test_different_questions_count_and_repeated_ones_do_not() -> None:
    def asking_(*topics: str) -> Any:
        moves = [Move(voiced=True, question=topic) for topic in topics]
        return scores(duel([*moves, 1.0], [0.9] * 5))["questions_asked"]

    none, one, two = asking_(), asking_("authority"), asking_("authority", "timeline")
    again, three = asking_("authority", "authority", "authority"), asking_("authority", "timeline", "priorities")
    assert none == 0.0 and 0.0 < again <= one and again < two < three == 1.0
    assert scores(duel([Move(walk=True)], []))["questions_asked"] is None


# Words ----------------------------------------------------------------------------------------------------------------


def said(*words: str, theirs: tuple[str, ...] = ()) -> Table:
    mine = [Move(w, voiced=bool(w)) for w in words]

    def talk(view: View, k: int) -> Move:
        return replace(offer(view, 1.2 - 0.03 * k), utterance=mine[k].utterance, voiced=mine[k].voiced)

    setup = Setup(replace(scenarios()["saas_enterprise"], headlines=()), events=False, both_graded=True)
    seed = next(s for s in range(50) if GAME.start(setup, s).public.mover == 0)
    table = Table(setup, seed, dict.fromkeys(SEATS))
    for k in range(len(words)):
        table.play("seller", talk(table.view("seller"), k))
        table.play("buyer", Move(theirs[k] if k < len(theirs) else "Hm.", voiced=True))
    table.play("seller", Move("That is all.", voiced=True, walk=True))
    return table


def test_reasons_in_words_count_by_their_shape() -> None:
    assert scores(said(*WORDS))["rationale_given"] == 1.0
    assert scores(said(WORDS[0], "No.", WORDS[1], "150,000."))["rationale_given"] == 0.5
    chinese = (
        "上线需要两周，这个价格包含了我们专门安排的实施人员。",
        "你们的审计去年春天提过要求，所以续约条款写得很短。",
    )
    assert scores(said(*chinese))["rationale_given"] == 1.0


@pytest.mark.parametrize(
    "spam",
    [
        "because because because because because because because because",
        "because reason value budget ROI",
        "150,000 160,000 170,000 fair 180,000 value 190,000 price 155,000 because 145,000",
        "Our best price.",
        "因为 因为 因为 因为 因为 因为 因为 因为",
    ],
)
def test_keywords_figures_and_repeats_earn_nothing(spam: str) -> None:
    assert scores(said(*[f"{spam} " + "!" * k for k in range(4)]))["rationale_given"] <= 0.25


def test_the_same_reason_again_or_theirs_repeated_earns_nothing() -> None:
    again = scores(said(WORDS[0], WORDS[0] + " Truly.", WORDS[0], WORDS[0]))["rationale_given"]
    assert again == 0.25
    echoed = scores(said("Hm.", WORDS[0], WORDS[1], theirs=(WORDS[0], WORDS[1])))["rationale_given"]
    assert echoed == 0.0


def test_words_move_no_other_item() -> None:
    loud, quiet = scores(said(*WORDS)), scores(said("Hm.", "So.", "Well.", "Now."))
    assert {k: v for k, v in loud.items() if k != "rationale_given"} == {
        k: v for k, v in quiet.items() if k != "rationale_given"
    }


def test_a_game_without_words_has_no_occasion_for_them() -> None:
    assert scores(duel([1.0, 0.9], [0.9, 0.8]))["rationale_given"] is None


def test_a_rubric_is_of_a_game_that_is_over() -> None:
    with pytest.raises(ValueError, match="over"):
        rubric(EventLog.begin("deal", setup_of(), 5), "seller")
