"""What the batched core computes on: scenarios, personas, moves and episodes as NumPy records.

The fields are those of `parlay_env.deal.state`, with the same names where they are the same; pairs are (seller, buyer).
None is −1 for an index, NaN for a figure, and a flag of its own for an offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from agent import formulas
from agent import numbers as an
from agent.personas import Persona
from game.cards import ANSWERS, CARDS, CLAIMED_BY, TOPICS, ClaimKind
from game.events import SPLITS, market_kinds
from game.scenarios import Scenario
from parlay_env.deal import numbers as n
from parlay_env.deal.prior import mean_errors, prior_of
from parlay_env.deal.state import T_MAX
from parlay_env.deal.terms import CENTS, terms_of
from parlay_env.deal.value import tick_size
from parlay_env.reward import RewardSpec

ISSUES = 4
ITEMS = 8
HEADLINES = 8
SHOCKS = HEADLINES + n.MARKET_AT_MOST
CLAIMS = 2 * T_MAX + 2
HABITS = 6
KINDS: tuple[str, ...] = get_args(ClaimKind)
LIMIT, DEADLINE, ALTERNATIVE, BUDGET, PRIORITY = range(5)
ANSWER_KIND = tuple(KINDS.index(ANSWERS[topic]) for topic in TOPICS)
CARD_KIND = tuple(KINDS.index(CLAIMED_BY[card.id]) if card.id in CLAIMED_BY else -1 for card in CARDS)
CARD_COST = tuple(card.cost for card in CARDS)
ANCHOR_HIGH, SILENCE, SWEETENER, REFRAME, TIME_PRESSURE, BATNA_REVEAL = range(6)
OPEN, STANDS, WITHDRAWN, BROKEN = range(4)
REASONS = ("", "deal", "walk_away", "timeout", "zopa_collapsed", "forfeit")
DEAL, WALK_AWAY, TIMEOUT, COLLAPSED, FORFEIT = range(1, 6)

SCENE = np.dtype(
    [
        ("issues", "i8"),
        ("is_price", "?"),
        ("counts", "i8", ISSUES),
        ("longest", "i8"),
        ("n_rest", "i8"),
        ("unit", "i8"),  # the grain of money: the price's step, or a whole unit
        ("stake", "f8"),
        ("base", "i8", 2),
        ("slopes", "i8", (2, ISSUES)),
        ("limits", "i8", 2),
        ("delta0", "i8", 2),
        ("anchors", "i8", (2, ISSUES)),
        ("anchor_worth", "i8", 2),
        ("rises", "i8", ISSUES),
        ("weights", "f8", (2, ISSUES)),
        ("spread", "f8"),
        ("urgency", "f8"),
        ("urgency_spread", "f8"),
        ("alternative", "f8"),
        ("items", "i8"),
        ("item_by", "i8", ITEMS),
        ("item_cost", "f8", ITEMS),
        ("item_low", "f8", ITEMS),
        ("item_high", "f8", ITEMS),
        ("headlines", "i8"),
        ("headline_turn", "i8", HEADLINES),
        ("headline_probability", "f8", HEADLINES),
        ("headline_urgency", "f8", (HEADLINES, 2)),
        ("headline_alternative", "i8", (HEADLINES, 2)),
        ("headline_limit", "f8", (HEADLINES, 2)),
        ("tick", "i8", 2),
        ("prior_walk_away", "f8", 2),
        ("prior_budget", "f8", 2),
        ("prior_highest", "i8", 2),  # of the tighter limit, as a bluff keeps within it
        ("errors", "f8", 4),  # ē of walk-away, budget (Δ0), urgency, alternative
    ],
    align=True,
)
"""A scenario compiled. Utilities are in hundredths of money."""

PERSON = np.dtype(
    [
        ("aggression", "f8"),
        ("patience", "f8"),
        ("bluff", "f8"),
        ("depth", "f8"),
        ("agreeableness", "f8"),
        ("openness", "f8"),
        ("conscientiousness", "f8"),
        ("opening", "f8"),
        ("beta", "f8"),
        ("share", "f8", 2),
        ("before_conceded", "f8"),
        ("reciprocity", "f8"),
        ("reserve", "f8"),
        ("distrust", "f8"),
        ("guard", "f8"),
        ("close", "f8"),
        ("close_from", "i8"),
        ("splits", "f8"),
        ("wakes", "i8"),
        ("claims_at_most", "i8"),
        ("confides_turn", "i8"),
        ("confides_trust", "f8"),
        ("temper", "f8"),
        ("mev_sensitivity", "f8"),
        ("habits", "i8"),
        ("habit_card", "i8", HABITS),
        ("habit_from", "i8", HABITS),
        ("habit_to", "i8", HABITS),
        ("habit_probability", "f8", HABITS),
        ("habit_at_most", "i8", HABITS),
        ("habit_trust", "f8", HABITS),
        ("bluffs", "f8", (len(KINDS), 2)),
    ],
    align=True,
)
"""A persona's numbers: `agent/personas.yaml`."""

