"""Golden playthroughs: a full episode of every scenario against every persona, as text that a person can read.

The learner is a script: it concedes like for like, and on its way asks, claims, disputes and plays every card.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from agent.baselines import baseline
from agent.registry import OPPONENTS, opponent
from game.cards import CARD, QUESTION_COST
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import SEATS, Belief, Claim, Move, State
from parlay_env.deal.terms import terms_of
from parlay_env.deal.value import items_left
from parlay_env.deal.views import View
from parlay_env.figures import shown
from parlay_env.observe import observation
from parlay_env.prompt import figure, offer_text
from parlay_env.rng import Draws
from tests.world import GAME, SCENARIO_IDS, setup

FOLDER = Path(__file__).parent
CELLS = tuple(
    (scenario, persona, SEATS[(i + k) % 2], 20 + 3 * i + k)
    for i, scenario in enumerate(SCENARIO_IDS)
    for k, persona in enumerate(OPPONENTS)
)
"""Scenario, persona, the learner's seat, seed."""
CARDS = (
    {4: "reframe", 7: "batna_reveal", 9: "sweetener"},
    {3: "anchor_high", 6: "sweetener", 11: "time_pressure"},
    {5: "silence", 8: "reframe", 10: "reframe"},
)
"""By turn; an episode follows one of the three timetables."""
QUESTIONS = {2: "timeline", 5: "authority", 7: "alternatives", 10: "priorities", 12: "timeline"}


class Learner:
    """Plays the cards and asks the questions of a timetable, as far as it may; concedes like for like."""

    def __init__(self, timetable: int) -> None:
        self.inner, self.cards = baseline("tit_for_tat"), CARDS[timetable % len(CARDS)]

    def act(self, view: View, rng: Draws) -> Move:
        move, public = self.inner.act(view, rng), view.public
        turn, side, terms = public.turn, public.sides[view.seat], terms_of(view.setup.scenario)
        if turn in (2, 6, 10):
            about = terms.limits[1 - view.seat] - round(0.1 * terms.delta0[1 - view.seat])
            move = replace(move, belief=Belief(about, None, 0.6, 0.5))
        if any(news.turn == turn and news.market for news in public.news):
            move = replace(move, event_impact=0.1)
        if newest_open_claim(public, 1 - view.seat) is not None and turn % 3 == 0:
            move = replace(move, challenge=True)
        if move.offer is not None:
            words = f"On turn {turn} we can do this: {offer_text(terms, move.offer)}."
            move = replace(move, utterance=words if turn % 5 else "")
            move = replace(move, voiced=bool(move.utterance))
        if move.accept:
            return replace(move, utterance="Agreed.")
        if turn in QUESTIONS and turn not in self.cards and side.points >= QUESTION_COST:
            return replace(move, question=QUESTIONS[turn])
        return self._with_card(view, move, self.cards.get(turn, ""))

    def _with_card(self, view: View, move: Move, card: str) -> Move:
        public, seat, terms = view.public, view.seat, terms_of(view.setup.scenario)
        side, own = public.sides[seat], view.own
        assert own is not None
        if not card or side.points < CARD[card].cost:
            return move
        if card == "silence":
            return Move(card=card, belief=move.belief, event_impact=move.event_impact)
        if card == "sweetener":
            items = items_left(view.setup.scenario, public, seat)
            return replace(move, card=card, item=items[0])
        if card == "anchor_high":
            if side.top >= 0.05 or not terms.is_price:
                return move  # nothing is more ambitious
            ambitious = terms.anchors[seat][0] + round(0.1 * terms.delta0[seat] / terms.declared[seat].slopes[0])
            return replace(
                move, card=card, offer=(ambitious,), utterance="Look again at what this is worth.", voiced=True
            )
        if card == "batna_reveal":
            return replace(move, card=card, claim=Claim("limit", own.limit + round(0.2 * terms.delta0[seat])))
        if card == "time_pressure":
            return replace(move, card=card, claim=Claim("deadline", min(20, public.turn + 3)))
        return replace(move, card=card)


