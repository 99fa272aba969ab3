"""Nothing hidden reaches a player before the end: hold the public history and the player's own facts, change everything
else, and every byte that it gets is the same."""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from game.scenarios import SEATS
from parlay_env import grader
from parlay_env.core import Viewer
from parlay_env.deal.instance import draw_facts
from parlay_env.deal.state import Belief, Book, Due, Facts, Invalid, Move, Row, Setup, Shock, State, with_seat
from parlay_env.deal.terms import terms_of, utility_of, worth
from parlay_env.deal.value import surplus_of
from parlay_env.deal.views import View
from parlay_env.grader import NEAR
from parlay_env.observe import observation
from parlay_env.prompt import prompt_of
from parlay_env.rng import MAX_SEED, Keys, derive_keys
from tests.world import GAME, PERSONAS, SCENARIO_IDS, Table, illegal_move, legal_move, quiet, random_pair, setup, states

seeds = st.integers(0, 2**32)


@dataclass(frozen=True)
class Moment:
    """A state before the end, reached by random play; written small, so that a failure can be read."""

    name: str
    persona: str
    seat: str
    both: bool
    events: bool
    seed: int
    illegal: float
    at: int

    def state(self, learner_moves: bool = False) -> State:
        chosen = setup(self.name, self.persona, seat=self.seat, both_graded=self.both, events=self.events)
        found = [s for s in states(chosen, self.seed, random_pair(self.seed, self.illegal)) if s.public.ended is None]
        if learner_moves:
            found = [s for s in found if s.public.mover == chosen.learner] or found[:1]
        return found[self.at % len(found)]


moments = st.builds(
    Moment,
    name=st.sampled_from(SCENARIO_IDS),
    persona=st.sampled_from(PERSONAS),
    seat=st.sampled_from(SEATS),
    both=st.booleans(),
    events=st.booleans(),
    seed=seeds,
    illegal=st.sampled_from([0.0, 0.25]),
    at=st.integers(0, 40),
)


def veiled(state: State, seat: int, r: random.Random, same_future: bool = False) -> State:
    """The same moment for this seat, with everything that it may not know replaced: also the headlines to come, unless
    they are to be the same."""
    setup, other = state.setup, 1 - seat
    terms = terms_of(setup.scenario)
    keys = derive_keys(r.randrange(MAX_SEED))
    strange = Keys(
        visible=state.keys.visible if same_future else keys.visible,
        hidden=keys.hidden,
        facts=with_seat(keys.facts, seat, state.keys.facts[seat]),
        policy=with_seat(keys.policy, seat, state.keys.policy[seat]),
    )
    theirs = draw_facts(replace(setup, seat=SEATS[seat]), keys)[other]
    weights = theirs.weights and tuple(r.uniform(0.05, 0.9) for _ in theirs.weights)
    theirs = replace(
        theirs,
        walk_away=terms.limits[other] + round(r.uniform(-2, 2) * terms.delta0[other]),
        budget=r.choice([None, terms.limits[other] + round(r.uniform(-2, 2) * terms.delta0[other])]),
        urgency=round(r.random(), 2),
        has_alternative=r.random() < 0.5,
        deadline=r.randint(12, 20),
        utility=utility_of(setup.scenario, other, weights) if weights else theirs.utility,
        weights=weights,
        item_worth=tuple(round(r.uniform(-0.2, 0.2) * terms.delta0[other]) for _ in theirs.item_worth),
    )
    shocks = tuple(replace(s, effect=(r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3))) for s in state.shocks)
    truths = tuple(r.random() < 0.5 for _ in state.truths)
    invalid = Invalid("other", "something else") if r.random() < 0.5 else None
    books = state.books
    mine = books[seat]
    if mine is not None:
        rows = tuple(
            replace(row, tom=r.uniform(-5, 5), bluff=r.uniform(-9, 9), mev=r.uniform(-8, 8)) for row in mine.rows
        )
        mine = replace(
            mine,
            rows=rows,
            row=mine.row and replace(mine.row, tom=r.uniform(-5, 5), bluff=r.uniform(-9, 9), mev=r.uniform(-8, 8)),
            skills=tuple(r.uniform(-1, 1) for _ in range(4)),
            due=tuple(replace(due, effect=r.uniform(-0.3, 0.3)) for due in mine.due),
            followed=r.randint(0, 2),
            shocks=r.randint(0, 2),
        )
    if books[other] is not None:
        books = with_seat(books, other, Book(rows=(Row(1, 1.0, -1.0),), value=0.3, belief=Belief(1, 2, 0.3, 0.4)))
    return replace(
        state,
        schedule=state.schedule if same_future else (),
        keys=strange,
        facts=with_seat(state.facts, other, theirs),
        shocks=shocks,
        truths=truths,
        safe=with_seat(state.safe, other, r.random() < 0.5),
        invalid=with_seat(state.invalid, other, invalid),
        books=with_seat(books, seat, mine),
    )


