"""An episode of a policy as a client of the live socket would have it: each action it would send, and all that it
would be answered.

The policy plays in this process and sees views; what it does is put into the wire's actions, and it is the action,
read as every door reads it, that is played. Where a policy only notes that there are words, some are said, so that the
opponent, which may take up the player's words, says the same on both sides.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec.structs import replace

from agent.registry import opponent
from parlay_env.actions import move_of
from parlay_env.core import Policy, Viewer, play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Belief, Claim, Move, Setup
from parlay_env.deal.terms import CENTS, Offer, Terms, range_of, terms_of, value_of
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction
from parlay_env.observe import observation
from parlay_env.rng import Draws

SAID = (
    "Here is where we stand.",
    "Let us go on.",
    "That is our position for now.",
    "We have thought about it again.",
    "This is what we can do.",
)
"""What is said where a policy says that it speaks, and no more. No amounts, and never the same twice in a row."""
BEYOND = 1000.0
"""Added to the end of an issue's range, for a figure that is outside of it."""
_GAME = Deal()


class Answer(msgspec.Struct, frozen=True):
    """What a step, or a reset, is answered."""

    observation: dict[str, Any]
    """Without prompt, and without what is None."""
    reward: float | None
    """None after a reset."""
    terms: dict[str, float]
    done: bool


class Transcript(msgspec.Struct, frozen=True):
    """An episode from the client's side: the answer to its reset, then one for each of its actions."""

    actions: tuple[dict[str, Any], ...]
    answers: tuple[Answer, ...]
    reward: float
    """Everything paid."""


def transcript(policy: Policy, setup: Setup, seed: int) -> Transcript:
    """Play a policy against the setup's persona, who speaks."""
    speaker = _Speaker(policy)
    players = {setup.seat: speaker, SEATS[1 - setup.learner]: opponent(setup.opponent.name)}
    episode = play_episode(_GAME, setup, seed, players, keep_log=False)
    final: View = _GAME.view(episode.state, Viewer("player", setup.seat))
    paid = episode.rewards[setup.seat]
    seen = [*speaker.seen, as_sent(observation(final, with_prompt=False))]
    answers = [Answer(seen[0], None, {}, done=not paid)]
    for k, terms in enumerate(paid, 1):
        answers.append(Answer(seen[k], sum(terms.values()), dict(terms), done=k == len(paid)))
    assert final.grade is not None
    return Transcript(tuple(speaker.actions), tuple(answers), final.grade.reward)


def as_sent(seen: dict[str, Any]) -> dict[str, Any]:
    """An observation as it comes out of JSON, without what is None."""
    return {name: value for name, value in json.loads(msgspec.json.encode(seen)).items() if value is not None}


class Scribe:
    """A policy whose moves go through the wire's actions and back. The actions are kept."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.actions: list[dict[str, Any]] = []

    def act(self, view: View, rng: Draws) -> Move:
        move: Move = self.policy.act(view, rng)
        if move.voiced and not move.utterance:
            move = replace(move, utterance=SAID[view.public.sides[view.seat].steps % len(SAID)])
        action = action_of(view, move)
        self.actions.append(action)
        return move_of(view, ParlayAction.model_validate(action))


class _Speaker(Scribe):
    """A scribe that keeps what is seen before each move, too."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.seen: list[dict[str, Any]] = []

    def act(self, view: View, rng: Draws) -> Move:
        self.seen.append(as_sent(observation(view, with_prompt=False)))
        return super().act(view, rng)


# A move as an action --------------------------------------------------------------------------------------------------


def action_of(view: View, move: Move) -> dict[str, Any]:
    """The wire's action for a move: what `parlay_env.actions.move_of` reads as it. An offer outside of every range
    becomes one that is refused as well."""
    terms = terms_of(view.setup.scenario)
    action: dict[str, Any] = {
        "utterance": move.utterance,
        "offer": None if move.offer is None else _figures(terms, move.offer),
        "tactical_move": move.card or None,
        "sweetener": move.item or None,
        "claim_value": None if move.claim is None else _claimed(terms, view.seat, move.claim),
        "question": move.question or None,
        "challenge": move.challenge,
        "accept_deal": move.accept,
        "walk_away": move.walk,
        "belief": None if move.belief is None else _reported(terms, 1 - view.seat, move.belief),
        "event_impact": move.event_impact,
    }
    return {name: value for name, value in action.items() if value is not None and value is not False and value != ""}


def _figures(terms: Terms, offer: Offer) -> dict[str, float]:
    return {issue.name: _figure(terms, k, offer[k]) for k, issue in enumerate(terms.scenario.issues)}


def _figure(terms: Terms, k: int, place: int) -> float:
    low, high = range_of(terms, k)
    if place < 0:
        return low - BEYOND
    return value_of(terms, k, place) if place < terms.counts[k] else high + BEYOND


def _claimed(terms: Terms, seat: int, claim: Claim) -> float:
    return _amount(terms, seat, claim.value) if claim.kind in ("limit", "budget") else float(claim.value)


def _reported(terms: Terms, seat: int, belief: Belief) -> dict[str, float]:
    figures = {
        "est_walk_away": None if belief.walk_away is None else _amount(terms, seat, belief.walk_away),
        "est_budget": None if belief.budget is None else _amount(terms, seat, belief.budget),
        "est_urgency": belief.urgency,
        "est_has_alternative": belief.has_alternative,
    }
    return {name: value for name, value in figures.items() if value is not None}


def _amount(terms: Terms, seat: int, utility: int) -> float:
    """A seat's limit as the wire has it: a price, or a utility in money."""
    return (-utility if terms.is_price and seat == 1 else utility) / CENTS
