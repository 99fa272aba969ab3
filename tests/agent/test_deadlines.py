"""A persona's private deadline is the last turn at which it deals: waiting for the very end must be a risk."""

from __future__ import annotations

import pytest

from agent.baselines import baseline
from agent.personas import PERSONAS
from agent.registry import opponent
from parlay_env.deal.state import SEATS
from tests.world import SCENARIO_IDS, setup, states


@pytest.mark.parametrize("name", list(PERSONAS))
def test_no_deal_is_made_after_the_personas_deadline_whoever_takes_whose_offer(name: str) -> None:
    deals, late = 0, []
    for i in range(320):
        seat = SEATS[i % 2]
        chosen = setup(SCENARIO_IDS[i // 2 % 4], name, seat=seat)
        other = 1 - chosen.learner
        learner = baseline(("tit_for_tat", "boulware", "conceder")[i % 3])
        *_, last = states(chosen, 7_000_000 + i, {seat: learner, SEATS[other]: opponent(name, words=False)})
        ended, deadline = last.public.ended, last.facts[other].deadline
        assert ended is not None
        assert ended.turn <= deadline + 1  # the turn in which a learner finds that it has been left
        if ended.reason == "deal":
            deals += 1
            if ended.turn > deadline:
                late.append((ended.turn, deadline, ended.seat))
    assert deals > 60
    # Its own hand never signs late; an offer of its deadline's turn can't be taken after it, for it makes none there.
    assert late == []
