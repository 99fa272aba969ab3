"""A plain way to play a game to its end, by the API: from the aim toward the limit, and take what is good."""

from __future__ import annotations

from typing import Any

from .person import Person

WORDS = (
    "Thank you for taking the time. Our pilot speaks for itself.",
    "You asked for support around the clock: that is part of it.",
    "We can start next week, and the team is yours.",
    "Nobody else gives you the same terms for three years.",
    "Let me take a step towards you.",
    "We are not far apart any more.",
    "That is close to what we can do.",
)


def worth(game: dict[str, Any], offer: dict[str, float]) -> float:
    """What an offer is worth to the player beyond its limit, in money."""
    total = game["worth"]["constant"]
    for issue in game["worth"]["issues"]:
        value = offer[issue["name"]]
        if issue.get("per_unit") is not None:
            total += issue["per_unit"] * value
        else:
            total += issue["worth"][issue["values"].index(value)]
    return float(total)


def next_offer(game: dict[str, Any]) -> dict[str, float]:
    """A twelfth of the way from the aim to the limit each turn. For several issues, the price alone gives way."""
    own, turn = game["observation"]["own"], max(1, game["observation"]["turn"])
    issue = game["scenario"]["issues"][0]
    share = min(turn - 1, 11) / 12
    if not game["scenario"]["several"]:
        figure = own["target"] + (own["limit"] - own["target"]) * share
        step = issue["step"]
        return {issue["name"]: round(figure / step) * step}
    best = {
        each["name"]: each["high"] if each["better"][game["seat"]] == "higher" else each["low"]
        for each in game["scenario"]["issues"]
    }
    toward = issue["low"] if best[issue["name"]] == issue["high"] else issue["high"]
    figure = best[issue["name"]] + (toward - best[issue["name"]]) * share
    return {**best, issue["name"]: round(round(figure / issue["step"]) * issue["step"], 2)}


def wanted(game: dict[str, Any]) -> dict[str, Any]:
    """The move that this policy makes."""
    seen = game["observation"]
    theirs = seen["opponent_offer"]
    offer = next_offer(game)
    if theirs and worth(game, theirs) >= (worth(game, offer) if seen["turn"] < 15 else 0):
        return {"accept_deal": True}
    if seen["turn"] >= 19:
        return {"walk_away": True}
    words = WORDS[seen["turn"] % len(WORDS)]
    if game["scenario"]["several"]:
        return {"utterance": words, "offer": offer}
    return {"utterance": words, "offer_amount": next(iter(offer.values()))}


async def play_out(person: Person, game_id: str) -> dict[str, Any]:
    """Play a game to its end."""
    game = await person.game(game_id)
    while game["status"] != "over":
        game = await person.move(game_id, **wanted(game))
    return game
