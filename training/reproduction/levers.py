"""Ten levers: what self-play agrees on, strangers miss; Other-Play breaks no symmetry (Hu et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlay_env.games.levers import COMMON, LEVERS, ODD, Setup, pays
from training.reproduction.findings import (
    SET,
    Experiment,
    Figure,
    Setting,
    Tell,
    cross_curve,
    cross_play,
    cross_play_in_sets,
    crossed_in,
    curve,
    figure,
    in_sets,
    known,
    matrix,
    near,
    over_seeds,
)
from training.stats import Estimate, mean
from training.tabular import Choose, Floats, Options, Paid, Run, Stream, symmetrised, train

PAYS: Floats = np.array(pays(Setup()))
ODD_LEVER = Setup().odd
COMMONS = LEVERS - 1
SYMMETRIES = tuple((*((lever + turn) % COMMONS for lever in range(COMMONS)), ODD_LEVER) for turn in range(COMMONS))
"""The levers that pay alike, turned: over these two players meet as often as over all 9! permutations of them."""
HOW = Options(steps=4000, rate=0.5, episodes=16)
OTHER_PLAY = Options(steps=4000, rate=0.5, episodes=16, symmetries=SYMMETRIES)
REACHED = 0.05
"""An Other-Play score within this of the odd lever's pay has reached it."""
EVERY = 100
OTHERS = ((0.25, 0.0), (1.0, 0.0), (0.5, 0.1), (0.5, 0.5))
"""Other rates, and standard deviations of the first logits, that Other-Play is run with."""
FINER = 5
"""Decimals to which the basin's edge is measured."""


class LeversTable:
    """One table, played in both seats."""

    tables = 1
    contexts = 1
    actions = LEVERS

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        """Both pull; both are paid what they match in."""
        pulled = choose((0, 0), np.zeros((draws.seeds, episodes, 2), np.int64))
        matched = np.where(pulled[..., 0] == pulled[..., 1], PAYS[pulled[..., 0]], 0.0)
        return [Paid(np.repeat(matched[..., None], 2, axis=-1))]

    def worth(self, policy: Floats) -> Floats:
        """A lever is worth its pay as often as the other pulls it."""
        return policy * PAYS


def met(policy: Floats) -> Floats:
    """What each seed's policy earns with each other's; from (…, seeds, levers) to (…, seeds, seeds)."""
    return (policy * PAYS) @ policy.swapaxes(-1, -2)


def score(policy: Floats) -> Floats:
    """Other-Play's own score of policies, shape (…, seeds): what each earns with its symmetrised self."""
    looks = symmetrised(policy, SYMMETRIES)
    return (looks * PAYS * looks).sum(axis=-1)


def threshold() -> float:
    """The share of pulls on the nine levers at which the odd one's basin begins, q*.

    With a share q on the nine, Other-Play's score is J(q) = ODD·(1 − q)² + COMMON·q²/9: strangers meet on one of nine
    that they can't tell apart a ninth of the time. J′(q) = 0 at q* = ODD / (ODD + COMMON/9), its least: a learner with
    less than q* on the nine climbs to the odd lever, one with more away from it.
    """
    return ODD / (ODD + COMMON / COMMONS)


def measured_threshold() -> float:
    """The same by trying: first policies with more and more on the nine levers, the gap refined tenfold each time,
    each followed along the exact gradient to where it ends."""
    low, high = 0.0, 1.0
    how = Options(steps=1000, rate=4.0, exact=True, symmetries=SYMMETRIES)
    for _ in range(FINER):
        tried = np.linspace(low, high, 11)[1:-1]
        start = np.repeat(np.log(tried / COMMONS)[:, None], LEVERS, axis=1)
        start[:, ODD_LEVER] = np.log(1 - tried)
        ends = train(LeversTable(), how, range(len(tried)), start[:, None, None]).policy[:, 0, 0, ODD_LEVER]
        odd = tried[ends > 1 - tried]
        low, high = (odd.max() if len(odd) else low), tried[ends <= 1 - tried].min(initial=high)
    return float((low + high) / 2)


