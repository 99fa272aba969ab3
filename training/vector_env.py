"""Gymnasium faces of the batched core: `ParlayVectorEnv`, N deals at once, and `ParlayEnv`, one of them.

    import gymnasium
    import training.vector_env
    deals = gymnasium.make_vec("parlay/Deal-v0", num_envs=256, persona="shark")
    seen, info = deals.reset(seed=7)

Both need the extra `rl`: `pip install 'openenv-parlay-env[rl]'`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.batch import Batch
from agent.batch.layout import MOVE, REASONS
from agent.registry import OPPONENTS, profile
from game.events import SPLITS, Split
from game.scenarios import SEATS, SeatName, scenarios
from parlay_env.deal.state import Setup
from parlay_env.reward import RewardSpec
from parlay_env.rng import word
from parlay_env.session import BadOption, UnknownPersona, UnknownScenario
from parlay_env.tasks import seed_range
from training.vector_kernels import BOUND, FEATURES, PARTS, SIZES, decode_all, observe_all

try:
    import gymnasium
except ImportError as error:
    raise ImportError(f"this needs Gymnasium: {sys.executable} -m pip install gymnasium") from error

from gymnasium import spaces
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv

Floats, Ints, Masks = NDArray[np.float32], NDArray[np.int64], NDArray[np.int8]
Part = Literal["decision", "tactic", "challenge", "belief", "impact"]
ALL_PARTS: tuple[Part, ...] = get_args(Part)
OMEGAS = (50.0, 200.0)
"""What the cliff may cost: the least, and the most, which alone is comparable."""


class Options(msgspec.Struct, frozen=True):
    """What is played. Where there are several values, each episode draws one of every kind, all equally likely."""

    scenario_id: tuple[str, ...]
    persona: tuple[str, ...]
    seat: tuple[SeatName, ...]
    split: Split = "train"
    events: bool = True
    omega: float = 200.0

    def setups(self, reward: RewardSpec) -> list[Setup]:
        """Every combination."""
        paid = msgspec.structs.replace(reward, cliff=self.omega)
        return [
            Setup(scenarios()[scenario], seat, profile(persona), self.split, self.events, paid)
            for scenario in self.scenario_id
            for persona in self.persona
            for seat in self.seat
        ]


def price_scenarios() -> tuple[str, ...]:
    """The scenarios with one issue."""
    return tuple(name for name, scenario in scenarios().items() if len(scenario.issues) == 1)


OPTIONS = Options.__struct_fields__


def options_of(given: Mapping[str, Any], before: Options) -> Options:
    """The options that were named, the others as before. Raises BadOption, UnknownScenario and UnknownPersona."""
    for name in given:
        if name not in OPTIONS:
            raise BadOption(f"there is no option {name!r}; there are {', '.join(OPTIONS)}", name)
    events, split, omega = (given.get(name, getattr(before, name)) for name in ("events", "split", "omega"))
    if not isinstance(events, bool):
        raise BadOption("events must be True or False", "events")
    of_number = isinstance(omega, int | float) and not isinstance(omega, bool)
    if "omega" in given and not (of_number and OMEGAS[0] <= omega <= OMEGAS[1]):
        raise BadOption(f"omega must be a number from {OMEGAS[0]:g} to {OMEGAS[1]:g}", "omega")
    if split not in SPLITS:
        raise BadOption(f"split must be one of {', '.join(SPLITS)}", "split")
    return Options(
        _several(given, "scenario_id", before.scenario_id, tuple(scenarios()), UnknownScenario),
        _several(given, "persona", before.persona, OPPONENTS, UnknownPersona),
        _several(given, "seat", before.seat, SEATS, BadOption),
        split,
        events,
        float(omega),
    )


def _several(
    given: Mapping[str, Any], name: str, before: tuple[Any, ...], known: tuple[Any, ...], wrong: type[BadOption]
) -> tuple[Any, ...]:
    """One value or several, of those that there are; None: all of them."""
    if name not in given:
        return before
    value = given[name]
    if value is None:
        return known
    chosen = (value,) if isinstance(value, str) else tuple(value)
    if not chosen or not set(chosen) <= set(known):
        raise wrong(f"{name} must be one or some of {', '.join(known)}", name)
    return chosen


class _Deals(Batch):
    """A batch in which every episode may have another setup than the one before it in its place."""

    def __init__(self, cells: Sequence[Setup], count: int) -> None:
        super().__init__(cells)
        self.cells, self._of_cell = tuple(cells), self._blank
        self._chosen = [self.cells[0]] * count
        self.setups = tuple(self._chosen)
        self._blank = self._of_cell[np.zeros(count, np.int64)]
        self.rows = self._blank.copy()
        self.theirs, self.rewards = np.zeros(count, MOVE), np.zeros(count)

    def begin(self, where: Ints, cells: Ints, seeds: Sequence[int]) -> None:
        """Begin these episodes with these setups and seeds."""
        self._blank[where] = self._of_cell[cells]
        for i, cell in zip(where, cells, strict=True):
            self._chosen[i] = self.cells[cell]
        self.setups = tuple(self._chosen)
        self.reset(seeds, where)


class ParlayVectorEnv(VectorEnv[Floats, Ints, NDArray[Any]]):
    """N deals at once against scripted opponents, compiled.

    **Description.** A learner and a persona bargain over a price (or several issues) for at most twenty turns; who
    plays what is drawn anew for every episode from the options. Words are left out. docs/rules.md has every rule.

    **Action space.** `MultiDiscrete`, one number a part, for the parts chosen (a part left out is 0 always):

    - *decision* (15): accept what stands · walk away · talk, without an offer · concede −.10, 0, .01, .02, .03, .04,
      .06, .08, .12, .18 or .25 of Δ0 from one's own newest offer (before the first: from one's declared anchor), never
      below one's limit · meet halfway. With several issues: the outcome with that utility that the other side should
      like best by the declared weights.
    - *tactic* (12): none · each of the six cards (`anchor_high` is an offer of its own, .10 above one's highest; the
      sweetener is the next of one's list; `time_pressure` claims one's true deadline; `batna_reveal` one's true limit,
      or, in another value, one .20 tighter) · four questions.
    - *challenge* (2): dispute the other side's newest claim.
    - *belief* (10): say nothing new, or how much stricter than declared its walk-away is believed to be, −.60…+.60.
    - *impact* (9): say nothing, or how far a market event has tightened its limit, −.15…+.15.

    An end takes no tactic, and silence neither offer nor challenge: those parts then say nothing. `action_masks()` and
    `info["action_mask"]` tell which values are allowed, one part after the other; any mixture of allowed values is a
    legal move. An action that isn't allowed is played as it is: it is refused, costs noise, and the third in a row
    forfeits.

    **Observation space.** `Box`, float32: the features named in `vector_kernels.FEATURES`, from the public history
    and the seat's own facts alone, amounts in Δ0. Which headline broke is in its words only, and words are left out.

    **Starting state.** `reset(seed=s)` begins place *i* with seed *s + i*; the k-th episode of a place is the same
    instance whatever was done before. Instances are drawn from the seeds of the split. Reset options are those of the
    constructor (`scenario_id`, `persona`, `seat`, `split`, `events`, `omega`; each of the first three one value, some,
    or None for all), kept until they are changed, and `seeds`, the instances of the first episodes, one a place.

    **Rewards.** As the core pays: concessions, fines and the change of what stands at once, all that depends on hidden
    facts with the end. An episode pays from −300 to 200: divide by 100 for a learner that likes small numbers.

    **Episode end.** Always by the rules (`terminations`); nothing is truncated. Ended episodes are begun anew by the
    declared mode: in the same step (default; `info["final_obs"]`, `info["final_info"]`), in the next, or not at all
    (then `reset(options={"reset_mask": …})`). `info["grade"]` tells of the ended: reward, efficiency, deal, zopa,
    breach, walk_was_right, invalid, turn, moves, end, scenario_id, persona, seat, seed.

    **Arguments.** `num_envs`, the options, `reward` (a `RewardSpec`), `parts`, `autoreset_mode`.

    **Version history.** v0: the first.

    **References.** Gymnasium (Towers et al. 2024); Faratin, Sierra & Jennings 1998 for the opponents.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        *,
        reward: RewardSpec | None = None,
        parts: Sequence[Part] = ALL_PARTS,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> None:
        """Raises BadOption (UnknownScenario, UnknownPersona) for what can't be had, and NotBatched for what the
        batched core has no room for."""
        if not isinstance(num_envs, int) or num_envs < 1:
            raise BadOption("num_envs must be a whole number, at least 1", "num_envs")
        if not parts or parts[0] != "decision" or list(parts) != [part for part in ALL_PARTS if part in parts]:
            raise BadOption(f"parts must be the decision and some of the others in order: {', '.join(PARTS)}", "parts")
        self.num_envs, self.reward, self.parts = num_envs, reward or RewardSpec(), tuple(parts)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(mode.value for mode in AutoresetMode)
            raise BadOption(f"autoreset_mode must be one of {modes}", "autoreset_mode") from None
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._columns = [ALL_PARTS.index(part) for part in self.parts]
        sizes = [SIZES[k] for k in self._columns]
        ends = np.cumsum(SIZES)
        self._shown = np.concatenate([np.arange(ends[k] - SIZES[k], ends[k]) for k in self._columns])
        self.single_observation_space = spaces.Box(-BOUND, BOUND, (len(FEATURES),), np.float32)
        self.observation_space = spaces.Box(-BOUND, BOUND, (num_envs, len(FEATURES)), np.float32)
        self.single_action_space = spaces.MultiDiscrete(sizes)
        self.action_space = spaces.MultiDiscrete(np.tile(sizes, (num_envs, 1)))
        before = Options(price_scenarios(), OPPONENTS, SEATS, omega=self.reward.cliff)
        self._options = options_of(options, before)
        self._deals = _Deals(self._options.setups(self.reward), num_envs)
        self._streams = np.zeros(num_envs, np.uint64)
        self._begun = np.zeros(num_envs, np.uint64)
        self._seeds = np.zeros(num_envs, np.int64)
        self._length = np.zeros(num_envs, np.int64)
        self._ready = np.zeros(num_envs, np.bool_)
        """There is an episode, begun and not yet told to be over."""
        self._moves = self._deals.moves()
        self._paper, self._scratch = np.zeros(1, MOVE), np.zeros(len(SIZES), np.int64)
        self._masks = np.zeros((num_envs, sum(SIZES)), np.int8)

    # Gymnasium's interface

    def reset(
        self, *, seed: int | np.integer[Any] | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin all episodes anew, or those of `options["reset_mask"]`. Raises BadOption; nothing has happened then."""
        given = dict(options or {})
        where = self._where(given.pop("reset_mask", None))
        instances, chosen = given.pop("seeds", None), options_of(given, self._options)
        if instances is not None:
            instances = self._instances(instances, chosen.split)
        if chosen != self._options and len(where) < self.num_envs:
            raise BadOption("other options need a reset of all places", "reset_mask")
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        if chosen != self._options:
            self._deals, self._options = _Deals(chosen.setups(self.reward), self.num_envs), chosen
        self._seed_streams(seed, where)
        self._begin(where, instances)
        seen = np.zeros((self.num_envs, len(FEATURES)), np.float32)
        self._observe(seen, np.arange(self.num_envs))
        return seen, {"action_mask": self.action_masks().astype(np.int8)}

    def step(self, actions: Any) -> tuple[Floats, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play a move in every place. Raises InvalidAction for what is not in the space, and ResetNeeded."""
        waiting = np.flatnonzero(~self._ready)
        if len(waiting) and (self.autoreset_mode is not AutoresetMode.NEXT_STEP or not self._begun.all()):
            raise ResetNeeded(f"{len(waiting)} of {self.num_envs} places have no episode: reset them first")
        decode_all(self._deals.tables, self._deals.rows, self._full(actions), self._moves)
        rewards = self._deals.step(self._moves).copy()
        self._length[self._ready] += 1
        ended = self._deals.over & self._ready
        over = np.flatnonzero(ended)
        self._ready[over] = False
        seen = np.zeros((self.num_envs, len(FEATURES)), np.float32)
        info: dict[str, Any] = self._grade(over, ended) if len(over) else {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if len(over):
                info |= self._final(seen, over, ended)
                self._begin(over)
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP and len(waiting):
            self._begin(waiting)
        self._observe(seen, np.arange(self.num_envs))
        info["action_mask"] = self.action_masks().astype(np.int8)
        return seen, rewards, ended, np.zeros(self.num_envs, np.bool_), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which values are allowed now, (N, sum of the parts' sizes), one part after the other."""
        return self._masks[:, self._shown].astype(np.bool_)

    # What it is made of

    @property
    def batch(self) -> Batch:
        """The batch beneath, hidden fields and all: for tests and graders, never for a learner."""
        return self._deals

    @property
    def seeds(self) -> Ints:
        """The seeds of the episodes in play, (N,): for graders, too."""
        return self._seeds.copy()

    @property
    def moves(self) -> NDArray[Any]:
        """The newest actions as moves, (N,) of `layout.MOVE`."""
        return self._moves

    def _where(self, mask: Any) -> Ints:
        if mask is None:
            return np.arange(self.num_envs)
        found = np.asarray(mask)
        if found.dtype != np.bool_ or found.shape != (self.num_envs,) or not found.any():
            raise BadOption(
                f"reset_mask must be a boolean array of shape ({self.num_envs},), not all False", "reset_mask"
            )
        return np.flatnonzero(found)

    def _instances(self, seeds: Any, split: Split) -> list[int]:
        low, high = seed_range(split)
        found = [int(seed) for seed in np.atleast_1d(seeds)]
        if len(found) != self.num_envs or not all(low <= seed <= high for seed in found):
            raise BadOption(f"seeds must be {self.num_envs} of the {split} split's: from {low} to {high}", "seeds")
        return found

    def _seed_streams(self, seed: int | np.integer[Any] | Sequence[int | None] | None, where: Ints) -> None:
        """A stream of instances for every place that is given a seed, or has none yet."""
        if seed is None or isinstance(seed, int | np.integer):
            each = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        elif len(seed) == self.num_envs:
            each = list(seed)
        else:
            raise BadOption(f"seed must be one, or one for each of the {self.num_envs} places", "seed")
        for i in where:
            if each[i] is not None:
                self._streams[i] = _stream(seeding.np_random(each[i])[0])
                self._begun[i] = 0
            elif self._begun[i] == 0:
                self._streams[i] = _stream(self.np_random)

    def _begin(self, where: Ints, instances: list[int] | None = None) -> None:
        """The next episodes of these places."""
        low, high = seed_range(self._options.split)
        key, counter = self._streams[where], 2 * self._begun[where]
        cells = (word(key, counter) % np.uint64(len(self._deals.cells))).astype(np.int64)
        seeds = low + (word(key, counter + np.uint64(1)) % np.uint64(high - low + 1)).astype(np.int64)
        if instances is not None:
            seeds = np.array(instances, np.int64)[where]
        self._deals.begin(where, cells, seeds.tolist())
        self._begun[where] += np.uint64(1)
        self._seeds[where], self._length[where], self._ready[where] = seeds, 0, True

    def _full(self, actions: Any) -> Ints:
        """The actions with a number for every part. Raises InvalidAction."""
        chosen = np.asarray(actions)
        if chosen.shape != self.action_space.shape or chosen.dtype.kind not in "iu":
            raise InvalidAction(f"actions must be whole numbers of shape {self.action_space.shape}")
        chosen = chosen.astype(np.int64)
        if (chosen < 0).any() or (chosen >= np.array(self.sizes)).any():
            raise InvalidAction(f"each part must be below its size: {dict(zip(self.parts, self.sizes, strict=True))}")
        full = np.zeros((self.num_envs, len(SIZES)), np.int64)
        full[:, self._columns] = chosen
        return full

    @property
    def sizes(self) -> list[int]:
        """How many values each part has."""
        return [SIZES[k] for k in self._columns]

    def _observe(self, seen: Floats, which: Ints) -> None:
        deals = self._deals
        observe_all(deals.tables, deals.rows, which, self._paper, self._scratch, self._masks, seen)

    def _final(self, seen: Floats, over: Ints, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """What was last seen in these places, and what came of them, as Gymnasium tells it before it begins anew."""
        self._observe(seen, over)
        final = np.full(self.num_envs, None, dtype=object)
        for i in over:
            final[i] = seen[i].copy()
        told = self._grade(over, ended)
        return {"final_obs": final, "_final_obs": ended.copy(), "final_info": told, "_final_info": ended.copy()}

    def _grade(self, over: Ints, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """What came of the episodes in these places; nothing in the others."""
        rows, setups = self._deals.rows[over], [self._deals.setups[i] for i in over]
        told = {
            **{name: rows[name] for name in ("reward", "efficiency", "zopa", "breach", "walk_was_right", "invalid")},
            "deal": rows["ended"] == REASONS.index("deal"),
            "turn": rows["turn"],
            "moves": self._length[over],
            "seed": self._seeds[over],
            "end": [REASONS[reason] for reason in rows["ended"]],
            "scenario_id": [setup.scenario.id for setup in setups],
            "persona": [setup.opponent.name for setup in setups],
            "seat": [setup.seat for setup in setups],
        }
        found: dict[str, Any] = {}
        for name, values in told.items():
            of_text = isinstance(values, list)
            found[name] = np.full(self.num_envs, None, object) if of_text else np.zeros(self.num_envs, values.dtype)
            found[name][over] = values
            found[f"_{name}"] = ended.copy()
        return {"grade": found, "_grade": ended.copy()}


def _stream(rng: np.random.Generator) -> np.uint64:
    return rng.integers(0, 2**64, dtype=np.uint64)


class ParlayEnv(gymnasium.Env[Floats, Ints]):
    """One deal: `ParlayVectorEnv` with one place, which its class describes."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, **arguments: Any) -> None:
        """The arguments of `ParlayVectorEnv` but for the number of places and the autoreset."""
        for name in ("num_envs", "autoreset_mode"):
            if name in arguments:
                raise BadOption(f"one deal has no {name}", name)
        self.deals = ParlayVectorEnv(1, autoreset_mode=AutoresetMode.DISABLED, **arguments)
        self.observation_space = self.deals.single_observation_space
        self.action_space = self.deals.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode. Raises BadOption."""
        super().reset(seed=seed)
        seen, info = self.deals.reset(seed=seed, options=options)
        return seen[0], _first(info)

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Play a move. Raises InvalidAction, and ResetNeeded before the first reset and after the end."""
        seen, rewards, ended, _, info = self.deals.step(np.asarray(action)[None])
        return seen[0], float(rewards[0]), bool(ended[0]), False, _first(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which values are allowed now, one part after the other."""
        return self.deals.action_masks()[0]


def _first(info: Mapping[str, Any]) -> dict[str, Any]:
    """The information of the first place, as one deal has it."""
    found: dict[str, Any] = {}
    for name, value in info.items():
        if not name.startswith("_"):
            found[name] = _first(value) if isinstance(value, Mapping) else value[0]
    return found


ID = "parlay/Deal-v0"
if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="training.vector_env:ParlayEnv",
        vector_entry_point="training.vector_env:ParlayVectorEnv",
    )
