"""The personas' policy: time- and behaviour-dependent concession (Faratin, Sierra & Jennings 1998) with a hidden style,
acceptance by what would be asked next and by what is at stake (AC_next and AC_combi: Baarslag 2014).

It decides from its view alone, in surplus: an outcome's utility above its own limit, in shares of its Δ0. Words come
after the decision (`agent.speech`). docs/rules.md, "Personas", has every formula.
"""

from __future__ import annotations

from agent import claims, formulas, guess
from agent import numbers as n
from agent.personas import Persona
from agent.purposes import Draw
from agent.table import Style, Table, style_of, table_of
from agent.words import say
from game.cards import CARD, CARD_INDEX, CLAIMED_BY
from parlay_env.deal.state import Move
from parlay_env.deal.terms import Offer, asking, worth
from parlay_env.deal.value import items_left
from parlay_env.deal.views import View
from parlay_env.rng import Draws


class ScriptedPolicy:
    """A persona at one table. It keeps nothing but its drawn style and its guess, both functions of what it saw."""

    def __init__(self, persona: Persona, words: bool = True) -> None:
        self.persona = persona
        self.words = words
        self._style: Style | None = None
        self._guess = guess.Guess()

    def act(self, view: View, rng: Draws) -> Move:
        """The move of this persona."""
        if self._style is None:
            self._style = style_of(self.persona, rng)
        table = table_of(view, self.persona, self._style)
        move = decide(table, self.persona, self._style, self._guess, rng)
        return say(table, self.persona, move, rng) if self.words else move


def decide(table: Table, persona: Persona, style: Style, guessed: guess.Guess, rng: Draws) -> Move:
    """What the persona does, without the words."""
    turn, standing = table.turn, table.theirs_standing
    if table.public.turn == 0:
        return Move(voiced=True, offer=_ask(table, table.opening))
    deadline = table.own.deadline
    if turn > deadline:
        return Move(voiced=True, walk=True)
    final = turn >= deadline - 1
    demand = next_demand(table, persona, style, guessed, rng)
    if standing is not None and standing >= least_accepted(table, persona, style, demand):
        return Move(voiced=True, accept=True)
    if turn > 2 and (leaving := hazard(table, persona)) > 0.0 and rng.unit(turn, Draw.LEAVE) < leaving:
        return Move(voiced=True, walk=True)
    offer = _offer(table, persona, style, demand, rng)
    claim = claims.answer(table, persona, offer, rng)
    challenge = claims.disputes(table, persona, rng)
    card, item = ("", "") if table.theirs.question or challenge else _card(table, persona, offer, rng)
    if card == "silence":
        return Move(card=card)
    if card in CLAIMED_BY:
        claim = claims.claim_of(table, persona, CLAIMED_BY[card], offer, rng)
    final = final and offer is not None
    return Move(voiced=True, offer=offer, card=card, item=item, claim=claim, challenge=challenge, final=final)


# Concession -----------------------------------------------------------------------------------------------------------


def next_demand(table: Table, persona: Persona, style: Style, guessed: guess.Guess, rng: Draws) -> float:
    """The surplus to ask for next: time buys a share of the way, matched concessions buy the rest."""
    turn, theirs = table.turn, table.theirs
    conceded = theirs.credit + theirs.weakness > n.CONCEDED
    last_turns = turn >= table.own.deadline - n.LAST_TURNS
    share = style.share * (1.0 if conceded or last_turns else persona.before_conceded)
    exponent = formulas.exponent_of(style.beta, formulas.hurry(table.own.urgency))
    earnest = formulas.earnest(theirs.weakness)
    earned = style.reciprocity * theirs.credit * earnest
    if turn < persona.wakes:
        earned *= n.ASLEEP
    bought = share * formulas.curve(turn, table.horizon, exponent) * earnest
    target = formulas.target_of(table.opening, style.reserve, bought, earned, persuaded(table, persona, rng))
    floor = style.reserve + persona.guard * (1.0 - table.over_time)
    if persona.depth > n.LEVEL_TWO:
        floor = max(floor, guessed.best_response(table) * (1.0 - table.over_time) * persona.depth)
    return formulas.demand_of(target, floor, style.reserve, table.last, rng.normal(turn, Draw.NOISE))


def persuaded(table: Table, persona: Persona, rng: Draws) -> float:
    """How far the other side's cards have moved this persona, in surplus."""
    theirs = table.theirs
    moved = 0.0
    if theirs.anchoring:
        moved += formulas.anchored_by(persona.depth, theirs.anchoring)
    if theirs.framing:
        moved += formulas.framed_by(persona.openness, theirs.framing)
    if theirs.pressing:
        moved += formulas.pressed_by(table.own.urgency, theirs.pressing, persona.patience)
    if theirs.card == "silence":
        impatient = rng.unit(table.turn, Draw.SILENCE) < 1.0 - persona.patience
        moved += (n.SILENCE_STEP if impatient else -n.SILENCE_GAIN) * theirs.strength
    claimed = claims.claimed_room(table)
    if claimed is not None:
        room, weight = claimed
        moved += formulas.claimed_by(table.last, room, theirs.credibility, weight)
    return moved


