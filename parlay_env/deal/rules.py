"""The rules: which moves are allowed, what a move does, how a turn opens and closes, how an episode ends.

A turn: erosion, headlines and points; the learner's move; the opponent's; tension. Nothing here words a message or
scores anything.
"""

from __future__ import annotations

from msgspec.structs import replace

from game.cards import (
    ANSWERS,
    CARD,
    CARD_INDEX,
    CLAIMED_BY,
    HALVING,
    POINTS_A_TURN,
    QUESTION_COST,
    START_POINTS,
    TOPIC_INDEX,
)
from game.events import market_kinds
from parlay_env.deal import conduct
from parlay_env.deal import numbers as n
from parlay_env.deal.instance import hundredths, tightened
from parlay_env.deal.state import (
    T_MAX,
    Claim,
    ClaimMade,
    Ended,
    Facts,
    Invalid,
    Move,
    News,
    OfferMade,
    Public,
    Shock,
    Side,
    State,
    with_seat,
)
from parlay_env.deal.terms import CENTS, Offer, Terms, terms_of
from parlay_env.deal.value import items_left, surplus, tick_size, zopa_exists
from parlay_env.rng import Draws, Purpose

# What is allowed ------------------------------------------------------------------------------------------------------


def problem_with(state: State, terms: Terms, seat: int, move: Move) -> Invalid | None:
    """Why this move isn't allowed, or None."""
    if move.refused is not None:
        return move.refused
    public = state.public
    side, other = public.sides[seat], public.sides[1 - seat]
    deciding = move.accept + move.walk
    if deciding + (move.offer is not None) > 1:
        return Invalid("one_decision", "at most one of offer, accept_deal and walk_away in a move")
    if move.card and move.question:
        return Invalid("one_tactic", "at most one of tactical_move and question in a move")
    if deciding and (move.card or move.question):
        return Invalid(
            "too_late_for_tactics", "a card or a question needs an answer: play it before you accept or walk away"
        )
    if move.accept and other.standing is None:
        return Invalid("nothing_to_accept", "no offer of the other side stands; make one, or ask for theirs")
    if move.offer is not None and (found := _problem_with_offer(terms, move.offer)):
        return found
    if move.challenge and newest_open_claim(public, 1 - seat) is None:
        return Invalid("nothing_to_challenge", "the other side has no claim that has not been challenged")
    if move.question:
        if move.question not in TOPIC_INDEX:
            return Invalid("unknown_topic", f"question must be one of {', '.join(TOPIC_INDEX)}")
        if side.points < QUESTION_COST:
            return Invalid(
                "too_few_points", f"a question costs {QUESTION_COST} credibility points; you have {side.points}"
            )
    if move.card and (found := _problem_with_card(state, seat, move)):
        return found
    if move.item and move.card != "sweetener":
        return Invalid("sweetener_without_card", "sweetener goes with tactical_move 'sweetener'")
    return None if move.claim is None else _problem_with_claim(state, seat, move.claim, move.card)


def _problem_with_offer(terms: Terms, offer: Offer) -> Invalid | None:
    counts = terms.counts
    if len(offer) == len(counts):
        for place, count in zip(offer, counts, strict=True):
            if not 0 <= place < count:
                break
        else:
            return None
    return Invalid("out_of_range", "the offer is outside the issues' ranges")


def _problem_with_card(state: State, seat: int, move: Move) -> Invalid | None:
    card = CARD.get(move.card)
    if card is None:
        return Invalid("unknown_card", f"tactical_move must be one of {', '.join(CARD)}")
    side = state.public.sides[seat]
    if side.points < card.cost:
        return Invalid("too_few_points", f"{card.id} costs {card.cost} credibility points; you have {side.points}")
    if card.id == "anchor_high":
        terms = terms_of(state.setup.scenario)
        if side.offers == 0 or side.used[CARD_INDEX[card.id]]:
            return Invalid("anchor_once", "anchor_high can be played once, after your first offer")
        if move.offer is None or conduct.ask_of(terms, seat, move.offer) <= side.top:
            return Invalid(
                "anchor_needs_offer", "anchor_high goes with an offer more ambitious than any of yours so far"
            )
    elif card.id == "silence":
        if move.voiced or move.utterance or move.offer is not None or move.claim is not None or move.challenge:
            return Invalid("not_silent", "silence means no words, no offer, no claim and no challenge")
    elif card.id == "sweetener":
        items = items_left(state.setup.scenario, state.public, seat)
        if move.item not in items:
            left = ", ".join(items) or "none is left"
            return Invalid("unknown_sweetener", f"name a sweetener that you have not thrown in yet: {left}")
    elif card.id in CLAIMED_BY and move.claim is None:
        return Invalid("claim_missing", f"{card.id} needs a claim_value")
    return None


