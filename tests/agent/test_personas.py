"""What every persona promises: it keeps the rules and its limit, knows only what it sees, and is who it says it is."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from agent.baselines import BASELINES, baseline
from agent.personas import PERSONAS
from agent.registry import opponent, profile
from parlay_env.core import Policy, Viewer, policy_draws
from parlay_env.deal.conduct import ask_of
from parlay_env.deal.state import SEATS, Move, Setup, State, with_seat
from parlay_env.deal.terms import Offer, terms_of
from parlay_env.deal.value import surplus_of
from parlay_env.rng import derive_keys
from tests.world import (
    GAME,
    SCENARIO_IDS,
    Draws,
    RandomIllegal,
    RandomLegal,
    Table,
    View,
    facts,
    opened_by,
    quiet,
    setup,
    states,
)

each = pytest.mark.parametrize("name", list(PERSONAS))


class Holds:
    """Says one offer, the declared anchor, and never moves."""

    def act(self, view: View, rng: Draws) -> Move:
        side = view.public.sides[view.seat]
        return Move(voiced=True, offer=None if side.standing else terms_of(view.setup.scenario).anchors[view.seat])


def episodes(name: str, count: int, learners: list[str]) -> Iterator[list[State]]:
    """So many episodes of this persona over every scenario, seat and learner."""
    for i in range(count):
        learner = learners[i % len(learners)]
        scenario = SCENARIO_IDS[(i // len(learners)) % 4]
        seat = SEATS[(i // (4 * len(learners))) % 2]
        chosen = setup(scenario, name, seat=seat)
        player: Policy = {"legal": RandomLegal(i), "illegal": RandomIllegal(i, 0.2), "holds": Holds()}.get(
            learner
        ) or baseline(learner)
        yield list(states(chosen, i, {seat: player, SEATS[1 - chosen.learner]: opponent(name, words=False)}))


def surplus_now(before: State, after: State, offer: Offer) -> int:
    """What an outcome is worth to the side that has just moved, by the limits that it moved by."""
    me = before.public.mover
    return surplus_of(before.setup.scenario, after.public, before.facts[me], offer)


LEARNERS = ["legal", "illegal", "holds", *BASELINES]


@each
def test_it_never_makes_a_move_that_is_not_allowed_and_never_deals_beyond_its_limit(name: str) -> None:
    """800 episodes each, 2,400 in all. It takes and offers nothing that is beyond its limit at that moment."""
    ends: Counter[str] = Counter()
    for trail in episodes(name, 800, LEARNERS):
        me = 1 - trail[0].setup.learner
        for before, after in itertools.pairwise(trail):
            if before.public.mover != me:
                continue
            assert after.invalid[me] is None
            made, ended = after.public.sides[me], after.public.ended
            if made.offers > before.public.sides[me].offers:
                assert made.latest is not None
                assert surplus_now(before, after, made.latest) >= 0
            if ended is not None and ended.reason == "deal":
                assert ended.outcome is not None
                assert surplus_now(before, after, ended.outcome) >= 0
        last = trail[-1].public.ended
        assert last is not None
        ends[last.reason if last.seat is None else f"{last.reason} {'me' if last.seat == me else 'learner'}"] += 1
    assert ends["deal me"] > 20
    assert ends["deal learner"] > 20
    assert ends["walk_away me"] > 20


@each
def test_no_deal_is_beyond_the_limit_that_stood_when_it_made_its_part_of_it(name: str) -> None:
    for trail in episodes(name, 300, ["holds", "boulware", "tit_for_tat"]):
        last = trail[-1]
        me = 1 - last.setup.learner
        if last.public.ended is not None and last.public.ended.reason == "deal":
            assert last.safe[me]


@each
def test_an_offer_that_erosion_put_beyond_its_limit_is_not_left_standing(name: str) -> None:
    left = 0
    for trail in episodes(name, 400, ["holds", "boulware"]):
        me = 1 - trail[0].setup.learner
        for before, after in itertools.pairwise(trail):
            if before.public.mover == me and after.public.ended is None:
                side = after.public.sides[me]
                if side.standing is not None and side.card != "sweetener":  # see below
                    left += surplus_now(before, after, side.standing) < 0
    assert left == 0


def test_a_sweetener_it_throws_in_leaves_its_offer_inside_its_limit() -> None:
    """The Diplomat is the one who throws things in; here with an offer that is hardly worth more than its limit."""
    thrown = 0
    for seed in range(300):
        at = Table(opponent=profile("diplomat"), turn=8, buyer=facts(quiet(), 1, 150_000))
        at.change_side(1, standing=at.offer(149_500), latest=at.offer(149_500), offers=5, ask=-1.0, best=-1.0)
        at.play(offer=175_000)
        at.play(opponent("diplomat", False).act(at.view("buyer"), policy_draws(GAME, seed, "buyer")))
        standing = at.public.sides[1].standing
        if at.public.sides[1].items and standing is not None and at.public.ended is None:
            thrown += 1
            assert surplus_of(at.state.setup.scenario, at.public, at.state.facts[1], standing) >= 0
    assert thrown == 0 or thrown > 5


@each
def test_without_any_outcome_inside_its_limit_it_offers_none(name: str) -> None:
    """With several issues a limit may lie above all that the range can give."""
    s = quiet("supplier_contract")
    for seed in range(20):
        at = Table(s, buyer=facts(s, 1, 4_050_000), opponent=profile(name))
        buyer, draws = opponent(name, words=False), policy_draws(GAME, seed, "buyer")
        while at.public.ended is None:
            at.play(offer=(80, 0, 3))
            if at.public.ended is not None:
                break
            at.play(buyer.act(at.view("buyer"), draws))
            assert at.public.sides[1].standing is None


@each
@pytest.mark.parametrize("seat", SEATS)
def test_it_does_not_see_what_it_may_not_know(name: str, seat: str) -> None:
    """The learner's facts and every hidden draw are exchanged; as long as the public history is the same, so is what it
    does. The learner's own moves are a script that looks at nothing."""
    chosen = setup("acquisition_term_sheet", name, seat=seat, events=False)
    chosen = replace(chosen, scenario=quiet("acquisition_term_sheet"))
    me, other = chosen.learner, 1 - chosen.learner
    compared = 0
    for seed in range(25):
        trails = []
        keys, strange = derive_keys(seed), derive_keys(seed + 5000)
        for world in (0, 1):
            state = GAME.start(chosen, seed)
            if world:
                changed = replace(strange, facts=with_seat(strange.facts, other, keys.facts[other]))
                mine = facts(quiet("acquisition_term_sheet"), me, 10_100_000 if me == 0 else 16_900_000, urgency=0.9)
                state = replace(state, keys=changed, facts=with_seat(state.facts, me, mine))
            trails.append(list(_against_script(state, name, seed)))
        for a, b in zip(*trails, strict=False):
            if a.public != b.public:
                # Only the mechanism may tell them apart: whether a ZOPA collapsed, a challenge was met by a draw.
                assert {a.public.ended and a.public.ended.reason, b.public.ended and b.public.ended.reason} & {
                    "zopa_collapsed"
                } or [c.status for c in a.public.claims] != [c.status for c in b.public.claims]
                break
            compared += 1
    assert compared > 300


