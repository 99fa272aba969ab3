"""A learner that speaks, and says what it believes: its decisions are its own, words and beliefs are added.

The words are those of a persona's lexicon (`agent.speech`) for what the learner decided. Each episode draws one of the
personas that do not sit opposite, from the learner's own draws: the same seed, the same words. They name the own offer,
the other's, a claim's figure and no other amount; no rule and no term of the reward looks at anything else in them. So
an episode pays what the same moves pay with any other words.

The beliefs are those of the tracker (`agent.beliefs`), which sees the learner's view alone. What is played is what
every door reads out of the wire's action: figures of beliefs are rounded as a person would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from agent.personas import PERSONAS, Persona
from agent.speech import speak
from agent.table import style_of as drawn_style
from agent.table import table_of
from agent.words import said
from game.cards import TOPIC_INDEX
from game.events import market_kinds
from parlay_env.core import Policy
from parlay_env.deal.state import Belief, Move
from parlay_env.deal.terms import CENTS, terms_of
from parlay_env.deal.views import View
from parlay_env.rng import Draws
from training.wire import as_read, wire_action

if TYPE_CHECKING:
    from agent.beliefs import Tracker

VOICE, ASKING = 80, 81
"""Purposes of the draws (64–95 are for words): whose voice, which question."""
FINE = 200
"""A believed limit is told on a grid of at most Δ0/200: 100, 1,000, 10,000 …"""

QUESTIONS: dict[str, tuple[str, ...]] = {
    "timeline": (
        "How soon do you need this settled?",
        "What does your calendar look like on this?",
        "Is there a date you are working toward?",
        "When does this have to be signed on your side?",
        "Are you under any time pressure here?",
        "How long can this stay open for you?",
        "By when would you like to be done?",
        "What happens on your side if this takes longer?",
    ),
    "alternatives": (
        "Are you talking to anyone else about this?",
        "What would you do if we don't come together?",
        "Do you have another offer on the table?",
        "Who else are you considering?",
        "Is there somebody else you could go with?",
        "How do you stand if this falls through?",
        "Are there other parties in the picture?",
        "What is your fallback, if I may ask?",
    ),
    "authority": (
        "How far can you go on your own authority?",
        "Is there a ceiling you have to keep to?",
        "Who has to sign off on this at your end?",
        "What room have you been given?",
        "Can you decide this yourself?",
        "Is your mandate tighter than what we are discussing?",
        "How much of this is yours to decide?",
        "Do you need anyone's approval for a figure like this?",
    ),
    "priorities": (
        "What matters most to you in this?",
        "Where is it easiest for you to move?",
        "What would make this a good deal for you?",
        "Which part of this is hardest for you?",
        "What do you care about beyond the headline figure?",
        "If you could improve one thing, what would it be?",
        "What should we get right above all?",
        "Help me understand: what counts most on your side?",
    ),
}
"""Personas ask nothing; a learner may."""


class Speaking:
    """A policy's moves with words and, where `believes` and the policy reports none itself, the tracker's beliefs."""

    def __init__(self, policy: Policy, *, believes: bool) -> None:
        """`believes` needs a scripted opponent: the tracker knows no others."""
        self.policy = policy
        self.believes = believes
        self._tracker: Tracker | None = None
        self._before: Move | None = None
        self._voice: Persona | None = None

    def act(self, view: View, rng: Draws) -> Move:
        """The policy's move, as every door would read it from the action that a client sends."""
        move: Move = self.policy.act(view, rng)
        if self.believes:
            move = self._believing(view, move, rng)
        if move.voiced and not move.utterance:
            self._voice = self._voice or voice_for(view, rng)
            move = replace(move, utterance=words_for(view, move, self._voice, rng))
        self._before = as_read(view, wire_action(view, rounded(view, move)))
        return self._before

    def _believing(self, view: View, move: Move, rng: Draws) -> Move:
        """The move with what the tracker makes of this view, where the policy itself says nothing."""
        from agent.beliefs import Tracker  # compiled: who plays with it pays for it, nobody else

        if self._tracker is None:
            self._tracker = Tracker(view, rng.key)
        else:
            self._tracker.update(view, self._before)
        if move.belief is None:
            found = self._tracker.beliefs()
            told = Belief(
                round(found.walk_away.median),
                round(found.budget.median),
                min(1.0, max(0.0, found.urgency.median)),
                min(1.0, max(0.0, found.has_alternative)),
            )
            move = replace(move, belief=told)
        return move if move.event_impact is not None else replace(move, event_impact=expected_impact(view))


def voice_for(view: View, rng: Draws) -> Persona:
    """Whose words this episode's learner speaks: a persona's that does not sit opposite."""
    others = [one for name, one in PERSONAS.items() if name != view.setup.opponent.name]
    return others[rng.integer(0, len(others) - 1, 0, VOICE)]


def words_for(view: View, move: Move, voice: Persona, rng: Draws) -> str:
    """What is said with this move in this voice; a question at the end. Never twice the same in a row."""
    table = table_of(view, voice, drawn_style(voice, rng))
    words = speak(voice.id, said(table, move), rng)
    if not move.question:
        return words
    asked = QUESTIONS[move.question]
    again = view.public.sides[view.seat].asked[TOPIC_INDEX[move.question]]
    question = asked[(rng.integer(0, len(asked) - 1, 0, ASKING, TOPIC_INDEX[move.question]) + again) % len(asked)]
    return f"{words} {question}".strip()


def expected_impact(view: View) -> float | None:
    """What a market headline of this turn does to the opponent's limit in the mean, as documented; None without one."""
    news = view.public.news
    if not news or not news[-1].market or news[-1].turn != view.public.turn:
        return None
    split = view.setup.split
    kind = next(one for one in market_kinds(split) if news[-1].words in one.words[split])
    return (kind.buyer if view.seat == 0 else kind.seller) * view.setup.opponent.mev_sensitivity


def rounded(view: View, move: Move) -> Move:
    """The move with its beliefs in figures as people say them."""
    if move.event_impact is not None:
        move = replace(move, event_impact=round(move.event_impact, 3))
    if (told := move.belief) is None:
        return move
    grain = grain_of(terms_of(view.setup.scenario).delta0[1 - view.seat])
    limits = [None if one is None else round(one / grain) * grain for one in (told.walk_away, told.budget)]
    shares = [None if one is None else round(one, 2) for one in (told.urgency, told.has_alternative)]
    return replace(move, belief=Belief(limits[0], limits[1], shares[0], shares[1]))


def grain_of(width: int) -> int:
    """The power of ten, in hundredths of money, that believed limits are told to; `width`: Δ0, in the same."""
    grain = CENTS
    while grain * 10 * FINE <= width:
        grain *= 10
    return grain
