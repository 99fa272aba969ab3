"""The Gymnasium faces: by Gymnasium's own checker, against the scalar core, and by what they must not show."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from agent.batch import EPISODE, NotBatched
from agent.batch.convert import to_move
from agent.batch.layout import CARD_COST, REASONS, SILENCE
from agent.registry import opponent
from game.scenarios import scenarios
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS
from parlay_env.deal.terms import terms_of
from parlay_env.grader import grade
from parlay_env.reward import RewardSpec
from parlay_env.session import BadOption, UnknownPersona, UnknownScenario
from parlay_env.tasks import seed_range
from training.vector_env import ParlayEnv, ParlayVectorEnv
from training.vector_kernels import (
    ACCEPT,
    BOUND,
    DECISIONS,
    FEATURES,
    MEET,
    PARTS,
    SIZES,
    STEPS,
    T_ANCHOR,
    T_SILENCE,
    TACTICS,
    TALK,
    WALK,
    decode_all,
    observe_all,
)

ALL = {"scenario_id": None}
"""Every scenario, the one with several issues too."""


def sampled(rng: np.random.Generator, masks: np.ndarray, careful: float = 1.0) -> np.ndarray:
    """An action for every place; `careful` is how often the masks are heeded. Few walk away."""
    heeded = np.where(rng.random((len(masks), 1)) < careful, masks, True)
    parts = np.split(heeded, np.cumsum(SIZES)[:-1], axis=1)
    actions = np.stack([(rng.random(part.shape) * part).argmax(axis=1) for part in parts], axis=1)
    hasty = (actions[:, 0] == WALK) & (rng.random(len(masks)) < 0.8)
    actions[hasty, 0] = TALK
    return actions


def play(deals: ParlayVectorEnv, steps: int, rng: int = 0, **how: Any) -> list[tuple[Any, ...]]:
    """What some steps with random actions give."""
    drawn = np.random.default_rng(rng)
    return [deals.step(sampled(drawn, deals.action_masks(), **how)) for _ in range(steps)]


# Gymnasium's own rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{}, {"scenario_id": "supplier_contract"}, {"parts": ("decision",)}], ids=str)
def test_gymnasiums_checker_has_nothing_to_say(arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("parlay/Deal-v0", **arguments).unwrapped)


def test_both_are_made_by_their_id() -> None:
    one, several = gymnasium.make("parlay/Deal-v0"), gymnasium.make_vec("parlay/Deal-v0", num_envs=3, persona="shark")
    assert isinstance(one.unwrapped, ParlayEnv)
    assert isinstance(several, ParlayVectorEnv)
    assert several.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert several.single_observation_space == one.observation_space
    assert several.single_action_space == one.action_space
    seen, info = several.reset(seed=1)
    assert seen in several.observation_space
    assert seen.dtype == np.float32
    assert info["action_mask"].shape == (3, sum(SIZES))
    actions = several.action_space.sample()
    assert actions in several.action_space
    seen, *_ = several.step(actions)
    assert seen in several.observation_space


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_many_deals_are_gymnasiums_own_vector_of_single_ones(mode: AutoresetMode) -> None:
    """Observations, pay, ends, last observations and what an episode came to, over several episodes a place."""
    ours = ParlayVectorEnv(6, autoreset_mode=mode, **ALL)
    theirs = SyncVectorEnv([lambda: ParlayEnv(**ALL)] * 6, autoreset_mode=mode)
    assert np.array_equal(ours.reset(seed=11)[0], theirs.reset(seed=11)[0])
    rng, ends = np.random.default_rng(1), 0
    for _ in range(60):
        actions = sampled(rng, ours.action_masks(), 0.9)
        mine, yours = ours.step(actions), theirs.step(actions)
        for k in range(4):
            assert np.array_equal(mine[k], yours[k]), k
        assert (mine[4]["action_mask"] == yours[4]["action_mask"]).all()
        ends += int(mine[2].sum())
        if mine[2].any():
            told, other = mine[4]["grade"], yours[4]
            if mode is AutoresetMode.SAME_STEP:
                told, other = mine[4]["final_info"]["grade"], other["final_info"]
                for i in np.flatnonzero(mine[2]):
                    assert (mine[4]["final_obs"][i] == other_obs(yours[4], i)).all()
            for name in ("reward", "end", "seed", "moves", "deal", "persona"):
                assert (told[name][mine[2]] == other["grade"][name][mine[2]]).all(), name
    assert ends >= 12


def other_obs(info: dict[str, Any], i: int) -> np.ndarray:
    return info["final_obs"][i]


def test_a_place_is_begun_anew_in_the_next_step_or_when_it_is_asked_for() -> None:
    walk = np.zeros((2, len(SIZES)), np.int64)
    walk[:, 0] = TALK
    walk[0, 0] = WALK
    deals = ParlayVectorEnv(2, autoreset_mode="NextStep")
    deals.reset(seed=3)
    *_, ended, _, info = deals.step(walk)
    assert ended.tolist() == [True, False]
    assert info["grade"]["end"][0] == "walk_away"
    assert "final_obs" not in info
    seen, rewards, ended, _, _ = deals.step(walk)  # it walks again, but this only begins the next episode
    assert ended.tolist() == [False, False]
    assert rewards[0] == 0.0
    assert deals.batch.rows["turn"].tolist() == [1, 3]
    assert seen in deals.observation_space

    deals = ParlayVectorEnv(2, autoreset_mode="Disabled")
    deals.reset(seed=3)
    deals.step(walk)
    with pytest.raises(ResetNeeded, match="1 of 2"):
        deals.step(walk)
    before = deals.batch.rows[1].tobytes()
    deals.reset(options={"reset_mask": np.array([True, False])})
    assert deals.batch.rows[1].tobytes() == before
    assert deals.step(walk)[2].tolist() == [True, False]


def test_gymnasiums_wrapper_counts_the_same_returns() -> None:
    inner = ParlayVectorEnv(8)
    deals = RecordEpisodeStatistics(inner)
    deals.reset(seed=2)
    rng, ends = np.random.default_rng(4), 0
    for _ in range(40):
        *_, ended, _, info = deals.step(sampled(rng, inner.action_masks()))
        if ended.any():
            ends += ended.sum()
            assert info["episode"]["r"][ended] == pytest.approx(info["grade"]["reward"][ended], abs=1e-3)
            assert (info["episode"]["l"][ended] == info["grade"]["moves"][ended]).all()
    assert ends > 8


# Seeds ----------------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_episodes_and_another_others() -> None:
    deals = ParlayVectorEnv(5, **ALL)
    first = deals.reset(seed=9)[0]
    one = play(deals, 25)
    again = deals.reset(seed=9)[0]
    two = play(deals, 25)
    assert first.tobytes() == again.tobytes()
    for a, b in zip(one, two, strict=True):
        assert all(x.tobytes() == y.tobytes() for x, y in zip(a[:4], b[:4], strict=True))
    assert deals.reset(seed=90)[0].tobytes() != first.tobytes()
    assert deals.reset()[0].tobytes() != deals.reset()[0].tobytes()


def test_a_places_next_instance_does_not_hang_on_what_was_done() -> None:
    """So that two learners meet the same instances in the same order."""
    found = []
    for rng in (0, 1):
        deals, seeds = ParlayVectorEnv(4), [[] for _ in range(4)]
        deals.reset(seed=5)
        for _, _, ended, _, info in play(deals, 80, rng):
            for i in np.flatnonzero(ended):
                grades = info["grade"]
                seeds[i].append(tuple(grades[name][i] for name in ("seed", "scenario_id", "persona", "seat")))
        found.append([one[:5] for one in seeds])
        assert all(len(one) == 5 for one in found[-1])
    assert found[0] == found[1]


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_instances_are_the_splits_own(split: str) -> None:
    deals = ParlayVectorEnv(16, split=split)
    deals.reset(seed=0)
    low, high = seed_range(split)
    told = [info["grade"]["seed"][ended] for _, _, ended, _, info in play(deals, 30) if ended.any()]
    seeds = np.concatenate(told)
    assert len(set(seeds.tolist())) == len(seeds) > 16
    assert ((low <= seeds) & (seeds <= high)).all()


def test_every_cell_comes_up() -> None:
    deals = ParlayVectorEnv(400, **ALL)
    deals.reset(seed=0)
    cells = {(s.scenario.id, s.opponent.name, s.seat) for s in deals.batch.setups}
    assert len(cells) == len(scenarios()) * 3 * 2


# The scalar core ------------------------------------------------------------------------------------------------------


class Scalar:
    """An episode of the scalar core, with the persona opposite."""

    def __init__(self, setup: Any, seed: int) -> None:
        self.game, self.setup, self.them = Deal(), setup, SEATS[1 - setup.learner]
        self.policy = opponent(setup.opponent.name, words=False)
        self.draws = policy_draws(self.game, seed, self.them)
        self.state = self.game.start(setup, seed)
        self.answer()

    def answer(self) -> float:
        paid = 0.0
        while self.state.public.ended is None and self.state.public.mover != self.setup.learner:
            move = self.policy.act(self.game.view(self.state, Viewer("player", self.them)), self.draws)
            paid += self.play(self.them, move)
        return paid

    def play(self, seat: str, move: Any) -> float:
        step = self.game.play(self.state, {seat: move})
        self.state = step.state
        return sum(step.rewards.get(self.setup.seat, {}).values())


@pytest.mark.parametrize("careful", [1.0, 0.7])
def test_random_actions_earn_what_their_moves_earn_in_the_scalar_core(careful: float) -> None:
    """Move by move, for a few hundred episodes of every scenario, persona and seat."""
    deals = ParlayVectorEnv(160, **ALL)
    deals.reset(seed=1)
    scalar = [Scalar(setup, int(seed)) for setup, seed in zip(deals.batch.setups, deals.seeds, strict=True)]
    rng, ends, alive = np.random.default_rng(2), set(), np.arange(160)
    while len(alive):
        _, rewards, ended, _, info = deals.step(sampled(rng, deals.action_masks(), careful))
        for i in alive:
            one = scalar[i]
            move = to_move(deals.moves[i], one.setup.scenario)
            assert rewards[i] == pytest.approx(one.play(one.setup.seat, move) + one.answer(), abs=1e-9), (i, move)
            over = one.state.public.ended
            assert ended[i] == (over is not None)
            if over is not None:
                ends.add(over.reason)
                known, told = grade(one.state, one.setup.learner), info["grade"]
                assert told["reward"][i] == pytest.approx(known.reward, abs=1e-9)
                assert told["efficiency"][i] == known.efficiency
                assert (told["end"][i], told["deal"][i]) == (over.reason, over.reason == "deal")
                assert told["invalid"][i] == known.invalid_moves
        alive = alive[~ended[alive]]
    assert {"deal", "walk_away"} <= ends


# What is seen ---------------------------------------------------------------------------------------------------------

SHOWN = {
    *("scene", "persona", "learner", "turn", "tension", "heat", "relief", "streak", "ticks", "news", "market_news"),
    *("has_standing", "standing", "latest", "first", "offers", "ask", "top", "best", "step", "credit", "weakness"),
    *("idle", "trust", "credibility", "points", "card", "strength", "question", "news_seen", "used", "asked"),
    *("thrown", "anchoring", "framing", "pressing", "errors", "peak", "mover", "ended", "end_seat", "outcome"),
    *("claims", "claim_turn", "claim_seat", "claim_kind", "claim_status", "claim_value", "claim_weight"),
    *("shocks", "shock_turn", "shock_market", "events", "split"),
    *("belief", "challenges", "estimated", "invalid", "has_seen", "seen", "value", "fines"),
    *("delta_v", "concession", "noise"),
}
"""Public, or the learner's own doing, or paid to it at once."""
OWN = {
    *("walk_away", "has_budget", "budget", "urgency", "alternative", "deadline", "base", "slopes", "weights"),
    *("item_worth", "least_worth", "safe"),
}
"""Each seat's: the learner's own half may be seen."""
HIDDEN = {
    *("visible", "hidden", "policy", "schedule", "claim_true", "opening", "least_opening", "beta", "share"),
    *("reciprocity", "reserve", "guess", "guessed", "skills", "due", "due_effect", "due_moves", "seen_shocks"),
    *("followed", "tom", "bluff", "mev", "terminal", "efficiency", "zopa", "walk_was_right", "breach", "reward"),
}


