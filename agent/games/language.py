"""A language model as a player of a strategic game: the game's prompt in, a move out.

What the model says is played as it is, or refused as the game refuses a move: an answer without a move in it, or with
a field that can't be read, is played as `NO_MOVE`, which no game allows in any phase. So nothing is ever played that
the model didn't say, and its errors cost what the game's rules say that an error costs.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agent.games.beliefs import Belief
from agent.llm.base import Message, Provider, ProviderError
from agent.llm.names import Manner
from agent.llm.spoken import CLASSES, Class, Spoken
from agent.llm.text import found_object, is_text, strict_object
from parlay_env.games import bertrand, commons, levers, rps_talk, signalling, size_price, teamwork, undercover
from parlay_env.games.figures import converted
from parlay_env.games.interface import StrategicGame
from parlay_env.games.messages import Line, parse
from parlay_env.games.messages import Spoken as SpokenMove
from parlay_env.games.wording import prompt_of
from parlay_env.rng import Draws, Purpose

SYSTEM = "You are playing a game. Answer every message with one JSON object in the form it asks for, and nothing else."
NO_MOVE: Mapping[type, Any] = {
    bertrand.Move: bertrand.Move(),
    commons.Move: commons.Move(catch_t=-1),
    levers.Move: levers.Move(-1),
    rps_talk.Move: rps_talk.Move(),
    signalling.Move: signalling.Move(-1),
    size_price.Move: size_price.Move(),
    teamwork.Move: teamwork.Move(-1),
    undercover.Move: undercover.Move(vote=""),
}
"""By the game's type of move: one that is not allowed, whatever is due."""
MOST_WORDS = {"think": 600, "talk": 300}
"""Characters of a field that a model is held to. The games take more."""
SUM_WITHIN = 0.05
"""How far the shares of a belief may be from 1 in sum: they are written with few digits."""
_KEPT = ("type", "items", "additionalProperties")
_SAMPLING = Purpose.POLICY + 90
_SEEDS = 2**31 - 1
"""Providers take seeds of 31 bits."""
_EXPECTS = re.compile(r"\bexpect:((?:[ ,;]*[a-z_]+[ =:]+[0-9]*\.?[0-9]+%?)+)", re.IGNORECASE)
_SHARE = re.compile(r"([a-z_]+)[ =:]+([0-9]*\.?[0-9]+)(%?)", re.IGNORECASE)


class Read(msgspec.Struct, frozen=True):
    """An answer that was read. `move` is None where it is `illegal` or `absent`."""

    kind: Class
    move: Any = None
    repairs: tuple[str, ...] = ()


def read(text: str, kind: type) -> Read:
    """The move of this type in a model's text; in a game with talk also one strict text. Half a surrogate
    pair in a move makes it `illegal`. Never raises."""
    whole = strict_object(text)
    if whole is not None and (move := _converted(whole, kind)) is not None:
        return Read("ok", move)
    if issubclass(kind, SpokenMove) and isinstance(parse(text), Line):
        return Read("ok", kind(text=text)) if is_text(text) else Read("illegal")
    found = found_object(text)
    names = {field.encode_name for field in msgspec.structs.fields(kind)}
    if found is None or not found[0].keys() & names:
        return Read("absent")
    given, how = found
    known = {name: value for name, value in given.items() if name in names}
    repairs = (*how, *(("unknown_field",) if len(known) < len(given) else ()))
    move = _converted(known, kind)
    if move is None and (move := _converted(known, kind, strict=False)) is not None:
        repairs = (*repairs, "figure")
    return Read("illegal", None, repairs) if move is None else Read("repaired", move, repairs)


def _converted(given: Mapping[str, Any], kind: type, *, strict: bool = True) -> Any:
    """The move, if it is one that can be written into a log."""
    try:
        move = converted(given, kind, strict=strict)
    except (msgspec.ValidationError, UnicodeError):
        return None
    return move if is_text(move) else None


def belief_in(thought: str, plays: Sequence[str]) -> Belief | None:
    """The belief that a thought tells last, as `expect: rock 0.2, paper 0.5, scissors 0.3` or in per cent, rescaled to
    sum to 1; None where it tells none over just these plays."""
    told = _EXPECTS.findall(thought)
    if not told:
        return None
    pairs = _SHARE.findall(told[-1])
    shares = {name.lower(): float(figure) / (100 if percent else 1) for name, figure, percent in pairs}
    total = sum(shares.values())
    if len(pairs) != len(plays) or set(shares) != set(plays) or abs(total - 1) > SUM_WITHIN:
        return None
    return {play: share / total for play, share in shares.items()}


