"""A negotiation as tools that a language model calls: the environment for TRL's `environment_factory`.

    GRPOTrainer(model, environment_factory=NegotiationTools, train_dataset=dataset, ...)
    GRPOTrainer(model, environment_factory=partial(NegotiationTools, url="http://localhost:8000"), ...)

The dataset's rows choose the episodes: columns named like the options in `ROW_OPTIONS` are used, all others are left
alone. Rows of one group share a seed, so that their rewards can be compared.
"""

from __future__ import annotations

import functools
import inspect
import logging
import math
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Concatenate, ParamSpec, Protocol

from pydantic import ValidationError

from parlay_env.client import ParlayClientError, ParlayConnectionError, ParlayEnvClient, ParlayTimeoutError
from parlay_env.models import CardName, ParlayAction, ParlayObservation, ResetOptions, Topic
from parlay_env.reward import UNFINISHED

P = ParamSpec("P")

ROW_OPTIONS = (
    "scenario_id",
    "persona",
    "seat",
    "seed",
    "split",
    "task_id",
    "events",
    "omega",
    "rewards",
    "history",
)
"""The columns of a dataset's row that `reset` uses: options of the environment. Every other column (`prompt`,
`completion`, `images` …) is ignored; one that looks like a slip in a name that chooses the episode is an error."""

OVER = "the negotiation is over"
LOST = "the connection to the negotiation was lost, and it can't go on"

log = logging.getLogger(__name__)


class EpisodeLostError(Exception):
    """The episode went with its socket, and can't be replayed."""


class Door(Protocol):
    """Where the episodes are played."""

    def reset(self, options: dict[str, Any]) -> ParlayObservation: ...

    def step(self, action: ParlayAction) -> ParlayObservation: ...


