"""An instance: the private facts of both seats, drawn from the seed (SPEC: docs/rules.md, "Instances")."""

from __future__ import annotations

import msgspec

from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX, Facts, Profile, Public, Setup, Side, State
from parlay_env.deal.terms import CENTS, Terms, Utility, best_within, terms_of, utility_of
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

_REDRAWS = 32


def first_state(setup: Setup, seed: int, secret: bytes = b"") -> State:
    """The state before anybody spoke, of the instance with this setup and seed."""
    keys = derive_keys(seed, secret)
    learner = setup.learner
    opens = Draws(keys.visible).unit(0, Purpose.OPENER) < 0.5
    public = Public(turn=1 if opens else 0, mover=learner if opens else 1 - learner, sides=(Side(), Side()))
    return State(setup, keys, public, draw_facts(setup, keys), draw_schedule(setup, keys))


def draw_schedule(setup: Setup, keys: Keys) -> tuple[tuple[int, int], ...]:
    """Which scheduled headlines will break, and when: `(turn, number)`."""
    visible, spread = Draws(keys.visible), n.SCHEDULE_SPREAD
    return tuple(
        (headline.turn + visible.integer(-spread, spread, 0, Purpose.HEADLINE_TURN, k), k)
        for k, headline in enumerate(setup.scenario.headlines)
        if visible.unit(0, Purpose.HEADLINE_FIRES, k) < headline.probability
    )


def draw_facts(setup: Setup, keys: Keys) -> tuple[Facts, Facts]:
    """Both seats' facts. With probability .9 there is a ZOPA, whatever the learner's limit: an instance without one is
    drawn again; with probability .1 the opponent's limit is put beyond all that the learner could grant."""
    terms = terms_of(setup.scenario)
    me, other = setup.learner, 1 - setup.learner
    mine = _facts(setup, terms, me, Draws(keys.facts[me]), Profile(), 0)
    hidden = Draws(keys.hidden)
    without = hidden.unit(0, Purpose.NO_ZOPA) < n.NO_ZOPA_PROBABILITY
    draws = Draws(keys.facts[other])
    theirs, most = mine, 0
    for attempt in range(_REDRAWS):
        theirs = _facts(setup, terms, other, draws, setup.opponent, attempt)
        most = reach(terms, theirs.utility, mine)
        if without or most >= theirs.limit:
            break
    if without:
        gap = hidden.between(*n.NO_ZOPA_GAP, 0, Purpose.NO_ZOPA_GAP)
        shift = grain(terms, other, most + gap * terms.delta0[other]) - theirs.limit
        theirs = tightened(theirs, shift)
    return (mine, theirs) if me == 0 else (theirs, mine)


def reach(terms: Terms, utility: Utility, other: Facts) -> int:
    """The most that a seat with this utility could get from the other: its utility at the other's limit."""
    most = best_within(terms, utility, other.utility, other.limit)
    return -(10**18) if most is None else most


def grain(terms: Terms, seat: int, value: float) -> int:
    """A utility rounded to what one can say: the price's step, or a whole unit of money."""
    unit = terms.steps[0] if terms.is_price else CENTS
    base = terms.declared[seat].base if terms.is_price else 0
    return base + round((value - base) / unit) * unit


def hundredths(share: float) -> float:
    """A share to two decimals, 0…1."""
    return round(100.0 * min(1.0, max(0.0, share))) / 100.0


def tightened(facts: Facts, amount: int) -> Facts:
    """The facts with a limit that needs `amount` hundredths of money more."""
    budget = facts.budget
    return msgspec.structs.replace(
        facts, walk_away=facts.walk_away + amount, budget=None if budget is None else budget + amount
    )


def _facts(setup: Setup, terms: Terms, seat: int, draws: Draws, profile: Profile, attempt: int) -> Facts:
    s, width = setup.scenario, terms.delta0[seat]
    alternative = draws.unit(0, Purpose.ALTERNATIVE) < s.alternative
    offset = draws.between(-s.spread, s.spread, 0, Purpose.WALK_AWAY, attempt)
    walk_away = terms.limits[seat] + (offset + n.ALTERNATIVE_WORTH * alternative) * width
    budget = None
    if draws.unit(0, Purpose.BUDGET, attempt) < n.BUDGET_PROBABILITY:
        budget = grain(
            terms, seat, walk_away + draws.between(*n.BUDGET_DEPTH, 0, Purpose.BUDGET_DEPTH, attempt) * width
        )
    urgency = s.urgency + draws.between(-s.urgency_spread, s.urgency_spread, 0, Purpose.URGENCY)
    deadline = draws.integer(*n.DEADLINE, 0, Purpose.DEADLINE) if profile.has_deadline else T_MAX
    weights = _weights(setup, seat, draws)
    utility = utility_of(s, seat, weights) if weights else terms.declared[seat]
    return Facts(
        walk_away=grain(terms, seat, walk_away),
        budget=budget,
        urgency=hundredths(urgency),
        has_alternative=alternative,
        deadline=deadline,
        utility=utility,
        weights=weights,
        item_worth=_item_worth(setup, terms, seat, draws),
    )


def _weights(setup: Setup, seat: int, draws: Draws) -> tuple[float, ...]:
    s = setup.scenario
    if len(s.issues) == 1:
        return ()
    declared = s.side(seat).weights
    raw = [
        max(
            n.LEAST_WEIGHT,
            declared[issue.name] + draws.between(-n.WEIGHT_SPREAD, n.WEIGHT_SPREAD, 0, Purpose.WEIGHT, k),
        )
        for k, issue in enumerate(s.issues)
    ]
    total = sum(raw)
    return tuple(round(10_000 * w / total) / 10_000 for w in raw)


def _item_worth(setup: Setup, terms: Terms, seat: int, draws: Draws) -> tuple[int, ...]:
    by = "buyer" if seat else "seller"
    return tuple(
        -round(item.cost * terms.delta0[seat])
        if item.by == by
        else round(draws.between(*item.worth, 0, Purpose.SWEETENER_WORTH, k) * terms.delta0[seat])
        for k, item in enumerate(setup.scenario.sweeteners)
    )
