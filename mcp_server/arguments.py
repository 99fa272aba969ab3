"""What a model hands to each tool. A class's text is the tool's description: it is what the model reads."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from parlay_env.models import MAX_WORDS, BeliefReport, CardName, ParlayAction, Topic
from parlay_env.options import VoiceName

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Figure = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Words = Annotated[str, Field(max_length=MAX_WORDS)]


class Arguments(BaseModel):
    """A field that isn't known, or of another type, is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Player(Arguments):
    """What belongs to a player says whose it is."""

    player_key: Id | None = Field(
        default=None,
        description="Only to go on as a player from another session: the key that start_negotiation answered then.",
    )


class Belief(Arguments):
    """What you believe of the opponent. Every field is optional; one left out keeps its last value."""

    walk_away: Figure | None = Field(
        default=None, description="Its walk-away: a price, or with several issues what it needs in money."
    )
    budget: Figure | None = Field(
        default=None, description="Its authority, if tighter than the walk-away; else the same figure."
    )
    urgency: Share | None = Field(default=None, description="How much it needs a deal soon, 0 to 1.")
    has_alternative: Share | None = Field(
        default=None, description="The probability that it has an alternative, 0 to 1."
    )


class Move(Player):
    """What every move has."""

    game_id: Id = Field(description="The game, as start_negotiation answered it.")
    move_number: int = Field(
        ge=0,
        le=10_000,
        description="The move_number of the game's last answer. The same number with the same content again changes "
        "nothing and answers the same, so a call whose answer was lost can be repeated.",
    )
    belief: Belief | None = Field(
        default=None, description="What you believe of the opponent now. A right belief is rewarded at the end."
    )
    headline_effect: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] | None = Field(
        default=None,
        description="In the move after a market headline: by how much, as a share of the scenario's width, you think "
        "the opponent's limit tightened (negative: loosened).",
    )

    def action(self) -> ParlayAction:
        """The move as the game's action. Raises pydantic's ValidationError for what is none."""
        given = self.model_dump(
            exclude={"player_key", "game_id", "move_number", "belief", "headline_effect"}, exclude_none=True
        )
        action: dict[str, Any] = {FIELDS.get(name, name): value for name, value in given.items()}
        if self.belief is not None:
            told = self.belief.model_dump(exclude_none=True)
            action["belief"] = BeliefReport(**{f"est_{name}": value for name, value in told.items()})
        return ParlayAction(**action, event_impact=self.headline_effect)


FIELDS = {
    "words": "utterance",
    "amount": "offer_amount",
    "terms": "offer",
    "card": "tactical_move",
    "claim": "claim_value",
}
"""The action's names for what the tools name otherwise."""


class Say(Move):
    """Speak without making an offer: talk, ask a question, play a card, make a claim, or challenge theirs.

    It uses a turn, like an offer does. A question gets a claim in answer, which may be a bluff, or an evasion. Your own
    last offer goes on standing. In one move: at most one of card and question.
    """

    words: Words = Field(
        default="", description="What you say, up to 2,000 characters. Saying nothing raises tension (but see silence)."
    )
    question: Topic | None = Field(default=None, description="What to ask about. It costs 5 credibility points.")
    card: CardName | None = Field(
        default=None,
        description="A tactical card; it costs credibility points. anchor_high (0, once): with an offer more ambitious "
        "than any of yours so far. silence (5): no words, no offer. sweetener (10): throw in an item, for good. "
        "reframe (12): cost as gain forgone. time_pressure (15): claim a deadline. batna_reveal (20): claim a limit.",
    )
    claim: Figure | None = Field(
        default=None,
        description="What the card claims, true or not: a limit with batna_reveal, a turn with time_pressure. Also "
        "the answer to a question that the opponent has just asked you.",
    )
    sweetener: Id | None = Field(
        default=None, description="With the card sweetener: the id of an item in scenario.sweeteners."
    )
    challenge: bool = Field(
        default=False, description="true disputes the opponent's newest claim. Right only if it is a bluff."
    )


