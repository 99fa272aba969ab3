"""From a decision to what is said: the decision and the public history as a `Say`, and the persona's words for it."""

from __future__ import annotations

from msgspec.structs import replace

from agent.personas import Persona
from agent.speech import Say, speak
from agent.table import Table
from game.cards import TOPIC_INDEX
from parlay_env.deal.state import SEATS, T_MAX, ClaimMade, Move
from parlay_env.figures import claim_value
from parlay_env.prompt import figure, spoken_offer
from parlay_env.rng import Draws


def say(table: Table, persona: Persona, move: Move, rng: Draws) -> Move:
    """The move with the persona's words."""
    if not move.voiced:
        return move
    return replace(move, utterance=speak(persona.id, said(table, move), rng))


def said(table: Table, move: Move) -> Say:
    """What there is to say."""
    terms, mine, theirs, public = table.terms, table.mine, table.theirs, table.public
    claim = "" if move.claim is None else _claim_text(table, move)
    reply, topic = _reply(table)
    return Say(
        intent=_intent(table, move),
        scenario=table.view.setup.scenario.id,
        seat=SEATS[table.view.seat],
        figure="" if move.offer is None else spoken_offer(terms, move.offer),
        their_figure="" if theirs.standing is None else spoken_offer(terms, theirs.standing),
        reply_to=reply,
        topic=topic,
        answer=("claim" if move.claim is not None and not move.card else "evade") if topic else "",
        claim="" if move.claim is None else move.claim.kind,
        claim_text=claim,
        challenge=move.challenge,
        card=move.card,
        item=_item(table, move),
        news=bool(public.news) and public.news[-1].turn == public.turn,
        tension=public.tension,
        turn=table.turn,
        turns_left=T_MAX - table.turn,
        theirs=theirs.utterance,
        previous=mine.utterance,
    )


def _intent(table: Table, move: Move) -> str:
    if move.accept:
        return "accept"
    if move.walk:
        return "walk"
    if move.offer is None:
        return "talk" if table.mine.standing is None else "hold"
    if table.mine.offers == 0 or (table.mine.standing is None and table.surplus(move.offer) > table.last - 0.005):
        return "open"  # the first offer, or the same again after a headline swept the table
    if move.final:
        return "final"
    standing = table.theirs_standing
    if standing is not None and abs(table.surplus(move.offer) - 0.5 * (table.last + standing)) < 0.01:
        return "split"
    return "concede"


def _reply(table: Table) -> tuple[str, str]:
    """What the other side just did, and the topic when it was a question."""
    theirs = table.theirs
    if theirs.question:
        again = theirs.asked[TOPIC_INDEX[theirs.question]] > 1
        return ("repeated_question" if again else "question"), theirs.question
    if theirs.challenged:
        return f"challenge_{theirs.challenged}", ""
    if theirs.card and theirs.card != "anchor_high":
        return theirs.card, ""
    if theirs.steps == 0 or theirs.offers == 0:
        return "", ""
    if theirs.card == "anchor_high" or (theirs.offers == 1 and theirs.ask > 0.05 and theirs.idle == 0):
        return "anchor", ""
    if theirs.offers == 1:
        return "", ""
    if theirs.step >= 0.02:
        return "concession", ""
    if theirs.step > 0:
        return "crumb", ""
    return ("walkback", "") if theirs.ask > theirs.best + 0.02 and theirs.offers > 1 else ("no_movement", "")


def _claim_text(table: Table, move: Move) -> str:
    assert move.claim is not None
    value = claim_value(table.terms, ClaimMade(table.turn, table.view.seat, move.claim))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if move.claim.kind == "deadline":
        return f"turn {int(value)}"
    money = f"{figure(value)} {table.view.setup.scenario.currency}"
    return money if table.terms.is_price else f"{money} in value"


def _item(table: Table, move: Move) -> str:
    items = table.view.setup.scenario.sweeteners
    return next((item.title.en for item in items if item.id == move.item), "")
