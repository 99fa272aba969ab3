"""The grader: what each turn and the end are worth to a seat (formulas: docs/rules.md, "Reward").

What depends on hidden facts (belief skill, challenges, event estimates, the terminal terms) is booked by turn and paid
with the end; before it, a seat is paid only what it could compute itself. Every term is rounded to a whole multiple of
2⁻²⁰, so that terms sum to rewards exactly, in any order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from parlay_env.amounts import amounts, names
from parlay_env.deal.numbers import CLAIM_GRAIN
from parlay_env.deal.prior import mean_errors, prior_of
from parlay_env.deal.state import T_MAX, Belief, Book, Due, Move, Row, Setup, Side, State
from parlay_env.deal.terms import CENTS, Terms, best_within, terms_of, value_of, worth
from parlay_env.deal.value import extras, surplus, tick_size, zopa_exists
from parlay_env.reward import GRAIN, RewardSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

NEAR = ("delta_v", "concession", "noise")
"""Terms that are paid at once."""
LATE = ("tom", "bluff", "mev")
"""Terms that are booked by turn and paid with the end."""


class Grade(msgspec.Struct, frozen=True, gc=False):
    """An episode as graded for a seat. Shares of Δref unless said otherwise; after the end only."""

    reward: float
    """All that was paid: the sum of every row and of `terminal`."""
    efficiency: float
    """E."""
    terminal: dict[str, float]
    ledger: tuple[dict[str, float], ...]
    belief_skill: float
    deal: bool
    breach: bool
    """A deal beyond the own limit."""
    zopa_existed: bool
    """Was there anything to agree on, erosion left out?"""
    walk_was_right: bool
    """Was there nothing left to agree on at the end, erosion in? Then walking away is right."""
    surplus: float
    """σ of the deal, in money; 0 without one."""
    left_on_table: float
    """Δref less σ, in money: what the opponent's limit would still have allowed."""
    invalid_moves: int
    when: str
    omega: float


def exact(value: float) -> float:
    """A figure on the grid on which sums are exact."""
    return round(value * GRAIN) / GRAIN


def open_books(setup: Setup) -> tuple[Book | None, Book | None]:
    """The books of the seats that are graded."""
    graded = (setup.both_graded or setup.learner == 0, setup.both_graded or setup.learner == 1)
    return (Book() if graded[0] else None, Book() if graded[1] else None)


# Moves ----------------------------------------------------------------------------------------------------------------


def book_invalid(state: State, seat: int) -> Book:
    """The book after a move that wasn't allowed."""
    book = _book(state, seat)
    spec = state.setup.reward
    row = book.row or Row(state.public.turn)
    book, fine = _fined(book, spec, spec.noise)
    return replace(book, row=replace(row, noise=row.noise + fine), invalid=book.invalid + 1)


def book_move(before: State, after: State, seat: int, move: Move) -> Book:
    """The book after an allowed move; `before` and `after` are the states around it."""
    book, spec = _book(before, seat), before.setup.reward
    mine, theirs = before.public.sides[seat], before.public.sides[1 - seat]
    concession = noise = tom = bluff = mev = 0.0
    if move.offer is not None:
        conceded = _conceded(before, book, seat, move)
        if conceded > 0.0:
            book, concession = _fined(book, spec, spec.concession * conceded)
        book = replace(book, seen=theirs.latest)
    if _is_noise(before, seat, move, mine):
        book, noise = _fined(book, spec, spec.noise)
    if move.belief is not None:
        book, gained = _book_belief(before, book, seat, move.belief)
        if spec.tom_reading == "skill":
            tom = exact(spec.tom * gained)
    if spec.tom_reading == "accuracy":
        tom = exact(spec.tom * max(0.0, 0.25 * sum(book.skills)))
    if move.challenge and book.challenges < spec.bluff_count:
        bluff = exact(spec.bluff * _challenge_worth(before, after, seat))
        book = replace(book, challenges=book.challenges + 1)
    if before.shocks:
        book, mev = _book_event(before, book, seat, move.event_impact)
        book = _book_shocks(before, book, seat)
    return replace(book, row=Row(before.public.turn, 0.0, concession, noise, tom, bluff, mev))


def _fined(book: Book, spec: RewardSpec, fine: float) -> tuple[Book, float]:
    """The book and the (negative) pay for a fine; an episode's fines sum to at most `fines_at_most`."""
    paid = min(exact(fine), spec.fines_at_most - book.fines)
    return replace(book, fines=book.fines + paid), 0.0 - paid


def exhausted(state: State, seat: int) -> bool:
    """Have the seat's fines reached the most that an episode can cost? Then it forfeits: nothing may be free."""
    return _book(state, seat).fines >= state.setup.reward.fines_at_most