class MakeOffer(Say):
    """Make an offer, with words, and whatever `say` can do besides. The opponent answers within the same call.

    The offer stands until you make another one or a headline voids it; the opponent may accept it, which is final.
    Never offer terms beyond your own limit: such a deal costs 200 points. In one move: at most one of card and
    question.
    """

    amount: Figure | None = Field(default=None, description="Your price, when the price is the only issue.")
    terms: dict[str, Figure] | None = Field(
        default=None,
        max_length=16,
        description="Your offer, when there are several issues: a value for every issue by its name.",
    )

    @model_validator(mode="after")
    def _offers(self) -> MakeOffer:
        if (self.amount is None) == (self.terms is None):
            raise PydanticCustomError(
                "offer", "give amount, or with several issues terms; to talk without an offer, say"
            )
        return self


class AcceptDeal(Move):
    """Accept the opponent's standing offer at its terms. It is final and ends the negotiation.

    Look at opponent_offer_worth first: a negative figure lies beyond your limit and costs 200 points.
    """

    words: Words = Field(default="Agreed.", description="What you say with it.")

    def action(self) -> ParlayAction:
        """The move as the game's action."""
        return super().action().model_copy(update={"accept_deal": True})


class WalkAway(Move):
    """Leave without a deal. It is final and ends the negotiation.

    Right only when no deal can be better than your limit: walking away from a possible deal costs 10 points.
    """

    words: Words = Field(default="", description="What you say as you leave.")

    def action(self) -> ParlayAction:
        """The move as the game's action."""
        return super().action().model_copy(update={"walk_away": True})


class StartNegotiation(Player):
    """Begin a negotiation against a persona, and be briefed: your role, your secret limit, the first words.

    The first call needs a `name`; it makes a player of that name and binds it to this session. Every game is a new
    instance with hidden facts of its own. Then go on with make_offer or say, giving game_id and move_number.
    """

    name: str | None = Field(
        default=None,
        max_length=200,
        description="The name to play under, 1 to 40 characters; it stands in the leaderboard. Needed at the first "
        "call; another one later renames you.",
    )
    scenario_id: str = Field(
        default="saas_enterprise", max_length=64, description="What is negotiated; list_scenarios has them all."
    )
    seat: Literal["seller", "buyer", "drawn"] = Field(default="seller", description="Your side of the table.")
    persona: str = Field(
        default="drawn", max_length=64, description="The opponent; list_personas has them all. drawn: any of them."
    )
    opponent_voice: VoiceName = Field(
        default="scripted",
        description="Who speaks for the opponent: itself, a language model that words its decisions (narrated), or one "
        "that bargains within its bounds (llm). With a model it answers later, and the game is not ranked.",
    )
    model_key: Annotated[str, Field(max_length=256)] | None = Field(
        default=None, description="For narrated and llm, where the server's operator set a key."
    )
    request_id: Id | None = Field(
        default=None,
        description="Any id of your own. Sent again by the same player, it answers the game that it began and begins "
        "no second one.",
    )


class GetGameState(Player):
    """Look at a game of yours: the briefing, all that was said and offered, what is on the table, the next move_number.

    Changes nothing. After the end it has the result, the grade and the link to the debrief. Without game_id: your
    newest game that is not over.
    """

    game_id: Id | None = Field(default=None, description="The game. Left out: your newest one that is not over.")


class GetLeaderboard(Player):
    """Who negotiates best: the mean efficiency of the last 10 ranked games, for players with at least 5. Changes
    nothing. Efficiency is the share of what the other side's limit would have allowed that a player won."""

    scenario_id: str | None = Field(default=None, max_length=64, description="Only games of this scenario.")
    seat: Literal["seller", "buyer"] | None = Field(default=None, description="Only games from this seat.")
    persona: str | None = Field(default=None, max_length=64, description="Only games against this opponent.")


class ListScenarios(Arguments):
    """What can be negotiated: each scenario's id, its issues with their ranges, and the role in either seat. Changes
    nothing."""


class ListPersonas(Arguments):
    """The opponents one can choose from, and how each negotiates. Changes nothing."""
