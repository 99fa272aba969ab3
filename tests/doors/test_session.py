"""A session, without a door."""

from __future__ import annotations

from typing import Any

import pytest

from parlay_env.core import replay
from parlay_env.log import EventLog
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.session import GAME, EpisodeDone, NotYourMove, Session

from .support import bargain


def opened(**options: Any) -> Session:
    return Session.open(ResetOptions(**{"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7, **options}))


def play(session: Session) -> list[Any]:
    trail = [session.answer()]
    while not session.done:
        trail.append(session.step(ParlayAction(**bargain(trail[-1].observation))))
    return trail


def test_its_log_replays_the_episode() -> None:
    session = opened()
    trail = play(session)
    again = replay(GAME, EventLog.from_jsonl(session.table.log.to_jsonl()))
    assert again.state == session.table.state
    assert again.total("seller") == sum(answer.reward for answer in trail[1:])


def test_the_log_of_an_episode_with_refused_moves_replays_too() -> None:
    session = opened()
    session.step(ParlayAction(offer_amount=-5))
    session.step(ParlayAction(challenge=True, accept_deal=True, walk_away=True))
    session.step(ParlayAction(utterance="170,000.", offer_amount=170_000))
    assert replay(GAME, session.table.log).state == session.table.state


def test_a_drawn_seed_comes_from_the_source_and_from_the_range_of_the_split() -> None:
    asked: list[int] = []

    def source(n: int) -> int:
        asked.append(n)
        return n - 1

    for split, last in (("train", 2**52 - 1), ("validation", 2**52 + 2**51 - 1), ("test", 2**53 - 1)):
        session = Session.open(ResetOptions(split=split), seed_source=source)  # type: ignore[arg-type]
        assert session.table.seed == last
    assert asked == [2**52, 2**51, 2**51]


def test_a_persona_that_nobody_asked_for_is_drawn_by_the_seed() -> None:
    drawn = [opened(persona=None, seed=seed).answer().observation["persona"] for seed in range(30)]
    assert set(drawn) == {"shark", "diplomat", "veteran"}
    assert drawn == [opened(persona=None, seed=seed).answer().observation["persona"] for seed in range(30)]


@pytest.mark.parametrize(
    ("name", "value", "field", "shown"), [("omega", 50.0, "omega", 50.0), ("rewards", "immediate", "when", "immediate")]
)
def test_a_trainers_options_are_recorded_in_the_grade(name: str, value: Any, field: str, shown: Any) -> None:
    grade = play(opened(**{name: value}))[-1].observation["grade"]
    assert grade[field] == shown


def test_immediate_rewards_are_paid_at_every_step_and_come_to_the_same() -> None:
    belief = {"belief": {"est_walk_away": 160_000.0}}

    def paid(rewards: str) -> list[Any]:
        session = opened(rewards=rewards)
        answers = [session.answer()]
        while not session.done:
            answers.append(session.step(ParlayAction(**bargain(answers[-1].observation), **belief)))  # type: ignore[arg-type]
        return answers[1:]

    at_once, at_the_end = paid("immediate"), paid("end")
    assert "tom" in at_once[0].terms
    assert "tom" not in at_the_end[0].terms
    assert sum(a.reward for a in at_once) == sum(a.reward for a in at_the_end)


def test_events_can_be_switched_off() -> None:
    headlines = {True: 0, False: 0}
    for seed in range(30):
        for events, found in headlines.items():
            session = opened(persona="veteran", events=events, seed=seed)
            answer = session.answer()
            while not session.done:
                answer = session.step(ParlayAction(utterance=f"Let us see, {answer.observation['turn']}."))
            headlines[events] = found + sum(event["market"] for event in answer.observation["events"])
    assert headlines[True] > 5
    assert headlines[False] == 0


def test_a_step_after_the_end_raises_and_is_not_counted() -> None:
    session = opened()
    session.step(ParlayAction(walk_away=True))
    with pytest.raises(EpisodeDone):
        session.act(ParlayAction())
    assert session.step_count == 1


def test_a_step_out_of_turn_raises_and_is_not_counted() -> None:
    first = opened(persona=None, opponent="join")
    second = first.other(ResetOptions())
    waiting = second if first.ready else first
    with pytest.raises(NotYourMove):
        waiting.act(ParlayAction())
    assert waiting.step_count == 0


def test_when_the_opponent_fails_nothing_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened()
    session.answer()
    state, log = session.table.state, session.table.log
    with monkeypatch.context() as patch:
        patch.setattr("agent.scripted.ScriptedPolicy.act", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            session.act(ParlayAction(utterance="170,000.", offer_amount=170_000))
    assert session.table.state is state
    assert session.table.log == log
    assert session.step_count == 0
    assert session.table.paid("seller") == {}
    assert session.step(ParlayAction(utterance="170,000.", offer_amount=170_000)).observation["own_offer"]


def test_the_terminal_reward_comes_with_the_last_step_always() -> None:
    ends = set()
    for seed in range(40):
        session = opened(seed=seed, persona=("shark", "diplomat", "veteran")[seed % 3])
        last = play(session)[-1]
        ends.add(last.observation["termination_reason"])
        assert {"efficiency", "no_deal", "cliff"} & set(last.terms)
    assert {"deal", "walk_away"} <= ends