def _book(state: State, seat: int) -> Book:
    book = state.books[seat]
    assert book is not None
    return book


def _conceded(state: State, book: Book, seat: int, move: Move) -> float:
    """C: the own concession beyond what the opponent conceded since one's last offer, over Δ0."""
    mine, theirs = state.public.sides[seat], state.public.sides[1 - seat]
    if mine.latest is None or move.offer is None or mine.news_seen < len(state.public.news):
        return 0.0
    utility = state.facts[seat].utility
    given = 0
    if theirs.latest is not None:
        # Without an offer of theirs at the time of one's own last, their first one is where they started.
        since = book.seen or next(made.offer for made in state.public.offers if made.seat != seat)
        given = max(0, worth(utility, theirs.latest) - worth(utility, since))
    taken = worth(utility, mine.latest) - worth(utility, move.offer) - given
    return min(1.0, max(0.0, taken / terms_of(state.setup.scenario).delta0[seat]))


def _is_noise(state: State, seat: int, move: Move, mine: Side) -> bool:
    """Machine-checkable incoherence: figures in the words that are not the offer, an offer worse for the other than
    one's own last, one's own words again."""
    if move.utterance and move.utterance == mine.utterance:
        return True
    terms = terms_of(state.setup.scenario)
    named_offer = (
        move.offer if move.offer is not None else state.public.sides[1 - seat].standing if move.accept else None
    )
    if named_offer is not None and _misnamed(terms, move, named_offer):
        return True
    if move.offer is None or mine.latest is None:
        return False
    if move.card == "anchor_high" or mine.news_seen < len(state.public.news):
        return False
    theirs = terms.declared[1 - seat]
    return worth(theirs, move.offer) < worth(theirs, mine.latest)


def _misnamed(terms: Terms, move: Move, offer: tuple[int, ...]) -> bool:
    """Do the words name amounts in the first issue's range, none of which is the offer (nor the claim made with it)?"""
    if not move.utterance or names(move.utterance, value_of(terms, 0, offer[0])):
        return False
    low, high = value_of(terms, 0, 0), value_of(terms, 0, terms.counts[0] - 1)
    named = [amount for amount in amounts(move.utterance) if low <= amount <= high]
    if not named:
        return False
    meant = [(value_of(terms, 0, offer[0]), 0.5 * terms.steps[0] / CENTS)]
    if move.claim is not None and move.claim.kind in ("limit", "budget"):
        meant.append((abs(move.claim.value) / CENTS, 0.5 * CLAIM_GRAIN * terms.delta0[0] / CENTS))
    return all(abs(amount - value) > slack for amount in named for value, slack in meant)


def _book_belief(state: State, book: Book, seat: int, report: Belief) -> tuple[Book, float]:
    """The book after a report, and by how much it changed the belief skill A."""
    terms, facts = terms_of(state.setup.scenario), state.facts[1 - seat]
    prior, means, width = prior_of(terms, 1 - seat), mean_errors(terms), terms.delta0[1 - seat]
    budget = facts.walk_away if facts.budget is None else facts.budget
    truth = float(facts.has_alternative)
    fields = (
        (report.walk_away, facts.walk_away, prior.walk_away.mean, means.walk_away * width),
        (report.budget, budget, prior.budget.mean, means.budget * width),
        (report.urgency, facts.urgency, prior.urgency.mean, means.urgency),
    )
    skills = list(book.skills)
    for i, (stated, true, supposed, mean) in enumerate(fields):
        if stated is not None:
            skills[i] = _skill(abs(supposed - true), abs(stated - true), mean)
    if report.has_alternative is not None:
        p = report.has_alternative
        skills[3] = _skill((prior.has_alternative - truth) ** 2, (p - truth) ** 2, means.has_alternative)
    known = Belief(
        *(new if new is not None else old for new, old in zip(_fields(report), _fields(book.belief), strict=True))
    )
    after = (skills[0], skills[1], skills[2], skills[3])
    return replace(book, belief=known, skills=after), 0.25 * (sum(after) - sum(book.skills))


def _fields(belief: Belief) -> tuple:
    return belief.walk_away, belief.budget, belief.urgency, belief.has_alternative


def _skill(prior_error: float, error: float, mean_error: float) -> float:
    """How much of the prior's error a report removed, in mean prior errors, −1…1."""
    if mean_error <= 0.0:
        return 0.0
    return min(1.0, max(-1.0, (prior_error - error) / mean_error))