class LanguagePlayer:
    """A language model that plays one episode: an `AsyncPolicy`, and `agent.games.beliefs.Expecting` where it is asked
    what it expects. The draws choose the provider's seed."""

    def __init__(
        self, provider: Provider, game: StrategicGame, manner: Manner | None = None, plays: Sequence[str] = ()
    ) -> None:
        """`plays`: the other's plays, about which the model is asked, in its thinking, what it expects; none: it is not
        asked."""
        self._provider, self._game, self._manner, self._plays = provider, game, manner or Manner(), plays
        self._own: deque[tuple[int, str]] = deque(maxlen=self._manner.memory)
        self._asked = 0
        self._open: Read | None = None
        self._belief: Belief | None = None
        self.spoken = Spoken(dict.fromkeys(CLASSES, 0))
        """Of all moves whose answer has been seen: `settle` sees the last."""

    async def act(self, view: Any, rng: Draws) -> Any:
        """The model's move. Raises ProviderError, whose usage is counted, too."""
        self.settle(view)
        self._asked += 1
        manner, kind = self._manner, self._game.move_type
        try:
            reply = await self._provider.complete(
                self._messages(view),
                form_of(kind, talks=getattr(view, "talks", False)) if manner.schema else None,
                max_tokens=manner.max_tokens,
                temperature=manner.temperature,
                seed=rng.integer(0, _SEEDS, self._asked, _SAMPLING),
            )
        except ProviderError as error:
            self.spoken += Spoken({}, usage=error.usage)
            raise
        found = self._open = read(reply.text, kind)
        self._belief = belief_in(_thought(found.move), self._plays) if self._plays else None
        if found.move is not None:
            said = msgspec.to_builtins(found.move)
            self._own.append((self._asked, said.get("text") or msgspec.json.encode(_given(said)).decode()))
        self.spoken += Spoken({}, {}, reply.stop == "length", reply.stop == "filter", reply.usage)
        return NO_MOVE[kind] if found.move is None else found.move

    def expects(self, view: Any, rng: Draws) -> Belief | None:  # noqa: ARG002
        """What the newest answer's thought says that the other will play; None where it doesn't."""
        return self._belief

    def settle(self, view: Any) -> None:
        """Count the newest move by what this view, the next one or that of the end, says came of it."""
        if self._open is None:
            return
        refused = self._open.kind != "absent" and view.invalid is not None
        kind: Class = "illegal" if refused else self._open.kind
        self.spoken += Spoken({kind: 1}, dict.fromkeys(self._open.repairs, 1))
        self._open = None

    def _messages(self, view: Any) -> list[Message]:
        said = [Message("system", SYSTEM)]
        for number, text in self._own:
            said += [Message("user", f"Your move number {number}?"), Message("assistant", text)]
        prompt = prompt_of(self._game, msgspec.to_builtins(view))
        return [*said, Message("user", f"{prompt}{_question(self._plays)}" if self._plays else prompt)]


def _question(plays: Sequence[str]) -> str:
    """What is asked besides, of a model's belief."""
    even = ", ".join(f"{play} {1 / len(plays):.2f}" for play in plays)
    return (
        "\nThink first, in at most three sentences, and end `think` with how likely you hold each play of the other's "
        f"to be, in shares that sum to 1. If you knew nothing, that would be: expect: {even}"
    )


def _thought(move: Any) -> str:
    """A move's private thought."""
    if not isinstance(move, SpokenMove):
        return ""
    line = None if move.text is None else parse(move.text)
    return line.think if isinstance(line, Line) else move.think


def _given(said: Mapping[str, Any]) -> dict[str, Any]:
    """A move's fields that say something."""
    return {name: value for name, value in said.items() if value not in (None, "")}


# The form of an answer ------------------------------------------------------------------------------------------------


def form_of(kind: type, *, talks: bool = False) -> dict[str, Any]:
    """The JSON schema of a move, for providers that hold an answer to one: no reference, no null, no default.

    In a game with thinking: a thought and a play, or a message in its place where the player `talks`; without
    `text`, which says in one what the other fields say apart.
    """
    found = msgspec.json.schema(kind)
    whole = _small(found, found["$defs"])
    if not issubclass(kind, SpokenMove):
        return whole
    fields = whole["properties"]
    for name, most in MOST_WORDS.items():
        fields[name]["maxLength"] = most
    parts = ("talk", "play") if talks else ("play",)
    forms = [
        {**whole, "properties": {"think": fields["think"], part: fields[part]}, "required": ["think", part]}
        for part in parts
    ]
    return forms[0] if len(forms) == 1 else {"type": "object", "anyOf": forms}


def _small(schema: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _small(known[schema["$ref"].rpartition("/")[2]], known)
    if "anyOf" in schema:
        options = [_small(one, known) for one in schema["anyOf"] if one.get("type") != "null"]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if "enum" in schema:
        named = [one for one in schema["enum"] if one is not None]
        return {"type": "string", "enum": named}
    if "properties" in schema:
        fields = {name: _small(one, known) for name, one in schema["properties"].items()}
        needed = list(schema.get("required", ()))
        return {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}
    kept = {name: value for name, value in schema.items() if name in _KEPT}
    return {name: _small(value, known) if isinstance(value, Mapping) else value for name, value in kept.items()}