def _problem_with_claim(state: State, seat: int, claim: Claim, card: str) -> Invalid | None:
    asked = state.public.sides[1 - seat].question
    if claim.kind not in {CLAIMED_BY.get(card), ANSWERS.get(asked)}:
        return Invalid("claim_without_card", "claim_value needs batna_reveal or time_pressure, or a question to answer")
    turn, value, scenario = max(1, state.public.turn), claim.value, state.setup.scenario
    if claim.kind == "deadline" and not turn <= value <= T_MAX:
        return Invalid("claim_out_of_range", f"a deadline is a turn from {turn} to {T_MAX}")
    if claim.kind == "alternative" and value not in (0, 1):
        return Invalid("claim_out_of_range", "claim an alternative with 1, none with 0")
    if claim.kind == "priority" and not 0 <= value < max(2, len(scenario.issues)):
        names = [issue.name for issue in scenario.issues]
        names = names if len(names) > 1 else [*names, "time"]
        numbered = ", ".join(f"{k} {name}" for k, name in enumerate(names))
        return Invalid("claim_out_of_range", f"a priority is a number: {numbered}")
    if claim.kind in ("limit", "budget"):
        terms = terms_of(scenario)
        if abs(value - terms.limits[seat]) > 3 * terms.delta0[seat]:
            return Invalid("claim_out_of_range", "nobody would believe that limit: keep within the scenario's figures")
    return None


def newest_open_claim(public: Public, seat: int) -> int | None:
    """The place in `public.claims` of a seat's newest claim that can still be challenged."""
    for i in range(len(public.claims) - 1, -1, -1):
        made = public.claims[i]
        if made.seat == seat and made.status == "open":
            return i
    return None


# What a move does -----------------------------------------------------------------------------------------------------


def invalid(state: State, seat: int, found: Invalid) -> State:
    """The state after a move that isn't allowed: counted, explained, nothing else; the third in a row forfeits."""
    public = state.public
    side = public.sides[seat]
    side = replace(side, errors=side.errors + 1, steps=side.steps + 1)
    public = replace(public, sides=with_seat(public.sides, seat, side))
    state = replace(state, public=public, invalid=with_seat(state.invalid, seat, found))
    return forfeited(state, seat) if side.errors >= n.ERRORS_AT_MOST else state


def forfeited(state: State, seat: int) -> State:
    """The seat has forfeited: three invalid moves in a row, or as many fines as an episode can hold."""
    return _end(state, Ended("forfeit", state.public.turn, seat))