def tool(method: Callable[Concatenate[NegotiationTools, P], str]) -> Callable[Concatenate[NegotiationTools, P], str]:
    """A method that a model may call with anything: arguments that don't fit are told, and no exception."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def called(self: NegotiationTools, /, *args: P.args, **kwargs: P.kwargs) -> str:
        self._must_be_on()
        try:
            signature.bind(self, *args, **kwargs)
        except TypeError as error:
            return _no_move(str(error))
        return method(self, *args, **kwargs)

    return called


class NegotiationTools:
    """One negotiation after the other, played through tools; each tool but `report_belief` is a move and uses a turn.

    A tool returns the opponent's answer and the facts as text. As on the wire, a move that the rules don't allow costs
    10 points, and the third in a row forfeits; arguments that make no move at all (an unknown card, text for a figure)
    are told and nothing is played. After the end every tool raises `ValueError("the negotiation is over")`.

    An episode on a server that is lost with its socket is replayed where its seed is known; otherwise it counts as one
    that did not end, and the tools raise `ValueError` as after an end.

    Args:
        url: the server to play on; None plays in this process.
        **defaults: options of `ROW_OPTIONS` for rows that lack them.
    """

    def __init__(self, url: str | None = None, **defaults: Any) -> None:
        unknown = set(defaults) - set(ROW_OPTIONS)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: the options are {', '.join(ROW_OPTIONS)}")
        self._defaults = defaults
        self._door: Door = _Here() if url is None else _Server(url)
        self._clear()

    def reset(self, **row: Any) -> str | None:
        """Begin the episode that a dataset's row asks for; nothing of the one before stays.

        Args:
            **row: the row's columns; those of `ROW_OPTIONS` that are not None choose the episode.

        Returns:
            The situation as text, to follow the row's own prompt.

        Raises:
            ValueError: an option can't be had, or a column looks like a misspelt option.
            ParlayClientError: the server can't be reached or refuses.
        """
        self._clear()
        options = {**self._defaults, **_options_of(row)}
        self._omega = ResetOptions(**options).omega
        self._observation = self._door.reset(options)
        return _briefing(self._observation)

    def get_reward(self) -> float:
        """The sum of what the episode was paid; −ω/2 when it did not end, or was lost with its socket.

        Raises:
            ValueError: no episode was begun.
        """
        if self._observation is None:
            raise ValueError("reset first")
        return self._paid if self._observation.done and not self._lost else -UNFINISHED * self._omega

    @property
    def observation(self) -> ParlayObservation | None:
        """What the player sees now; for reward functions of one's own, not a tool."""
        return self._observation

    @tool
    def make_offer(self, words: str, amount: float | None = None, terms: dict[str, float] | None = None) -> str:
        """Make an offer. It stands until you make another one or a headline voids it.

        Args:
            words: What you say with it.
            amount: The price you offer, when the price is the only issue.
            terms: The offer, when there are several issues: a value for every issue by its name.

        Returns:
            The opponent's answer.
        """
        offered = _offer(amount, terms)
        return self._move(utterance=words, **offered) if offered else _no_move("give amount or terms")

    @tool
    def say(self, words: str) -> str:
        """Say something without a new offer. It uses a turn.

        Args:
            words: What you say.

        Returns:
            The opponent's answer.
        """
        return self._move(utterance=words)

    @tool
    def ask(self, topic: Topic, words: str) -> str:
        """Ask the opponent a question. It answers with a claim, which may be a bluff, or evades. Costs 5 points.

        Args:
            topic: What the question is about.
            words: The question as you put it.

        Returns:
            The opponent's answer.
        """
        return self._move(question=topic, utterance=words)

    @tool
    def play_card(
        self,
        card: CardName,
        words: str = "",
        amount: float | None = None,
        terms: dict[str, float] | None = None,
        claim: float | None = None,
        sweetener: str | None = None,
    ) -> str:
        """Play a tactical card, with or without an offer. It costs points.

        Args:
            card: The card. anchor_high needs an offer more ambitious than any of yours; silence takes no words.
            words: What you say with it.
            amount: The price you offer with it, when the price is the only issue.
            terms: The offer with it, when there are several issues.
            claim: What the card claims, true or not: a limit for batna_reveal, a turn for time_pressure.
            sweetener: The item's id, for the card sweetener.

        Returns:
            The opponent's answer.
        """
        more = {"claim_value": claim, "sweetener": sweetener}
        return self._move(tactical_move=card, utterance=words, **more, **_offer(amount, terms))

    @tool
    def challenge(self, words: str) -> str:
        """Dispute the opponent's newest claim. Right only if you believe it to be a bluff.

        Args:
            words: What you say.

        Returns:
            The opponent's answer.
        """
        return self._move(challenge=True, utterance=words)

    @tool
    def accept_deal(self, words: str = "Agreed.") -> str:
        """Accept the opponent's standing offer at its terms. This ends the negotiation.

        Args:
            words: What you say.

        Returns:
            How it ended.
        """
        return self._move(accept_deal=True, utterance=words)

    @tool
    def walk_away(self, words: str = "") -> str:
        """Leave without a deal. This ends the negotiation; right only when no deal beats your limit.

        Args:
            words: What you say.

        Returns:
            How it ended.
        """
        return self._move(walk_away=True, utterance=words)

    @tool
    def report_belief(
        self,
        walk_away: float | None = None,
        budget: float | None = None,
        urgency: float | None = None,
        has_alternative: float | None = None,
        headline_effect: float | None = None,
    ) -> str:
        """Write down what you believe of the opponent. It uses no turn: it goes with your next move.

        Args:
            walk_away: The opponent's walk-away, a price; with several issues what it needs in money.
            budget: Its authority, if tighter than the walk-away; else the same figure.
            urgency: How much it needs a deal soon, 0 to 1.
            has_alternative: The probability that it has an alternative, 0 to 1.
            headline_effect: By how much the newest market headline tightened its limit, from -0.3 to 0.3 of the width.

        Returns:
            That it is noted.
        """
        belief = {
            "est_walk_away": walk_away,
            "est_budget": budget,
            "est_urgency": urgency,
            "est_has_alternative": has_alternative,
        }
        given = {name: value for name, value in belief.items() if value is not None}
        try:
            ParlayAction.model_validate({"belief": given, "event_impact": headline_effect})
        except ValidationError as error:
            return _no_move(_reason(error))
        if given:
            self._noted["belief"] = {**self._noted.get("belief", {}), **given}
        if headline_effect is not None:
            self._noted["event_impact"] = headline_effect
        return "Noted; it goes with your next move."

    # --- not tools ---------------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self._observation: ParlayObservation | None = None
        self._paid = 0.0
        self._omega = 0.0
        self._noted: dict[str, Any] = {}
        self._lost = False

    def _must_be_on(self) -> None:
        if self._observation is None:
            raise ValueError("reset first")
        if self._observation.done or self._lost:
            raise ValueError(LOST if self._lost else OVER)

    def _move(self, **fields: Any) -> str:
        """Make a move, with what was noted for it, and tell what came of it."""
        given = {name: value for name, value in {**fields, **self._noted}.items() if value is not None}
        if not _finite(given):
            return _no_move("figures must be finite numbers")
        try:
            action = ParlayAction.model_validate(given)
        except ValidationError as error:
            return _no_move(_reason(error))
        try:
            seen = self._door.step(action)
        except EpisodeLostError:
            self._lost = True
            return f"{LOST}. Call no more tools; answer in plain words."
        self._paid += seen.reward or 0.0
        self._observation = seen
        if seen.invalid is None or seen.invalid.code in NOTED_WRONG:
            self._noted = {}
        return _told(seen, answered=not (action.accept_deal or action.walk_away))