def least_accepted(table: Table, persona: Persona, style: Style, demand: float) -> float:
    """The surplus of a standing offer from which this persona takes it."""
    close = persona.close if table.turn >= persona.close_from else 0.0
    wanted = formulas.wanted_from(style.reserve, persona.distrust, table.theirs.trust, table.own.urgency)
    least = formulas.least_accepted(demand, wanted, table.over_time, close)
    if table.turn >= table.own.deadline - 1:
        least = formulas.last_accepted(least, wanted, demand)
    return least


def hazard(table: Table, persona: Persona) -> float:
    """The probability of leaving at this move, sharply at the deadline."""
    if table.turn >= table.own.deadline:
        return 1.0  # what it can't accept now it can't wait for
    return formulas.hazard(
        table.public.tension,
        table.theirs.idle,
        persona.aggression,
        persona.patience,
        table.own.has_alternative,
        table.own.urgency,
    )


# Moves ----------------------------------------------------------------------------------------------------------------


def _offer(table: Table, persona: Persona, style: Style, demand: float, rng: Draws) -> Offer | None:
    """The offer that goes with this demand; None when the persona stays where it is."""
    if table.mine.latest is None:
        return _ask(table, table.opening)
    void = table.mine.standing is None or table.last < 0.0  # swept away, or by now beyond the own limit
    standing = table.theirs_standing
    if standing is not None and 0.0 < table.last - standing < persona.splits:
        demand = max(style.reserve, 0.5 * (table.last + standing))
    elif not void and table.turn < table.own.deadline - n.LAST_TURNS and _holds(table, persona, rng):
        return None
    if not void and demand > table.last - n.STEP_AT_LEAST:
        return None
    return _ask(table, max(demand, style.reserve))


def _holds(table: Table, persona: Persona, rng: Draws) -> bool:
    """Does the persona let a turn pass without a step, whatever it was given?"""
    return rng.unit(table.turn, Draw.HOLD) < n.HOLD * (1.0 - persona.conscientiousness)


def _ask(table: Table, demand: float) -> Offer | None:
    """The outcome worth this surplus (or the best there is) that the other side should like most, by what is declared
    of it; None when the own limit allows none."""
    seat = table.view.seat
    least = table.limit + round(demand * table.terms.delta0[seat])
    offer = asking(table.terms, table.own.utility, table.terms.declared[1 - seat], least)
    return offer if worth(table.own.utility, offer) >= table.limit else None


def _card(table: Table, persona: Persona, offer: Offer | None, rng: Draws) -> tuple[str, str]:
    """A card to go with the move, by the persona's habits, and the sweetener's item; mostly none."""
    turn, mine = table.turn, table.mine
    claimed = sum(mine.used[CARD_INDEX[card]] for card in CLAIMED_BY)
    for i, habit in enumerate(persona.habits):
        card = habit.card
        if not habit.turns[0] <= turn <= habit.turns[1] or mine.used[CARD_INDEX[card]] >= habit.at_most:
            continue
        if mine.points < CARD[card].cost or table.theirs.trust < habit.trust:
            continue
        if card in CLAIMED_BY and claimed >= persona.claims_at_most:
            continue
        if card == "silence" and (mine.standing is None or table.last < 0.0):
            continue  # there is an offer to be made, or to be mended
        if rng.unit(turn, Draw.CARD, i) < habit.probability:
            item = _item(table, offer, rng) if card == "sweetener" else ""
            return ("", "") if card == "sweetener" and not item else (card, item)
    return "", ""


def _item(table: Table, offer: Offer | None, rng: Draws) -> str:
    """Something to throw in that leaves the offer inside the own limit; nothing when there is none."""
    items = items_left(table.view.setup.scenario, table.public, table.view.seat)
    if not items:
        return ""
    item = items[rng.integer(0, len(items) - 1, table.turn, Draw.ITEM)]
    left = table.last if offer is None else table.surplus(offer)
    return item if left >= _cost(table, item) else ""


def _cost(table: Table, item: str) -> float:
    """What throwing an item in costs, in surplus."""
    items = table.view.setup.scenario.sweeteners
    spent = sum(table.own.item_worth[k] for k, one in enumerate(items) if one.id == item)
    return -spent / table.terms.delta0[table.view.seat]
