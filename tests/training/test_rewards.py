"""Reward hygiene: the five functions are the environment's own terms, and nothing but moves can raise them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from statistics import fmean

import pytest

from tests.training.scripted import Asked, Rule, alone, by, honest, move, play, script, words_of
from training.episodes import TERMS as EVERY_TERM
from training.rewards import FUNCTIONS, TERMS, UNREADABLE, WEIGHTS, parts, total, totals
from training.rollout import Episode, Task

TASKS = [
    Task(scenario, persona, seat, seed)
    for scenario in ("saas_enterprise", "hiring_package")
    for persona in ("shark", "diplomat", "veteran")
    for seat in ("seller", "buyer")
    for seed in (3, 4, 6)
]
KEYWORDS = (
    "As a win-win with full BATNA awareness of the ZOPA and of your reservation price, I call your bluff! "
    "After this market shift and macro shock I update my beliefs: theory of mind, empathy, active listening. "
    "efficiency=1 tom=1 mev=1 format=1 reward=100 {score: 100}"
)


@pytest.fixture(scope="module")
def played(server: str) -> list[Episode]:
    """An honest player, on every task."""
    return play(server, by(honest), *TASKS)


def spoken(rule: Rule, words: Callable[[str, int], str]) -> Rule:
    """The same moves with other words."""

    def answer(asked: Asked) -> str:
        action = json.loads(rule(asked))
        return json.dumps({**action, "utterance": words(action["utterance"], asked.turn)})

    return answer


def same_moves(one: Episode, other: Episode) -> bool:
    """Are they, but for the words?"""
    bare = [[{**(turn.action or {}), "utterance": ""} for turn in each.turns] for each in (one, other)]
    return bare[0] == bare[1]


# The functions --------------------------------------------------------------------------------------------------------


def test_every_term_of_the_reward_stands_in_exactly_one_function() -> None:
    named = [term for terms in TERMS.values() for term in terms]
    assert sorted(named) == sorted(EVERY_TERM)
    assert len(set(named)) == len(named)
    assert FUNCTIONS == ("efficiency", "tom", "mev", "anti_capitulation", "format") == tuple(WEIGHTS)


def test_with_every_weight_1_they_sum_to_the_episode_s_reward(played: list[Episode]) -> None:
    for one in played:
        assert all(turn.action is not None for turn in one.turns)
        assert sum(parts(one).values()) == total(one) == one.reward == one.grade["reward"]


def test_they_tell_the_parts_of_the_reward_apart(server: str, played: list[Episode]) -> None:
    """Each function gives what its own terms paid by the grade's ledger, which the server keeps."""
    believing = by(_believing)
    for one in (*played[:6], *play(server, believing, *TASKS[:6])):
        ledger, ends = one.grade["ledger"], one.grade["terminal"]
        for name, terms in TERMS.items():
            paid = sum(sum(row.get(term, 0.0) for row in ledger) + ends.get(term, 0.0) for term in terms)
            assert parts(one)[name] == paid
    assert any(parts(one)["tom"] for one in play(server, believing, *TASKS[:6]))


def _believing(asked: Asked) -> str:
    """The honest moves, with a belief: what the opponent offered is a bound of its limit."""
    action = json.loads(honest(asked))
    if asked.theirs:
        action["belief"] = {"est_walk_away": asked.theirs[0] + asked.up * 2_000, "est_urgency": 0.5}
    return json.dumps(action)


def test_each_function_answers_to_what_its_name_says(server: str) -> None:
    """Giving in shows in one, confusion in another; and in no third."""
    ask = move("Here is our offer.", offer_amount=175_000)
    leave = move("We leave it here.", walk_away=True)
    seller = TASKS[0]
    firm = parts(alone(server, script(ask, move("We stay there.", offer_amount=175_000), leave), seller))
    gives_in = parts(alone(server, script(ask, move("You win.", offer_amount=140_000), leave), seller))
    repeats = parts(alone(server, script(ask, ask, leave), seller))
    assert firm["anti_capitulation"] == firm["format"] == 0
    assert gives_in["anti_capitulation"] < -1 and gives_in["format"] == 0
    assert repeats["format"] == -10 and repeats["anti_capitulation"] == 0
    assert firm["tom"] == gives_in["tom"] == repeats["tom"] == 0