def _against_script(state: State, name: str, seed: int) -> Iterator[State]:
    player = opponent(name, words=False)
    learner, script = state.setup.learner, RandomLegal(seed, ends=0.0)
    draws = policy_draws(GAME, seed, SEATS[1 - learner])
    terms = terms_of(state.setup.scenario)
    while seats := GAME.to_move(state):
        seat = next(iter(seats))
        view = GAME.view(state, Viewer("player", seat))
        if seat == SEATS[learner]:
            turn = state.public.turn
            places = [terms.anchors[learner][0], terms.anchors[1 - learner][0]]
            place = places[0] + (places[1] - places[0]) * min(turn, 14) // 20
            move = Move(voiced=True, offer=(place,), question=("timeline", "authority", "", "alternatives")[turn % 4])
            if view.public.sides[learner].points < 5:
                move = replace(move, question="")
        else:
            move = player.act(view, draws)
        state = GAME.play(state, {seat: move}).state
        yield state
    assert script


@each
def test_the_same_table_and_draws_make_the_same_episode_move_by_move(name: str) -> None:
    for seed in range(10):
        chosen = setup(SCENARIO_IDS[seed % 4], name)
        a, b = (
            [
                s.public
                for s in states(chosen, seed, {"seller": baseline("tit_for_tat"), "buyer": opponent(name, False)})
            ]
            for _ in range(2)
        )
        assert a == b


