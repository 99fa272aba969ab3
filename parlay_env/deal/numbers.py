"""The constants of the deal's mechanism, each with its reason. Amounts are shares of Δ0 unless said otherwise.

The reward's constants are in `parlay_env/reward.py`, a card's cost in `game/cards.py`, a persona's numbers in
`agent/personas.yaml`. Start values: a measured prototype of the price game; docs/rules.md says what each does.
"""

# Instances ------------------------------------------------------------------------------------------------------------
BUDGET_PROBABILITY = 0.5
BUDGET_DEPTH = (0.03, 0.15)
"""How much tighter than the walk-away an authority is."""
ALTERNATIVE_WORTH = 0.10
"""How much stricter a walk-away is while the alternative lasts."""
DEADLINE = (12, 20)
"""A scripted opponent's last turn, uniform: waiting for the very end must be a risk."""
NO_ZOPA_PROBABILITY = 0.10
"""Walking away must sometimes be right, whatever one's own limit."""
NO_ZOPA_GAP = (0.02, 0.30)
WEIGHT_SPREAD = 0.10
LEAST_WEIGHT = 0.02
TARGET_SHARE = 0.25
"""A target is the declared anchor, moved this far toward one's own limit."""

# Headlines ------------------------------------------------------------------------------------------------------------
SCHEDULE_SPREAD = 2
"""A scheduled headline breaks up to this many turns early or late: a turn number must not be worth learning."""
MARKET_PROBABILITY = 0.12
MARKET_AT_MOST = 2
MARKET_SPREAD = 0.10
"""Standard deviation of an effect about its kind's mean: a headline tells the direction, not the size."""
EFFECT_AT_MOST = 0.30

# Offers ---------------------------------------------------------------------------------------------------------------
SERIOUS = 0.05
"""Asks above the own anchor by more than this count as this: a concession from the moon is none."""
MOVEMENT = 0.04
"""A concession of this much is full movement; smaller ones count in proportion."""
NOTICEABLE = 0.01
"""Below this a step is no movement at all."""
CREDIT_AT_MOST = 0.18
"""Of one concession, so that a landslide is not reciprocity."""
CREDIT_BEYOND = 0.05
"""One may lead the other's last step by this much and still be reciprocating."""
FREE_STEP = 0.04
"""Steps up to this, a full movement, are nobody's weakness."""
MODEST_OPENING = 0.45
SOFT_OPENING = 0.5
"""An opening that asks less than the own anchor by more than `MODEST_OPENING` is a concession made for nothing: this
share of the rest is weakness (an ambitious opening pays: Galinsky & Mussweiler 2001). The own target, as far from the
anchor as `TARGET_SHARE` says, is no soft opening."""

# Tension --------------------------------------------------------------------------------------------------------------
TENSION_START = 25.0
TENSION_MEMORY = 0.90
FRICTION = 17.0
"""What a turn without movement adds at a full gap: mutual stonewalling passes the hot mark in turn 4 or 5."""
RELIEF = 8.0
"""What a turn of full movement by both takes away."""
FIRST_OFFER_MOVEMENT = 0.5
"""An opening is half a movement: it starts something and gives nothing up."""
HEAT_CLAIM = 3.0
HEAT_CHALLENGE = 6.0
HEAT_CAUGHT = 8.0
HEAT_REPEATED_QUESTION = 4.0
HEAT_SILENCE = 3.0
HEAT_CURT = 4.0
HEAT_ANCHOR_CARD = 8.0
HEAT_BEYOND_ANCHOR = 10.0
"""For an ask a full Δ0 × `BEYOND_FULL` beyond the own anchor; less in proportion."""
BEYOND_FULL = 0.30
RELIEF_SWEETENER = 10.0
RELIEF_REFRAME = 6.0
RELIEF_CARDS_AT_MOST = 12.0
"""Times the turn's movement: cards ease only what concessions ease."""

# Erosion --------------------------------------------------------------------------------------------------------------
HOT = 75.0
"""Tension above this is hot."""
HOT_TURNS = 3
"""From this many hot turns in a row on, every hot turn erodes."""
EROSION = 0.02
"""How much a tick tightens each limit; both together 4 % of the declared width."""

# Trust and claims -----------------------------------------------------------------------------------------------------
TRUST_START = 0.35
TRUST_RATE = 0.12
CREDIBILITY_START = 0.60
CREDIBILITY_STANDS = 0.10
CREDIBILITY_WITHDRAWN = -0.35
CREDIBILITY_BROKEN = -0.25
CAUGHT_POINTS = 25
"""CP that a caught bluff costs."""
BACK_DOWN_PROBABILITY = 0.8
CLAIM_GRAIN = 0.05
"""Numeric claims are rounded to this, and a limit claim within it is true."""
DEADLINE_GRAIN = 1
"""A deadline claim this many turns off is still true."""

# Cards ----------------------------------------------------------------------------------------------------------------
ANCHOR_PULL = 0.35
"""The share of the gap toward an anchor that an estimate moves (Tversky & Kahneman 1974: adjustment .65)."""

# The end --------------------------------------------------------------------------------------------------------------
ERRORS_AT_MOST = 3
"""Invalid moves in a row that forfeit the episode."""
