"""A language model as a player: the player's prompt in, a JSON action out.

What the model says is played as it is, or refused as the game refuses a move: an answer without an action, or with a
field that can't be read, is an invalid move. It costs what an invalid move costs, uses no turn, is told in the next
prompt, and three in a row forfeit the game. So nothing is ever played that the model didn't say, and a model can't
earn anything by saying nothing.
"""

from __future__ import annotations

from collections import deque

from agent.llm.base import Message, Provider, ProviderError, Reply
from agent.llm.names import Manner
from agent.llm.parse import Parsed, parse
from agent.llm.schema import action_schema
from agent.llm.spoken import CLASSES, Spoken
from parlay_env.actions import move_of
from parlay_env.deal.state import Move
from parlay_env.deal.views import View
from parlay_env.prompt import prompt_of
from parlay_env.rng import Draws, Purpose

SYSTEM = "You are negotiating. Answer every message with one JSON object in the form it asks for, and nothing else."
_SAMPLING = Purpose.POLICY + 90
_SEEDS = 2**31 - 1
"""Providers take seeds of 31 bits."""


class LanguagePolicy:
    """A language model that plays one episode: an `AsyncPolicy`.

    The draws choose the provider's seed, so that a provider that keeps to seeds plays the same episode again.
    """

    def __init__(self, provider: Provider, manner: Manner | None = None) -> None:
        self._provider = provider
        self._manner = manner or Manner()
        self._own: deque[tuple[int, str]] = deque(maxlen=self._manner.memory)
        self._open: Parsed | None = None
        self.spoken = Spoken(dict.fromkeys(CLASSES, 0))
        """Of all moves whose answer has been seen: `settle` sees the last."""

    async def act(self, view: View, rng: Draws) -> Move:
        """The model's move. Raises ProviderError, whose usage is counted, too."""
        self.settle(view)
        manner, public = self._manner, view.public
        steps = public.sides[view.seat].steps
        try:
            reply = await self._provider.complete(
                self._messages(view),
                action_schema(view) if manner.schema else None,
                max_tokens=manner.max_tokens,
                temperature=manner.temperature,
                seed=rng.integer(0, _SEEDS, public.turn, _SAMPLING, steps % 256),
            )
        except ProviderError as error:
            self.spoken += Spoken({}, usage=error.usage)
            raise
        self._note(reply, parsed := parse(reply.text), public.turn)
        if parsed.action is None:
            return Move(refused=parsed.problem)
        return move_of(view, parsed.action)

    def settle(self, view: View) -> None:
        """Count the newest move by what this view, the next one or that of the end, says came of it."""
        if self._open is None:
            return
        kind = self._open.kind
        if kind != "absent" and view.invalid is not None:
            kind = "illegal"
        self.spoken += Spoken({kind: 1}, dict.fromkeys(self._open.repairs, 1))
        self._open = None

    def _messages(self, view: View) -> list[Message]:
        said = [Message("system", SYSTEM)]
        for turn, text in self._own:
            said += [Message("user", f"Your move in turn {turn}?"), Message("assistant", text)]
        return [*said, Message("user", prompt_of(view))]

    def _note(self, reply: Reply, parsed: Parsed, turn: int) -> None:
        self._open = parsed
        if parsed.action is not None:
            words = parsed.action.model_dump_json(exclude_defaults=True)
            self._own.append((turn, words))
        self.spoken += Spoken({}, {}, reply.stop == "length", reply.stop == "filter", reply.usage)
