"""The baselines: each plays anywhere, by the rules and as its line in the roster says."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product

import pytest
from msgspec.structs import replace

from agent.baselines import BASELINES, ROSTER, baseline
from agent.baselines.concession import FIXED_STEP, SAFE_MARGIN
from agent.baselines.desk import Desk
from agent.baselines.roster import CHASSIS
from agent.baselines.timing import CRUMB, SLICE
from agent.numbers import CALM
from agent.registry import opponent
from parlay_env.core import Episode, Viewer, play_episode, policy_draws
from parlay_env.deal.numbers import NOTICEABLE
from parlay_env.deal.state import SEATS, Move, State
from parlay_env.deal.terms import worth
from parlay_env.deal.value import surplus_of
from tests.world import BUYER, GAME, PERSONAS, SCENARIO_IDS, SELLER, Script, Table, View, setup, states

CELLS = tuple(product(SCENARIO_IDS, PERSONAS, SEATS))
NAMED = {
    *("random", "random_legal", "constant_anchor", "safe_price", "fixed_step", "boulware", "conceder", "tit_for_tat"),
    *("no_words", "instant_accept", "staller", "deadline_sniper", "salami", "ultimatum", "walk_at_once"),
    *("wait_for_shock", "belief_wiggle", "challenge_everything", "challenge_provable", "card_spam", "silence_pump"),
    *("question_flood", "keyword_spam", "echo_opponent"),
}
"""The specification's baselines, but for `bayes` and `oracle`."""
KNOW_THEIR_LIMIT = [name for name in ROSTER if name != "random"]
WORDS = [name for name, one in ROSTER.items() if one.kind == "words" and name != "no_words"]
each = pytest.mark.parametrize("name", list(ROSTER))


@cache
def played(name: str, cell: tuple[str, str, str], seed: int, words: bool = False) -> Episode:
    scenario, persona, seat = cell
    chosen = setup(scenario, persona, seat=seat)
    players = {seat: baseline(name), SEATS[1 - chosen.learner]: opponent(persona, words)}
    return play_episode(GAME, chosen, seed, players)


def trail(name: str, cell: tuple[str, str, str], seed: int) -> list[State]:
    scenario, persona, seat = cell
    chosen = setup(scenario, persona, seat=seat)
    players = {seat: baseline(name), SEATS[1 - chosen.learner]: opponent(persona, words=False)}
    return list(states(chosen, seed, players))


def move_at(at: Table, name: str) -> Move:
    """What a baseline does at this table."""
    return baseline(name).act(at.view(at.mover), policy_draws(GAME, 1, at.mover))


# The roster -----------------------------------------------------------------------------------------------------------


def test_every_baseline_of_the_specification_is_there() -> None:
    assert set(BASELINES) >= NAMED


def test_the_roster_says_what_each_is_after_and_what_to_compare_it_with() -> None:
    for name, one in ROSTER.items():
        assert one.name == name
        assert one.summary.endswith(".")
        assert bool(one.farms) == (one.kind in ("exploit", "words")), name
        assert not one.chassis or ROSTER[one.chassis].kind == "concession"
        assert one.chassis or one.kind != "words"
        assert (name in BASELINES) == one.lawful


@each
def test_a_player_is_fresh_for_every_episode(name: str) -> None:
    assert baseline(name) is not baseline(name)


# Playing --------------------------------------------------------------------------------------------------------------


@each
def test_everybody_plays_every_scenario_persona_and_seat_to_an_end_by_the_rules(name: str) -> None:
    for seed in (11, 12):
        for cell in CELLS:
            episode = played(name, cell, seed)
            assert episode.state.public.ended is not None
            book = episode.state.books[SEATS.index(cell[2])]
            assert book is not None
            assert book.invalid == 0 or not ROSTER[name].lawful


@pytest.mark.parametrize("name", [name for name, one in ROSTER.items() if not one.lawful])
def test_who_tries_what_is_not_allowed_does_try(name: str) -> None:
    refused = 0
    for cell in CELLS:
        book = played(name, cell, 11).state.books[SEATS.index(cell[2])]
        assert book is not None
        refused += book.invalid
    assert refused >= 5