MOVE = np.dtype(
    [
        ("offers", "?"),
        ("offer", "i8", ISSUES),
        ("accept", "?"),
        ("walk", "?"),
        ("voiced", "?"),
        ("challenge", "?"),
        ("card", "i8"),
        ("item", "i8"),
        ("claim_kind", "i8"),
        ("claim_value", "i8"),
        ("question", "i8"),
        ("belief", "f8", 4),  # walk-away, budget (hundredths of money), urgency, has-alternative
        ("event_impact", "f8"),
        ("verdict", "i8"),  # of the claim made with it, as a tracker knows it since: a claim's status
    ],
    align=True,
)
"""A move without its words."""

EPISODE = np.dtype(
    [
        ("scene", "i4"),
        ("persona", "i4"),
        ("learner", "i4"),
        ("split", "i4"),
        ("events", "?"),
        ("visible", "u8"),
        ("hidden", "u8"),
        ("policy", "u8"),
        # Public.
        ("turn", "i4"),
        ("mover", "i4"),
        ("tension", "f8"),
        ("heat", "f8"),
        ("relief", "f8"),
        ("streak", "i4"),
        ("ticks", "i4"),
        ("news", "i4"),
        ("market_news", "i4"),
        ("ended", "i4"),
        ("end_seat", "i4"),
        ("outcome", "i4", ISSUES),
        # Each side's conduct.
        ("has_standing", "i1", 2),
        ("standing", "i4", (2, ISSUES)),
        ("latest", "i4", (2, ISSUES)),
        ("first", "i4", (2, ISSUES)),
        ("least_worth", "i8", 2),  # the least that an offer of its own has been worth to it
        ("offers", "i4", 2),
        ("ask", "f8", 2),
        ("top", "f8", 2),
        ("best", "f8", 2),
        ("step", "f8", 2),
        ("credit", "f8", 2),
        ("weakness", "f8", 2),
        ("idle", "i4", 2),
        ("trust", "f8", 2),
        ("credibility", "f8", 2),
        ("points", "i4", 2),
        ("card", "i4", 2),
        ("strength", "f8", 2),
        ("question", "i4", 2),
        ("news_seen", "i4", 2),
        ("used", "i1", (2, len(CARDS))),
        ("asked", "i1", (2, len(TOPICS))),
        ("thrown", "i1", ITEMS),  # sweeteners thrown in
        ("anchoring", "f8", 2),
        ("framing", "f8", 2),
        ("pressing", "f8", 2),
        ("errors", "i4", 2),
        ("safe", "i1", 2),
        # Claims.
        ("claims", "i4"),
        ("claim_turn", "i1", CLAIMS),
        ("claim_seat", "i1", CLAIMS),
        ("claim_kind", "i1", CLAIMS),
        ("claim_status", "i1", CLAIMS),
        ("claim_true", "i1", CLAIMS),
        ("claim_value", "i8", CLAIMS),
        ("claim_weight", "f4", CLAIMS),
        # Each side's facts.
        ("walk_away", "i8", 2),
        ("has_budget", "i1", 2),
        ("budget", "i8", 2),
        ("urgency", "f8", 2),
        ("alternative", "i1", 2),
        ("deadline", "i4", 2),
        ("base", "i8", 2),
        ("slopes", "i8", (2, ISSUES)),
        ("weights", "f8", (2, ISSUES)),
        ("item_worth", "i8", (2, ITEMS)),
        # What is to come, and what came.
        ("schedule", "i1", HEADLINES),
        ("shocks", "i4"),
        ("shock_turn", "i1", SHOCKS),
        ("shock_market", "i1", SHOCKS),
        ("shock_effect", "f8", (SHOCKS, 2)),
        # The opponent's style and guess.
        ("opening", "f8"),
        ("least_opening", "f8"),
        ("beta", "f8"),
        ("share", "f8"),
        ("reciprocity", "f8"),
        ("reserve", "f8"),
        ("guess", "f8", len(an.GUESS_GRID)),
        ("guessed", "i4"),
        # The learner's book.
        ("value", "f8"),
        ("skills", "f8", 4),
        ("belief", "f8", 4),
        ("challenges", "i4"),
        ("estimated", "i4"),  # market events that an estimate has been due for
        ("due", "i4"),
        ("due_effect", "f8", SHOCKS),
        ("due_moves", "i1", SHOCKS),
        ("seen_shocks", "i4"),
        ("followed", "i4"),
        ("has_seen", "?"),
        ("seen", "i4", ISSUES),
        ("invalid", "i4"),
        ("fines", "f8"),
        ("tom", "f8"),
        ("bluff", "f8"),
        ("mev", "f8"),
        ("delta_v", "f8"),
        ("concession", "f8"),
        ("noise", "f8"),
        # What the end paid.
        ("terminal", "f8", 5),  # efficiency, speed, adaptation, cliff, no deal
        ("efficiency", "f8"),
        ("zopa", "?"),
        ("walk_was_right", "?"),
        ("breach", "?"),
        ("reward", "f8"),
        ("peak", "f8"),  # the highest tension so far
    ],
    align=True,
)
"""One deal between two moves of the learner."""

