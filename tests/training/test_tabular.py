"""Tables learn what they are paid for, by each option as it says, and a seed's run is its own."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from training.tabular import Choose, Floats, Options, Paid, Stream, learnability, softmax, symmetrised, train

MEETING = np.array([1.0, 1.0, 0.9])
SWAP = ((0, 1, 2), (1, 0, 2))
"""The two actions of `Meet` that pay alike, as they are and changed over."""


class Meet:
    """Two who share a table are paid if they choose the same of three."""

    tables, contexts, actions = 1, 1, 3

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        chosen = choose((0, 0), np.zeros((draws.seeds, episodes, 2), np.int64))
        paid = np.where(chosen[..., 0] == chosen[..., 1], MEETING[chosen[..., 0]], 0.0)
        return [Paid(np.repeat(paid[..., None], 2, axis=-1))]

    def worth(self, policy: Floats) -> Floats:
        return policy * MEETING


class Pick:
    """Two tables, two contexts; action `context` is right, and everybody is paid for what all got right."""

    tables, contexts, actions = 2, 2, 2

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        context = draws.below(2, episodes, 2)
        right = (choose((0, 1), context) == context).astype(float)
        everybody = right.sum(axis=-1, keepdims=True)
        return [Paid(np.repeat(everybody, 2, axis=-1), everybody - right)]


class Blind(Pick):
    """Says nothing of what the reward had been without a player."""

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        return [Paid(paid.rewards) for paid in super().play(choose, draws, episodes)]


class Forgetful(Pick):
    """Pays for fewer choices than it asked for."""

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        super().play(choose, draws, episodes)
        return super().play(choose, draws, episodes)


HOW = Options(steps=300, rate=0.5, episodes=8)


def changed(**fields: object) -> Options:
    return msgspec.structs.replace(HOW, **fields)


def test_every_table_learns_what_is_right_in_every_context() -> None:
    policy = train(Pick(), HOW, range(5)).policy
    assert (np.diagonal(policy, axis1=2, axis2=3) > 0.95).all()


def test_a_seeds_run_is_the_same_whatever_other_seeds_run_beside_it() -> None:
    how = changed(spread=0.5, steps=40, symmetries=SWAP)
    together = train(Meet(), how, (3, 4, 5)).policy
    assert (train(Meet(), how, (4,)).policy[0] == together[1]).all()
    assert not (together[0] == together[1]).all()


def test_the_sampled_gradient_is_the_exact_one_in_the_mean() -> None:
    start = np.array([[[0.4, 0.0, -0.3]]])
    one = Options(steps=1, rate=1.0, exact=True)
    exact = np.log(train(Meet(), one, (0,), start).policy[0, 0, 0])
    for baseline in ("none", "running", "exact"):
        sampled = Options(steps=1, rate=1.0, episodes=200_000, baseline=baseline)
        found = np.log(train(Meet(), sampled, (0,), start).policy[0, 0, 0])
        moved = np.diff(found) - np.diff(start[0, 0])
        assert moved == pytest.approx(2 * (np.diff(exact) - np.diff(start[0, 0])), abs=0.01), baseline


def test_the_exact_gradient_is_that_of_the_expected_pay_with_and_without_symmetries() -> None:
    start = np.array([0.4, 0.1, -0.2])

    def expected(logits: Floats, symmetries: tuple[tuple[int, ...], ...]) -> float:
        looks = symmetrised(softmax(logits), symmetries)
        return float((looks * MEETING * looks).sum())

    for symmetries in ((), SWAP):
        how = Options(steps=1, rate=1.0, exact=True, symmetries=symmetries)
        policy = train(Meet(), how, (0,), start[None, None]).policy[0, 0, 0]
        step = np.log(policy) - start
        slope = [
            (expected(start + 1e-6 * unit, symmetries) - expected(start - 1e-6 * unit, symmetries)) / 2e-6
            for unit in np.eye(3)
        ]
        assert step - step.mean() == pytest.approx(np.array(slope) / 2, abs=1e-6)


def test_a_baseline_makes_the_gradient_quieter() -> None:
    def spread(baseline: str) -> float:
        how = Options(steps=2, rate=0.05, baseline=baseline)  # type: ignore[arg-type]
        return float(train(Meet(), how, range(4000)).policy.std(axis=0).sum())

    assert spread("exact") < spread("none")
    assert spread("running") < spread("none")


def test_other_play_finds_what_no_symmetry_moves() -> None:
    start = np.log([[[0.5, 0.1, 0.4]]])
    how = Options(steps=600, rate=0.2, episodes=128, baseline="exact", symmetries=SWAP)
    assert (train(Meet(), how, range(5), start).policy[:, 0, 0, 2] > 0.95).all()
    without = msgspec.structs.replace(how, symmetries=())
    assert (train(Meet(), without, range(5), start).policy[:, 0, 0, 0] > 0.95).all()
    alone = train(Meet(), changed(steps=600), range(20)).policy[:, 0, 0]
    assert len(set(alone.argmax(axis=-1))) > 1


def test_symmetrised_policies_look_alike_to_strangers() -> None:
    looks = symmetrised(np.array([0.7, 0.2, 0.1]), SWAP)
    assert looks == pytest.approx([0.45, 0.45, 0.1])
    assert (symmetrised(looks, ()) == looks).all()


def test_the_difference_reward_leaves_out_what_others_did() -> None:
    one = changed(steps=40, rate=0.1, episodes=1)
    own = train(Pick(), changed(steps=40, rate=0.1, episodes=1, difference=True, baseline="none"), range(200)).policy
    team = train(Pick(), one, range(200)).policy
    assert own[:, :, 0, 0].std() < team[:, :, 0, 0].std()


def test_a_pull_keeps_the_policy_near_where_it_started() -> None:
    start = np.log([[[0.2, 0.3, 0.5]]])
    gone, held = (train(Meet(), changed(pull=pull), range(5), start).policy for pull in (0.0, 3.0))
    far = [np.abs(policy - softmax(start)).max() for policy in (gone, held)]
    assert far[1] < far[0] / 2


class Nothing(Meet):
    """Pays nobody anything."""

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        return [Paid(0 * paid.rewards) for paid in super().play(choose, draws, episodes)]

    def worth(self, policy: Floats) -> Floats:
        return 0 * policy


def test_a_pull_is_along_the_gradient_of_the_distance_from_where_it_started() -> None:
    start = np.log([0.2, 0.3, 0.5])
    how = Options(steps=0, rate=1.0, spread=0.7, pull=0.5, exact=True)
    before, after = (
        np.log(train(Nothing(), msgspec.structs.replace(how, steps=steps), (0,), start[None, None]).policy[0, 0, 0])
        for steps in (0, 1)
    )

    def distance(logits: Floats) -> float:
        return float((softmax(logits) * (np.log(softmax(logits)) - start)).sum())

    slope = np.array([(distance(before + 1e-6 * u) - distance(before - 1e-6 * u)) / 2e-6 for u in np.eye(3)])
    step = after - before
    assert step - step.mean() == pytest.approx(-0.5 * slope, abs=1e-6)


def test_a_pull_alone_brings_a_policy_back() -> None:
    start = np.log([[[0.2, 0.3, 0.5]]])
    policy = train(Nothing(), changed(spread=1.0, pull=0.5, baseline="none"), range(3), start).policy
    assert policy == pytest.approx(np.broadcast_to(softmax(start), policy.shape), abs=1e-3)


def test_what_is_watched_is_seen_before_the_first_step_and_after_the_last() -> None:
    run = train(Meet(), changed(steps=25), (0, 1), watch=lambda policy: policy[:, 0, 0, 0], every=10)
    assert run.steps == (0, 10, 20, 25)
    assert run.seen.shape == (4, 2)
    assert run.seen[0] == pytest.approx([1 / 3, 1 / 3])
    assert (run.seen[-1] == run.policy[:, 0, 0, 0]).all()


def test_draws_are_what_they_are_called() -> None:
    draws = Stream(range(3))
    normal = draws.normal(20_000)
    assert normal.mean(axis=1) == pytest.approx(np.zeros(3), abs=0.03)
    assert normal.std(axis=1) == pytest.approx(np.ones(3), abs=0.03)
    whole = draws.below(4, 20_000)
    assert np.bincount(whole.ravel()) / whole.size == pytest.approx(np.full(4, 0.25), abs=0.01)


def test_learnability_is_most_where_half_are_solved() -> None:
    assert learnability(np.array([0.0, 4.0, 8.0, 2.0]), 8) == pytest.approx([0, 0.25, 0, 0.1875])


@pytest.mark.parametrize(
    ("problem", "how", "told"),
    [
        (Meet(), changed(symmetries=((0, 1),)), "permutation"),
        (Meet(), changed(symmetries=((0, 0, 2),)), "permutation of the 3"),
        (Pick(), changed(exact=True), "no expectations"),
        (Pick(), changed(baseline="exact"), "no expectations"),
        (Blind(), changed(difference=True), "without a player"),
        (Forgetful(), HOW, "calls of choose"),
        (Meet(), changed(exact=True, difference=True), "difference reward is sampled"),
        (Meet(), changed(baseline="exact", difference=True), "difference reward is sampled"),
    ],
)
def test_what_a_problem_cant_give_is_said(problem: Meet | Pick, how: Options, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        train(problem, how, (0,))