# Where it is played ---------------------------------------------------------------------------------------------------


class _Here:
    """Episodes in this process."""

    def __init__(self) -> None:
        self._session: Any = None

    def reset(self, options: dict[str, Any]) -> ParlayObservation:
        from parlay_env.session import Session

        self._session = Session.open(ResetOptions(**options))
        return self._seen(self._session.answer())

    def step(self, action: ParlayAction) -> ParlayObservation:
        return self._seen(self._session.step(action))

    @staticmethod
    def _seen(answer: Any) -> ParlayObservation:
        about = {"reward": answer.reward, "done": answer.done, "metadata": {"reward_terms": answer.terms}}
        return ParlayObservation.model_validate({**answer.observation, **about})


class _Server:
    """Episodes on a server. One that is lost with its socket is replayed, once, where its seed is known."""

    def __init__(self, url: str) -> None:
        self._client = ParlayEnvClient(url).sync()

    def reset(self, options: dict[str, Any]) -> ParlayObservation:
        return self._client.reset(**options).observation

    def step(self, action: ParlayAction) -> ParlayObservation:
        try:
            return self._client.step(action).observation
        except (ParlayConnectionError, ParlayTimeoutError) as error:
            log.warning("the episode was lost and is replayed: %s", error)
            return self._again(action)

    def _again(self, action: ParlayAction) -> ParlayObservation:
        try:
            self._client.resume()
            return self._client.step(action).observation
        except ParlayClientError as error:
            log.warning("the episode can't be replayed and counts as unfinished: %s", error)
            raise EpisodeLostError from error


# Rows, arguments and texts --------------------------------------------------------------------------------------------

CHOOSING = ("scenario_id", "persona", "seat", "seed", "split", "task_id")


def _options_of(row: dict[str, Any]) -> dict[str, Any]:
    """The options in a row. Raises ValueError for a column that is nearly one of those that choose the episode."""
    for column in set(row) - set(ROW_OPTIONS):
        if near := get_close_matches(column.lower(), CHOOSING, 1, 0.8):
            raise ValueError(f"the column {column!r} looks like {near[0]!r}: rename or drop it")
    return {name: _without_none(row[name]) for name in ROW_OPTIONS if row.get(name) is not None}


def _without_none(value: Any) -> Any:
    """A value as it was before a table gave every row every column."""
    if isinstance(value, dict):
        return {name: _without_none(part) for name, part in value.items() if part is not None}
    return [_without_none(part) for part in value] if isinstance(value, list) else value


def _offer(amount: float | None, terms: dict[str, float] | None) -> dict[str, Any]:
    offered = {"offer_amount": amount, "offer": terms}
    return {name: value for name, value in offered.items() if value is not None}


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    return not isinstance(value, float) or math.isfinite(value)


