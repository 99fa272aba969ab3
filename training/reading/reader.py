"""`read`: what one utterance of a negotiation says, by rules that docs/reading.md lists in order."""

from __future__ import annotations

from training.reading.acts import acts
from training.reading.claims import claims
from training.reading.prices import prices
from training.reading.splits import parts, terms
from training.reading.types import Found, Issue, Offer, ReadingError, check

MOST_CHARACTERS = 20_000
"""A longer utterance is no utterance."""


def read(utterance: str, issues: tuple[Issue, ...]) -> Found:
    """Reads offers, stance, claims, questions and reasons of an utterance, from its speaker's side.

    The issues: packages to divide (quantity of 1 or more each), or one price (quantity 0). The same text reads the
    same, whatever was said before; what it refers back to is left open for `follow`. Raises ReadingError for issues or
    a text that can't be read.
    """
    check(issues)
    if len(utterance) > MOST_CHARACTERS:
        raise ReadingError(f"an utterance has at most {MOST_CHARACTERS:,} characters, this one {len(utterance):,}")
    if issues[0].is_price:
        offers, limits = prices(utterance)
        said = terms("", issues)
        done = acts(utterance, bool(offers))
        known = claims(utterance, issues, said)
        valued = {claim.kind for claim in limits}
        others = tuple(claim for claim in known if claim.kind not in valued)
        return Found(offers, done.stance, done.conditional, done.same, limits + others, done.questions, done.reasons)
    said = terms(utterance, issues)
    split = parts(said, issues)
    done = acts(utterance, bool(split))
    return Found(
        (Offer(split),) if split else (),
        done.stance,
        done.conditional,
        done.same,
        claims(utterance, issues, said),
        done.questions,
        done.reasons,
        None if said.topic is None else issues[said.topic].name,
    )