def apply(state: State, terms: Terms, seat: int, move: Move) -> State:
    """The state after an allowed move, before the turn goes on."""
    public = state.public
    sides, claims, truths, offers = public.sides, public.claims, state.truths, public.offers
    before, other = sides[seat], sides[1 - seat]
    side, offer, turn = before, move.offer, public.turn
    heat, relief, strength, challenged = public.heat, public.relief, 0.0, ""

    if move.challenge:
        claims, challenged, other = _challenge(state, seat, other)
        heat += n.HEAT_CHALLENGE + (n.HEAT_CAUGHT if challenged == "withdrawn" else 0.0)
        sides = with_seat(sides, 1 - seat, other)
    if move.card:
        side, more_heat, more_relief = _play_card(before, move, terms, seat, other, turn)
        heat, relief, strength = heat + more_heat, relief + more_relief, side.strength
    if move.question:
        k = TOPIC_INDEX[move.question]
        asked = (*before.asked[:k], before.asked[k] + 1, *before.asked[k + 1 :])
        side = replace(side, points=before.points - QUESTION_COST, asked=asked)
        heat += n.HEAT_REPEATED_QUESTION if before.asked[k] else 0.0
    if claims and (offer is not None or move.accept):
        claims, credibility = _settle_claims(claims, terms, seat, offer or other.standing, before)
        side = replace(side, credibility=credibility)
    if move.claim is not None:
        made = conduct.rounded(move.claim, terms.delta0[seat], terms.limits[seat])
        claims = (*claims, ClaimMade(turn, seat, made, weight=strength if move.card in CLAIMED_BY else 1.0))
        truths = (*truths, is_true(state, seat, made))
        heat += n.HEAT_CLAIM
    if not move.voiced and (offer is not None or move.claim is not None):
        heat += n.HEAT_CURT

    opens = offer is not None and before.offers == 0
    step = 0.0
    if offer is not None:
        ask = conduct.ask_of(terms, seat, offer)
        top, best, step, credit, weakness = conduct.after_offer(
            before.offers, before.top, before.best, before.credit, before.weakness, other.step, ask
        )
        heat += conduct.heat_of_ask(ask)
        offers = (*offers, OfferMade(turn, seat, offer))
        side = replace(
            side,
            standing=offer,
            latest=offer,
            offers=before.offers + 1,
            ask=ask,
            top=top,
            best=best,
            credit=credit,
            weakness=weakness,
            news_seen=len(public.news),
        )
    idle, trust = before.idle, before.trust
    if turn > 0:
        idle = 0 if opens or step >= n.NOTICEABLE else idle + 1
        if not opens:  # an opening gives nothing up, and owes nothing
            trust = conduct.trust_after(trust, step)
    side = replace(
        side,
        offered=offer is not None,
        step=step,
        idle=idle,
        trust=trust,
        utterance=move.utterance,
        voiced=move.voiced,
        card=move.card,
        strength=strength,
        question=move.question,
        challenged=challenged,
        item=move.item,
        errors=0,
        steps=before.steps + 1,
    )
    public = replace(public, sides=with_seat(sides, seat, side), offers=offers, claims=claims, heat=heat, relief=relief)
    after = replace(state, public=public, truths=truths, invalid=with_seat(state.invalid, seat, None))
    if side.standing is not None and (offer is not None or move.item):
        safe = surplus(after, seat, side.standing) >= 0
        if safe is not after.safe[seat]:
            after = replace(after, safe=with_seat(after.safe, seat, safe))
    return after


def _play_card(before: Side, move: Move, terms: Terms, seat: int, other: Side, turn: int) -> tuple[Side, float, float]:
    """The side that played a card, the heat it adds and the relief it offers."""
    k = CARD_INDEX[move.card]
    strength = HALVING ** before.used[k]
    used = (*before.used[:k], before.used[k] + 1, *before.used[k + 1 :])
    side = replace(before, points=before.points - CARD[move.card].cost, used=used, strength=strength)
    if move.card == "anchor_high":
        gap = conduct.anchor_gap(terms, seat, before, other, move.offer) if move.offer is not None else 0.0
        pulled = before.anchoring + strength * n.ANCHOR_PULL * gap
        return replace(side, anchoring=pulled), n.HEAT_ANCHOR_CARD, 0.0
    if move.card == "silence":
        return side, n.HEAT_SILENCE, 0.0
    if move.card == "sweetener":
        return replace(side, items=(*before.items, move.item)), 0.0, n.RELIEF_SWEETENER * strength
    if move.card == "reframe":
        return replace(side, framing=before.framing + strength), 0.0, n.RELIEF_REFRAME * strength
    if move.card == "time_pressure" and move.claim is not None:
        pressed = strength * before.credibility * conduct.nearness(move.claim.value, turn)
        side = replace(side, pressing=before.pressing + pressed)
    return side, 0.0, 0.0


def is_true(state: State, seat: int, claim: Claim) -> bool:
    """Is this claim true of its maker now?"""
    facts, terms = state.facts[seat], terms_of(state.setup.scenario)
    grain = n.CLAIM_GRAIN * terms.delta0[seat]
    if claim.kind == "limit":
        return abs(claim.value - facts.limit) <= grain
    if claim.kind == "budget":
        return abs(claim.value - (facts.walk_away if facts.budget is None else facts.budget)) <= grain
    if claim.kind == "deadline":
        return abs(claim.value - facts.deadline) <= n.DEADLINE_GRAIN
    if claim.kind == "alternative":
        return bool(claim.value) == facts.has_alternative
    return claim.value == first_priority(state.setup.scenario.urgency, facts)