SPEC = np.dtype([(name, "f8") for name, kind in get_type_hints(RewardSpec).items() if kind in (float, int)])
"""The numbers of a `RewardSpec`."""


class Tables(NamedTuple):
    """All that does not change from episode to episode."""

    scenes: NDArray[Any]
    rest: NDArray[np.int64]
    """By scene: every combination of the values of all issues but the longest."""
    persons: NDArray[Any]
    curves: NDArray[np.float64]
    """α(t) by turn, horizon, exponent."""
    hurries: NDArray[np.float64]
    """By urgency in hundredths."""
    market: NDArray[np.float64]
    """Mean effects by split, kind, seat."""
    kinds: NDArray[np.int64]
    """Market kinds by split."""
    spec: NDArray[Any]


class NotBatched(ValueError):
    """A scenario, persona or reward that the batched core has no room for; the message says which bound."""


def tables(scenarios: Sequence[Scenario], personas: Sequence[Persona], spec: RewardSpec) -> Tables:
    """The tables of these scenarios and personas; episodes name them by their place.

    Raises NotBatched for more issues, sweeteners, headlines or habits than fit, and for a reward read otherwise than
    the default one is.
    """
    plain = RewardSpec()
    for field in ("tom_reading", "speed_reading", "mev_reading", "when"):
        if getattr(spec, field) != getattr(plain, field):
            raise NotBatched(
                f"the batched core pays by the default reading: reward.{field} must be {getattr(plain, field)!r}"
            )
    scenes = np.zeros(len(scenarios), SCENE)
    rests = [terms_of(s).rest for s in scenarios]
    rest = np.zeros((len(scenarios), max(map(len, rests)), ISSUES), np.int64)
    for i, scenario in enumerate(scenarios):
        _fill_scene(scenes[i], scenario)
        for j, offer in enumerate(rests[i]):
            rest[i, j, : len(offer)] = offer
    persons = np.zeros(len(personas), PERSON)
    for i, persona in enumerate(personas):
        _fill_person(persons[i], persona)
    market = np.zeros((len(SPLITS), max(len(market_kinds(split)) for split in SPLITS), 2))
    for i, split in enumerate(SPLITS):
        for j, kind in enumerate(market_kinds(split)):
            market[i, j] = kind.seller, kind.buyer
    numbers = np.zeros(1, SPEC)
    for field in SPEC.names or ():
        numbers[field] = getattr(spec, field)
    slowest = min(p.beta for p in personas) * an.BETA_RANGE[0] * formulas.hurry(0.0)
    kinds = np.array([len(market_kinds(split)) for split in SPLITS], np.int64)
    hurries = np.array([formulas.hurry(k / 100) for k in range(101)])
    return Tables(scenes, rest, persons, curves(formulas.exponent_of(slowest, 1.0)), hurries, market, kinds, numbers)


