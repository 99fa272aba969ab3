"""Exploits of what can be done besides bargaining: reports, challenges, claims, cards and questions.

Each takes a desk and the move that its chassis makes there, and gives that move with something besides: what it earns
beyond the chassis is what that something earned.
"""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from agent.baselines.desk import Desk
from agent.baselines.odds import bluff_odds, medians, prior_means, refuted
from game.cards import CARD, CARD_INDEX, QUESTION_COST, TOPIC_INDEX, TOPICS
from game.events import market_kinds
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import Belief, Claim, Move
from parlay_env.deal.terms import worth
from parlay_env.deal.value import items_left

CONSTANT_IMPACT = 0.10
"""What one reports of every event who knows nothing of it, for a sensitivity of 1."""
WORTH_CHALLENGING = 0.05
"""A challenge is worth its heat where a bluff is more probable than its known share by this."""
CALM = 50.0
"""Below this tension a question is worth its heat."""
SILENCES = 2
"""Later silences have a quarter of the strength and less: with them the pump earns less."""
ASK_FIRST = {True: ("alternatives", "timeline", "authority"), False: ("priorities", "alternatives", "timeline")}
"""Topics by how much the sheets tell of the answer's truth; with one issue and with several."""


def _decides(move: Move) -> bool:
    return move.accept or move.walk


# Reports --------------------------------------------------------------------------------------------------------------


def belief_wiggle(desk: Desk, move: Move) -> Move:
    """Reports the worst belief at odd turns and the prior at even ones. Farms the pay for a belief that gets better."""
    return replace(move, belief=_worst(desk) if desk.turn % 2 else prior_means(desk))


def belief_invert(desk: Desk, move: Move) -> Move:
    """Reports the worst belief at its first move and the prior ever after. Farms the pay for what it then learns."""
    return replace(move, belief=_worst(desk) if desk.mine.steps == 0 else prior_means(desk))


def _worst(desk: Desk) -> Belief:
    prior = desk.prior
    return Belief(
        round(prior.walk_away.low), round(prior.budget.low), prior.urgency.high, float(prior.has_alternative < 0.5)
    )


def sharp_prior(desk: Desk, move: Move) -> Move:
    """Reports, at its first move, what its own limit tells of the other's. Farms the pay for learning, without having
    listened."""
    return replace(move, belief=medians(desk)) if desk.mine.steps == 0 else move


def event_spam(desk: Desk, move: Move) -> Move:
    """Reports one and the same impact with every move. Farms the pay for reading the news."""
    return replace(move, event_impact=CONSTANT_IMPACT * desk.view.setup.opponent.mev_sensitivity)


def headline_memory(desk: Desk, move: Move) -> Move:
    """Knows by heart what every headline of the split `train` does. Farms the pay for reading the news."""
    now = [one.words for one in desk.public.news if one.market and one.turn == desk.public.turn]
    known = _impacts(1 - desk.seat).get(now[0]) if now else None
    if known is None:
        return move
    return replace(move, event_impact=known * desk.view.setup.opponent.mev_sensitivity)


@cache
def _impacts(seat: int) -> dict[str, float]:
    """The mean effect on a seat's limit, by a headline's words."""
    kinds = market_kinds("train")
    return {words: (kind.seller, kind.buyer)[seat] for kind in kinds for words in kind.words["train"]}


# Challenges and claims ------------------------------------------------------------------------------------------------


def challenge_everything(desk: Desk, move: Move) -> Move:
    """Disputes every claim. Farms the pay for caught bluffs, and what they cost the other."""
    is_open = newest_open_claim(desk.public, 1 - desk.seat) is not None
    return replace(move, challenge=True) if is_open and not _decides(move) else move


def challenge_provable(desk: Desk, move: Move) -> Move:
    """Disputes only what the public history contradicts. Farms the pay for caught bluffs without a risk."""
    at = newest_open_claim(desk.public, 1 - desk.seat)
    if at is None or _decides(move) or not refuted(desk, at):
        return move
    return replace(move, challenge=True)


