"""The signalling game: a code of one's own is worthless to strangers; a shared start makes it theirs, too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlay_env.games.signalling import MATCH, SIGNS
from training.reproduction.findings import (
    Experiment,
    Figure,
    Setting,
    Tell,
    cross_curve,
    cross_play,
    cross_play_in_sets,
    curve,
    figure,
    matrix,
    near,
    over_seeds,
)
from training.stats import Estimate
from training.tabular import Choose, Floats, Options, Paid, Run, Stream, train

STEPS, RATE, EPISODES = 2000, 1.0, 16
SPREAD = 1.0
"""Standard deviation of the first logits: how far seeds differ before they learn."""
PRIORS = (0.0, 0.5, 1.0, 1.5)
"""How much more logit everybody's first policy gives the sign with the state's (or the message's) own number."""
PRIOR = 1.0
"""The shared prior that the pull is back to."""
PULLS = (0.0, 0.02, 0.04)
EVERY = 100


class SignallingTables:
    """A sender's table and a receiver's."""

    tables = 2
    contexts = SIGNS
    actions = SIGNS

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        """One round an episode."""
        state = draws.below(SIGNS, episodes, 1)
        act = choose((1,), choose((0,), state))
        paid = Paid(MATCH * (act == state))
        return [paid, paid]

    def worth(self, policy: Floats) -> Floats:
        """A message is worth how often it is understood, an act how often it is meant."""
        return MATCH * policy[:, ::-1].swapaxes(2, 3) / SIGNS


def met(policy: Floats) -> Floats:
    """What each seed's sender earns with each other's receiver; from (…, seeds, 2, signs, signs)."""
    senders = policy[..., 0, :, :].reshape(*policy.shape[:-3], -1)
    receivers = policy[..., 1, :, :].swapaxes(-1, -2).reshape(*policy.shape[:-3], -1)
    return MATCH * senders @ receivers.swapaxes(-1, -2) / SIGNS


def shared(strength: float) -> Floats:
    """The logits about which everybody starts, for both tables."""
    return np.broadcast_to(strength * np.eye(SIGNS), (2, SIGNS, SIGNS))


def experiment(seeds: Sequence[int], tell: Tell) -> Experiment:
    """Codes learned with more and more of a shared start, and pulled back to it more and more."""
    plans = [(prior, 0.0) for prior in PRIORS] + [(PRIOR, pull) for pull in PULLS if pull]
    runs: dict[tuple[float, float], Run] = {}
    for k, (prior, pull) in enumerate(plans):
        tell("signalling", k, len(plans))
        how = Options(steps=STEPS, rate=RATE, episodes=EPISODES, spread=SPREAD, pull=pull)
        runs[prior, pull] = train(SignallingTables(), how, seeds, shared(prior), lambda policy: policy, EVERY)
    tell("signalling", len(plans), len(plans))
    paid = {plan: met(run.seen) for plan, run in runs.items()}
    last = {plan: pays[-1] for plan, pays in paid.items()}
    steps = runs[PRIOR, 0.0].steps
    named = ((0.0, 0.0), (PRIOR, 0.0), (PRIOR, PULLS[-1]))
    return Experiment(
        id="signalling",
        title=f"Signals without a code (K = {SIGNS}): a shared prior, and a pull back to it",
        question="Does a code that two learned from each other mean anything to somebody else?",
        assumed=(
            f"A sender's table and a receiver's, {SIGNS} × {SIGNS} logits each; rate {RATE:g}, a running mean as "
            f"baseline, {EPISODES} rounds a step, {STEPS:,} steps.",
            f"Every seed's first logits are normal with standard deviation {SPREAD:g} about the shared prior, which "
            f"gives the sign of the same number more logit: {_listed(PRIORS)}.",
            f"The pull is the weight of KL(policy‖prior), in every context alike: {_listed(PULLS)}; with the prior at "
            f"{PRIOR:g}.",
            "Of the prior and of the pull only the direction is published: the figure is a difference over the same "
            "seeds, and its interval must lie on the claimed side of 0.",
        ),
        seeds=len(seeds),
        figures=_figures(last),
        curves=tuple(
            one
            for prior, pull in named
            for one in (
                curve(f"self-play, {_named(prior, pull)}", steps, np.diagonal(paid[prior, pull], axis1=1, axis2=2)),
                cross_curve(f"cross-play, {_named(prior, pull)}", steps, paid[prior, pull]),
            )
        ),
        matrices=tuple(matrix(_named(*plan), last[plan]) for plan in named),
        settings=tuple(
            Setting(
                assumed=_named(*plan),
                found={"self-play %": float(100 * np.diag(pays).mean()), "cross-play %": cross_play(pays, 100).value},
            )
            for plan, pays in last.items()
        ),
    )


def _listed(figures: Sequence[float]) -> str:
    return ", ".join(f"{one:g}" for one in figures)


def _named(prior: float, pull: float) -> str:
    told = f"prior {prior:g}" if prior else "no prior"
    return f"{told}, pull {pull:g}" if pull else told


def _figures(last: dict[tuple[float, float], Floats]) -> tuple[Figure, ...]:
    alone, free, pulled = last[0.0, 0.0], last[PRIOR, 0.0], last[PRIOR, PULLS[-1]]
    most, weak = last[PRIORS[-1], 0.0], last[PRIOR, PULLS[1]]
    return (
        figure(
            "cross-play without a prior",
            "≈ 12.5 (1/8)",
            *near(100 / SIGNS, 1),
            cross_play(alone, 100),
            "%",
            sets=cross_play_in_sets(alone, 100),
        ),
        figure(f"cross-play: prior {PRIORS[-1]:g} less none", "rises", 0, None, _gain(most, alone), "%"),
        figure(f"cross-play: pull {PULLS[-1]:g} less none", "rises", 0, None, _gain(pulled, free), "%"),
        figure(
            f"self-play: no pull less pull {PULLS[-1]:g}",
            "pull lowers it",
            0,
            None,
            over_seeds(np.diag(free) - np.diag(pulled), 100),
            "%",
            note=f"a pull of {PULLS[1]:g} changes it by {100 * np.mean(np.diag(weak) - np.diag(free)):+.1f}",
        ),
    )


def _gain(after: Floats, before: Floats) -> Estimate:
    """By how much cross-play rose, over the same resamples of seeds."""
    return cross_play(after - before, 100)