@cache
def curves(largest: int) -> NDArray[np.float64]:
    """`formulas.curve` by turn, horizon and exponent, up to this exponent."""
    found = np.zeros((T_MAX + 1, T_MAX + 1, largest + 1))
    for turn in range(1, T_MAX + 1):
        for horizon in range(an.LEAST_HORIZON, T_MAX + 1):
            found[turn, horizon] = [formulas.curve(turn, horizon, e) for e in range(largest + 1)]
    return found


def _fits(what: str, count: int, most: int) -> None:
    if count > most:
        raise NotBatched(f"the batched core has room for {most} {what}, not {count}")


def _fill_scene(row: Any, s: Scenario) -> None:
    terms = terms_of(s)
    _fits("issues", len(s.issues), ISSUES)
    _fits("sweeteners", len(s.sweeteners), ITEMS)
    _fits("headlines", len(s.headlines), HEADLINES)
    count = len(s.issues)
    row["issues"], row["is_price"], row["stake"] = count, terms.is_price, s.stake
    row["counts"][:count] = terms.counts
    row["longest"], row["n_rest"] = terms.longest, len(terms.rest)
    row["unit"] = terms.steps[0] if terms.is_price else CENTS
    row["rises"][:count] = [int(issue.rises == "buyer") for issue in s.issues]
    row["limits"], row["delta0"], row["anchor_worth"] = terms.limits, terms.delta0, terms.anchor_worth
    for seat in (0, 1):
        row["base"][seat] = terms.declared[seat].base
        row["slopes"][seat, :count] = terms.declared[seat].slopes
        row["anchors"][seat, :count] = terms.anchors[seat]
        if not terms.is_price:
            row["weights"][seat, :count] = [s.side(seat).weights[issue.name] for issue in s.issues]
        prior = prior_of(terms, seat)
        row["tick"][seat] = tick_size(terms, seat)
        row["prior_walk_away"][seat], row["prior_budget"][seat] = prior.walk_away.mean, prior.budget.mean
        row["prior_highest"][seat] = round(prior.budget.high)
    for field in ("spread", "urgency", "urgency_spread", "alternative"):
        row[field] = getattr(s, field)
    row["items"] = len(s.sweeteners)
    for k, item in enumerate(s.sweeteners):
        row["item_by"][k] = int(item.by == "buyer")
        row["item_cost"][k], row["item_low"][k], row["item_high"][k] = item.cost, *item.worth
    row["headlines"] = len(s.headlines)
    for k, headline in enumerate(s.headlines):
        row["headline_turn"][k], row["headline_probability"][k] = headline.turn, headline.probability
        for seat, shift in enumerate((headline.seller, headline.buyer)):
            row["headline_urgency"][k, seat], row["headline_limit"][k, seat] = shift.urgency, shift.limit
            row["headline_alternative"][k, seat] = -1 if shift.alternative is None else int(shift.alternative)
    errors = mean_errors(terms)
    row["errors"] = errors.walk_away, errors.budget, errors.urgency, errors.has_alternative


def _fill_person(row: Any, persona: Persona) -> None:
    _fits("habits", len(persona.habits), HABITS)
    cards = [card.id for card in CARDS]
    for field in PERSON.names or ():
        if not field.startswith(("habit", "confides")) and field != "bluffs":
            row[field] = getattr(persona, field)
    row["confides_turn"], row["confides_trust"] = persona.confides.turn, persona.confides.trust
    row["habits"] = len(persona.habits)
    for i, habit in enumerate(persona.habits):
        row["habit_card"][i], row["habit_from"][i], row["habit_to"][i] = cards.index(habit.card), *habit.turns
        row["habit_probability"][i], row["habit_at_most"][i] = habit.probability, habit.at_most
        row["habit_trust"][i] = habit.trust
    row["bluffs"] = [persona.bluffs.get(kind, (0.5, 0.5)) for kind in KINDS]
