"""A learner's words follow its decision, name its figures and cost nothing; its beliefs come from its own view."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from agent.registry import OPPONENTS, opponent
from game.cards import TOPICS
from game.scenarios import SeatName, scenarios
from parlay_env.amounts import names
from parlay_env.core import Episode, Viewer, play_episode
from parlay_env.deal.state import SEATS, Belief, Move
from parlay_env.deal.terms import terms_of, value_of
from parlay_env.deal.views import View
from parlay_env.grader import grade
from parlay_env.rng import Draws
from parlay_env.session import GAME
from training.episodes import Cell, Job, cells, setup_of
from training.policies import make
from training.voicing import QUESTIONS, Speaking, grain_of, rounded, voice_for
from training.wire import as_read, wire_action

ALL = cells(tuple(scenarios()), OPPONENTS, get_args(SeatName))


class Asks:
    """Offers what tit-for-tat does, and puts every question, each twice."""

    def __init__(self, setup: object, seed: int) -> None:
        self.policy = make("tit_for_tat", setup, seed)

    def act(self, view: View, rng: Draws) -> Move:
        move: Move = self.policy.act(view, rng)
        steps = view.public.sides[view.seat].steps
        return move if move.accept or steps >= 8 else Move(voiced=True, offer=move.offer, question=TOPICS[steps % 4])


def played(name: str, cell: Cell, seed: int, speaks: bool = True, believes: bool = False) -> Episode:
    setup = setup_of(Job(name, cell, "train", (seed,)))
    policy = Asks(setup, seed) if name == "asks" else make(name, setup, seed)
    player = Speaking(policy, believes=believes) if speaks else policy
    players = {cell.seat: player, SEATS[1 - setup.learner]: opponent(cell.persona)}
    return play_episode(GAME, setup, seed, players)


def own_moves(episode: Episode, cell: Cell) -> list[Move]:
    assert episode.log is not None
    return [moves[cell.seat] for moves in episode.log.moves(Move) if cell.seat in moves]


@pytest.mark.parametrize("name", ["tit_for_tat", "conceder", "card_spam", "random_legal"])
def test_an_episode_with_words_pays_exactly_what_it_pays_without(name: str) -> None:
    for i, cell in enumerate(ALL):
        worded, silent = played(name, cell, i), played(name, cell, i, speaks=False)
        seat = SEATS.index(cell.seat)
        assert grade(worded.state, seat) == grade(silent.state, seat)


def test_whoever_offers_says_the_offer_and_no_other_amount_of_its_own() -> None:
    for i, cell in enumerate(ALL):
        terms = terms_of(scenarios()[cell.scenario])
        for move in own_moves(played("tit_for_tat", cell, i), cell):
            assert bool(move.utterance) == move.voiced
            if move.offer is not None:
                assert names(move.utterance, value_of(terms, 0, move.offer[0]))


def test_words_are_varied_and_the_same_for_the_same_seed() -> None:
    cell = Cell("saas_enterprise", "shark", "seller")
    said = [[move.utterance for move in own_moves(played("tit_for_tat", cell, seed), cell)] for seed in range(40)]
    assert said == [[m.utterance for m in own_moves(played("tit_for_tat", cell, seed), cell)] for seed in range(40)]
    openings = Counter(words[0] for words in said)
    assert len(openings) >= 15
    assert max(openings.values()) <= 6
    everything = [one for words in said for one in words]
    assert len(set(everything)) > 0.9 * len(everything)


def test_the_voice_is_never_the_opponents_own_and_every_other_one_is_heard() -> None:
    for name in OPPONENTS:
        setup = setup_of(Job("tit_for_tat", Cell("saas_enterprise", name, "seller"), "train", (0,)))
        view = GAME.view(GAME.start(setup, 0), Viewer("player", "seller"))
        heard = {voice_for(view, Draws(key)).id for key in range(50)}
        assert heard == set(OPPONENTS) - {name}


def test_a_question_is_put_in_words_of_its_topic_and_not_twice_in_the_same() -> None:
    for i, cell in enumerate(ALL):
        asked = [(move.question, move.utterance) for move in own_moves(played("asks", cell, i), cell) if move.question]
        put = [next(one for one in QUESTIONS[topic] if words.endswith(one)) for topic, words in asked]
        assert len(set(put)) == len(put)


def test_beliefs_are_added_in_round_figures_and_a_market_headline_is_answered() -> None:
    estimates = 0
    for cell in ALL[:6]:
        for seed in range(4):
            episode = played("tit_for_tat", cell, seed, believes=True)
            moves = own_moves(episode, cell)
            for move in moves:
                assert move.belief is not None and move.belief.walk_away is not None
                assert move.belief.walk_away % 10_000 == 0
                assert move.belief.urgency == round(move.belief.urgency or 0.0, 2)
                estimates += move.event_impact is not None
            silent = own_moves(played("tit_for_tat", cell, seed), cell)
            assert [(m.offer, m.accept, m.utterance) for m in moves] == [
                (m.offer, m.accept, m.utterance) for m in silent
            ]
            assert sum(shock.market for shock in episode.state.shocks) >= sum(m.event_impact is not None for m in moves)
    assert estimates > 0


def test_what_the_policy_believes_itself_stays() -> None:
    cell = Cell("hiring_package", "diplomat", "buyer")
    setup = setup_of(Job("belief_invert", cell, "train", (3,)))
    own = make("belief_invert", setup, 3)
    wrapped = Speaking(make("belief_invert", setup, 3), believes=True)
    start = GAME.start(setup, 3)
    assert tuple(GAME.to_move(start)) == ("buyer",)
    view = GAME.view(start, Viewer("player", "buyer"))
    move = wrapped.act(view, Draws(1))
    assert move.belief == rounded(view, own.act(view, Draws(1))).belief


def test_beliefs_are_rounded_to_a_power_of_ten_of_at_most_a_two_hundredth_of_the_width() -> None:
    assert [grain_of(width * 100) for width in (40_000, 35_000, 5_500_000, 1_400_000, 300)] == [
        10_000, 10_000, 1_000_000, 100_000, 100,
    ]  # fmt: skip
    view = GAME.view(
        GAME.start(setup_of(Job("x", Cell("saas_enterprise", "shark", "seller"), "train", (0,))), 0),
        Viewer("player", "seller"),
    )
    found = rounded(view, Move(belief=Belief(-14_567_891, None, 0.12345, None), event_impact=0.09876))
    assert found.belief == Belief(-14_570_000, None, 0.12, None)
    assert found.event_impact == 0.099


def test_an_action_has_what_is_set_in_a_fixed_order_and_is_read_as_the_move() -> None:
    setup = setup_of(Job("x", Cell("saas_enterprise", "shark", "seller"), "train", (0,)))
    view = GAME.view(GAME.start(setup, 0), Viewer("player", "seller"))
    move = Move(utterance="So.", voiced=True, offer=(1000,), challenge=True, belief=Belief(-15_000_000, None, 0.5, 1.0))
    action = wire_action(view, move)
    assert list(action) == ["utterance", "offer_amount", "challenge", "belief"]
    assert action["offer_amount"] == 111_000
    assert isinstance(action["offer_amount"], int)
    assert action["belief"] == {"est_walk_away": 150_000, "est_urgency": 0.5, "est_has_alternative": 1}
    assert as_read(view, action) == move
