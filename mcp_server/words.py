"""What the tools answer, as text that a language model can act on. Many clients show the model nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.cards import CARD
from game.house import LEFT_ALONE_HOURS
from game.live import Live
from mcp_server.answers import Briefed, Game, Leaderboard, Looked, Offer, Personas, Result, Said, Scenarios, Started
from parlay_env.core import Seat
from parlay_env.prompt import figure, prompt_of
from parlay_env.tools import in_tools_words

MOST_WORDS = 300
"""Characters of one side's words that a text keeps; the structured answer has all of them."""
JSON_ASKED_FOR = "Answer with one JSON object"
"""Begins the prompt's last line, which tools have no use for."""
PERSONAS = {
    "shark": "opens beyond the anchor and holds; false deadlines; does not concede first",
    "diplomat": "acknowledges, gives back what it is given, never bluffs",
    "veteran": "few words; watches how you move, estimates your limit, trades concession for concession",
}
ENDINGS = {
    "timeout": "no deal by the last turn",
    "zopa_collapsed": "tension has eaten up what could be agreed on",
    "forfeit": "forfeited, by three moves in a row that the rules refuse or by too many fines",
}
MARKS = {
    "watched": "somebody watched it",
    "helped": "a coach helped",
    "guided": "it was a guided first game",
    "room_seed": "others play the same instance",
    "person": "it was against a person",
    "model": "a language model spoke for the opponent",
    "own_scenario": "the scenario is a room's own",
    "bot": "a bot played for a while",
}
INSTRUCTIONS = """
Parlay is a bargaining table. You negotiate against an opponent whose limit you don't know, as it does not know yours.
1. start_negotiation (name, scenario_id, seat, persona) briefs you: your role, your secret limit, the game_id.
2. make_offer or say, with game_id and the move_number of the last answer. Each call is one turn of twenty and answers
   what the opponent says and offers. Words alone persuade little; offers, cards, questions and patience move it.
3. accept_deal takes the opponent's standing offer, walk_away leaves: both are final.
You are rewarded for the share of the room between the two limits that you win, a little for doing it soon, and for
right beliefs about the opponent. A deal beyond your own limit is a heavy loss. The opponent may bluff, and may leave.
Rules and scoring in full: the resource parlay://rules. If you lose track, call get_game_state: it changes nothing.
""".strip()


def briefing(game: Briefed, live: Live, seat: Seat) -> str:
    """Who you are and what you may know: the environment's prompt, with tools for its JSON."""
    lines = prompt_of(live.episode.view(seat)).split("\n")
    assert lines[-1].startswith(JSON_ASKED_FOR)
    items = "; ".join(f"{one.id} ({one.title}, costs you {figure(one.cost)})" for one in game.scenario.sweeteners)
    more = [f"Sweeteners you can throw in: {items}."] if items else []
    return "\n".join([game.scenario.briefing, *map(in_tools_words, lines[:-1]), *more])


def started(game: Started, live: Live, seat: Seat) -> str:
    """A negotiation that was begun."""
    lines = [f"Game {game.game_id}. You play as {quoted(game.player)}.", briefing(game, live, seat), _table(game)]
    if game.player_key is not None:
        lines.append(
            f"Your player_key is {game.player_key}: keep it. It goes on as this player from another session, and "
            "whoever has it plays in this name."
        )
    lines.append(f"A game that is left alone for {LEFT_ALONE_HOURS} hours ends as a walk-away.")
    return "\n".join([*lines, _next(game)])


def state(game: Looked, live: Live, seat: Seat) -> str:
    """A game looked at: the briefing, what was said, what is on the table; after the end the result."""
    history = ["So far:", *map(_heard, game.history)] if game.history else ["Nobody has moved yet."]
    head = [f"Game {game.game_id}."]
    if game.result is None:
        head.append(briefing(game, live, seat))
    head += history
    if game.other_games:
        head.append(f"Other games of yours that are not over: {', '.join(game.other_games)}.")
    rest = [_table(game), _next(game)] if game.result is None else _ending(game, game.result)
    return "\n".join([*head, *rest])


