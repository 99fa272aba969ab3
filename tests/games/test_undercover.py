"""Undercover: votes pay what the formula says, nobody sees what it should not, and a wider gap is found more often."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import permutations, product
from time import process_time

import pytest
from msgspec.structs import replace

from agent.games.registry import UnknownPlayer, entry
from agent.games.undercover import STOCK
from game.texts import TextError, texts
from parlay_env.core import Step, Viewer, play_episode, policy_draws
from parlay_env.games.interface import TRIES
from parlay_env.games.undercover import (
    BETA,
    FAULT,
    GAP,
    LAMBDA,
    LETTERS,
    SEATS,
    Mode,
    Move,
    Setup,
    State,
    Undercover,
    View,
    brier_skill,
    pay,
)
from training.stats import Estimate
from training.undercover_study import markdown, study

GAME = Undercover(texts())
USUAL = Setup()
READER = entry("undercover").player("reader")


def illegal(view: View, r: random.Random) -> Move:
    other = r.choice([seat for seat in view.players if seat != view.seat])
    if view.phase == "vote":
        return r.choice(
            [
                Move(vote=view.seat),
                Move(vote="player_8"),
                Move(vote="nobody"),
                Move(summary="Too late."),
                Move(vote=other, beliefs={other: 0.5}),
                Move(vote=other, beliefs={view.seat: 1.0}),
                Move(vote=other, beliefs={other: -1.0}),
                Move(vote=other),
                Move(),
            ]
        )
    long = "word " * (view.words + 1)
    return r.choice(
        [
            Move(),
            Move(summary=" \n"),
            Move(summary=long),
            Move(vote=other),
            Move(summary="\x1b[2J"),
            Move(summary="So."),
        ]
    )


def written(setup: Setup = USUAL, seed: int = 1) -> State:
    """A state in which votes are due."""
    state = GAME.start(setup, seed)
    while (due := GAME.to_move(state)) and None in state.summaries:
        state = GAME.play(state, {seat: Move(summary=f"{seat} was here.") for seat in due}).state
    return state


def voted(state: State, votes: Mapping[str, str | None]) -> Step:
    return GAME.play(state, {seat: Move(vote=vote) for seat, vote in votes.items()})


def seen(state: State, seat: str) -> View:
    return GAME.view(state, Viewer("player", seat))


# Pay ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_votes_pay_nothing_in_sum_whatever_they_are(players: int) -> None:
    ways = [[None, *(j for j in range(players) if j != i)] for i in range(players)]
    for votes in product(*ways):
        against = [votes.count(seat) for seat in range(players)]
        for spy in range(players):
            assert abs(sum(pay(against, spy))) < 1e-12


def test_the_votes_pay_nothing_in_sum_among_eight_and_nobody_less_than_who_breaks_the_rules() -> None:
    r = random.Random(8)
    for _ in range(3000):
        players = r.randint(6, 8)
        votes = [r.choice([None, *(j for j in range(players) if j != i)]) for i in range(players)]
        paid = pay([votes.count(seat) for seat in range(players)], r.randrange(players))
        assert abs(sum(paid)) < 1e-12
        assert min(paid) > FAULT


def test_the_votes_pay_by_what_was_voted_and_not_by_where_one_sits() -> None:
    for against in product(range(4), repeat=4):
        paid = pay(against, 2)
        for order in permutations(range(4)):
            moved = pay([against[seat] for seat in order], order.index(2))
            assert moved == pytest.approx([paid[seat] for seat in order], abs=1e-15)


def test_the_votes_pay_what_the_formula_says() -> None:
    state = written()
    spy, a, b, c = (SEATS[state.spy], *(seat for seat in SEATS[:4] if seat != SEATS[state.spy]))
    step = voted(state, {spy: a, a: spy, b: spy, c: a})
    assert step.rewards[spy] == {"found": 0.0, "votes": pytest.approx(-BETA * (2 - 2 / 3))}
    for seat, found, votes in ((a, 1.0, 2), (b, 1.0, 0), (c, 0.0, 0)):
        assert step.rewards[seat]["found"] == found
        assert step.rewards[seat]["votes"] == pytest.approx(BETA / 3 * (2 - 2 / 3) - LAMBDA * (votes - 2 / 3))


def test_a_vote_for_nobody_counts_for_nobody() -> None:
    state = written()
    spy = SEATS[state.spy]
    step = voted(state, dict.fromkeys(SEATS[:4]))
    assert all(terms == {"found": 0.0, "votes": 0.0} for terms in step.rewards.values())
    one = next(seat for seat in SEATS if seat != spy)
    step = voted(state, {seat: spy if seat == one else None for seat in SEATS[:4]})
    assert step.rewards[spy]["votes"] == pytest.approx(-BETA)
    assert GAME.measures(step.state, one)["detection"] == 1.0
    assert sum(GAME.measures(step.state, seat).get("abstained", 0.0) for seat in SEATS[:4]) == 2.0


def test_nobody_is_paid_beyond_the_range_that_the_game_names_and_somebody_reaches_it() -> None:
    state = written(Setup(players=3))
    spy, a, b = (SEATS[state.spy], *(seat for seat in SEATS[:3] if seat != SEATS[state.spy]))
    best = 0.0
    for votes in product((None, a, b), (None, spy, b), (None, spy, a)):
        step = voted(state, dict(zip((spy, a, b), votes, strict=True)))
        best = max(best, *(sum(terms.values()) for terms in step.rewards.values()))
    assert best == pytest.approx(GAME.reward_range[1])


def test_who_makes_an_episode_void_pays_and_nobody_else() -> None:
    state = GAME.start(Setup(mode="sequential"), 3)
    for _ in range(TRIES - 1):  # once less than too often
        state = GAME.play(state, {"player_1": Move()}).state
    for seat in SEATS[:4]:
        state = GAME.play(state, {seat: Move(summary="A hat.")}).state
    step = voted(state, {"player_1": None, "player_2": "player_2", "player_3": None, "player_4": None})
    for _ in range(TRIES - 1):
        assert GAME.to_move(step.state) == {"player_2"}
        step = voted(step.state, {"player_2": "player_2"})
    assert not GAME.to_move(step.state)
    assert step.rewards == {seat: {"fault": FAULT if seat == "player_2" else 0.0} for seat in SEATS[:4]}
    assert step.events[0].data == {"reason": "void"}
    assert GAME.measures(step.state, "player_1") == {"void": 1.0}


@pytest.mark.parametrize("start", [GAME.start(USUAL, 3), written(USUAL, 3)], ids=["write", "vote"])
def test_who_makes_an_episode_void_has_failed_as_the_spy_and_as_another(start: State) -> None:
    """Else who can't tell the spy, or sees that it is found out, would be measured the better for it."""
    spy = SEATS[start.spy]
    other = next(seat for seat in SEATS if seat != spy)
    for seat, failed in ((spy, {"spy": 1.0, "caught": 1.0}), (other, {"spy": 0.0, "caught": 0.0, "detection": 0.0})):
        state = start
        for _ in range(TRIES):
            others = {} if state is not start else dict.fromkeys(GAME.to_move(start) - {seat}, _good(start))
            state = GAME.play(state, others | {seat: Move(vote=seat)}).state
        assert GAME.measures(state, seat) == {"void": 0.0, "error": 1.0, "reward": FAULT, **failed}