def first_priority(urgency: float, facts: Facts) -> int:
    """What matters most to a seat: the number of its heaviest issue; in a price game 1 (time) or 0 (the price)."""
    if facts.weights:
        return max(range(len(facts.weights)), key=facts.weights.__getitem__)
    return int(facts.urgency > urgency)


def _challenge(state: State, seat: int, other: Side) -> tuple[tuple[ClaimMade, ...], str, Side]:
    """The claims, the verdict and the challenged side after a challenge. A truthful claim stands; a bluff is withdrawn
    with probability .8, else it stands too: evidence, not an oracle."""
    public = state.public
    at = newest_open_claim(public, 1 - seat)
    assert at is not None
    draws = Draws(state.keys.hidden)
    caught = not state.truths[at] and draws.unit(public.turn, Purpose.BACKS_DOWN, at) < n.BACK_DOWN_PROBABILITY
    verdict = "withdrawn" if caught else "stands"
    claims = (*public.claims[:at], replace(public.claims[at], status=verdict), *public.claims[at + 1 :])
    moved = n.CREDIBILITY_WITHDRAWN if caught else n.CREDIBILITY_STANDS
    points = max(0, other.points - n.CAUGHT_POINTS) if caught else other.points
    return claims, verdict, replace(other, credibility=conduct.clipped(other.credibility + moved), points=points)


def _settle_claims(
    claims: tuple[ClaimMade, ...], terms: Terms, seat: int, offer: Offer | None, side: Side
) -> tuple[tuple[ClaimMade, ...], float]:
    """The claims and the credibility after a seat made or took an offer."""
    after = conduct.with_broken_claims(claims, terms, seat, offer)
    if after is claims:
        return claims, side.credibility
    broken = sum(a.status != b.status for a, b in zip(after, claims, strict=True))
    return after, conduct.clipped(side.credibility + n.CREDIBILITY_BROKEN * broken)


# How a turn goes on ---------------------------------------------------------------------------------------------------


def go_on(state: State, terms: Terms, seat: int, move: Move) -> State:
    """After an allowed move: the end it makes, or the other seat, or the next turn."""
    public = state.public
    if move.accept:
        return _end(state, Ended("deal", public.turn, seat, public.sides[1 - seat].standing))
    if move.walk:
        return _end(state, Ended("walk_away", public.turn, seat))
    learner = state.setup.learner
    if seat == learner:
        return replace(state, public=replace(public, mover=1 - learner))
    turn, tension, streak = public.turn, public.tension, public.streak
    if turn > 0:
        moved = [conduct.movement(side.offers, side.idle, side.step) for side in public.sides]
        gap, temper = conduct.gap_of(terms, public.sides), state.setup.opponent.temper
        tension = conduct.tension_after(tension, public.heat, public.relief, moved[0], moved[1], gap, temper)
        streak = streak + 1 if tension > n.HOT else 0
    if turn >= T_MAX:
        return _end(replace(state, public=replace(public, tension=tension, streak=streak)), Ended("timeout", turn))
    public = replace(
        public,
        turn=turn + 1,
        mover=learner,
        sides=_more_points(public.sides) if turn > 0 else public.sides,
        tension=tension,
        streak=streak,
        heat=0.0 if turn > 0 else public.heat,  # an opening's heat counts in turn 1
        relief=0.0 if turn > 0 else public.relief,
        claims=conduct.lapsed(public.claims, turn + 1) if public.claims else public.claims,
    )
    return _open_turn(replace(state, public=public))


def _end(state: State, ended: Ended) -> State:
    return replace(state, public=replace(state.public, mover=-1, ended=ended))


def _more_points(sides: tuple[Side, Side]) -> tuple[Side, Side]:
    """Both sides with the credibility points of a new turn."""
    a, b = sides
    if a.points < START_POINTS:
        a = replace(a, points=min(START_POINTS, a.points + POINTS_A_TURN))
    if b.points < START_POINTS:
        b = replace(b, points=min(START_POINTS, b.points + POINTS_A_TURN))
    return a, b


