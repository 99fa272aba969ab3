"""Every baseline by name, with what an audit must know of it. A new one is a function from a desk to a move and its
line here; its docstring is what the roster tells of it: what it does and, after "Farms", what it is after."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from agent.baselines import concession, offers, refused, tactics, timing, words
from agent.baselines.desk import Desk
from parlay_env.core import Policy
from parlay_env.deal.state import Move
from parlay_env.deal.views import View
from parlay_env.rng import Draws

Kind = Literal["random", "concession", "exploit", "words"]
"""Plays by chance; bargains by a rule; is after something else than a good deal; says the same moves otherwise."""
CHASSIS = "fixed_step"
"""What exploits are mounted on that need somebody to bargain for them: the closest rule that believes nothing, so that
what they earn is theirs and not a negotiator's."""
RECIPROCATOR = "tit_for_tat"
"""What those are measured against that return to it: the best of the honest rules."""


class Baseline(msgspec.Struct, frozen=True):
    """A baseline as the audit knows it."""

    name: str
    make: Callable[[], Policy]
    """A fresh player for one episode."""
    kind: Kind
    summary: str
    """What it does."""
    farms: str = ""
    """What it would be paid for if the rules or the reward let it; "" for an honest player."""
    chassis: str = ""
    """The baseline that makes the same moves but for the exploit: what it earns beyond that one is the exploit's. ""
    for a play of its own."""
    lawful: bool = True
    """Are all its moves allowed? Some exploits are an attempt at what isn't."""


class Plays:
    """A player without memory or chance: a function from the desk to the move, and something besides its move."""

    def __init__(self, plays: Callable[[Desk], Move], besides: Callable[[Desk, Move], Move] | None = None) -> None:
        self.plays, self.besides = plays, besides

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        desk = Desk(view)
        move = self.plays(desk)
        return move if self.besides is None else self.besides(desk, move)


def _alone(kind: Kind, plays: Callable[[Desk], Move], chassis: str = "") -> Baseline:
    return Baseline(plays.__name__, lambda: Plays(plays), kind, *_told(plays), chassis)


def _mounted(kind: Kind, besides: Callable[[Desk, Move], Move], lawful: bool = True) -> Baseline:
    def make() -> Policy:
        return Plays(concession.fixed_step, besides)

    return Baseline(besides.__name__, make, kind, *_told(besides), CHASSIS, lawful)


def _told(plays: object) -> tuple[str, str]:
    """What a docstring says that somebody does, and is after."""
    does, _, after = " ".join((plays.__doc__ or "").split()).partition(" Farms ")
    return does, after.removesuffix(".")


def _roster() -> Iterable[Baseline]:
    yield Baseline("random", concession.Random, "random", *_told(concession.Random))
    yield Baseline("random_legal", concession.RandomLegal, "random", *_told(concession.RandomLegal))
    for plays in (
        concession.constant_anchor,
        concession.safe_price,
        concession.fixed_step,
        concession.boulware,
        concession.conceder,
        concession.tit_for_tat,
    ):
        yield _alone("concession", plays)
    for plays in (
        timing.instant_accept,
        timing.floor_closer,
        timing.staller,
        timing.deadline_sniper,
        timing.salami,
        timing.ultimatum,
        timing.walk_at_once,
        timing.abstainer,
        offers.echo_offers,
    ):
        yield _alone("exploit", plays)
    for plays in (
        timing.wait_for_shock,
        timing.news_reset,
        offers.moon_anchor,
        offers.moon_opening,
        offers.oscillator,
        offers.escalator,
    ):
        yield _alone("exploit", plays, RECIPROCATOR)
    yield Baseline("solver", offers.Solver, "exploit", *_told(offers.Solver), CHASSIS)
    for besides in (
        tactics.belief_wiggle,
        tactics.belief_invert,
        tactics.sharp_prior,
        tactics.event_spam,
        tactics.headline_memory,
        tactics.challenge_everything,
        tactics.challenge_provable,
        tactics.challenge_odds,
        tactics.bluff_spam,
        tactics.card_spam,
        tactics.silence_pump,
        tactics.sweetener_flood,
        tactics.question_flood,
        tactics.magpie,
    ):
        yield _mounted("exploit", besides)
    for besides in (refused.self_catcher, refused.repeat_challenge, refused.own_acceptor, refused.invalid_probe):
        yield _mounted("exploit", besides, lawful=False)
    for besides in (
        words.no_words,
        words.keyword_spam,
        words.echo_opponent,
        words.paste_figures,
        words.empty_words,
    ):
        yield _mounted("words", besides)


ROSTER: dict[str, Baseline] = {one.name: one for one in _roster()}
"""Every baseline by name, honest ones first."""