def moved(game: Game) -> str:
    """What a move brought."""
    lines = []
    if game.not_allowed is not None:
        lines.append(
            f"Not allowed ({game.not_allowed.code}): {game.not_allowed.message}. It used no turn, cost points, and the "
            "third in a row forfeits."
        )
    elif game.opponent_said and not _had_the_last_word(game.result):
        lines.append(f"The opponent says: {quoted(game.opponent_said)}")
    if game.result is not None:
        return "\n".join([*lines, *_ending(game, game.result)])
    lines += [f"News: {one.headline}" for one in game.news if one.turn == game.turn]
    return "\n".join([*lines, _table(game), _next(game)])


def _had_the_last_word(result: Result | None) -> bool:
    return result is not None and result.by == "you" and result.reason in ("deal", "walk_away")


def _table(game: Game) -> str:
    """What is on the table, against the own limit."""
    theirs = _offer(game, game.opponent_offer) + _against_the_limit(game, game.opponent_offer_worth)
    mine = _offer(game, game.your_offer) + _against_the_limit(game, game.your_offer_worth)
    lines = [f"Their offer: {theirs}. Your offer: {mine}."]
    claim = game.opponent_claim
    if claim is not None:
        told = _claimed(claim.kind, claim.value)
        lines.append(f"Their newest claim: {told} ({claim.status}); it may be a bluff.")
    lines.append(
        f"{limit_in_words(game)} Turn {game.turn} of {game.turn + game.turns_left}, tension {game.tension:.0f} of 100, "
        f"trust {game.trust:.2f}, {game.credibility_points} credibility points."
    )
    if game.watched:
        lines.append("Somebody watches this game: it is not ranked.")
    lines += [f"Your coach whispers: {quoted(words)}" for words in game.whispers[-1:]]
    return "\n".join(lines)


def _against_the_limit(game: Game, worth: float | None) -> str:
    if worth is None:
        return ""
    return f" ({figure(abs(worth))} {game.currency} {'inside' if worth >= 0 else 'BEYOND'} your limit)"


def _next(game: Game) -> str:
    """What can be done now."""
    if game.status == "their_move":
        return "The other side has to move first. Next: get_game_state."
    moves = game.available_moves
    tools = ["make_offer", "say", *(name for name in ("accept_deal", "walk_away") if name in moves)]
    extras = [f"{name} {CARD[name].cost}" for name in moves if name in CARD]
    told = f"Next: {', '.join(tools[:-1])} or {tools[-1]}, with move_number {game.move_number}."
    if extras:
        told += f" Cards and their cost: {', '.join(extras)}."
    also = [name for name in ("question", "challenge") if name in moves]
    return told + (f" Also possible: {', '.join(also)}." if also else "")


def _ending(game: Game, result: Result) -> list[str]:
    how = ENDINGS.get(result.reason, "")
    if result.reason == "deal":
        how = f"a deal at {_offer(game, result.final_offer)}"
    elif result.reason == "walk_away":
        how = "you walked away" if result.by == "you" else "the opponent walked away"
    lines = [f"The negotiation is over in turn {game.turn}: {how}."]
    if result.efficiency is None or result.surplus is None or result.reward is None:
        lines.append("Result and debrief open when the room closes: others still play this very instance.")
    else:
        lines.append(_worth_of_it(game, result))
    if result.ranked:
        right = result.by == "you" and result.reason == "walk_away" and not result.deal_was_possible
        lines.append(f"It counts in the leaderboard{', neither for nor against you' if right else ''}.")
    else:
        lines.append(f"It is not ranked: {', '.join(MARKS[mark] for mark in result.not_ranked_because)}.")
    if result.debrief is not None:
        lines.append(f"Debrief, move by move: {result.debrief}")
    return [*lines, "Next: start_negotiation for another one, or get_leaderboard."]


def _worth_of_it(game: Game, result: Result) -> str:
    money = game.currency
    if not result.deal_was_possible:
        told = "There was no deal to be had inside both limits"
        told += ": walking away was right." if result.reason == "walk_away" and result.by == "you" else "."
    elif result.reason == "deal" and (result.surplus or 0) < 0:
        told = f"The deal lies {figure(-(result.surplus or 0))} {money} beyond your limit."
    else:
        told = (
            f"Efficiency {result.efficiency:.1%}: you won {figure(result.surplus or 0)} {money} and left "
            f"{figure(result.left_on_table or 0)} {money} on the table."
        )
    terms = ", ".join(f"{name} {value:+.1f}" for name, value in (result.reward_terms or {}).items() if value)
    told += f" Reward {result.reward:+.1f} points ({terms or 'no terms'})."
    if result.opponent_limit is not None:
        told += f" Their limit was {figure(result.opponent_limit)} {money}."
    return told