def _open_turn(state: State) -> State:
    """Erosion by the streak so far, then headlines."""
    if state.public.streak >= n.HOT_TURNS:
        state = _erode(state)
        if state.public.ended is not None:
            return state
    turn = state.public.turn
    for at, k in state.schedule:
        if at == turn:
            state = _scheduled(state, k)
    if turn > 1 and state.setup.events:
        visible = Draws(state.keys.visible)
        if visible.unit(turn, Purpose.MARKET_FIRES) < n.MARKET_PROBABILITY:
            state = _market(state, visible)
    return state


def _erode(state: State) -> State:
    terms = terms_of(state.setup.scenario)
    public = replace(state.public, ticks=state.public.ticks + 1)
    facts = (
        tightened(state.facts[0], tick_size(terms, 0)),
        tightened(state.facts[1], tick_size(terms, 1)),
    )
    state = replace(state, public=public, facts=facts)
    if zopa_exists(state, erosion=False) and not zopa_exists(state):
        return _end(state, Ended("zopa_collapsed", public.turn))
    return state


def _scheduled(state: State, k: int) -> State:
    headline = state.setup.scenario.headlines[k]
    wordings, visible = headline.words[state.setup.split], Draws(state.keys.visible)
    words = wordings[visible.integer(0, len(wordings) - 1, 0, Purpose.MARKET_WORDS, k)]
    terms = terms_of(state.setup.scenario)
    facts, effects = list(state.facts), []
    for seat, shift in enumerate((headline.seller, headline.buyer)):
        one = facts[seat]
        amount = _steps(terms, seat, shift.limit)
        if shift.alternative is not None and shift.alternative != one.has_alternative:
            sign = 1 if shift.alternative else -1
            one = replace(
                one,
                has_alternative=shift.alternative,
                walk_away=one.walk_away + sign * _steps(terms, seat, n.ALTERNATIVE_WORTH),
            )
        urgency = hundredths(one.urgency + shift.urgency)
        one = replace(tightened(one, amount), urgency=urgency)
        effects.append((one.limit - facts[seat].limit) / terms.delta0[seat])
        facts[seat] = one
    return _broken(state, (facts[0], facts[1]), words, Shock(state.public.turn, False, (effects[0], effects[1])))


def _market(state: State, visible: Draws) -> State:
    setup, turn = state.setup, state.public.turn
    if sum(news.market for news in state.public.news) >= n.MARKET_AT_MOST:
        return state
    kinds = market_kinds(setup.split)
    kind = kinds[visible.integer(0, len(kinds) - 1, turn, Purpose.MARKET_KIND)]
    words = kind.words[setup.split]
    text = words[visible.integer(0, len(words) - 1, turn, Purpose.MARKET_WORDS)]
    terms, hidden = terms_of(setup.scenario), Draws(state.keys.hidden)
    facts, effects = [], []
    for seat, mean in enumerate((kind.seller, kind.buyer)):
        sensitivity = 1.0 if seat == setup.learner else setup.opponent.mev_sensitivity
        drawn = (mean + n.MARKET_SPREAD * hidden.normal(turn, Purpose.EVENT_EFFECT, seat)) * sensitivity
        amount = _steps(terms, seat, min(n.EFFECT_AT_MOST, max(-n.EFFECT_AT_MOST, drawn)))
        facts.append(tightened(state.facts[seat], amount))
        effects.append(amount / terms.delta0[seat])
    return _broken(state, (facts[0], facts[1]), text, Shock(turn, True, (effects[0], effects[1])))


def _broken(state: State, facts: tuple[Facts, Facts], words: str, shock: Shock) -> State:
    """A headline breaks: both standing offers are void."""
    public = state.public
    a, b = public.sides
    sides = (replace(a, standing=None), replace(b, standing=None))
    news = (*public.news, News(public.turn, words, shock.market))
    return replace(state, facts=facts, shocks=(*state.shocks, shock), public=replace(public, sides=sides, news=news))


def _steps(terms: Terms, seat: int, share: float) -> int:
    """A share of Δ0 in hundredths of money, to whole steps of a price, or whole money."""
    unit = terms.steps[0] if terms.is_price else CENTS
    return round(share * terms.delta0[seat] / unit) * unit