def coded(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def seen_by(state: State, seat: int) -> list[bytes]:
    """All that reaches a player and a trainer."""
    player, trainer = (GAME.view(state, Viewer(role, SEATS[seat])) for role in ("player", "trainer"))
    return [
        coded(player),
        coded(trainer),
        coded(observation(player)),
        coded(observation(trainer)),
        prompt_of(player).encode(),
    ]


@given(moments, st.sampled_from([0, 1]), seeds)
def test_what_a_player_and_a_trainer_see_does_not_depend_on_anything_hidden(at: Moment, seat: int, seed: int) -> None:
    state = at.state()
    changed = veiled(state, seat, random.Random(seed))
    assert changed.facts[1 - seat] != state.facts[1 - seat]
    assert seen_by(changed, seat) == seen_by(state, seat)


def near(terms: dict[str, float]) -> dict[str, float]:
    return {term: terms[term] for term in NEAR}


@given(moments, seeds)
def test_what_is_paid_before_the_end_does_not_depend_on_anything_hidden(at: Moment, seed: int) -> None:
    """The learner moves, the other side answers with the same public move in both worlds."""
    r, state = random.Random(seed), at.state(learner_moves=True)
    seat = state.public.mover
    name, other = SEATS[seat], SEATS[1 - seat]
    changed = veiled(state, seat, r, same_future=True)
    move = legal_move(GAME.view(state, Viewer("player", name)), r, ends=0.0)
    results, answer = [], Move(voiced=True)
    for world in (state, changed):
        step = GAME.play(world, {name: move})
        paid = [step.rewards.get(name)]
        if step.state.public.ended is None and step.state.public.mover == 1 - seat:
            if (
                world is state
            ):  # an answer with all that a move can have: claims, true in one world and not in the other
                answer = replace(legal_move(GAME.view(step.state, Viewer("player", other)), r, 0.0), challenge=False)
            step = GAME.play(step.state, {other: answer})
            paid.append(step.rewards.get(name))
        results.append((step.state, paid))
    (a, paid_a), (b, paid_b) = results
    if a.public.claims != b.public.claims or a.public.news != b.public.news:
        return  # a challenge was met differently: another public history
    if (a.public.ended is None) != (b.public.ended is None):
        assert "zopa_collapsed" in {s.public.ended.reason for s in (a, b) if s.public.ended is not None}
        return
    if a.public.ended is not None or a.facts[seat] != b.facts[seat]:
        return  # the end tells everything; a headline may move one's own limit differently
    assert [None if p is None else dict(p) for p in paid_a] == [None if p is None else dict(p) for p in paid_b]
    assert all(p is None or set(p) == set(NEAR) for p in paid_a)
    assert a.public == b.public
    assert seen_by(a, seat) == seen_by(b, seat)


@given(moments, seeds)
def test_whether_a_move_is_allowed_and_why_not_does_not_depend_on_anything_hidden(at: Moment, seed: int) -> None:
    r, state = random.Random(seed), at.state()
    seat = state.public.mover
    view = GAME.view(state, Viewer("player", SEATS[seat]))
    changed = veiled(state, seat, r)
    for move in (illegal_move(view, r), legal_move(view, r, 0.3)):
        results = [GAME.play(world, {SEATS[seat]: move}).state.invalid[seat] for world in (state, changed)]
        assert results[0] == results[1]


def conceded(view: View, move: Move) -> float:
    """C, from what this seat sees: its own step, less what the other gave since its last offer."""
    assert view.own is not None
    seat, utility, public = view.seat, view.own.utility, view.public
    mine = [i for i, made in enumerate(public.offers) if made.seat == seat]
    if move.offer is None or not mine or public.sides[seat].news_seen < len(public.news):
        return 0.0
    earlier = [made.offer for made in public.offers[: mine[-1]] if made.seat != seat]
    later = [made.offer for made in public.offers if made.seat != seat]
    since = (earlier[-1:] or later[:1])[-1:]  # where they stood then, or where they started after it
    given = max(0, worth(utility, later[-1]) - worth(utility, since[0])) if since else 0
    taken = worth(utility, public.offers[mine[-1]].offer) - worth(utility, move.offer) - given
    return min(1.0, max(0.0, taken / terms_of(view.setup.scenario).delta0[seat]))


@given(moments, seeds)
def test_what_is_paid_at_once_can_be_computed_from_the_view_alone(at: Moment, seed: int) -> None:
    """ΔV and C of a step from the views before and after it: no reward tells what the view does not."""
    r, state = random.Random(seed), dataclasses.replace(at, both=True).state(learner_moves=True)
    seat = state.public.mover
    name, other = SEATS[seat], SEATS[1 - seat]
    before = GAME.view(state, Viewer("trainer", name))
    move = legal_move(before, r, 0.0)
    between = GAME.play(state, {name: move}).state
    if between.public.mover == 1 - seat:
        between = GAME.play(between, {other: legal_move(GAME.view(between, Viewer("player", other)), r, 0.0)}).state
    if between.public.ended is not None:
        return
    after = GAME.view(between, Viewer("trainer", name))
    assert after.own is not None
    assert after.paid is not None
    assert before.paid is not None
    width = terms_of(after.setup.scenario).delta0[seat]
    standing = after.public.sides[1 - seat].standing
    value = 0.0 if standing is None else surplus_of(after.setup.scenario, after.public, after.own, standing) / width
    new = after.paid[len(before.paid) :]
    assert len(new) == 1
    potential = 2 * min(1.0, max(-1.0, value))
    assert new[0]["delta_v"] == pytest.approx(potential - sum(row["delta_v"] for row in before.paid), abs=1e-4)
    fined = sum(row["concession"] + row["noise"] for row in before.paid)
    if fined > -60:  # else the bound on an episode's fines may cut it
        refused = after.invalid is not None
        assert new[0]["concession"] == pytest.approx(0.0 if refused else -3 * conceded(before, move), abs=1e-4)
    assert -10.0 <= new[0]["noise"] <= 0.0


def test_nothing_visible_is_drawn_with_the_key_of_a_fact() -> None:
    """The keys differ, for every seed: what is seen is no draw of what is hidden."""
    for seed in range(300):
        keys = derive_keys(seed)
        assert len({keys.visible, keys.hidden, *keys.facts, *keys.policy}) == 6


def test_the_visible_key_changes_no_fact_and_the_other_keys_nothing_visible() -> None:
    chosen, other = setup(persona="shark"), derive_keys(99)
    for seed in range(50):
        keys = derive_keys(seed)
        facts = draw_facts(chosen, keys)
        assert draw_facts(chosen, replace(keys, visible=other.visible)) == facts
        moved = draw_facts(chosen, replace(keys, facts=(keys.facts[0], other.facts[1]), policy=other.policy))
        assert moved[0] == facts[0]
        assert moved[1] != facts[1]


def test_own_facts_do_not_depend_on_the_others_nor_on_hidden_draws() -> None:
    """One's own facts must tell nothing of what else was drawn."""
    for seat in SEATS:
        chosen, me = setup(persona="veteran", seat=seat), SEATS.index(seat)
        for seed in range(50):
            keys, other = derive_keys(seed), derive_keys(seed + 1000)
            changed = replace(other, facts=with_seat(other.facts, me, keys.facts[me]))
            assert draw_facts(chosen, changed)[me] == draw_facts(chosen, keys)[me]


def test_a_servers_secret_changes_every_fact_and_is_needed_to_have_them() -> None:
    chosen = setup(persona="shark")
    for seed in range(30):
        plain, secret, another = (GAME.start(chosen, seed, key) for key in (b"", b"a secret", b"another"))
        assert len({plain.facts, secret.facts, another.facts}) == 3
        assert len({plain.keys, secret.keys, another.keys}) == 3
        assert GAME.start(chosen, seed, b"a secret") == secret


def test_no_view_before_the_end_holds_a_seed_or_a_key() -> None:
    seed = 2**52 + 123_456_789_123
    last: list[State] = []
    for state in states(setup(persona="veteran"), seed, random_pair(7)):
        last.append(state)
        if state.public.ended is not None:
            break
        for seat in (0, 1):
            text = b" ".join(seen_by(state, seat))
            for word in (seed, state.keys.visible, state.keys.hidden, *state.keys.facts, *state.keys.policy):
                assert str(word).encode() not in text
    assert len(last) > 5


@example(setup(seat="seller", persona="shark"))
@given(st.builds(setup, st.sampled_from(SCENARIO_IDS), st.sampled_from(PERSONAS), seat=st.sampled_from(SEATS)))
def test_what_a_headline_did_to_the_other_side_shows_nowhere_before_the_end(chosen: Setup) -> None:
    state = GAME.start(chosen, 3)
    seat = chosen.learner
    facts: tuple[Facts, Facts] = state.facts
    told = replace(state, shocks=(Shock(1, True, (0.1, 0.1)),))
    book = state.books[seat]
    assert book is not None
    other = replace(
        state,
        shocks=(Shock(1, True, with_seat((0.1, 0.1), 1 - seat, -0.3)),),
        books=with_seat(state.books, seat, replace(book, due=(Due(-0.3, 1),))),
        facts=with_seat(facts, 1 - seat, replace(facts[1 - seat], walk_away=facts[1 - seat].walk_away + 77)),
    )
    assert seen_by(told, seat) == seen_by(other, seat)


def test_the_near_terms_are_all_that_a_step_before_the_end_pays() -> None:
    for name in SCENARIO_IDS:
        for seed in range(5):
            chosen = setup(name, "veteran")
            before: State | None = None
            for state in states(chosen, seed, random_pair(seed)):
                if before is not None and state.public.ended is None:
                    book = state.books[0]
                    assert book is not None
                    assert all(
                        set(row) == {"turn", *NEAR} for row in GAME.view(state, Viewer("trainer", "seller")).paid or ()
                    )
                before = state


def test_a_players_rewards_are_no_part_of_its_view() -> None:
    *_, before, _ = states(setup(persona="shark"), 3, random_pair(3))
    assert GAME.view(before, Viewer("player", "seller")).paid is None
    assert GAME.view(before, Viewer("trainer", "seller")).paid is not None
    assert "reward" not in observation(GAME.view(before, Viewer("trainer", "seller")))


def test_with_end_booking_two_beliefs_are_paid_alike_until_the_end() -> None:
    """A limit must not be had by comparing what two reports earn."""
    right, wrong = Belief(-16_500_000, None, 0.5, 1.0), Belief(-9_000_000, None, 0.0, 0.0)
    paid = []
    for belief in (right, wrong):
        table = Table(quiet())
        for _ in range(5):
            table.play(offer=150_000, belief=belief, event_impact=0.1).play(offer=130_000)
        paid.append(table.earned())
    assert paid[0] == paid[1]
    assert tuple(paid[0][0]) == grader.NEAR