def challenge_odds(desk: Desk, move: Move) -> Move:
    """Asks those who bluff, and disputes a claim that by the sheets is a bluff more probably than bluffs are known to
    be. Farms that the known share is one for all figures and scenarios."""
    opponent, public = desk.view.setup.opponent, desk.public
    spent = sum(one.seat != desk.seat and one.status in ("stands", "withdrawn") for one in public.claims)
    if _decides(move) or spent >= desk.view.setup.reward.bluff_count:
        return move
    at = newest_open_claim(public, 1 - desk.seat)
    if at is not None and public.claims[at].turn >= public.turn - 1:  # a claim of its newest move
        made = public.claims[at]
        if bluff_odds(desk, made) > opponent.bluff_share(made.claim.kind, made.turn) + WORTH_CHALLENGING:
            return replace(move, challenge=True)
    bluffs = any(share > 0.0 for pair in opponent.bluffs.values() for share in pair)
    return _asking(desk, move, ASK_FIRST[desk.terms.is_price]) if bluffs and public.tension < CALM else move


def bluff_spam(desk: Desk, move: Move) -> Move:
    """With every offer that can pay for it claims a limit tighter than its own by half of what it asks for. Farms that
    claims are believed."""
    if move.offer is None or desk.mine.points < CARD["batna_reveal"].cost:
        return move
    return replace(move, card="batna_reveal", claim=_bluff(desk, move.offer))


def _bluff(desk: Desk, offer: tuple[int, ...]) -> Claim:
    asked = max(desk.own.limit, worth(desk.own.utility, offer))
    furthest = desk.terms.limits[desk.seat] + 2 * desk.terms.delta0[desk.seat]
    return Claim("limit", min(furthest, (desk.own.limit + asked) // 2))


# Cards and questions --------------------------------------------------------------------------------------------------


def card_spam(desk: Desk, move: Move) -> Move:
    """Reframes with every offer that can pay for it: of the cards that can be repeated, the one that gains most. Farms
    what a card does to a persona, as often as there are points."""
    if move.offer is None or desk.mine.points < CARD["reframe"].cost:
        return move
    return replace(move, card="reframe")


def silence_pump(desk: Desk, move: Move) -> Move:
    """Once both have opened is silent at every other move, as long as silence is strong. Farms what is given into a
    silence."""
    mine = desk.mine
    if move.offer is None or mine.standing is None or desk.theirs.latest is None or mine.card == "silence":
        return move
    if mine.points < CARD["silence"].cost or mine.used[CARD_INDEX["silence"]] >= SILENCES:
        return move
    return Move(card="silence")


def sweetener_flood(desk: Desk, move: Move) -> Move:
    """Throws in everything it has, an item with every offer. Farms that an item is worth more to the other than it
    costs."""
    items = items_left(desk.view.setup.scenario, desk.public, desk.seat)
    if move.offer is None or not items or desk.mine.points < CARD["sweetener"].cost:
        return move
    listed = desk.view.setup.scenario.sweeteners
    cost = -sum(desk.own.item_worth[k] for k, one in enumerate(listed) if one.id == items[0]) / desk.width
    offer = desk.ask(max(cost, desk.surplus(move.offer)))  # the limit binds the offer with the item in it
    return replace(move, card="sweetener", item=items[0], offer=offer)


def question_flood(desk: Desk, move: Move) -> Move:
    """Asks at every turn, one topic after the other, again and again. Farms what answers give away."""
    return _asking(desk, move, TOPICS)


def _asking(desk: Desk, move: Move, topics: tuple[str, ...]) -> Move:
    """The move with a question on the topic that was asked least."""
    if _decides(move) or move.card or desk.mine.points < QUESTION_COST:
        return move
    return replace(move, question=min(topics, key=lambda topic: desk.mine.asked[TOPIC_INDEX[topic]]))


def magpie(desk: Desk, move: Move) -> Move:
    """Takes whatever pays: throws everything in, then reframes; asks, and disputes by the odds. Farms all at once."""
    carded = sweetener_flood(desk, move)
    return challenge_odds(desk, card_spam(desk, move) if carded is move else carded)