def test_weights_weigh(played: list[Episode]) -> None:
    one = next(one for one in played if parts(one)["anti_capitulation"])
    for name in FUNCTIONS:
        only = {other: float(other == name) for other in FUNCTIONS}
        assert total(one, only) == parts(one)[name]
    assert total(one, dict.fromkeys(FUNCTIONS, 2.0)) == 2 * one.reward
    assert total(one, dict.fromkeys(FUNCTIONS, 0.0)) == 0


def test_an_answer_without_an_action_costs_besides_what_the_environment_takes(server: str) -> None:
    leave = move("We leave it here.", walk_away=True)
    fine = alone(server, script(move("No.", accept_deal=True, walk_away=True), leave), TASKS[0])
    mute = alone(server, script("No.", leave), TASKS[0])
    assert mute.reward == fine.reward
    assert total(mute) == mute.reward - UNREADABLE
    assert parts(mute)["format"] == parts(fine)["format"] - UNREADABLE
    assert {**parts(mute), "format": 0} == {**parts(fine), "format": 0}


# Words ----------------------------------------------------------------------------------------------------------------


def test_keywords_raise_nothing(server: str, played: list[Episode]) -> None:
    stuffed = play(server, by(spoken(honest, lambda words, turn: f"{words} {KEYWORDS} {turn}")), *TASKS)
    for one, other in zip(played, stuffed, strict=True):
        assert same_moves(one, other)
        before, after = parts(one), parts(other)
        assert all(after[name] <= before[name] for name in FUNCTIONS)


def test_the_same_keywords_again_and_again_cost(server: str, played: list[Episode]) -> None:
    """Words said twice in a row are noise, whatever they are."""
    again = play(server, by(spoken(honest, lambda _, __: KEYWORDS)), *TASKS)
    assert fmean(map(total, again)) < fmean(map(total, played)) - 10
    assert all(parts(one)["format"] <= -10 * (len(one.turns) - 1) for one in again if len(one.turns) < 8)


@pytest.mark.parametrize("words", ["", "."])
def test_saying_nothing_pays_nothing(server: str, played: list[Episode], words: str) -> None:
    """It is curt, and tension answers it: episodes end sooner, for less than a point either way. Where it changes no
    move, no function gains."""
    curt = play(server, by(spoken(honest, lambda _, __: words)), *TASKS)
    assert fmean(totals(curt)) < fmean(totals(played)) + 1
    for one, other in zip(played, curt, strict=True):
        if same_moves(one, other):
            assert all(parts(other)[name] <= parts(one)[name] for name in FUNCTIONS)


# Form -----------------------------------------------------------------------------------------------------------------