@pytest.mark.parametrize(
    "headlines",
    [
        False,
        True,
    ],
    ids=["quiet", "headlines"],
)
@each
def test_any_turn_can_be_replayed_alone(name: str, headlines: bool) -> None:
    """A fresh player at any moment does what the one does that has been there all along: a fork needs no memory."""
    for seed in range(20):
        chosen = setup(SCENARIO_IDS[seed % 4], name, events=headlines)
        chosen = chosen if headlines else replace(chosen, scenario=quiet(SCENARIO_IDS[seed % 4]))
        trail = list(states(chosen, seed, {"seller": baseline("tit_for_tat"), "buyer": opponent(name, False)}))
        draws = policy_draws(GAME, seed, "buyer")
        for before, after in itertools.pairwise(trail):
            if before.public.mover == 1:
                move = opponent(name, False).act(GAME.view(before, Viewer("player", "buyer")), draws)
                assert GAME.play(before, {"buyer": move}).state.public == after.public


@each
def test_its_opening_tells_nothing_of_its_limit(name: str) -> None:
    """Openings come from the declared anchor and the drawn style: with another limit they are the same."""
    for seat in SEATS:
        chosen = setup(persona=name, seat=seat)
        seed = opened_by(chosen, learner=False)
        openings = set()
        for limit in (120_000, 125_000, 140_000) if seat == "buyer" else (150_000, 160_000, 170_000):
            state = GAME.start(chosen, seed)
            other = 1 - chosen.learner
            own = facts(chosen.scenario, other, limit, urgency=state.facts[other].urgency)
            state = replace(state, facts=with_seat(state.facts, other, own))
            view = GAME.view(state, Viewer("player", SEATS[other]))
            openings.add(opponent(name, False).act(view, policy_draws(GAME, seed, SEATS[other])).offer)
        assert len(openings) == 1


def openings(name: str, seat: str, count: int = 300) -> list[float]:
    """The asks beyond the declared anchor that it opens with when it opens, in Δ0."""
    chosen = setup(persona=name, seat=seat)
    other, found = 1 - chosen.learner, []
    for seed in range(count):
        state = GAME.start(chosen, seed)
        if state.public.turn == 0:
            view = GAME.view(state, Viewer("player", SEATS[other]))
            offer = opponent(name, False).act(view, policy_draws(GAME, seed, SEATS[other])).offer
            assert offer is not None
            found.append(ask_of(terms_of(chosen.scenario), other, offer))
    return found


@pytest.mark.parametrize("seat", SEATS)
def test_the_shark_opens_beyond_the_anchor_the_others_about_at_it(seat: str) -> None:
    shark, diplomat, veteran = (openings(name, seat) for name in PERSONAS)
    assert min(shark) > 0.15
    assert sum(shark) / len(shark) == pytest.approx(0.35, abs=0.03)
    assert sum(diplomat) / len(diplomat) == pytest.approx(-0.05, abs=0.03)
    assert sum(veteran) / len(veteran) == pytest.approx(0.0, abs=0.03)


def _asks(trail: list[State], me: int) -> list[tuple[int, float]]:
    """Turn and ask of each of its offers."""
    terms = terms_of(trail[0].setup.scenario)
    return [(o.turn, ask_of(terms, me, o.offer)) for o in trail[-1].public.offers if o.seat == me]


def test_the_shark_does_not_concede_first_until_two_turns_before_its_deadline() -> None:
    for trail in episodes("shark", 240, ["holds"]):
        me = 1 - trail[0].setup.learner
        deadline = trail[0].facts[me].deadline
        asks = [ask for turn, ask in _asks(trail, me) if turn < deadline - 2]
        assert all(b >= a - 0.01 for a, b in itertools.pairwise(asks))


def test_the_diplomat_concedes_first() -> None:
    moved = 0
    for trail in episodes("diplomat", 120, ["holds"]):
        asks = [ask for _, ask in _asks(trail, 1 - trail[0].setup.learner)]
        moved += min(asks, default=0.0) < asks[0] - 0.05 if asks else 0
    assert moved > 60


def conceded_after(name: str, turn: int, learner: str) -> float:
    """How far it has come from its opening by a turn, in the mean, against a learner."""
    found = []
    for trail in episodes(name, 240, [learner]):
        asks = [ask for t, ask in _asks(trail, 1 - trail[0].setup.learner) if t <= turn]
        if len(trail) > 2 * turn and asks:
            found.append(asks[0] - asks[-1])
    return sum(found) / len(found)


@each
def test_it_gives_to_those_who_give(name: str) -> None:
    assert conceded_after(name, 8, "tit_for_tat") > conceded_after(name, 8, "holds") + 0.03


