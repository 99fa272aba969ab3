"""What a learner is asked and answers: an observation as messages, a move as text, and the template around both.

Two forms. `full` is the prompt that every door sends with an observation, and any action that the wire takes. `brief`
is for small models on small machines: the main facts in a tenth of the tokens, and an answer of a few. Both are made
from what a player sees and nothing else, and both answers are read by the same parser.

| | full | brief |
| --- | --- | --- |
| prompt | `observation.prompt` (about 450 tokens) | a few lines of figures (about 80) |
| answer | every field of an action | words by the turn, the offer, accept, walk away, a question, a challenge |
| figures | exact | three significant digits; the own limit rounded to the safe side |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Literal, get_args

import msgspec

Form = Literal["full", "brief"]
FORMS: tuple[Form, ...] = get_args(Form)
Messages = list[dict[str, str]]
"""A conversation as chat templates take it: `role` and `content`."""

DIGITS = 3
"""Significant digits of a figure in the brief form."""
SHOWN = 3
"""Offers of each side that the brief form shows, the newest first."""
PHRASES = (
    "Here is our offer.",
    "Let us move on.",
    "This would work for us.",
    "We have looked at it again.",
    "That is where we stand.",
    "Please consider this.",
)
"""What the brief form says, by the turn: a move without words is curt, and words said twice in a row are noise."""
KEPT = ("offer_amount", "offer", "accept_deal", "walk_away", "question", "challenge")
"""Fields of an action that the brief form keeps, besides its words."""

CHATML_END = "<|im_end|>"
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{% if message['role'] == 'assistant' %}"
    "{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}"
    "{% if not loop.last or message['role'] != 'assistant' %}{{ '\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
"""ChatML that marks what an assistant says, its end included: what the loss is on. No system prompt; nothing after the
last answer's end, since nothing is said there. Newlines are expressions: a template engine that trims blocks would take
those that follow one."""


def asked(observation: Mapping[str, Any], form: Form) -> Messages:
    """The conversation that asks for the move. `observation`: as the wire has it, with its prompt for `full`."""
    if form == "brief":
        return [_user(brief(observation))]
    prompt = observation.get("prompt")
    if not prompt:
        raise ValueError("the full form needs an observation with its prompt: reset with prompt=True")
    return [_user(str(prompt))]


def answered(action: Mapping[str, Any], observation: Mapping[str, Any], form: Form) -> str:
    """The action as the text that a learner shall answer with: one line of JSON."""
    if form == "full":
        return msgspec.json.encode(action).decode()
    kept = {name: action[name] for name in KEPT if action.get(name)}
    words = {"utterance": PHRASES[int(observation["turn"]) % len(PHRASES)]}
    up = observation["seat"] == "seller"
    if "offer_amount" in kept:
        kept["offer_amount"] = _plain(_safe(kept["offer_amount"], up))
    return msgspec.json.encode({**words, **{name: _plain(value) for name, value in kept.items()}}).decode()


def brief(observation: Mapping[str, Any]) -> str:
    """What a player sees, in a few lines of figures."""
    own, prior, seat = observation["own"], observation["prior"], observation["seat"]
    scenario = observation["scenario"]
    price = len(scenario["issues"]) == 1
    up = seat == "seller" or not price
    guess = prior["walk_away"]
    lines = [
        f"{seat} {scenario['id']} {observation['persona']} turn {observation['turn']} left {observation['turns_left']}",
        f"limit {_figure(_safe(own['limit'], up))} target {_figure(own['target'])} "
        f"theirs {_figure(guess['low'])} to {_figure(guess['high'])}",
        *([] if price else [_weights(observation)]),
        f"mine {_offers(observation, mine=True)}",
        f"theirs {_offers(observation, mine=False)}",
        f"tension {observation['tension_score']:.0f} trust {observation['trust'] * 100:.0f} "
        f"urgency {own['urgency'] * 100:.0f} alternative {_yes(own['has_alternative'])} "
        f"news {len(observation['events'])}",
    ]
    if claim := observation["opponent_claim"]:
        lines.append(f"claim {claim['kind']} {_claimed(claim.get('value'))}")
    if observation["invalid"]:
        lines.append(f"refused {observation['invalid']['code']}")
    return "\n".join(lines)


def _weights(observation: Mapping[str, Any]) -> str:
    """What the issues are worth to this seat, per cent, and where each is better for it."""
    weights = observation["own"]["weights"]
    issues = observation["scenario"]["issues"]
    return "weights " + " ".join(
        f"{one['name']} {'+' if one['better_for_you'] == 'higher' else '-'}{weights[one['name']] * 100:.0f}"
        for one in issues
    )


def _offers(observation: Mapping[str, Any], *, mine: bool) -> str:
    """A side's newest offers, the newest first: `155000 149000`, `9.85/60/10000`; after `void` where none stands. The
    other side's prices are rounded against who reads them: one that is shown within the limit is within it."""
    names = [issue["name"] for issue in observation["scenario"]["issues"]]
    made = [one["offer"] for one in observation["offers"] if (one["seat"] == observation["seat"]) == mine]
    if len(names) == 1 and not mine:
        sells = observation["seat"] == "seller"
        made = [{name: _safe(value, not sells) for name, value in one.items()} for one in made]
    shown = ["/".join(_figure(one[name]) for name in names) for one in reversed(made[-SHOWN:])]
    stands = observation["own_offer" if mine else "opponent_offer"] is not None
    return " ".join(shown if stands or not shown else ["void", *shown]) or "none"


def _safe(value: float, up: bool) -> float:
    """A figure to the brief form's digits, rounded to the side that is safe for who sells (`up`) or buys."""
    exact = Decimal(str(value))
    grain = Decimal(1).scaleb(exact.adjusted() - DIGITS + 1)
    return float(exact.quantize(grain, ROUND_CEILING if up else ROUND_FLOOR))


def _figure(value: float) -> str:
    """A figure to the brief form's digits, without a power of ten."""
    found = float(f"{value:.{DIGITS}g}")
    return f"{found:.0f}" if found == int(found) else f"{found:g}"


def _claimed(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return _yes(bool(value))
    return _figure(value) if isinstance(value, int | float) else str(value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _plain(value: Any) -> Any:
    """An offer's figures to the brief form's digits, whole where they are."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    found = float(f"{value:.{DIGITS}g}")
    return int(found) if found.is_integer() else found


def _user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def text_of(messages: Sequence[Mapping[str, str]]) -> str:
    """A conversation to be read by people: each message under its role."""
    return "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in messages)