ARGUMENTS = {
    "offer_amount": "amount",
    "offer": "terms",
    "tactical_move": "card",
    "claim_value": "claim",
    "question": "topic",
    "utterance": "words",
    "est_walk_away": "walk_away",
    "est_budget": "budget",
    "est_urgency": "urgency",
    "est_has_alternative": "has_alternative",
    "event_impact": "headline_effect",
}
"""The tools' names for the fields of an action."""
NOTED_WRONG = ("belief_out_of_range", "impact_out_of_range")
"""What is wrong with a belief that was noted: kept, it would spoil the next move, too."""


def _reason(error: ValidationError) -> str:
    found = error.errors()[0]
    where = [ARGUMENTS.get(str(part), str(part)) for part in found["loc"] if part != "belief"]
    return f"{'.'.join(where)}: {found['msg'][0].lower()}{found['msg'][1:]}"


def _no_move(reason: str) -> str:
    return f"No move was made, and nothing changed: {reason}. Call again with arguments that fit."


def in_tools_words(message: str) -> str:
    """What the rules say of a move, with the tools' names for its fields."""
    message = message.replace("use offer with", "use terms with").replace("or offer, not both", "or terms, not both")
    return re.sub(r"\b(offer_amount|tactical_move|claim_value|event_impact|est_\w+)", _argument, message)


def _argument(found: re.Match[str]) -> str:
    return ARGUMENTS.get(found[0], found[0])


def _briefing(seen: ParlayObservation) -> str:
    """The first situation as text: the environment's prompt, with tools for its JSON."""
    lines = (seen.prompt or "").split("\n")
    if lines[-1].startswith("Answer with one JSON object"):
        del lines[-1]
    lines.append(
        "Act through the tools: each call but report_belief is one move and uses a turn. Once the negotiation is over, "
        "answer in plain words and call no more tools."
    )
    return "\n".join(lines)


def _told(seen: ParlayObservation, *, answered: bool = True) -> str:
    """What a move brought, as text. `answered`: the opponent had the last word."""
    lines = []
    if seen.invalid is not None:
        cost = -seen.metadata.get("reward_terms", {}).get("noise", 0.0)
        why = in_tools_words(seen.invalid.message)
        lines.append(f"Not allowed: {why}. It cost {cost:g} points; the third in a row forfeits.")
    elif answered and seen.opponent_utterance:
        lines.append(f"They say: {seen.opponent_utterance}")
    if seen.done:
        return "\n".join([*lines, _ending(seen)])
    lines.append(f"Their offer: {_figures(seen, seen.opponent_offer)}. Your offer: {_figures(seen, seen.own_offer)}.")
    claim = seen.opponent_claim
    if claim is not None and claim.status == "open":
        value = _figure(claim.value) if isinstance(claim.value, float) else claim.value
        lines.append(f"Their newest claim: {claim.kind} {value}.")
    lines += [f"News: {event['headline']}" for event in seen.events if event["turn"] == seen.turn]
    limit = f"your limit {_figure(seen.own.limit)} {seen.scenario.currency}"
    if len(seen.scenario.issues) > 1:
        limit += " in value"
    left = f"tension {seen.tension_score:.0f}, points {seen.credibility_points}"
    lines.append(f"Turn {seen.turn} of {seen.turn + seen.turns_left}; {limit}, {left}.")
    return "\n".join(lines)


def _ending(seen: ParlayObservation) -> str:
    reason = seen.termination_reason or ""
    how = {
        "deal": f"deal at {_figures(seen, seen.final_offer)}",
        "walk_away": f"{'the opponent' if seen.opponent_move == 'walk_away' else 'you'} walked away",
        "timeout": "no deal by the last turn",
        "zopa_collapsed": "no deal is possible any more",
        "forfeit": "forfeited, by three moves in a row that are not allowed or by too many fines",
    }.get(reason, reason)
    return f"The negotiation is over: {how}. Call no more tools; answer in plain words."


def _figures(seen: ParlayObservation, offer: dict[str, float] | None) -> str:
    if offer is None:
        return "none"
    if len(offer) == 1:
        return f"{_figure(next(iter(offer.values())))} {seen.scenario.currency}"
    return ", ".join(f"{name} {_figure(value)}" for name, value in offer.items())


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