def playthrough(scenario: str, persona: str, seat: str, seed: int) -> str:
    """The whole episode as text."""
    chosen = setup(scenario, persona, seat=seat)
    players = {seat: Learner(seed), SEATS[1 - chosen.learner]: opponent(persona)}
    draws = {name: policy_draws(GAME, seed, name) for name in SEATS}
    state = GAME.start(chosen, seed)
    lines = [f"{scenario} · {persona} · the learner is the {seat} · seed {seed}", *_facts(state, chosen.learner), ""]
    turn = -1
    while seats := GAME.to_move(state):
        mover = next(iter(seats))
        view = GAME.view(state, Viewer("player", mover))
        if state.public.turn != turn:
            turn = state.public.turn
            lines += _heading(state)
        move = players[mover].act(view, draws[mover])
        step = GAME.play(state, {mover: move})
        who = "learner" if mover == seat else persona
        lines += _move(state, step.state, who, mover, move)
        state = step.state
        for terms in step.rewards.values():
            lines.append("  paid: " + ", ".join(f"{name} {value:+.4f}" for name, value in terms.items()))
    return "\n".join([*lines, "", *_end(state, seat)]) + "\n"


def _facts(state: State, seat: int) -> list[str]:
    own = state.facts[seat]
    terms = terms_of(state.setup.scenario)
    return [
        f"own limit {figure(shown(terms, own.limit))}, urgency {own.urgency:.2f}, "
        f"alternative {'yes' if own.has_alternative else 'no'}"
        + (f", weights {' '.join(f'{w:.2f}' for w in own.weights)}" if own.weights else "")
    ]


def _heading(state: State) -> list[str]:
    public = state.public
    me, them = public.sides[state.setup.learner], public.sides[1 - state.setup.learner]
    found = [
        f"turn {public.turn} · tension {public.tension:.1f} · trust {me.trust:.3f} · "
        f"credibility {me.credibility:.2f} / {them.credibility:.2f} · points {me.points} / {them.points}"
        + (f" · ticks {public.ticks}" if public.ticks else "")
    ]
    return found + [f"  news: {news.words}" for news in public.news if news.turn == public.turn]


def _move(before: State, after: State, who: str, mover: str, move: Move) -> list[str]:
    terms = terms_of(before.setup.scenario)
    parts = []
    if move.offer is not None:
        parts.append(f"offers {offer_text(terms, move.offer)}")
    parts += [word for word, done in (("accepts", move.accept), ("walks away", move.walk)) if done]
    parts += [f"card {move.card}"] if move.card else []
    parts += [f"throws in {move.item}"] if move.item else []
    parts += [f"asks about {move.question}"] if move.question else []
    if move.claim is not None and len(after.public.claims) > len(before.public.claims):
        newest = observation(GAME.view(after, Viewer("player", mover)), with_prompt=False)["claims"][-1]
        parts.append(f"claims {newest['kind']} {newest['value']}{'' if after.truths[-1] else ' (a bluff)'}")
    seat = SEATS.index(mover)
    parts += [f"disputes the claim: {after.public.sides[seat].challenged}"] if move.challenge else []
    parts += [f"refused: {found.code}"] if (found := after.invalid[seat]) is not None else []
    said = f' "{move.utterance}"' if move.utterance else ""
    return [f"  {who}: {', '.join(parts) or 'stays'}{said}"]


def _end(state: State, seat: str) -> list[str]:
    shown_now = observation(GAME.view(state, Viewer("player", seat)), with_prompt=False)
    grade, truth = shown_now["grade"], shown_now["truth"]
    ended = state.public.ended
    assert ended is not None
    by = "" if ended.seat is None else f" by the {SEATS[ended.seat]}"
    lines = [f"{ended.reason}{by} in turn {ended.turn}, {shown_now['final_offer'] or 'no deal'}"]
    for name in SEATS:
        facts = truth[name]
        lines.append(
            f"  {name}: limit {figure(facts['limit'])}, urgency {facts['urgency']:.2f}, "
            f"alternative {'yes' if facts['has_alternative'] else 'no'}, deadline {facts['deadline']}"
        )
    lines.append(f"  ZOPA {'yes' if truth['zopa'] else 'no'}, Nash {truth['nash']}")
    late = {term: sum(row[term] for row in grade["ledger"]) for term in ("tom", "bluff", "mev")}
    lines.append("  booked: " + ", ".join(f"{term} {value:+.4f}" for term, value in late.items()))
    lines.append(f"  E {grade['efficiency']:.4f}, left on the table {figure(round(grade['left_on_table']))}")
    lines.append(f"  reward {grade['reward']:.4f}")
    return lines


def path_of(scenario: str, persona: str) -> Path:
    """Where a playthrough is kept."""
    return FOLDER / f"{scenario}-{persona}.txt"
