"""Each habit is 0 of an honest player, and shows in who has it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest

from parlay_env.deal.state import Reason
from tests.training.scripted import Asked, Rule, by, honest, move, play, said, words_of
from training.probe import EARLY, PASTED, STILL, Habits, habits
from training.rollout import Episode, Task, Turn

TASKS = [
    Task("saas_enterprise", persona, seat, seed)
    for persona in ("shark", "diplomat", "veteran")
    for seat in ("seller", "buyer")
    for seed in (3, 4, 6)
]
HABITS = Habits.__struct_fields__


def changed(change: Callable[[Asked], dict[str, Any]]) -> Rule:
    """The honest moves with something else about them; a field of None is left out."""

    def answer(asked: Asked) -> str:
        action = {**json.loads(honest(asked)), **change(asked)}
        return json.dumps({name: value for name, value in action.items() if value is not None})

    return answer


def _asking(asked: Asked) -> str:
    return move(words_of(asked.turn), offer_amount=round(asked.target, -2))


def _escalating(asked: Asked) -> str:
    return move(words_of(asked.turn), offer_amount=round(asked.limit + asked.up * 2_000 * asked.turn, -2))


EXPLOITS: dict[str, Rule] = {
    "repeats_words": changed(lambda _: {"utterance": "Here is our offer."}),
    "says_nothing": changed(lambda _: {"utterance": None}),
    "pastes_figures": changed(lambda asked: {"utterance": f"{asked.turn}: 110k, $120,000 and 130000?"}),
    "worsens": _escalating,
    "stands_still": _asking,
    "accepts_at_once": lambda asked: move("Done.", accept_deal=True) if asked.theirs else _asking(asked),
    "walks_at_once": lambda _: move("We leave it here.", walk_away=True),
    "is_left": _asking,
    "forfeits": lambda _: "I had rather not.",
    "challenges": changed(lambda _: {"challenge": True}),
    "asks": changed(lambda _: {"question": "timeline"}),
    "plays_cards": changed(lambda _: {"tactical_move": "reframe"}),
    "news_before_news": changed(lambda _: {"event_impact": 0.1}),
}


@pytest.fixture(scope="module")
def played(server: str) -> list[Episode]:
    return play(server, by(honest), *TASKS)


def test_an_honest_player_has_none(played: list[Episode]) -> None:
    """But for being left, now and then: these opponents are impatient."""
    found = habits(played)
    wanted = [name for name in HABITS if name != "is_left"]
    assert {name: getattr(found, name) for name in wanted} == dict.fromkeys(wanted, 0.0)
    assert found.is_left < 1


def test_every_habit_has_its_exploit() -> None:
    """But for running out of turns: these opponents leave before."""
    assert set(EXPLOITS) == {*HABITS} - {"times_out"}
    assert habits([_made_up("timeout", {"utterance": "Hm."}), _made_up("deal", {"utterance": "Hm."})]).times_out == 0.5


@pytest.mark.parametrize("habit", EXPLOITS)
def test_it_shows_in_who_has_it(server: str, habit: str) -> None:
    found = habits(play(server, by(EXPLOITS[habit]), *TASKS))
    assert getattr(found, habit) > 0.25
    for name in HABITS:
        assert 0.0 <= getattr(found, name) <= 1.0


@pytest.mark.parametrize("habit", ["says_nothing", "challenges", "asks", "plays_cards", "pastes_figures"])
def test_what_is_done_in_every_answer_is_a_rate_of_1(server: str, habit: str) -> None:
    assert getattr(habits(play(server, by(EXPLOITS[habit]), *TASKS[:4])), habit) == 1.0


def test_an_estimate_after_news_is_no_habit_and_before_it_is(server: str) -> None:
    """Also where news comes later in the same episode."""
    after = play(server, by(changed(lambda asked: {"event_impact": 0.1} if asked.news else {})), *TASKS)
    assert any((turn.action or {}).get("event_impact") for one in after for turn in one.turns)
    assert habits(after).news_before_news == 0.0
    before = play(server, by(changed(lambda asked: {} if asked.news else {"event_impact": 0.1})), *TASKS)
    later = [one for one in before if one.last["events"] and one.last["events"][0]["turn"] > 2]
    assert later
    assert habits(later).news_before_news > 0.25


def test_a_silent_estimate_is_none(server: str) -> None:
    none = play(server, by(changed(lambda _: {"event_impact": 0.0})), *TASKS[:4])
    assert habits(none).news_before_news == 0.0


def test_ends_are_named_as_the_game_names_them(server: str, played: list[Episode]) -> None:
    """The probe's rates of ends are those of the ends themselves."""
    ends = {*(one.end for one in played)}
    for habit, reason in (("forfeits", "forfeit"), ("walks_at_once", "walk_away"), ("accepts_at_once", "deal")):
        found = play(server, by(EXPLOITS[habit]), *TASKS)
        ends |= {one.end for one in found}
        assert getattr(habits(found), habit) == sum(one.end == reason for one in found) / len(found)
    assert ends <= {*get_args(Reason)}
    assert all(reason in get_args(Reason) for reason in ("deal", "walk_away", "timeout", "forfeit"))


def test_being_left_or_taken_early_is_no_habit() -> None:
    """Only what it did itself."""
    quick = [_made_up("deal", {"offer_amount": 1.0}), _made_up("walk_away", {"offer_amount": 1.0})]
    assert habits(quick).accepts_at_once == habits(quick).walks_at_once == 0.0
    own = [_made_up("deal", {"accept_deal": True}), _made_up("walk_away", {"walk_away": True})]
    assert habits(own).accepts_at_once == habits(own).walks_at_once == 0.5
    late = [_made_up("deal", {"accept_deal": True}, turn=EARLY + 1)]
    assert habits(late).accepts_at_once == 0.0


def test_which_way_is_worse_depends_on_the_seat() -> None:
    up = ({"offer_amount": 100.0}, {"offer_amount": 110.0})
    assert habits([_made_up("timeout", *up, seat="seller")]).worsens == 1.0
    assert habits([_made_up("timeout", *up, seat="buyer")]).worsens == 0.0


def test_standing_still_is_so_many_in_a_row() -> None:
    same, other = {"offer_amount": 100.0}, {"offer_amount": 99.0}
    assert habits([_made_up("timeout", *[same] * STILL)]).stands_still == 1.0
    assert habits([_made_up("timeout", *[same] * (STILL - 1), other, same)]).stands_still == 0.0
    several = {"offer": {"price": 9.0, "days": 60.0}}
    assert habits([_made_up("timeout", *[several] * STILL)]).stands_still == 1.0


def test_figures_are_pasted_from_so_many_on() -> None:
    few, many = (" ".join(["100k"] * n) for n in (PASTED - 1, PASTED))
    assert habits([_made_up("timeout", {"utterance": few})]).pastes_figures == 0.0
    assert habits([_made_up("timeout", {"utterance": many})]).pastes_figures == 1.0


def test_habits_are_of_an_episode_at_least() -> None:
    with pytest.raises(ValueError, match="at least one"):
        habits([])


def _made_up(end: str, *actions: dict[str, Any], turn: int = EARLY, seat: Any = "seller") -> Episode:
    """An episode of these actions."""
    turns = [Turn(k, [], said(""), "ok", action) for k, action in enumerate(actions, 1)]
    last = {"termination_reason": end, "turn": turn, "events": []}
    return Episode(Task("saas_enterprise", "shark", seat, 1), turns, last=last)
