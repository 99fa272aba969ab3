"""The constants that all personas share, each with its reason. Amounts are shares of the persona's own Δ0.

A persona's own numbers are in `agent/personas.yaml`; the formulas are in `agent/formulas.py`, and docs/rules.md
("Personas") explains both.
"""

# Style, drawn for each episode: a documented policy must not be solved from what it does first. ----------------------
OPENING_SPREAD = 0.15
"""Aspiration: the opening is drawn this much about the persona's."""
LEAST_OPENING = (0.05, 0.30)
"""The least surplus it opens with; drawn, so that an opening held up by the limit does not give it away."""
BETA_RANGE = (0.8, 1.25)
"""Factors of the concession exponent, of reciprocity and of the reserve."""
RECIPROCITY_RANGE = (0.6, 1.4)
RESERVE_RANGE = (0.4, 2.2)
NOISE = 0.03
"""Standard deviation of every concession."""

# Concession -----------------------------------------------------------------------------------------------------------
STEP_AT_LEAST = 0.005
"""Smaller steps are not made."""
THROWN_IN = 0.3
"""The share of what is thrown in, by either side, that enters what a persona wants: a gift is no concession."""
CONCEDED = 0.01
"""The other side has conceded when its steps sum to this."""
WEAKNESS_WEIGHT = 2.0
WEAKNESS_AT_MOST = 0.7
"""How much of its concessions a persona withholds from a counterpart whose steps ran ahead: it need not be paid for."""
ASLEEP = 0.3
"""The share of reciprocity before a persona wakes to it."""
HORIZON = (0.54, 0.20)
"""A persona plans to be done at this share of its deadline, and patience adds to it: what time alone buys is bought
early, so that a good deal need not wait for the last turns."""
LEAST_HORIZON = 4
LAST_TURNS = 2
"""From so many turns before its deadline a persona concedes whatever the other does, and holds no more."""
HOLD = 0.58
"""How often the least conscientious lets a turn pass without a step: a step must not be a function of time alone."""
EXPONENT_GRAIN = 32
"""Concession exponents are whole numbers of this share: curves over turns are tables, the same on every machine."""

# Acceptance -----------------------------------------------------------------------------------------------------------
SLACK = 0.05
"""By how much a standing offer may fall short of the next demand, growing with time."""
EAGERNESS = 0.3
"""How much of the distrust an urgent persona forgets."""
LAST_GIVE = 0.11
"""By how much less than its demand it takes in its last turns: who has not earned more does not get it for a last word,
and a deal that was earned need not wait for them."""


# Leaving --------------------------------------------------------------------------------------------------------------
CALM = 60.0
"""Tension below this drives nobody away."""
HOT_RANGE = 45.0
HOT_RATE = (0.05, 0.06)
"""Hazard at full heat: a base, and what aggression adds."""
IDLE_RATE = 0.012
"""Hazard for each idle turn of the other's beyond the persona's patience, …"""
IDLE_TURNS = (2.5, 2.6)
"""… which is a base and what patience adds."""
ALTERNATIVE_FACTOR = (0.5, 1.5)
"""The hazard's factor without and with an alternative."""
URGENCY_FACTOR = 1.5
"""The hazard's factor is this less the urgency."""

# Cards ----------------------------------------------------------------------------------------------------------------
ANCHOR_WEIGHT = 0.30
"""How much of a pulled estimate enters the demand; the rest is argued away (depth)."""
FRAMING = 0.0133
LOSS_AVERSION = 2.25
"""A reframed cost is weighed by loss aversion (Tversky & Kahneman 1992): 0.03 in all for an open mind."""
PRESSURE = 0.12
PRESSED = 0.85
BACKFIRE = 3.0
"""Patience above `PRESSED` turns pressure back, so many times as hard (Rubinstein 1982: who can wait gains)."""
SILENCE_STEP = 0.03
SILENCE_GAIN = 0.01
"""Into a silence an impatient persona gives this much more; a patient one keeps this much."""
CLAIM_PULL = 0.25
CLAIM_PULL_AT_MOST = 0.10
"""A believed limit claim closes this share of what the demand is beyond it (Schelling 1960)."""

# Claims ---------------------------------------------------------------------------------------------------------------
BLUFF_DEPTH = (0.18, 0.43)
"""How much tighter than the truth a bluffed limit is."""
FRANK = (0.35, 0.40, 0.30, 0.15)
"""The probability of an answer to a question: a base, and what agreeableness, trust and credibility add."""
FRANK_PRESSED = 0.25
"""What a repeated question takes from it."""
DISPUTES = 0.6
"""How often the most aggressive disputes a claim that is `DOUBTED` of Δ0 beyond what was to be supposed."""
DOUBTED = 0.5
DOUBT_OTHERWISE = 0.5
"""The doubt of a claim that is no limit."""

# The Veteran's guess --------------------------------------------------------------------------------------------------
LEVEL_TWO = 0.9
"""From this depth on a persona models what the other believes of it (level k = 2)."""
GUESS_GRID = (-0.45, -0.25, -0.05, 0.15, 0.35, 0.55)
"""Hypotheses: the other's limit above its declared one, in its Δ0."""
GUESS_WIDTH = 0.20
"""How closely the other is supposed to follow the model, in Δ0."""
GUESS_SLOWEST = 0.5
GUESS_END = 0.05
"""The other ends this much above its limit, or at `GUESS_SLOWEST` above its declared one if that asks for more."""
CONFIDENT = 0.30
"""Within this of the other's limit a demand is taken less and less surely."""
DEMANDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)
"""The demands that the best response is chosen from."""