def _challenge_worth(before: State, after: State, seat: int) -> float:
    """1 − q for a challenge that met a bluff, −q for one that met the truth."""
    at = next(
        i
        for i, (a, b) in enumerate(zip(before.public.claims, after.public.claims, strict=False))
        if a.status != b.status and a.seat != seat
    )
    made = before.public.claims[at]
    q = before.setup.opponent.bluff_share(made.claim.kind, made.turn)
    return -q if before.truths[at] else 1.0 - q


def _book_event(state: State, book: Book, seat: int, estimate: float | None) -> tuple[Book, float]:
    """The book and the pay for an estimate of the newest market event, due on the next move after it broke."""
    market = [shock for shock in state.shocks if shock.market]
    if len(market) <= book.events:
        return book, 0.0
    book, spec = replace(book, events=len(market)), state.setup.reward
    if estimate is None:
        return book, 0.0
    effect = market[-1].effect[1 - seat]
    sensitivity = state.setup.opponent.mev_sensitivity if seat == state.setup.learner else 1.0
    scale = spec.mev_scale * sensitivity
    error = abs(estimate - effect)
    gained = (abs(effect) - error) / scale if spec.mev_reading == "centred" else 1.0 - error / scale
    return book, exact(spec.mev * min(1.0, max(-1.0, gained)))


def _book_shocks(state: State, book: Book, seat: int) -> Book:
    """The book with this move counted for every shock whose echo in the belief is awaited."""
    fresh = _fresh_shocks(state, seat)
    if not fresh and not book.due:
        return book
    followed, seen, waiting = book.followed, book.shocks, []
    for one in (*book.due, *fresh):
        if one.moves > 1:
            waiting.append(Due(one.effect, one.moves - 1))
        else:
            seen += 1
            followed += _follows(state, seat, book.belief, one.effect)
    return replace(book, due=tuple(waiting), shocks=seen, followed=followed)


def _fresh_shocks(state: State, seat: int) -> list[Due]:
    """The headlines of this turn that moved the opponent's limit enough to notice."""
    spec, turn = state.setup.reward, state.public.turn
    effects = [shock.effect[1 - seat] for shock in state.shocks if shock.turn == turn]
    return [Due(effect, spec.shock_moves) for effect in effects if abs(effect) >= spec.shock]


def _follows(state: State, seat: int, belief: Belief, effect: float) -> bool:
    """Does the belief about the opponent's walk-away stand where the shock has put it?"""
    terms, spec = terms_of(state.setup.scenario), state.setup.reward
    other = 1 - seat
    stated = prior_of(terms, other).walk_away.mean if belief.walk_away is None else belief.walk_away
    error = abs(stated - state.facts[other].walk_away) / terms.delta0[other]
    return error <= max(0.5 * abs(effect), spec.shock_tolerance)


# Pay ------------------------------------------------------------------------------------------------------------------


def standing_value(state: State, seat: int) -> float:
    """V: what the opponent's standing offer is worth to this seat above its limit, in Δ0, −1…1; 0 without one and
    after the end."""
    theirs = state.public.sides[1 - seat].standing
    if theirs is None or state.public.ended is not None:
        return 0.0
    value = surplus(state, seat, theirs) / terms_of(state.setup.scenario).delta0[seat]
    return min(1.0, max(-1.0, value))


def pay(state: State, seat: int) -> tuple[Book, Mapping[str, float]]:
    """What a seat is paid now (it sees the state next, or the episode is over), and its book after that."""
    book, spec = _book(state, seat), state.setup.reward
    row = book.row or Row(state.public.turn)
    refused = state.invalid[seat] is not None and state.public.ended is None
    value = book.value if refused else exact(spec.delta_v * standing_value(state, seat))
    row = replace(row, delta_v=value - book.value)
    rows = (*book.rows, row)
    book = replace(book, rows=rows, value=value, row=None)
    paid = {"delta_v": row.delta_v, "concession": row.concession, "noise": row.noise}
    if spec.when == "immediate":
        paid |= {"tom": row.tom, "bluff": row.bluff, "mev": row.mev}
    return book, paid


def settle(state: State, seat: int) -> tuple[Book, Mapping[str, float], Mapping[str, float]]:
    """The last payment: the last move's terms, all that was booked for the end, and the terminal terms.

    Returns the book, what is paid, and the terminal terms alone.
    """
    book, paid = pay(state, seat)
    spec = state.setup.reward
    book = _close_shocks(state, book, seat)
    if not _bluffs_count(state, seat):
        if spec.when == "immediate":
            paid = {**paid, "bluff": -sum(row.bluff for row in book.rows[:-1])}
        book = replace(book, rows=tuple(replace(row, bluff=0.0) for row in book.rows))
    if spec.when == "end":
        paid = {**paid, **{term: sum(getattr(row, term) for row in book.rows) for term in LATE}}
    terminal = _terminal(state, book, seat, spec)
    return book, {**paid, **terminal}, terminal