def test_the_veteran_listens_before_it_trades() -> None:
    """Its concessions per turn until turn 6 are smaller than after it; the Diplomat's are not."""
    early, late = conceded_after("veteran", 5, "tit_for_tat"), conceded_after("veteran", 10, "tit_for_tat")
    assert late - early > early


def test_false_deadlines_of_the_shark_come_after_turn_eight_and_the_diplomat_waits_for_trust() -> None:
    for trail in episodes("shark", 160, ["tit_for_tat"]):
        for made in trail[-1].public.claims:
            assert made.claim.kind != "deadline" or made.turn > 8
    made_any = 0
    for trail in episodes("diplomat", 240, ["tit_for_tat", "holds"]):
        me = 1 - trail[0].setup.learner
        for before, after in itertools.pairwise(trail):
            if len(after.public.claims) > len(before.public.claims) and before.public.mover == me:
                made_any += 1
                assert after.public.turn >= 4
                assert before.public.sides[1 - me].trust >= 0.45
    assert made_any > 20


def test_the_diplomat_splits_a_gap_under_a_tenth() -> None:
    found = []
    for seed in range(60):
        at = Table(opponent=profile("diplomat"), turn=5)
        at.change_side(1, standing=at.offer(140_000), latest=at.offer(140_000), offers=2, ask=-0.9, top=-0.8, best=-0.9)
        at.play(offer=143_000)
        move = opponent("diplomat", False).act(at.view("buyer"), policy_draws(GAME, seed, "buyer"))
        if move.offer is not None:
            found.append(at.terms.lows[0] // 100 + move.offer[0] * 100)
    assert set(found) <= {141_500}


def test_the_veteran_closes_after_turn_twelve() -> None:
    """What it takes from turn 13 on it would not have taken the turn before, for the closing's sake alone."""
    from agent.scripted import least_accepted, style_of, table_of

    persona = PERSONAS["veteran"]
    falls = []
    for seed in range(40):
        draws = policy_draws(GAME, seed, "buyer")
        least = []
        for turn in (12, 13):
            at = Table(opponent=profile("veteran"), turn=turn, buyer=facts(quiet(), 1, 165_000, deadline=20))
            at.change_side(1, standing=at.offer(140_000), latest=at.offer(140_000), offers=2)
            at.change_side(0, trust=0.9).play(offer=150_000)
            table = table_of(at.view("buyer"), persona, style_of(persona, draws))
            least.append(least_accepted(table, persona, style_of(persona, draws), 0.5))
        falls.append(least[0] - least[1])
    assert min(falls) >= 0.05 - 1e-9
    assert max(falls) < 0.06


def test_personas_leave_sooner_under_tension_and_when_nothing_moves() -> None:
    for name in PERSONAS:
        stayed = {}
        for learner in ("tit_for_tat", "constant_anchor"):
            trails = list(episodes(name, 160, [learner]))
            left = [t[-1].public.ended for t in trails]
            stayed[learner] = sum(
                e is not None and e.reason == "walk_away" and e.seat != t[0].setup.learner
                for e, t in zip(left, trails, strict=True)
            )
        assert stayed["constant_anchor"] > stayed["tit_for_tat"] + 40


def test_after_its_deadline_it_is_gone() -> None:
    for name in PERSONAS:
        for trail in episodes(name, 120, ["tit_for_tat", "conceder", "holds"]):
            me = 1 - trail[0].setup.learner
            deadline = trail[0].facts[me].deadline
            ended = trail[-1].public.ended
            assert ended is not None
            assert ended.turn <= deadline + 1


def test_a_setup_says_who_sits_there_and_what_the_grader_must_know() -> None:
    for name, persona in PERSONAS.items():
        p = profile(name)
        assert (p.name, p.mev_sensitivity, p.temper, p.has_deadline) == (
            name,
            persona.mev_sensitivity,
            persona.temper,
            True,
        )
        assert p.bluffs == persona.bluffs
    sheet = {n: (p.aggression, p.patience, p.bluff, p.depth, p.mev_sensitivity) for n, p in PERSONAS.items()}
    assert sheet == {
        "shark": (0.88, 0.18, 0.72, 0.55, 0.65),
        "diplomat": (0.20, 0.85, 0.0, 0.80, 0.40),
        "veteran": (0.50, 0.95, 0.45, 0.92, 0.20),
    }
    assert Setup is not None