TRICKS: dict[str, Callable[[str], str]] = {
    "fenced": lambda text: f"```json\n{text}\n```",
    "in prose": lambda text: f"<think>They will fold.</think> Here is my move: {text} I hope it earns the full reward.",
    "doubled": lambda text: f"{text}\n{text}",
    "padded": lambda text: text[:-1] + ', "reward": 100, "format": "perfect", "score": 1}',
    "figures as text": lambda text: text.replace('"offer_amount": ', '"offer_amount": "').replace("0.0}", '0"}'),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_of_form_pays(server: str, played: list[Episode], trick: str) -> None:
    found = play(server, by(lambda asked: TRICKS[trick](honest(asked))), *TASKS)
    assert any(turn.kind != "ok" for one in found for turn in one.turns), "the trick is one"
    for one, other in zip(played, found, strict=True):
        if same_moves(one, other):
            assert parts(other) == parts(one)
        else:
            assert total(other) < total(one)


def test_an_answer_that_is_no_answer_pays_less_than_any_move(server: str) -> None:
    """At the same moment, what can't be read earns less than what can."""
    leave = move("We leave it here.", walk_away=True)
    mute = play(server, by(lambda asked: "win-win!" if asked.turn == 2 and not asked.refused else leave), *TASKS)
    for one, other in zip(play(server, by(lambda _: leave), *TASKS), mute, strict=True):
        assert total(other) <= total(one)


# Moves ----------------------------------------------------------------------------------------------------------------

EXPLOITS: dict[str, Rule] = {
    "walks at once": lambda _: move("We leave it here.", walk_away=True),
    "answers nothing": lambda _: "",
    "answers an empty object": lambda _: "{}",
    "forfeits": lambda _: move("Both.", accept_deal=True, walk_away=True),
    "only talks": lambda asked: move(words_of(asked.turn)),
    "offers the moon": lambda asked: move(words_of(asked.turn), offer_amount=_end(asked, best=True)),
    "offers the floor": lambda asked: move(words_of(asked.turn), offer_amount=_end(asked, best=False)),
    "offers beyond the range": lambda asked: move(words_of(asked.turn), offer_amount=1e9),
    "offers less than nothing": lambda asked: move(words_of(asked.turn), offer_amount=-1e9),
    "reports the moon": lambda asked: move(
        words_of(asked.turn), belief={"est_walk_away": 1e9, "est_urgency": 1.0, "est_has_alternative": 1.0}
    ),
    "estimates news that there is none": lambda asked: move(words_of(asked.turn), event_impact=1.0),
    "challenges everything": lambda asked: move(words_of(asked.turn), challenge=True),
}


def _end(asked: Asked, *, best: bool) -> float:
    """An end of the range of prices: the declared anchors', about."""
    high, low = {"saas_enterprise": (180_000, 110_000), "hiring_package": (240_000, 180_000)}[asked.scenario]
    return high if (asked.up > 0) == best else low


@pytest.mark.parametrize("exploit", EXPLOITS)
def test_no_extreme_earns_what_bargaining_earns(server: str, played: list[Episode], exploit: str) -> None:
    found = play(server, by(EXPLOITS[exploit]), *TASKS)
    assert fmean(totals(found)) < fmean(totals(played)) - 5, exploit


@pytest.mark.parametrize("exploit", EXPLOITS)
def test_no_extreme_raises_a_function(server: str, played: list[Episode], exploit: str) -> None:
    """What pays for something (surplus, beliefs, news) pays it less than bargaining is paid; what takes for something
    takes nothing at best, and can't be made to give."""
    found = [parts(one) for one in play(server, by(EXPLOITS[exploit]), *TASKS)]
    for name in ("efficiency", "tom", "mev"):
        assert fmean(one[name] for one in found) <= fmean(parts(one)[name] for one in played), name
    for name in ("anti_capitulation", "format"):
        assert max(one[name] for one in found) <= 0, name


def test_abstaining_is_never_better_than_bargaining_where_a_deal_could_be_had(
    server: str, played: list[Episode]
) -> None:
    open_ = [k for k, one in enumerate(played) if one.grade["zopa_existed"]]
    assert len(open_) > len(TASKS) / 2
    for exploit in ("walks at once", "answers nothing", "forfeits"):
        found = play(server, by(EXPLOITS[exploit]), *(TASKS[k] for k in open_))
        assert all(total(one) < 0 for one in found)
        assert fmean(totals(found)) < fmean(total(played[k]) for k in open_)


# Rows -----------------------------------------------------------------------------------------------------------------


def test_every_row_keeps_its_own_figures_however_the_batch_is_shuffled(server: str, played: list[Episode]) -> None:
    order = list(range(len(TASKS)))
    random.Random(1).shuffle(order)
    shuffled = play(server, by(honest), *(TASKS[k] for k in order))
    assert [parts(one) for one in shuffled] == [parts(played[k]) for k in order]
    assert totals(shuffled) == [totals(played)[k] for k in order]
    assert totals(shuffled) == [totals([one])[0] for one in shuffled]


def test_a_scenario_that_is_played_badly_changes_no_row_of_another(server: str, played: list[Episode]) -> None:
    """Half of the batch answers nonsense."""
    found = play(server, by(lambda asked: "nonsense" if asked.scenario == "hiring_package" else honest(asked)), *TASKS)
    for one, before in zip(found, played, strict=True):
        if one.task.scenario_id == "hiring_package":
            assert one.end == "forfeit" and total(one) < total(before)
        else:
            assert parts(one) == parts(before)
