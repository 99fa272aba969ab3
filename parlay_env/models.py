"""The wire types: what a client sends and what it gets. They compute nothing, and import nothing of ours."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_WORDS = 2000
"""Characters of an utterance, at most."""

Seat = Literal["seller", "buyer"]
Topic = Literal["timeline", "alternatives", "authority", "priorities"]
CardName = Literal["anchor_high", "silence", "sweetener", "reframe", "time_pressure", "batna_reveal"]
Figure = Annotated[float, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class Strict(BaseModel):
    """What a client sends: a field that isn't known is an error, never ignored."""

    model_config = ConfigDict(extra="forbid")


class BeliefReport(Strict):
    """What you believe of the opponent's hidden facts. Every field is optional; one left out keeps its last value."""

    est_walk_away: Figure | None = Field(
        default=None, description="The opponent's walk-away: a price, or with several issues what it needs in money."
    )
    est_budget: Figure | None = Field(
        default=None, description="Its authority, if tighter than the walk-away; else the same figure."
    )
    est_urgency: Figure | None = Field(default=None, description="How much it needs a deal soon, 0 to 1.")
    est_has_alternative: Figure | None = Field(
        default=None, description="The probability that it has an alternative, 0 to 1."
    )


class ParlayAction(Strict):
    """One move: words, and at most one of offer, accept_deal and walk_away; at most one of tactical_move and question;
    besides them a challenge, a belief report and an estimate of what a headline did."""

    utterance: Annotated[str, Field(strict=True, max_length=MAX_WORDS)] = Field(
        default="", description="What you say. An offer, a claim or an answer without words is curt and raises tension."
    )
    offer_amount: Figure | None = Field(default=None, description="Your offer, when the price is the only issue.")
    offer: dict[str, Figure] | None = Field(
        default=None, max_length=16, description="Your offer, when there are several issues: a value for every issue."
    )
    tactical_move: CardName | None = Field(default=None, description="A card. It costs credibility points.")
    claim_value: Figure | None = Field(
        default=None,
        description="What the card claims, true or not: batna_reveal a limit, time_pressure a turn. Also the answer "
        "to a question that the other side has just asked you.",
    )
    sweetener: Annotated[str, Field(strict=True, max_length=64)] | None = Field(
        default=None, description="With the card sweetener: the item's id."
    )
    question: Topic | None = Field(
        default=None, description="Ask about a topic; the opponent answers with a claim or evades."
    )
    challenge: Flag = Field(default=False, description="Dispute the opponent's newest claim.")
    accept_deal: Flag = Field(
        default=False, description="Take the opponent's standing offer at its terms. Ends the episode."
    )
    walk_away: Flag = Field(
        default=False, description="Leave without a deal. Right only when no deal is better than your limit."
    )
    belief: BeliefReport | None = Field(default=None, description="What you believe of the opponent now.")
    event_impact: Figure | None = Field(
        default=None,
        description="After a market headline: by how much, as a share of the scenario's width, the opponent's limit "
        "tightened (negative: loosened).",
    )


class IssueView(BaseModel):
    name: str
    title: str
    unit: str
    low: float
    high: float
    step: float | None
    values: list[float] | None
    better_for_you: Literal["higher", "lower"]


class SweetenerView(BaseModel):
    id: str
    title: str
    cost: float
    """To you, in money."""


class ScenarioView(BaseModel):
    id: str
    title: str
    unit: str
    currency: str
    role: str
    briefing: str
    issues: list[IssueView]
    sweeteners: list[SweetenerView]
    """What you can still throw in."""
    stake: float | None = None
    """Several issues: what the whole range of every issue is worth, in money. A value's worth to you is this times the
    issue's weight times its place on the issue's scale in your direction, 0 to 1."""
    width: float
    """Δ0 in money: the most surplus your seat could have at the declared limits."""


class OwnView(BaseModel):
    """Your own facts. One issue: prices. Several: utilities in money."""

    walk_away: float
    budget: float | None
    limit: float
    """The tighter of the two, with all that was thrown in counted: never make or take a deal beyond it."""
    target: float
    urgency: float
    has_alternative: bool
    deadline: int
    weights: dict[str, float] | None


