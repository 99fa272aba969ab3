"""What the tools answer, as data: their output schemas, filled from a game as its player may see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from pydantic import BaseModel, Field

from game.live import Live
from game.record import Line, lines, worth_table
from game.seen import debrief_is_open, marks_of, seen_by, status_of
from parlay_env.core import Seat
from parlay_env.deal.state import SEATS
from parlay_env.models import ClaimView, InvalidView, OwnView, PriorView, ScenarioView
from parlay_env.options import VoiceName
from parlay_env.tools import in_tools_words

Offer = dict[str, float]


class News(BaseModel):
    """A headline, public."""

    turn: int
    headline: str


class Said(BaseModel):
    """A move that was made, as both saw it."""

    turn: int
    who: Literal["you", "opponent"]
    words: str = ""
    offer: Offer | None = None
    offer_worth: float | None = Field(default=None, description="To you, beyond your limit then, in money.")
    card: str | None = None
    sweetener: str | None = None
    question: str | None = None
    claim: dict[str, Any] | None = None
    challenge: str | None = Field(default=None, description="What came of challenging the other side's claim.")
    decision: Literal["accept_deal", "walk_away"] | None = None
    not_allowed: InvalidView | None = None


class Worth(BaseModel):
    """What any outcome is worth to you beyond your limit, in money: the constant, and for each issue its value times
    `per_unit`, or the worth that stands beside that value. They add up."""

    constant: float
    issues: list[dict[str, Any]]


class Result(BaseModel):
    """How it ended. What depends on hidden facts is null while others still play the very same instance."""

    reason: str = Field(description="deal, walk_away, timeout, zopa_collapsed or forfeit")
    by: Literal["you", "opponent"] | None
    final_offer: Offer | None
    efficiency: float | None = Field(description="E, 0 to 1: the share of what there was to win that you won.")
    surplus: float | None = Field(description="What the deal is worth to you beyond your limit, in money.")
    left_on_table: float | None = Field(description="What the opponent's limit would still have allowed, in money.")
    deal_was_possible: bool | None
    walking_away_was_right: bool | None
    reward: float | None = Field(description="All points: the sum of reward_terms.")
    reward_terms: dict[str, float] | None
    belief_skill: float | None
    opponent_limit: float | None
    ranked: bool = Field(description="Does it count in the leaderboard?")
    not_ranked_because: list[str]
    debrief: str | None = Field(description="A page to re-read and share: every move and what it cost.")


class Game(BaseModel):
    """A game as its player may see it."""

    game_id: str
    status: Literal["your_move", "their_move", "over"]
    move_number: int = Field(description="Give this number with your next move.")
    turn: int
    turns_left: int
    seat: Literal["seller", "buyer"]
    opponent: str
    opponent_voice: VoiceName = Field(
        description="Who speaks for it: itself, or a language model; then the game is not ranked."
    )
    currency: str
    own: OwnView
    opponent_said: str
    opponent_move: str = Field(description="none, talk, offer, a card, a question, accept_deal or walk_away")
    opponent_claim: ClaimView | None = Field(description="Its newest claim; it may be a bluff.")
    opponent_offer: Offer | None = Field(description="What accept_deal would accept.")
    opponent_offer_worth: float | None = Field(
        description="What that offer is worth to you beyond your limit, in money. Negative: don't accept it."
    )
    your_offer: Offer | None
    your_offer_worth: float | None = Field(description="What your own is worth to you beyond your limit, in money.")
    news: list[News]
    tension: float = Field(description="0 to 100. Three turns in a row above 75 begin to shrink what can be agreed on.")
    trust: float = Field(description="How far the opponent trusts you, 0 to 1.")
    credibility: float = Field(description="How far your claims are believed, 0 to 1.")
    credibility_points: int = Field(description="What cards and questions are paid with.")
    available_moves: list[str]
    not_allowed: InvalidView | None = Field(
        description="Why your newest move was refused by the rules: it used no turn, and cost points."
    )
    watched: bool = Field(description="Somebody watches this game; it is not ranked.")
    whispers: list[str] = Field(description="What a coach who watches has told you.")
    result: Result | None = Field(description="Once it is over.")


class Briefed(Game):
    """A game with its briefing."""

    scenario: ScenarioView
    prior: PriorView = Field(description="What anybody may suppose of the opponent before the first move.")
    worth: Worth


class Looked(Briefed):
    """A game with all that has happened in it."""

    history: list[Said] = Field(description="Every move so far.")
    other_games: list[str] = Field(description="Your other games that are not over.")


class Started(Briefed):
    """A game that was begun, and who plays it."""

    player: str = Field(description="The name that you play under.")
    player_key: str | None = Field(
        description="Keep it. Given to a tool as player_key it goes on as this player from another session. Whoever "
        "has it plays in this name. Null if the client brings it along by itself."
    )


class Rank(BaseModel):
    """A player in the leaderboard."""

    rank: int | None
    name: str
    you: bool
    efficiency: float | None = Field(description="The mean of the last ranked games.")
    games: int
    missing: int = Field(default=0, description="So many ranked games are missing for a rank.")


class Leaderboard(BaseModel):
    """The ranks, and who has played too few ranked games for one."""

    ranked: list[Rank]
    unranked: list[Rank]


class Side(BaseModel):
    """A seat of a scenario."""

    role: str
    briefing: str


class Scenario(BaseModel):
    """What can be negotiated. Limits are declared ones: yours will differ, and nobody else knows it."""

    scenario_id: str
    title: str
    currency: str
    issues: list[dict[str, Any]]
    seats: dict[str, Side]
    sweeteners: list[dict[str, Any]]


class Scenarios(BaseModel):
    """All that can be negotiated."""

    scenarios: list[Scenario]


class Persona(BaseModel):
    """An opponent."""

    persona: str
    negotiates: str


class Personas(BaseModel):
    """All opponents."""

    personas: list[Persona]


# A game ---------------------------------------------------------------------------------------------------------------


def game_of(live: Live, seat: Seat, whispers: Sequence[str] = (), pages: str = "") -> Game:
    """The game as the player in this seat may see it. `pages`: the address that the debrief's page stands under, if it
    is known."""
    seen = seen_by(live, seat)
    worth = worth_table(live.episode.view(seat))
    return Game(
        game_id=live.row.id,
        status=status_of(live, seat),
        move_number=live.number(seat),
        turn=seen["turn"],
        turns_left=seen["turns_left"],
        seat=seen["seat"],
        opponent=_opponent(live, seat),
        opponent_voice=msgspec.convert(live.row.voice, VoiceName),
        currency=seen["scenario"]["currency"],
        own=seen["own"],
        opponent_said=seen["opponent_utterance"],
        opponent_move=seen["opponent_move"],
        opponent_claim=seen["opponent_claim"],
        opponent_offer=seen["opponent_offer"],
        opponent_offer_worth=worth_of(worth, seen["opponent_offer"]),
        your_offer=seen["own_offer"],
        your_offer_worth=worth_of(worth, seen["own_offer"]),
        news=[News(turn=one["turn"], headline=one["headline"]) for one in seen["events"]],
        tension=seen["tension_score"],
        trust=seen["trust"],
        credibility=seen["credibility"],
        credibility_points=seen["credibility_points"],
        available_moves=seen["available_moves"],
        not_allowed=_refused(seen["invalid"]),
        watched=live.row.watched,
        whispers=list(whispers),
        result=_result(live, seat, seen, pages) if live.episode.over else None,
    )


def briefing_of(live: Live, seat: Seat) -> dict[str, Any]:
    """What `Briefed` has beyond `Game`."""
    seen, worth = seen_by(live, seat), worth_table(live.episode.view(seat))
    return {"scenario": seen["scenario"], "prior": seen["prior"], "worth": worth}


def history_of(live: Live, seat: Seat) -> list[Said]:
    """Every move so far; what was not allowed is told to whoever made it."""
    return [_said(line, seat) for line in lines(live.episode, seat, live.episode.by)]


def worth_of(table: Mapping[str, Any], offer: Mapping[str, float] | None) -> float | None:
    """What an offer is worth to the player whose table this is, in money beyond its limit."""
    if offer is None:
        return None
    total = table["constant"]
    for issue in table["issues"]:
        value = offer[issue["name"]]
        total += issue["worth"][issue["values"].index(value)] if "values" in issue else issue["per_unit"] * value
    return round(total, 2)


def _opponent(live: Live, seat: Seat) -> str:
    if live.row.persona is not None:
        return live.row.persona
    other = next((one for one in live.row.seats if one.seat != seat), None)
    return "a bot" if other is not None and other.bot else "another player"


def _said(line: Line, seat: Seat) -> Said:
    return Said(
        turn=line.turn,
        who="you" if line.seat == seat else "opponent",
        words=line.words,
        offer=line.offer,
        offer_worth=line.surplus,
        card=line.card,
        sweetener=line.item,
        question=line.question,
        claim=line.claim,
        challenge=line.challenge,
        decision="accept_deal" if line.accept else "walk_away" if line.walk else None,
        not_allowed=_refused(line.invalid),
    )


def _refused(invalid: Mapping[str, str] | None) -> InvalidView | None:
    if invalid is None:
        return None
    return InvalidView(code=invalid["code"], message=in_tools_words(invalid["message"]))


def _result(live: Live, seat: Seat, seen: Mapping[str, Any], pages: str) -> Result:
    ended, row = live.episode.state.public.ended, live.row
    assert ended is not None
    grade, truth = seen["grade"], seen["truth"]
    by: Literal["you", "opponent"] | None = None
    if ended.seat is not None and ended.reason in ("deal", "walk_away", "forfeit"):
        by = "you" if SEATS[ended.seat] == seat else "opponent"
    found: dict[str, Any] = dict.fromkeys(Result.model_fields)
    found |= {"reason": ended.reason, "by": by, "final_offer": seen["final_offer"]}
    found |= {"ranked": row.row_of(seat).ranked, "not_ranked_because": marks_of(row, seat)}
    if grade is not None:
        terms = Counter(grade["terminal"])
        for booked in grade["ledger"]:
            terms.update({name: value for name, value in booked.items() if name != "turn"})
        found |= {name: grade[name] for name in ("efficiency", "surplus", "left_on_table", "reward", "belief_skill")}
        found |= {"deal_was_possible": grade["zopa_existed"], "walking_away_was_right": grade["walk_was_right"]}
        found["reward_terms"] = dict(terms)
    if truth is not None:
        found["opponent_limit"] = truth[SEATS[1 - SEATS.index(seat)]]["limit"]
    if debrief_is_open(row):
        found["debrief"] = f"{pages}/games/{row.id}"
    return Result.model_validate(found)