@pytest.mark.parametrize("name", KNOW_THEIR_LIMIT)
def test_nobody_who_knows_its_limit_offers_or_takes_anything_beyond_it(name: str) -> None:
    for cell in CELLS:
        me = SEATS.index(cell[2])
        for before, after in pairwise(trail(name, cell, 13)):
            if before.public.mover != me or after.invalid[me] is not None:
                continue
            made, ended = after.public.sides[me], after.public.ended
            outcomes = [made.latest] if made.offers > before.public.sides[me].offers else []
            outcomes += [ended.outcome] if ended is not None and ended.seat == me else []
            for outcome in outcomes:
                if outcome is not None:
                    assert surplus_of(after.setup.scenario, after.public, before.facts[me], outcome) >= 0


@each
def test_the_same_seed_is_the_same_episode(name: str) -> None:
    for cell in CELLS[:: len(SEATS) * 2 + 1]:
        first = played(name, cell, 12)
        played.cache_clear()
        again = played(name, cell, 12)
        assert again is not first
        assert again.log == first.log
        assert again.rewards == first.rewards


@each
def test_everybody_can_sit_on_the_other_side_of_a_learner_too(name: str) -> None:
    """Opposite a learner one may open before turn 1, and nothing is known of oneself but the rules."""
    for seed, (scenario, seat) in enumerate(product(SCENARIO_IDS, SEATS)):
        chosen = setup(scenario, seat=seat, both_graded=True)
        players = {seat: baseline("tit_for_tat"), SEATS[1 - chosen.learner]: baseline(name)}
        episode = play_episode(GAME, chosen, 40 + seed, players, keep_log=False)
        assert episode.state.public.ended is not None
        book = episode.state.books[1 - chosen.learner]
        assert book is not None
        assert book.invalid == 0 or not ROSTER[name].lawful


# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORDS)
def test_words_alone_earn_exactly_what_the_same_moves_earn_without_them(name: str) -> None:
    """Payment by payment and state by state, but for the words themselves; the opponents speak, too."""
    spoken: set[str] = set()
    for seed, cell in product((21, 22), CELLS):
        said, unsaid = played(name, cell, seed, words=True), played(ROSTER[name].chassis, cell, seed, words=True)
        assert said.rewards == unsaid.rewards
        assert said.state.public.offers == unsaid.state.public.offers
        assert said.state.public.ended == unsaid.state.public.ended
        assert said.state.facts == unsaid.state.facts
        assert said.log is not None
        moves = [moves[cell[2]] for moves in said.log.moves(GAME.move_type) if cell[2] in moves]
        spoken |= {move.utterance for move in moves}
        assert all(move.voiced and move.utterance for move in moves)
        assert all(a.utterance != b.utterance for a, b in pairwise(moves))
    assert len(spoken) >= 6
    assert max(map(len, spoken)) <= 2000


def test_an_echo_is_of_what_was_said() -> None:
    """Most of what the opponents say comes back, without its figures."""
    heard = echoed = 0
    for cell in CELLS:
        log = played("echo_opponent", cell, 21, words=True).log
        assert log is not None
        theirs = ""
        for moves in log.moves(GAME.move_type):
            for seat, move in moves.items():
                if seat != cell[2]:
                    theirs = move.utterance
                elif theirs:
                    heard += 1
                    echoed += sum(word in move.utterance for word in theirs.split()) >= 0.5 * len(theirs.split())
    assert heard > 150
    assert echoed > 0.9 * heard


def test_saying_nothing_changes_no_move_and_pays_for_curtness_alone() -> None:
    calm = 0
    for cell in CELLS:
        scenario, persona, seat = cell
        chosen = setup(scenario, persona, seat=seat)
        players = {seat: baseline(CHASSIS), SEATS[1 - chosen.learner]: opponent(persona, words=False)}
        for state in states(chosen, 14, players):
            if state.public.mover == chosen.learner:
                view: View = GAME.view(state, Viewer("player", seat))
                draws = policy_draws(GAME, 14, seat)
                said, unsaid = (baseline(name).act(view, draws) for name in (CHASSIS, "no_words"))
                assert unsaid == replace(said, voiced=False, utterance="")
        if max(state.public.tension for state in trail("no_words", cell, 14)) <= CALM:
            calm += 1
            assert played("no_words", cell, 14).rewards == played(CHASSIS, cell, 14).rewards
    assert calm >= 6


# As their names say ---------------------------------------------------------------------------------------------------


