"""A branch begins where the stored episode was, is paid for what comes from there on, and teaches its one message."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from training.branching import (
    Best,
    Branch,
    BranchError,
    Line,
    Pair,
    best,
    finish,
    pairs,
    picked,
    played,
    prefixes,
    samples,
    stored,
)
from training.chat import Messages
from training.data.form import DataSet
from training.presets import Shaping
from training.rollout import Rollouts, Task
from training.speaker import Said

TASK = Task("saas_enterprise", "diplomat", "seller", seed=1)
ASKED: Messages = [{"role": "user", "content": "turn 3"}]


def said(text: str, *, cut: bool = False) -> Said:
    return Said(text, (1, 2), (3, 4, 5), (-0.1, -0.2, -0.3), cut)


def branch(*answers: tuple[str, float], cut: Sequence[str] = (), no_move: Sequence[str] = ()) -> Branch:
    return Branch(
        TASK,
        ASKED,
        tuple(said(text, cut=text in cut) for text, _ in answers),
        tuple("absent" if text in no_move else "ok" for text, _ in answers),
        tuple(reward for _, reward in answers),
        (0.0,) * len(answers),
    )


class Reader:
    """Plays written moves, one after the other, whatever it is asked, and keeps what that was."""

    def __init__(self, *moves: dict[str, Any]) -> None:
        self._moves = iter(moves)
        self.asked: list[Messages] = []

    def __call__(self, conversations: Sequence[Messages]) -> list[Said]:
        self.asked += conversations
        return [said(msgspec.json.encode(next(self._moves)).decode()) for _ in conversations]


# Where a branch begins ------------------------------------------------------------------------------------------------


def test_a_prefix_leads_to_the_very_observation_that_the_stored_episode_had(url: str, data: DataSet) -> None:
    prompts = {(one.episode, one.step): one.prompt for one in data.examples["train"]}
    checked = 0
    for episode in [one for one in data.episodes.values() if one.set == "train"][:4]:
        for step in (0, 1, len(episode.actions) // 2, len(episode.actions) - 1):
            task = Task(episode.scenario_id, episode.persona, "seller", episode.seed, history=episode.actions[:step])
            leaves = Reader({"walk_away": True})
            with Rollouts(url, leaves, form="full", rewards_of="immediate") as rollouts:
                (found,) = finish(rollouts, [task], 1)
            if (episode.episode, step) in prompts:
                checked += 1
                assert found.messages == [{"role": "user", "content": prompts[episode.episode, step]}]
    assert checked > 10


def test_what_the_prefix_was_paid_is_not_paid_again(url: str, data: DataSet) -> None:
    hidden = 0
    for line in stored(data, "train")[:3]:
        with Rollouts(url, Reader(*line.moves), form="brief", rewards_of="immediate") as rollouts:
            (whole,) = rollouts.play([line.task])
        cut = len(line.moves) // 2
        rest = replace(line.task, history=line.moves[:cut])
        with Rollouts(url, Reader(*line.moves[cut:]), form="brief", rewards_of="immediate") as rollouts:
            (found,) = finish(rollouts, [rest], 1)
        before = sum(turn.reward for turn in whole.turns[:cut])
        assert found.rewards[0] == pytest.approx(whole.reward - before, abs=1e-4)
        with Rollouts(url, Reader(*line.moves[cut:]), form="brief") as rollouts:
            hidden += finish(rollouts, [rest], 1)[0].rewards[0] != pytest.approx(found.rewards[0], abs=1e-4)
    assert hidden, "paid at the end, a prefix's beliefs and estimates are paid with the rest"


def test_shaping_is_added_to_what_was_paid_and_told_apart_from_it(url: str, data: DataSet) -> None:
    line = next(one for one in stored(data, "train") if one.moves[-1].get("accept_deal") or len(one.moves) > 4)
    cut = len(line.moves) // 2
    believes = {**line.moves[cut], "belief": {"est_urgency": 0.5, "est_walk_away": 160_000}}
    rest = replace(line.task, history=line.moves[:cut])

    def finished(shaping: Shaping) -> Branch:
        with Rollouts(url, Reader(believes, *line.moves[cut + 1 :]), form="brief", rewards_of="immediate") as rollouts:
            return finish(rollouts, [rest], 1, shaping=shaping)[0]

    plain, both = finished(Shaping()), finished(Shaping(ise=2, lo=0.5))
    assert plain.shaping == (0,)
    assert both.shaping[0] > 1, "the episode ends in a deal"
    assert both.rewards[0] == pytest.approx(plain.rewards[0] + both.shaping[0])
    ise, lo = (finished(one).shaping[0] for one in (Shaping(ise=1), Shaping(lo=1)))
    assert both.shaping[0] == pytest.approx(2 * ise + 0.5 * lo)


def test_prefixes_are_spread_over_the_episodes_and_drawn_by_seed() -> None:
    lines = [Line(TASK, tuple({"offer_amount": k} for k in range(20))) for _ in range(10)]
    found = [len(one.history) for one in prefixes(lines, random.Random(3))]
    assert all(2 * k <= cut < 2 * k + 2 for k, cut in enumerate(found))
    assert found == [len(one.history) for one in prefixes(lines, random.Random(3))]
    assert found != [len(one.history) for one in prefixes(lines, random.Random(4))]


def test_every_episode_is_picked_as_often_as_the_others(data: DataSet) -> None:
    lines = stored(data, "train")
    found = picked(lines, 2 * len(lines), random.Random(1))
    assert all(found.count(one) == 2 * lines.count(one) for one in lines)


def test_no_prefix_holds_a_move_that_was_not_allowed(data: DataSet) -> None:
    kept = next(one for one in data.episodes.values() if one.set == "train" and len(one.actions) > 4)
    refused = replace(kept, allowed=(True, False, *kept.allowed[2:]), actions=(kept.actions[0], {}, *kept.actions[2:]))
    only = replace(data, episodes={refused.episode: refused})
    (line,) = stored(only, "train")
    cuts = {len(prefixes([line], random.Random(seed))[0].history) for seed in range(50)}
    assert cuts == {0, 1}


def test_own_episodes_are_branched_as_stored_ones_are(url: str, data: DataSet) -> None:
    line = stored(data, "train")[0]
    nonsense = {"accept_deal": True, "walk_away": True}
    moves = [line.moves[0], nonsense, *line.moves[1:]]
    with Rollouts(url, Reader(*moves), form="brief", rewards_of="immediate") as rollouts:
        (own,) = played(rollouts.play([line.task]))
    assert own.task == line.task
    assert len(own.moves) == 2
    assert own.moves[0] == line.moves[0]


def test_a_set_without_an_episode_to_reset_to_is_refused(data: DataSet) -> None:
    people = {name: replace(one, seed=None) for name, one in data.episodes.items()}
    with pytest.raises(BranchError, match="no train episode that can be reset to"):
        stored(replace(data, episodes=people), "train")


# What is learned from it ----------------------------------------------------------------------------------------------


def test_the_message_at_the_branch_alone_is_learned_from(url: str, data: DataSet) -> None:
    line = stored(data, "train")[0]
    cut = len(line.moves) - 2
    reader = Reader({"offer_amount": 150_000}, {"offer_amount": 190_000}, *[{"walk_away": True}] * 2)
    with Rollouts(url, reader, form="brief", rewards_of="immediate") as rollouts:
        found = finish(rollouts, [replace(line.task, history=line.moves[:cut])], 2)
    assert [one.said.text for one in samples(found)] == ['{"offer_amount":150000}', '{"offer_amount":190000}']
    assert reader.asked[0] == reader.asked[1] == found[0].messages
    assert len(reader.asked) == 4


def test_advantages_are_of_the_group_and_a_group_of_one_reward_has_none() -> None:
    found = samples([branch(("a", 10.0), ("b", 30.0)), branch(("c", 5.0), ("d", 5.0)), branch(("e", 7.0), ("f", 1.0))])
    assert [(one.said.text, one.advantage) for one in found] == [("a", -1.0), ("b", 1.0), ("e", 1.0), ("f", -1.0)]
    assert all(one.share == 1 / 3 for one in found)


def test_pairs_are_all_of_different_reward_and_ties_are_skipped() -> None:
    found = pairs([branch(("a", 3.0), ("b", 1.0), ("c", 1.0), ("d", 2.0))])
    assert {(one.chosen, one.rejected) for one in found} == {("a", "b"), ("a", "c"), ("a", "d"), ("d", "b"), ("d", "c")}
    assert found[0] == Pair(ASKED, "a", "b")


def test_the_same_words_are_no_pair_and_what_was_cut_off_is_in_none() -> None:
    assert pairs([branch(("a", 3.0), ("a", 1.0))]) == []
    found = pairs([branch(("a", 3.0), ("long", 9.0), ("b", 1.0), cut=["long"])])
    assert [(one.chosen, one.rejected) for one in found] == [("a", "b")]


def test_the_best_is_learned_where_it_beats_the_mean() -> None:
    found = best([branch(("a", 3.0), ("b", 9.0), ("c", 6.0)), branch(("d", 2.0), ("e", 2.0))])
    assert found == [Best(ASKED, "b")]
    assert best([branch(("a", 3.0), ("long", 9.0), cut=["long"])]) == []


def test_what_was_no_move_is_not_to_be_copied_however_little_the_others_came_to() -> None:
    """It costs a few points; a deal beyond the own limit costs two hundred."""
    group = branch(("Hm.", -15.0), ("a", -150.0), ("b", -200.0), no_move=["Hm."])
    assert best([group]) == []
    assert [(one.chosen, one.rejected) for one in pairs([group])] == [("a", "b")]
    fine = branch(("Hm.", -15.0), ("a", 20.0), no_move=["Hm."])
    assert best([fine]) == [Best(ASKED, "a")]
    assert [(one.chosen, one.rejected) for one in pairs([fine])] == [("a", "Hm.")]