def _good(state: State) -> Move:
    return Move(summary="A hat.") if None in state.summaries else Move()


# What is not allowed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (Move(vote="player_1"), "no_such_vote"),
        (Move(vote="player_5"), "no_such_vote"),
        (Move(summary="Late."), "too_late"),
        (Move(beliefs={"player_1": 1.0}), "no_such_belief"),
        (Move(beliefs={"player_2": 1.5, "player_3": -0.5}), "no_probability"),
        (Move(beliefs={"player_2": float("nan")}), "no_probability"),
        (Move(beliefs={"player_2": 0.5, "player_3": 0.4}), "no_distribution"),
        (Move(beliefs={}), "no_distribution"),
    ],
)
def test_a_vote_that_is_not_allowed_is_refused_to_who_cast_it_and_the_others_stand(move: Move, code: str) -> None:
    moves = {"player_1": move, **{seat: Move(vote="player_1") for seat in SEATS[1:4]}}
    state = GAME.play(written(), moves).state
    refused = seen(state, "player_1").invalid
    assert refused is not None and refused.code == code
    assert seen(state, "player_2").invalid is None
    assert GAME.to_move(state) == {"player_1"}
    assert not GAME.to_move(voted(state, {"player_1": "player_2"}).state)


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (Move(), "no_summary"),
        (Move(summary="\t\n"), "no_summary"),
        (Move(summary="one two three four five six"), "too_long"),
        (Move(summary="x" * (5 * LETTERS + 1)), "too_long"),
        (Move(summary="red \x1b[31m"), "not_plain"),
        (Move(summary="It is.", vote="player_2"), "too_early"),
    ],
)
def test_a_summary_that_is_not_allowed_is_refused_and_what_is_right_is_said(move: Move, code: str) -> None:
    state = GAME.start(Setup(words=5), 1)
    state = GAME.play(state, {seat: move if seat == "player_3" else Move(summary="A fox.") for seat in SEATS[:4]}).state
    refused = seen(state, "player_3").invalid
    assert refused is not None and refused.code == code
    assert GAME.to_move(state) == {"player_3"}
    assert code != "too_long" or f"at most 5 words and {5 * LETTERS} characters" in refused.message


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (Setup(players=2), "players is a whole number from 3 to 8"),
        (Setup(mask=1.1), "mask is a figure from 0 to 1"),
        (Setup(mask=float("nan")), "mask"),
        (Setup(words=4), "words is a whole number from 5 to 500"),
        (Setup(mode="both"), "mode is parallel or sequential"),
        (Setup(document="Too short."), "document has 2 words; a text has 40 to"),
    ],
)
def test_a_setup_that_can_not_be_played_is_refused(setup: Setup, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.start(setup, 1)


def test_a_game_without_a_text_can_not_be_made() -> None:
    with pytest.raises(TextError, match="needs a text"):
        Undercover(())
    with pytest.raises(TextError, match="text 2 has 1 words"):
        Undercover((texts()[0], "Short."))


# What is seen ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_spy_lacks_one_run_of_words_of_the_share_that_was_set_and_nobody_else_lacks_any(mask: float) -> None:
    for seed in range(30):
        state = GAME.start(Setup(mask=mask), seed)
        truth = GAME.view(state, Viewer("observer")).truth
        assert truth is not None
        assert state.missing == len(truth.lacked.split()) == int(mask * len(state.document.split()) + 0.5)
        for seat in SEATS[:4]:
            view = seen(state, seat)
            spy = seat == truth.spy and mask > 0
            assert view.missing == (state.missing if spy else 0)
            assert " ".join(view.document.replace(GAP, truth.lacked).split()) == state.document
            assert (GAP in view.document) == spy


def test_everybody_is_the_spy_as_often_and_the_gap_is_anywhere() -> None:
    states = [GAME.start(Setup(), seed) for seed in range(1200)]
    for seat in range(4):
        assert 255 <= sum(state.spy == seat for state in states) <= 345  # 300 ± 3 standard deviations
    starts = [state.first / (len(state.document.split()) - state.missing) for state in states]
    assert min(starts) == 0.0 and max(starts) == 1.0
    assert abs(sum(starts) / len(starts) - 0.5) < 0.03
    assert {state.document for state in states} == set(texts())


def test_nothing_that_a_player_sees_before_the_end_depends_on_which_other_is_the_spy_or_on_what_it_lacks() -> None:
    for mode, seed in product(("parallel", "sequential"), range(6)):
        state = GAME.start(Setup(mode=mode), seed)
        while GAME.to_move(state):
            for seat in SEATS[:4]:
                others = [i for i in range(4) if SEATS[i] != seat]
                views = {repr(seen(replace(state, spy=i, first=first), seat)) for i in others for first in (0, 9, 40)}
                assert len(views) == 1
            moves = {
                seat: READER.act(seen(state, seat), policy_draws(GAME, seed, seat)) for seat in GAME.to_move(state)
            }
            state = GAME.play(state, moves).state


def test_nothing_that_the_spy_sees_depends_on_the_words_that_it_lacks() -> None:
    for state in (GAME.start(Setup(), 4), written(seed=4)):
        words = state.document.split()
        words[state.first : state.first + state.missing] = ["other"] * state.missing
        changed = replace(state, document=" ".join(words))
        spy = SEATS[state.spy]
        assert seen(changed, spy) == seen(state, spy)
        assert seen(changed, SEATS[(state.spy + 1) % 4]) != seen(state, SEATS[(state.spy + 1) % 4])


def test_in_parallel_nobody_sees_a_summary_before_all_are_written() -> None:
    state = GAME.start(Setup(), 1)
    moves = {seat: Move(summary=f"By {seat}.") for seat in SEATS[:3]}
    state = GAME.play(state, {**moves, "player_4": Move()}).state
    assert seen(state, "player_4").summaries == (None,) * 4
    assert seen(state, "player_2").summaries == (None, "By player_2.", None, None)
    state = GAME.play(state, {"player_4": Move(summary="  By\n player_4. ")}).state
    assert seen(state, "player_1").summaries == tuple(f"By {seat}." for seat in SEATS[:4])
    assert seen(state, "player_1").phase == "vote"


def test_in_sequence_each_writes_in_turn_and_sees_what_was_written() -> None:
    state = GAME.start(Setup(mode="sequential", players=3), 1)
    for number, seat in enumerate(SEATS[:3]):
        assert GAME.to_move(state) == {seat}
        assert [text is not None for text in seen(state, seat).summaries] == [i < number for i in range(3)]
        state = GAME.play(state, {seat: Move(summary="A hat.")}).state
    assert GAME.to_move(state) == set(SEATS[:3])


def test_a_vote_is_seen_by_nobody_before_the_end_and_by_all_after_it() -> None:
    state = written()
    half = voted(
        state, {"player_1": "player_2", "player_2": "player_3", "player_3": None, "player_4": "player_4"}
    ).state
    other = voted(state, {"player_1": None, "player_2": "player_1", "player_3": None, "player_4": "player_4"}).state
    for seat in SEATS[1:4]:
        assert seen(half, seat) == seen(other, seat)
        assert seen(half, seat).truth is None
    truth = seen(voted(half, {"player_4": "player_1"}).state, "player_3").truth
    assert truth is not None and truth.spy == SEATS[state.spy]
    assert [ballot.vote for ballot in truth.ballots] == ["player_2", "player_3", None, "player_1"]


def test_a_document_of_ones_own_is_what_is_played_about() -> None:
    own = "\n".join(["The owl of Sedge has a hat."] * 10)
    assert GAME.start(Setup(document=own), 1).document == " ".join(own.split())


# Measures -------------------------------------------------------------------------------------------------------------


def test_brier_skill_is_one_for_the_truth_none_for_knowing_nothing_and_less_for_error() -> None:
    assert brier_skill((0.0, 1.0, 0.0, 0.0), 1) == 1.0
    assert brier_skill((0.0, 1 / 3, 1 / 3, 1 / 3), 2) == pytest.approx(0.0)
    assert brier_skill((0.0, 1.0, 0.0, 0.0), 2) == pytest.approx(-2.0)
    for players in range(3, 9):
        equal = (0.0, *(1 / (players - 1),) * (players - 1))
        assert brier_skill(equal, 1) == pytest.approx(0.0)


def test_beliefs_that_were_rounded_are_taken_as_shares_of_their_sum() -> None:
    state = written()
    judge, spy = next(seat for seat in SEATS if seat != SEATS[state.spy]), SEATS[state.spy]
    others = [seat for seat in SEATS[:4] if seat != judge]
    moves = {seat: Move(vote=judge) for seat in others}
    step = GAME.play(state, {**moves, judge: Move(beliefs=dict.fromkeys(others, 0.33))})
    assert GAME.measures(step.state, judge)["brier_skill"] == pytest.approx(0.0)
    step = GAME.play(state, {**moves, judge: Move(beliefs={spy: 0.98})})
    assert GAME.measures(step.state, judge)["brier_skill"] == 1.0
    assert all("brier_skill" not in GAME.measures(step.state, seat) for seat in others)


def test_the_spy_is_caught_by_as_much_as_it_is_one_of_those_named_most() -> None:
    state = written()
    spy, a, b, c = (SEATS[state.spy], *(seat for seat in SEATS[:4] if seat != SEATS[state.spy]))
    for votes, caught in (
        ({spy: a, a: spy, b: spy, c: spy}, 1.0),
        ({spy: a, a: spy, b: spy, c: a}, 0.5),
        ({spy: a, a: b, b: a, c: a}, 0.0),
        (dict.fromkeys((spy, a, b, c)), 0.25),
    ):
        state_after = voted(state, votes).state
        assert {GAME.measures(state_after, seat)["caught"] for seat in SEATS[:4]} == {caught}


# Players --------------------------------------------------------------------------------------------------------------


def test_the_players_play_by_the_rules_in_every_setup() -> None:
    for players, mode, words, mask in product((3, 5, 8), ("parallel", "sequential"), (5, 50, 500), (0.0, 0.9, 1.0)):
        setup = Setup(players=players, mode=mode, words=words, mask=mask)
        for name in entry("undercover").players:
            played = play_episode(GAME, setup, 7, dict.fromkeys(SEATS, entry("undercover").player(name)))
            assert not any(played.state.tries)
            assert None not in played.state.ballots


def test_the_players_cope_with_documents_of_short_words_of_long_ones_and_without_spaces() -> None:
    long = "The " + "x" * 300 + " of it all. " + "on and on " * 20
    for document in ("at it so. " * 30, long, "unforeseeable circumstances. " * 30, "水に浮く。 " * 60):
        for words, mask, name in product((5, 50), (0.0, 0.5), entry("undercover").players):
            players = dict.fromkeys(SEATS, entry("undercover").player(name))
            played = play_episode(GAME, Setup(document=document, words=words, mask=mask), 2, players)
            assert not any(played.state.tries)
            assert None not in played.state.ballots


def test_a_reader_whom_all_seem_alike_votes_for_each_as_often() -> None:
    state = written(Setup(mask=0.0))
    state = replace(state, summaries=(texts()[0],) * 4)
    votes = [READER.act(seen(state, "player_2"), policy_draws(GAME, seed, "player_2")) for seed in range(300)]
    for seat in ("player_1", "player_3", "player_4"):
        assert 75 <= [move.vote for move in votes].count(seat) <= 125  # 100 ± 3 standard deviations
    assert votes[0].beliefs == dict.fromkeys(("player_1", "player_3", "player_4"), 0.3333)


def test_a_reader_says_nothing_that_it_has_not_read() -> None:
    for seed, mask in product(range(20), (0.5, 0.9, 1.0)):
        state = GAME.start(Setup(mask=mask), seed)
        for seat in SEATS[:4]:
            view = seen(state, seat)
            told = READER.act(view, policy_draws(GAME, seed, seat)).summary
            assert told is not None
            assert told == STOCK or set(told.split()) <= set(view.document.split())


def ends(found: Estimate) -> tuple[float, float]:
    assert found.low is not None and found.high is not None
    return found.low, found.high


def around(found: Estimate, value: float) -> bool:
    """Does its interval hold this value?"""
    low, high = ends(found)
    return low < value < high


def test_the_spy_is_found_by_chance_where_nothing_is_missing_and_more_often_the_more_is() -> None:
    rows = study(episodes=90, masks=(0.0, 0.4, 0.8))
    for nothing, some, much in (rows[:3], rows[3:]):
        assert around(nothing.detection, 1 / 3) and around(nothing.caught, 1 / 4)
        assert ends(nothing.detection)[1] < ends(some.detection)[0]
        assert some.detection.value < much.detection.value
        assert ends(much.detection)[0] > 0.7
        assert much.skill is not None and much.skill.value > 0.5
    assert markdown(rows).count("\n") == len(rows) + 1


def test_random_players_find_the_spy_by_chance_whatever_is_missing() -> None:
    (row,) = study(episodes=300, masks=(0.8,), modes=("parallel",), player="random")
    assert around(row.detection, 0.9 / 3)  # one vote in ten is for nobody
    assert row.skill is None
    assert "–" in markdown([row])


def test_a_study_of_nothing_or_by_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one episode"):
        study(episodes=0)
    with pytest.raises(UnknownPlayer, match="did you mean reader"):
        study(episodes=1, player="reeder")


@pytest.mark.parametrize("mode", ["parallel", "sequential"])
def test_readers_are_done_with_a_document_of_two_thousand_sentences_in_no_time(mode: Mode) -> None:
    setup = Setup(players=8, words=500, document="a. " * 2000, mode=mode)
    begun = process_time()
    assert play_episode(GAME, setup, 1, dict.fromkeys(SEATS, READER)).state.ballots[0] is not None
    assert process_time() - begun < 6  # about 0.1; each sentence weighed against all others takes half a minute