def _close_shocks(state: State, book: Book, seat: int) -> Book:
    """Shocks whose time had not come when the episode ended are judged by the last belief."""
    followed = sum(_follows(state, seat, book.belief, one.effect) for one in book.due)
    return replace(book, shocks=book.shocks + len(book.due), followed=book.followed + followed, due=())


def in_limit(state: State, seat: int) -> bool:
    """Is the deal inside this seat's limit, or was it inside the limit shown when the seat made the offer?"""
    ended = state.public.ended
    assert ended is not None and ended.outcome is not None
    return surplus(state, seat, ended.outcome) >= 0 or (ended.seat != seat and state.safe[seat])


def _bluffs_count(state: State, seat: int) -> bool:
    """Challenges are paid only if the episode ends in a deal inside the limit or a right walk-away."""
    ended = state.public.ended
    assert ended is not None
    if ended.reason == "deal":
        return in_limit(state, seat)
    return ended.reason == "walk_away" and ended.seat == seat and not zopa_exists(state)


def efficiency(state: State, seat: int) -> float:
    """E: the share of what the opponent's limit would have allowed that the deal gave; 0 without a deal or a ZOPA."""
    ended = state.public.ended
    if ended is None or ended.outcome is None or not zopa_exists(state, erosion=False):
        return 0.0
    return min(1.0, max(0.0, surplus(state, seat, ended.outcome) / reference_width(state, seat)))


def reference_width(state: State, seat: int) -> int:
    """Δref: the most surplus the seat could have at the true limits now, with all that was thrown in, erosion out, at
    least a tenth of Δ0; in hundredths of money."""
    terms, ticks = terms_of(state.setup.scenario), state.public.ticks
    mine, theirs = state.facts[seat], state.facts[1 - seat]
    least = round(state.setup.reward.least_width * terms.delta0[seat])
    scenario, public = state.setup.scenario, state.public
    their_limit = theirs.limit - ticks * tick_size(terms, 1 - seat) - extras(scenario, public, theirs)
    most = best_within(terms, mine.utility, theirs.utility, their_limit)
    if most is None:
        return least
    return max(least, most + extras(scenario, public, mine) - (mine.limit - ticks * tick_size(terms, seat)))


def _terminal(state: State, book: Book, seat: int, spec: RewardSpec) -> dict[str, float]:
    ended = state.public.ended
    assert ended is not None
    if ended.reason == "deal":
        if not in_limit(state, seat):
            return {"cliff": -exact(spec.cliff)}
        e = efficiency(state, seat)
        early = (T_MAX - ended.turn) / T_MAX
        followed = book.followed / book.shocks if book.shocks else 1.0
        return {
            "efficiency": exact(spec.efficiency * e),
            "speed": exact(spec.speed * early * (e if spec.speed_reading == "efficiency" else 1.0)),
            "adaptation": exact(spec.adaptation * e * followed),
        }
    if ended.reason in ("walk_away", "forfeit") and ended.seat != seat:
        return {"no_deal": exact(spec.opponent_left)}
    if ended.reason == "walk_away":
        return {"no_deal": exact(spec.walk_wrong if zopa_exists(state) else spec.walk_right)}
    return {"no_deal": exact(spec.no_deal)}


def grade(state: State, seat: int) -> Grade | None:
    """The grade of an episode that is over, for a graded seat; else None."""
    book, ended = state.books[seat], state.public.ended
    if book is None or ended is None or state.final is None:
        return None
    terminal = state.final[seat]
    ledger = tuple(msgspec.to_builtins(row) for row in book.rows)
    deal = ended.outcome is not None
    sigma = surplus(state, seat, ended.outcome) if ended.outcome is not None else 0
    width = reference_width(state, seat) if zopa_exists(state, erosion=False) else 0
    total = math.fsum(v for row in ledger for k, v in row.items() if k != "turn") + math.fsum(terminal.values())
    return Grade(
        reward=total,
        efficiency=efficiency(state, seat),
        terminal=dict(terminal),
        ledger=ledger,
        belief_skill=0.25 * sum(book.skills),
        deal=deal,
        breach=deal and not in_limit(state, seat),
        zopa_existed=zopa_exists(state, erosion=False),
        walk_was_right=not zopa_exists(state),
        surplus=sigma / CENTS,
        left_on_table=max(0, width - sigma) / CENTS if deal else width / CENTS,
        invalid_moves=book.invalid,
        when=state.setup.reward.when,
        omega=state.setup.reward.cliff,
    )