def scrambled(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same rows with anything at all in every hidden field."""
    found = rows.copy()
    for name in HIDDEN:
        found[name] = np.frombuffer(rng.bytes(found[name].nbytes), found[name].dtype).reshape(found[name].shape)
    for i, row in enumerate(found):
        other = 1 - int(row["learner"])
        for name in OWN:
            field = found[name][i]
            field[other] = np.frombuffer(rng.bytes(field[other].nbytes), field.dtype).reshape(field[other].shape)
        found["shock_effect"][i, :, other] = rng.normal(size=found["shock_effect"].shape[1])
    return found


def test_every_field_of_an_episode_is_known_to_be_hidden_or_not() -> None:
    assert SHOWN | OWN | HIDDEN | {"shock_effect"} == set(EPISODE.names)
    assert len(SHOWN) + len(OWN) + len(HIDDEN) + 1 == len(EPISODE.names)


def test_what_is_hidden_changes_no_byte_of_observation_mask_or_move() -> None:
    """Noninterference: public history and own facts held, everything else varied."""
    deals = ParlayVectorEnv(120, **ALL)
    deals.reset(seed=6)
    rng, tables = np.random.default_rng(8), deals.batch.tables
    everywhere, scratch = np.arange(120), np.zeros(len(SIZES), np.int64)
    news = claims = 0
    for _ in range(25):
        actions, found = sampled(rng, deals.action_masks(), 0.9), []
        for rows in (deals.batch.rows.copy(), scrambled(deals.batch.rows, rng), scrambled(deals.batch.rows, rng)):
            moves, masks = deals.batch.moves(), np.zeros((120, sum(SIZES)), np.int8)
            seen = np.zeros((120, len(FEATURES)), np.float32)
            observe_all(tables, rows, everywhere, moves, scratch, masks, seen)
            decode_all(tables, rows, actions, moves)
            found.append((seen.tobytes(), masks.tobytes(), moves.tobytes()))
        assert found[0] == found[1] == found[2]
        news += int(deals.batch.rows["news"].sum())
        claims += int(deals.batch.rows["claims"].sum())
        deals.step(actions)
    assert news > 100
    assert claims > 100


def test_a_feature_has_the_name_of_what_it_shows() -> None:
    deals = ParlayVectorEnv(60, **ALL)
    deals.reset(seed=4)
    place = {name: k for k, name in enumerate(FEATURES)}
    assert len(place) == len(FEATURES)
    seen = play(deals, 6)[-1][0]
    rows = deals.batch.rows
    me = rows["learner"]
    all_of = np.arange(60)
    headlines = [setup.scenario.headlines for setup in deals.batch.setups]
    for name, value in {
        "turn": rows["turn"] / 20,
        "urgency": rows["urgency"][all_of, me],
        "tension": rows["tension"] / 100,
        "points, own": rows["points"][all_of, me] / 100,
        "points, theirs": rows["points"][all_of, 1 - me] / 100,
        "trust, theirs": rows["trust"][all_of, 1 - me],
        "buyer": me,
        "shark": rows["persona"] == 0,
        "veteran": rows["persona"] == 2,
        "may silence": rows["points"][all_of, me] >= CARD_COST[SILENCE],
        "they_stand": rows["has_standing"][all_of, 1 - me],
        "headline 1: turn": [some[0].turn / 20 if some else 0 for some in headlines],
    }.items():
        assert seen[:, place[name]] == pytest.approx(np.asarray(value, float), abs=1e-6), name
    for i, setup in enumerate(deals.batch.setups):
        if rows["offers"][i, me[i]] and setup.seat == "seller" and len(setup.scenario.issues) == 1:
            terms, row = terms_of(setup.scenario), rows[i]
            limit = row["walk_away"][0] if not row["has_budget"][0] else max(row["walk_away"][0], row["budget"][0])
            price = terms.lows[0] + terms.steps[0] * int(row["latest"][0, 0])
            surplus = (price - limit) / terms.delta0[0] + seen[i, place["thrown_in"]]
            assert seen[i, place["last"]] == pytest.approx(surplus, abs=1e-5)
    assert (np.abs(seen) <= BOUND).all()


# What is done ---------------------------------------------------------------------------------------------------------


def test_masked_actions_are_never_refused() -> None:
    deals = ParlayVectorEnv(150, **ALL)
    deals.reset(seed=12)
    refused = [info["grade"]["invalid"][ended].sum() for _, _, ended, _, info in play(deals, 60) if ended.any()]
    assert len(refused) > 30
    assert sum(refused) == 0
    assert deals.batch.rows["invalid"].sum() == 0


def test_what_the_masks_forbid_is_refused_as_it_stands() -> None:
    """No illegal action is replaced by a legal one: the mechanism gets it, and noise is paid."""
    seen = set()
    for value in range(sum(SIZES)):
        part = int(np.searchsorted(np.cumsum(SIZES), value, side="right"))
        deals = ParlayVectorEnv(40, **ALL)
        deals.reset(seed=value)
        play_on(deals, 3)
        forbidden = ~deals.action_masks()[:, value]
        if not forbidden.any():
            continue
        seen.add(value)
        actions = sampled(np.random.default_rng(value), deals.action_masks())
        actions[:, 0] = TALK
        actions[:, 1] = 0
        actions[:, part] = value - int(np.cumsum((0, *SIZES))[part])
        before = deals.batch.rows.copy()
        _, rewards, *_ = deals.step(actions)
        after = deals.batch.rows
        assert (after["invalid"][forbidden] == before["invalid"][forbidden] + 1).all()
        assert (after["turn"][forbidden] == before["turn"][forbidden]).all()
        assert rewards[forbidden] == pytest.approx(-RewardSpec().noise)
    names = [f"{part}: {value}" for part, values in PARTS.items() for value in values]
    known = {names[k] for k in seen}
    assert {"decision: accept", "tactic: anchor_high", "challenge: yes"} <= known


def play_on(deals: ParlayVectorEnv, steps: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(steps):
        actions = sampled(rng, deals.action_masks())
        actions[:, 0] = np.maximum(actions[:, 0], TALK)
        deals.step(actions)


def test_three_refused_actions_forfeit() -> None:
    deals = ParlayEnv(scenario_id="saas_enterprise")
    _, info = deals.reset(seed=0, options={"seeds": 2})
    while info["action_mask"][ACCEPT]:
        _, info = deals.reset()
    accept = np.array([ACCEPT, 0, 0, 0, 0])
    found = [deals.step(accept) for _ in range(3)]
    assert [ended for _, _, ended, _, _ in found] == [False, False, True]
    assert found[-1][4]["grade"]["end"] == "forfeit"
    with pytest.raises(ResetNeeded):
        deals.step(accept)


def test_a_concession_is_what_it_says_and_stops_at_the_own_limit() -> None:
    last, stands = FEATURES.index("last"), FEATURES.index("stands")
    for seat in SEATS:
        deals = ParlayVectorEnv(30, seat=seat)
        before, _ = deals.reset(seed=3)
        checked = 0
        for decision in range(TALK + 1, len(DECISIONS)):
            actions = np.zeros((30, len(SIZES)), np.int64)
            actions[:, 0] = decision
            old = deals.batch.rows.copy()
            after, _, ended, *_ = deals.step(actions)
            same = [
                (deals.batch.rows[name] == old[name]).reshape(30, -1).all(axis=1)
                for name in ("news", "walk_away", "thrown")
            ]
            calm = ~ended & np.logical_and.reduce(same)
            assert (after[calm, stands] == 1).all()
            assert (after[calm, last] >= 0).all()
            if decision < MEET:
                asked = np.maximum(0.0, before[:, last] - STEPS[decision - TALK - 1])
                assert after[calm, last] == pytest.approx(asked[calm], abs=0.003)
                checked += calm.sum()
            before = after
        assert checked > 100


def test_parts_that_are_left_out_say_nothing() -> None:
    deals = ParlayVectorEnv(4, parts=("decision", "belief"))
    assert deals.sizes == [len(DECISIONS), len(PARTS["belief"])]
    _, info = deals.reset(seed=0)
    assert info["action_mask"].shape == (4, len(DECISIONS) + len(PARTS["belief"]))
    deals.step(np.array([[TALK, 3]] * 4))
    assert (deals.moves["card"] == -1).all()
    assert (deals.moves["question"] == -1).all()
    assert not np.isnan(deals.moves["belief"][:, 0]).any()


def test_an_end_and_silence_take_nothing_besides() -> None:
    deals = ParlayVectorEnv(2)
    deals.reset(seed=0)
    deals.step(np.array([[WALK, T_ANCHOR, 0, 0, 0], [MEET, T_SILENCE, 1, 0, 0]]))
    assert deals.moves["card"].tolist() == [-1, SILENCE]
    assert deals.moves["walk"].tolist() == [True, False]
    assert deals.moves["offers"].tolist() == [False, False]
    assert deals.moves["challenge"].tolist() == [False, False]
    assert TACTICS[T_SILENCE] == "silence"


# What is told and what is asked for -----------------------------------------------------------------------------------


def test_the_end_tells_what_came_of_the_episode() -> None:
    deals = ParlayVectorEnv(64, **ALL)
    deals.reset(seed=1)
    paid, ends = np.zeros(64), 0
    for _, rewards, ended, truncated, info in play(deals, 40):
        paid += rewards
        assert not truncated.any()
        assert ("grade" in info) == ended.any()
        if ended.any():
            told = info["grade"]
            assert (info["_grade"] == ended).all()
            assert told["reward"][ended] == pytest.approx(paid[ended], abs=1e-9)
            assert set(told["end"][ended]) <= set(REASONS[1:])
            assert (told["efficiency"][ended] <= told["deal"][ended]).all()
            assert set(told["persona"][ended]) <= {"shark", "diplomat", "veteran"}
            ends += ended.sum()
        paid[ended] = 0.0
    assert ends > 64


def test_options_of_a_reset_are_kept_until_they_are_changed() -> None:
    deals = ParlayVectorEnv(6)
    deals.reset(seed=1, options={"scenario_id": "hiring_package", "persona": ["shark", "veteran"], "seat": "buyer"})
    for _ in range(2):
        assert {s.scenario.id for s in deals.batch.setups} == {"hiring_package"}
        assert {s.seat for s in deals.batch.setups} == {"buyer"}
        assert {s.opponent.name for s in deals.batch.setups} <= {"shark", "veteran"}
        deals.reset()
    deals.reset(options={"omega": 50, "events": False, "split": "validation"})
    assert {(s.reward.cliff, s.events, s.split) for s in deals.batch.setups} == {(50.0, False, "validation")}
    assert {s.reward.cliff for s in ParlayVectorEnv(2, reward=RewardSpec(cliff=120)).batch.setups} == {120.0}
    low, _ = seed_range("validation")
    deals.reset(options={"seeds": range(low, low + 6)})
    assert deals.seeds.tolist() == list(range(low, low + 6))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"scenario_id": "lemonade"}, UnknownScenario, "one or some of saas_enterprise"),
        ({"persona": ("shark", "walrus")}, UnknownPersona, "shark, diplomat, veteran"),
        ({"persona": ()}, UnknownPersona, "one or some"),
        ({"seat": "judge"}, BadOption, "seller, buyer"),
        ({"split": "exam"}, BadOption, "train, validation, test"),
        ({"omega": 500}, BadOption, "from 50 to 200"),
        ({"events": "no"}, BadOption, "True or False"),
        ({"opponent": "join"}, BadOption, "there are scenario_id"),
        ({"seeds": [2**52]}, BadOption, "the train split's"),
        ({"seeds": [1, 2]}, BadOption, "seeds must be 1"),
        ({"reset_mask": [1]}, BadOption, "boolean array of shape"),
    ],
    ids=str,
)
def test_an_option_that_cannot_be_had_is_told_and_changes_nothing(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    deals = ParlayVectorEnv(1)
    deals.reset(seed=0)
    before = deals.batch.rows.tobytes()
    with pytest.raises(error, match=words):
        deals.reset(options=options)
    assert deals.batch.rows.tobytes() == before


def test_arguments_that_cannot_be_had_are_told() -> None:
    for arguments, error, words in [
        ({"num_envs": 0}, BadOption, "at least 1"),
        ({"parts": ("tactic",)}, BadOption, "the decision and some"),
        ({"persona": "walrus"}, UnknownPersona, "shark"),
        ({"autoreset_mode": "sometimes"}, BadOption, "NextStep, SameStep, Disabled"),
        ({"reward": RewardSpec.literal()}, NotBatched, "default reading"),
    ]:
        with pytest.raises(error, match=words):
            ParlayVectorEnv(**arguments)
    with pytest.raises(BadOption, match="no num_envs"):
        ParlayEnv(num_envs=2)


def test_actions_that_are_none_are_told() -> None:
    deals = ParlayVectorEnv(2)
    with pytest.raises(ResetNeeded):
        deals.step(np.zeros((2, len(SIZES)), np.int64))
    deals.reset(seed=0)
    for actions in (
        np.zeros((2, 3), np.int64),
        np.zeros((2, len(SIZES))),
        np.full((2, len(SIZES)), 99),
        -np.ones((2, 5), int),
    ):
        with pytest.raises(InvalidAction):
            deals.step(actions)