def limit_in_words(game: Game) -> str:
    """The own limit, as one says it to somebody who negotiates for one."""
    limit = f"{figure(game.own.limit)} {game.currency}"
    if game.own.weights is not None:
        return f"Your limit: agree to nothing that is worth less than {limit} to you."
    beyond = "under" if game.seat == "seller" else "over"
    return f"Your limit: agree to nothing {beyond} {limit}."


def _heard(said: Said) -> str:
    parts = [quoted(said.words)] if said.words else []
    if said.not_allowed is not None:
        return " ".join([f"{said.turn} {said.who}:", *parts, f"[not allowed: {said.not_allowed.code}]"])
    did = [
        "" if said.offer is None else f"offers {_values(said.offer)}",
        "" if said.card is None else f"plays {said.card}" + (f" ({said.sweetener})" if said.sweetener else ""),
        "" if said.question is None else f"asks about {said.question}",
        "" if said.claim is None else f"claims {_claimed(said.claim['kind'], said.claim['value'])}",
        "" if said.challenge is None else f"challenges the newest claim: {said.challenge}",
        said.decision or "",
    ]
    done = "; ".join(filter(None, did))
    return " ".join([f"{said.turn} {said.who}:", *parts, *([f"[{done}]"] if done else [])])


def _claimed(kind: str, value: float | str | bool) -> str:
    if isinstance(value, bool):
        return f"{kind} {'yes' if value else 'no'}"
    return f"{kind} {value if isinstance(value, str) else figure(value)}"


def leaderboard(board: Leaderboard) -> str:
    """The ranks, one a line."""
    lines = [
        f"{one.rank}. {quoted(one.name)}{' (you)' if one.you else ''}: {one.efficiency or 0:.1%} of {one.games} games"
        for one in board.ranked
    ]
    lines = lines or ["Nobody has a rank yet."]
    lines += [
        f"No rank yet: {quoted(one.name)}{' (you)' if one.you else ''}, {one.missing} ranked games missing"
        for one in board.unranked
    ]
    return "\n".join([*lines, "Next: start_negotiation to play."])


def scenarios(found: Scenarios) -> str:
    """What can be negotiated, one a line."""
    lines = []
    for one in found.scenarios:
        issues = "; ".join(_issue(issue) for issue in one.issues)
        seats = ", ".join(f"{name}: {side.role}" for name, side in one.seats.items())
        lines.append(f"{one.scenario_id}: {one.title}, in {one.currency}. {seats}. Issues: {issues}.")
    return "\n".join([*lines, "Next: start_negotiation with one of these ids, or list_personas."])


def _issue(issue: Mapping[str, Any]) -> str:
    if issue["values"]:
        return f"{issue['name']} {'/'.join(map(figure, issue['values']))} {issue['unit']}"
    return f"{issue['name']} {figure(issue['low'])} to {figure(issue['high'])} {issue['unit']}"


def personas(found: Personas) -> str:
    """The opponents, one a line."""
    lines = [f"{one.persona}: {one.negotiates}." for one in found.personas]
    return "\n".join([*lines, "Next: start_negotiation with one of these, or with drawn for any of them."])


def _offer(game: Game, offer: Offer | None) -> str:
    if offer is None:
        return "none"
    return f"{_values(offer)} {game.currency}" if len(offer) == 1 else _values(offer)


def _values(offer: Offer) -> str:
    if len(offer) == 1:
        return figure(next(iter(offer.values())))
    return ", ".join(f"{name} {figure(value)}" for name, value in offer.items())


def quoted(text: str) -> str:
    """Somebody's words on one line and in quotes, cut where they are long: they can't pass for lines of ours."""
    line = " ".join(text.replace('"', "'").split())
    return f'"{line if len(line) <= MOST_WORDS else line[: MOST_WORDS - 1] + "…"}"'