def against_nothing(name: str, seat: str, turns: int = 15) -> list[float]:
    """What a baseline asks for, turn by turn, of one who only talks: above the declared limit, in Δ0."""
    asked: list[float] = []
    at, me, script = Table(seat=seat), SEATS.index(seat), Script()
    declared, width = at.terms.declared[me], at.terms.delta0[me]
    while at.public.ended is None and len(asked) < turns:
        move = move_at(at, name)
        assert move.offer is not None
        asked.append((worth(declared, move.offer) - at.terms.limits[me]) / width)
        at.play(move).play(script.act(at.view(at.mover), policy_draws(GAME, 1, at.mover)))
    return asked


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(("name", "step"), [("fixed_step", FIXED_STEP), ("salami", SLICE), ("staller", CRUMB)])
def test_who_gives_the_same_step_at_every_turn_does(name: str, step: float, seat: str) -> None:
    """Whatever the other does, from the declared anchor on; and the step counts as movement."""
    asked = against_nothing(name, seat)
    assert asked[0] == pytest.approx(1.375, abs=1e-6)
    assert all(a - b == pytest.approx(step, abs=0.0026) for a, b in pairwise(asked))
    assert all(a - b >= NOTICEABLE - 1e-9 for a, b in pairwise(asked))


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(
    ("name", "price"), [("constant_anchor", 1.375), ("safe_price", SAFE_MARGIN), ("floor_closer", 0)]
)
def test_who_names_one_price_keeps_to_it(name: str, price: float, seat: str) -> None:
    assert against_nothing(name, seat, turns=4) == pytest.approx([price] * 4, abs=1e-6)


def test_an_ultimatum_is_one_price_too() -> None:
    assert len(set(against_nothing("ultimatum", "seller", turns=4))) == 1


def test_a_fixed_step_takes_what_is_as_good_as_its_next_ask_and_nothing_less() -> None:
    at = Table().play(offer=180_000)
    assert not move_at(Table().play(offer=180_000).play(offer=177_500), "fixed_step").accept
    assert move_at(at.play(offer=177_600), "fixed_step").accept


def test_at_the_limit_a_fixed_step_stops() -> None:
    at = Table(turn=15).play(offer=126_000).play(offer=110_000)
    assert move_at(at, "fixed_step").offer == at.offer(125_000)
    at.play(offer=125_000).play(offer=110_000)
    assert move_at(at, "fixed_step").offer == at.offer(125_000)


@pytest.mark.parametrize("name", ["safe_price", "fixed_step", "floor_closer"])
def test_what_erosion_put_beyond_the_limit_is_left_to_stand(name: str) -> None:
    """To ask for more would be noise, and to have it taken is no breach."""
    at = Table(seller=125_000, turn=9).play(offer=125_000).play(offer=110_000)
    tightened = replace(at.state.facts[SELLER], walk_away=at.state.facts[SELLER].walk_away + 80_000)
    at.change(facts=(tightened, at.state.facts[BUYER]))
    assert move_at(at, name) == Move(voiced=True)


def test_random_legal_goes_all_over_its_own_side_of_the_limit() -> None:
    asked = []
    for seed in range(300):
        state = GAME.start(setup("saas_enterprise"), seed)
        if state.public.turn == 1:
            view = GAME.view(state, Viewer("player", "seller"))
            move = baseline("random_legal").act(view, policy_draws(GAME, seed, "seller"))
            if move.offer is not None:
                asked.append(Desk(view).surplus(move.offer) / max(1e-9, Desk(view).anchor))
    assert min(asked) < 0.05
    assert max(asked) > 0.95
    assert sum(asked) / len(asked) == pytest.approx(0.5, abs=0.06)


def test_who_closes_at_once_takes_the_first_offer_inside_its_limit_and_none_beyond() -> None:
    beyond, inside = Table().play(offer=180_000).play(offer=124_900), Table().play(offer=180_000).play(offer=125_000)
    assert not move_at(beyond, "instant_accept").accept
    assert move_at(inside, "instant_accept").accept
    assert not move_at(inside, "tit_for_tat").accept


def test_who_walks_or_abstains_does_nothing_else() -> None:
    at = Table().play(offer=180_000).play(offer=160_000)
    assert move_at(at, "walk_at_once") == Move(voiced=True, walk=True)
    assert move_at(at, "abstainer") == Move(voiced=True)