class RangeView(BaseModel):
    mean: float
    low: float
    high: float


class PriorView(BaseModel):
    """What anybody may suppose of the opponent before the first move, in the units of `BeliefReport`."""

    walk_away: RangeView
    budget: RangeView
    urgency: RangeView
    has_alternative: float
    no_zopa: float
    weights: dict[str, float] | None
    """Several issues: the declared weights; the opponent's own lie around them, and stay hidden."""


class ClaimView(BaseModel):
    kind: Literal["limit", "deadline", "alternative", "budget", "priority"]
    value: float | str | bool
    status: Literal["open", "stands", "withdrawn", "broken"]
    turn: int


class InvalidView(BaseModel):
    code: str
    message: str


class ParlayObservation(BaseModel):
    """What the player sees. `termination_reason`, `final_offer`, `grade` and `truth` come with the end."""

    model_config = ConfigDict(extra="ignore")

    turn: int
    turns_left: int
    seat: Seat
    scenario: ScenarioView
    persona: str
    own: OwnView
    prior: PriorView
    own_offer: dict[str, float] | None = None
    opponent_offer: dict[str, float] | None = None
    offers: list[dict[str, Any]] = Field(default_factory=list)
    """`{turn, seat, offer}`, oldest first."""
    opponent_utterance: str = ""
    opponent_move: str = "none"
    """What the opponent's newest move was: none, offer, talk, and its card or question."""
    opponent_claim: ClaimView | None = None
    claims: list[dict[str, Any]] = Field(default_factory=list)
    """Every claim so far, both sides': `{turn, seat, kind, value, status}`."""
    thrown_in: list[dict[str, Any]] = Field(default_factory=list)
    """The sweeteners that are part of any deal now: `{seat, id, title, worth}`, worth in money to you."""
    events: list[dict[str, Any]] = Field(default_factory=list)
    """`{turn, headline, market}`."""
    tension_score: float
    trust: float
    """How far the opponent trusts you, 0…1."""
    credibility: float
    """How far your claims are believed, 0…1."""
    opponent_credibility: float
    credibility_points: int
    opponent_credibility_points: int
    available_moves: list[str]
    zopa_width_pct_remaining: float
    zopa_erosion_ticks: int
    belief: BeliefReport | None = None
    """Your own last report."""
    invalid: InvalidView | None = None
    """Why your newest move was not allowed; nothing else changed."""
    prompt: str | None = None
    termination_reason: str | None = None
    final_offer: dict[str, float] | None = None
    grade: dict[str, Any] | None = None
    truth: dict[str, Any] | None = None
    # What OpenEnv's stock server reads from an observation object and moves to the envelope:
    done: bool = False
    reward: float | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class ParlayState(BaseModel):
    """The session as its player may know it."""

    model_config = ConfigDict(extra="allow")

    episode_id: str | None = None
    step_count: int = 0


class ResetOptions(Strict):
    """What `reset` takes."""

    seed: Annotated[int, Field(strict=True, ge=0, le=2**53 - 1)] | None = Field(
        default=None, description="The instance. Left out: drawn by the server and told with the end."
    )
    episode_id: Annotated[str, Field(max_length=200)] | None = None
    scenario_id: Annotated[str, Field(max_length=64)] = "saas_enterprise"
    persona: Annotated[str, Field(max_length=64)] | None = Field(default=None, description="Left out: drawn.")
    seat: Seat = "seller"
    split: Literal["train", "validation", "test"] = "train"
    task_id: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="A task of a split, by its id."
    )
    index: Annotated[int, Field(strict=True, ge=0)] | None = Field(
        default=None, description="A task of `split`, by its index."
    )
    events: Flag = True
    omega: Annotated[float, Field(strict=True, ge=50, le=200)] = 200.0
    rewards: Literal["end", "immediate"] = "end"
    prompt: Flag = True
    opponent: Literal["scripted", "join"] = "scripted"
    join_code: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="Take the other seat of a game that was reset with opponent 'join'."
    )
    history: list[ParlayAction] | None = Field(
        default=None, max_length=64, description="Your moves to replay before you go on."
    )