def experiment(seeds: Sequence[int], tell: Tell) -> Experiment:
    """Self-play and Other-Play over these seeds, and the edge of the odd lever's basin."""
    total = 3 + len(OTHERS)
    tell("levers: self-play", 0, total)
    own = _trained(HOW, seeds)
    tell("levers: Other-Play", 1, total)
    other = _trained(OTHER_PLAY, seeds)
    tell("levers: the basin's edge", 2, total)
    edge = measured_threshold()
    settings = []
    for k, (rate, spread) in enumerate(OTHERS):
        tell("levers: other settings", 3 + k, total)
        how = Options(steps=HOW.steps, rate=rate, episodes=HOW.episodes, spread=spread, symmetries=SYMMETRIES)
        found = score(train(LeversTable(), how, seeds).policy[:, 0, 0])
        settings.append(_setting(rate, spread, found))
    settings.insert(0, _setting(OTHER_PLAY.rate, OTHER_PLAY.spread, score(other.seen[-1])))
    tell("levers", total, total)
    own_met = met(own.seen)
    return Experiment(
        id="levers",
        title="Ten levers: self-play, cross-play, Other-Play",
        question="Does a partner trained alone find a stranger who was trained alone, too?",
        assumed=(
            f"One table of ten logits, played in both seats; logits start at 0, rate {HOW.rate:g}, a running mean as "
            f"baseline, {HOW.episodes} episodes a step, {HOW.steps:,} steps.",
            "Cross-play is the mean over all pairs of different seeds. 1/9 is what strangers reach who each settled on "
            "one of the nine levers that pay 1.",
            "Other-Play reads each player's lever through one of nine turns of those nine levers, drawn anew for each "
            f"player and episode. A seed reaches 0.9 when its own score is within {REACHED:g} of it.",
            f"The two best of every {SET} seeds by that score are paired.",
        ),
        seeds=len(seeds),
        figures=(*_self_play(own.seen[-1]), *_other_play(other.seen[-1]), *_edges(edge)),
        curves=(
            curve("self-play", own.steps, np.diagonal(own_met, axis1=1, axis2=2)),
            cross_curve("cross-play of self-play", own.steps, own_met),
            cross_curve("cross-play of Other-Play", other.steps, met(other.seen)),
            curve("Other-Play's own score", other.steps, score(other.seen)),
        ),
        matrices=(matrix("self-play", own_met[-1]), matrix("Other-Play", met(other.seen[-1]))),
        settings=tuple(settings),
    )


def _trained(how: Options, seeds: Sequence[int]) -> Run:
    return train(LeversTable(), how, seeds, watch=lambda policy: policy[:, 0, 0], every=EVERY)


def _setting(rate: float, spread: float, scores: Floats) -> Setting:
    return Setting(
        assumed=f"rate {rate:g}, first logits' deviation {spread:g}",
        found={f"of {SET} seeds reach 0.9": SET * float(_reached(scores).mean())},
    )


def _reached(scores: Floats) -> Floats:
    return (scores >= ODD - REACHED).astype(float)


def _self_play(policy: Floats) -> tuple[Figure, ...]:
    pays_ = met(policy)
    own = np.diag(pays_)
    sets = in_sets(len(own), lambda these: float(100 * own[these].mean()))
    return (
        figure("self-play", "99.9", *near(99.9, 0.1), over_seeds(own, 100), "%", sets=sets),
        figure(
            "cross-play of self-play",
            "12.6",
            *near(12.6, 0.1),
            cross_play(pays_, 100),
            "%",
            sets=cross_play_in_sets(pays_, 100),
            note="a seed that settles on the odd lever lowers it",
        ),
        figure(
            "cross-play of self-play, in theory", "11.1 (1/9)", *near(100 / COMMONS, 0), cross_play(pays_, 100), "%"
        ),
    )


def _other_play(policy: Floats) -> tuple[Figure, ...]:
    scores = score(policy)
    reached, best = _reached(scores), _best_pairs(met(policy), scores)
    return (
        figure(
            f"Other-Play: seeds of {SET} that reach 0.9",
            "3–7",
            3,
            7,
            over_seeds(reached, SET),
            "seeds",
            sets=in_sets(len(reached), lambda these: float(SET * reached[these].mean())),
        ),
        figure(
            "Other-Play: the two best by its own score, paired",
            "89.9",
            *near(89.9, 0.1),
            best,
            "%",
            tolerance=0.1,
            note=f"{best.value:.2f}, of {100 * ODD:.0f} that are possible",
        ),
    )


def _best_pairs(pays_: Floats, scores: Floats) -> Estimate:
    """What the two best of each set of twenty earn together, in per cent."""
    each = min(SET, len(scores))
    sets = [np.arange(start, start + each) for start in range(0, len(scores) - each + 1, each)]
    best = [these[np.argsort(-scores[these], kind="stable")[:2]] for these in sets]
    found = mean([crossed_in(pays_, 100.0, pair) if len(pair) == 2 else np.nan for pair in best])
    assert found is not None
    return found


def _edges(edge: float) -> tuple[Figure, ...]:
    published = (".8901", *near(0.8901, 0.0001))
    return (
        figure("basin threshold q*, from the formula", *published, known(threshold())),
        figure("basin threshold q*, by trying first policies", *published, known(edge)),
    )
