"""The laws of every game. A game is tested from the moment it has a case here."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import msgspec
import pytest

from agent.games.registry import Entry, games
from parlay_env.core import EpisodeOver, Game, Policy, Viewer, WrongSeat, play_episode, policy_draws, replay
from parlay_env.games.interface import StrategicGame
from parlay_env.log import EventLog, LogError
from parlay_env.rng import MAX_SEED, Draws
from tests.world import GAME, PERSONAS, SCENARIO_IDS, RandomIllegal, RandomLegal, setup


@dataclass(frozen=True)
class Case:
    """A game with one setup of it, and players who move at random."""

    game: Game
    setup: Any
    legal: Callable[[int], Policy]
    illegal: Callable[[int], Policy]
    most: int
    """No episode has more calls of `play` than this."""
    paid: tuple[str, ...]
    """Seats that are rewarded."""
    hidden: frozenset[str] = frozenset(("keys", "truths", "shocks", "safe", "skills", "final", "schedule"))
    """Names that no view before the end may hold."""
    closed: tuple[str, ...] = ("truth", "grade", "books")
    """Fields of a player's view that are empty before the end."""
    told: frozenset[str] = frozenset(("truths", "shocks", "skills"))
    """Names that an observer's view always holds."""
    long: int = 30
    """The longest of some episodes has more calls than this."""

    @property
    def seated(self) -> tuple[str, ...]:
        """The seats that this setup plays."""
        return self.game.seated(self.setup) if isinstance(self.game, StrategicGame) else self.game.seats

    def players(self, seed: int, illegal: bool = False) -> dict[str, Policy]:
        make = self.illegal if illegal else self.legal
        return {seat: make(2 * seed + i) for i, seat in enumerate(self.game.seats)}


def _patient(seed: int) -> Policy:
    """Ends an episode soon, or hardly ever."""
    return RandomLegal(seed, ends=0.03 if seed % 4 < 2 else 0.002)


def _deal(name: str, seat: str, persona: str, both: bool = False, events: bool = True) -> Case:
    chosen = setup(name, persona, seat=seat, both_graded=both, events=events)
    # 20 turns and the opening, two moves each; before each at most two that are not allowed.
    return Case(GAME, chosen, _patient, RandomIllegal, 3 * 41, ("seller", "buyer") if both else (seat,))


class Illegal:
    """Moves of a strategic game of which many are not allowed: its test says which."""

    def __init__(self, game_id: str, seed: int) -> None:
        self.make = import_module(f"tests.games.test_{game_id}").illegal
        self.random = random.Random(seed)

    def act(self, view: Any, rng: Draws) -> Any:
        return self.make(view, self.random)


def _strategic(entry: Entry) -> Case:
    """The game as it is usually played, by its player `random`."""
    game, name = entry.game, entry.game.id
    seated = game.seated(game.setup_type())
    hidden, closed = frozenset(("keys", "setup")), ("truth",)
    return Case(
        game,
        game.setup_type(),
        lambda _: entry.player("random"),
        lambda seed: Illegal(name, seed),
        400,
        seated,
        hidden,
        closed,
        frozenset(),
        0,
    )


CASES = {
    **{name: _strategic(entry) for name, entry in games().items()},
    **{
        f"deal-{name}-{seat}": _deal(name, seat, PERSONAS[i % 3])
        for i, (name, seat) in enumerate((name, seat) for name in SCENARIO_IDS for seat in ("seller", "buyer"))
    },
    "deal-two-learners": _deal("saas_enterprise", "buyer", "", both=True),
    "deal-without-events": _deal("acquisition_term_sheet", "seller", "shark", events=False),
}
SEEDS = range(6)


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


def playing(case: Case, seed: int, illegal: bool = False) -> Iterator[tuple[Any, Mapping[str, Any] | None]]:
    """The states of a random episode, each with the moves made in it (None: it is over)."""
    game, players = case.game, case.players(seed, illegal)
    draws = {seat: policy_draws(game, seed, seat) for seat in game.seats}
    state = game.start(case.setup, seed)
    for _ in range(case.most + 1):
        seats = game.to_move(state)
        if not seats:
            yield state, None
            return
        moves = {s: players[s].act(game.view(state, Viewer("player", s)), draws[s]) for s in seats}
        yield state, moves
        state = game.play(state, moves).state
    pytest.fail(f"still going after {case.most} calls of play")


def coded(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def test_setup_and_seed_make_the_first_state_and_another_seed_another_one(case: Case) -> None:
    starts = [coded(case.game.start(case.setup, seed)) for seed in range(20)]
    assert starts == [coded(case.game.start(case.setup, seed)) for seed in range(20)]
    assert len(set(starts)) == 20


@pytest.mark.parametrize("entry", games().values(), ids=games())
def test_the_rules_of_a_strategic_game_say_what_comes_of_a_move_that_is_not_allowed(entry: Entry) -> None:
    assert "not allowed" in entry.game.rules


@pytest.mark.parametrize("entry", games().values(), ids=games())
def test_what_is_by_seat_has_an_entry_for_each_seat_that_is_played(entry: Entry) -> None:
    game, seated, found = entry.game, entry.game.seated(entry.game.setup_type()), set[str]()
    for seed in range(6):
        players = {seat: entry.player(entry.partner) for seat in seated}
        log = play_episode(game, game.setup_type(), seed, players).log
        assert log is not None
        states = [game.start(game.setup_type(), seed)]
        for moves in log.moves(game.move_type):
            states.append(game.play(states[-1], moves).state)
        for name, value in _fields([msgspec.to_builtins(game.view(state, Viewer("observer"))) for state in states]):
            if name in game.by_seat and isinstance(value, (list, tuple)):
                found.add(name)
                rows = value if value and all(isinstance(row, (list, tuple)) for row in value) else [value]
                assert all(len(row) in (len(seated), 0) for row in rows)
    assert found == game.by_seat


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Every field of a struct, at any depth."""
    if isinstance(value, dict):
        yield from value.items()
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _fields(part)


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, 2**64])
def test_a_seed_that_json_could_not_keep_is_refused(case: Case, seed: int) -> None:
    with pytest.raises(ValueError, match="seed"):
        case.game.start(case.setup, seed)


def test_the_largest_seed_can_be_played(case: Case) -> None:
    assert case.game.to_move(case.game.start(case.setup, MAX_SEED))


def test_a_secret_makes_another_instance(case: Case) -> None:
    plain, secret = (coded(case.game.start(case.setup, 7, key)) for key in (b"", b"hush"))
    assert plain != secret


def test_somebody_moves_until_the_end_and_nobody_after_it(case: Case) -> None:
    for seed in SEEDS:
        for state, moves in playing(case, seed):
            seats = case.game.to_move(state)
            assert seats <= set(case.game.seats)
            assert bool(seats) == (moves is not None)


@pytest.mark.parametrize("illegal", [False, True], ids=["legal", "illegal"])
def test_every_episode_ends_in_bounded_time(case: Case, illegal: bool) -> None:
    for seed in range(40):
        *_, (_, last) = playing(case, seed, illegal)
        assert last is None


def test_states_can_not_be_changed(case: Case) -> None:
    *_, (state, _) = playing(case, 1)
    frozen = [one for one in (state, case.setup, *_structs(state)) if type(one).__struct_fields__]
    assert len(frozen) > 2
    for struct in frozen:
        with pytest.raises(AttributeError):
            setattr(struct, type(struct).__struct_fields__[0], None)


def _structs(value: Any) -> Iterator[msgspec.Struct]:
    """Every struct inside a value."""
    if isinstance(value, msgspec.Struct):
        yield value
        value = [getattr(value, name) for name in type(value).__struct_fields__]
    elif isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _structs(part)


def test_play_and_view_leave_a_state_as_it_was(case: Case) -> None:
    for state, moves in playing(case, 2, illegal=True):
        before = coded(state)
        for seat in case.game.seats:
            case.game.view(state, Viewer("trainer", seat))
        case.game.view(state, Viewer("observer"))
        if moves is not None:
            case.game.play(state, moves)
        assert coded(state) == before


def test_the_same_moves_make_the_same_step(case: Case) -> None:
    for state, moves in playing(case, 3):
        if moves is not None:
            assert case.game.play(state, moves) == case.game.play(state, moves)


@pytest.mark.parametrize("illegal", [False, True], ids=["legal", "illegal"])
def test_every_state_survives_json_and_is_played_on_to_the_same_end(case: Case, illegal: bool) -> None:
    game = case.game
    for seed in SEEDS:
        for state, moves in playing(case, seed, illegal):
            thawed = msgspec.json.decode(msgspec.json.encode(state), type=game.state_type)
            assert thawed == state
            assert coded(thawed) == coded(state)
            assert game.to_move(thawed) == game.to_move(state)
            for seat in game.seats:
                assert coded(game.view(thawed, Viewer("player", seat))) == coded(
                    game.view(state, Viewer("player", seat))
                )
            if moves is not None:
                kind = game.move_type
                raw = msgspec.json.decode(msgspec.json.encode(moves))
                sent = {seat: msgspec.convert(move, kind) for seat, move in raw.items()}
                again, step = game.play(thawed, sent), game.play(state, moves)
                assert coded(again.state) == coded(step.state)
                assert again.rewards == step.rewards


def test_a_player_draws_from_the_key_of_its_seat_only(case: Case) -> None:
    """What `play_episode` hands to a policy is what `policy_draws` says, the same at every move."""

    class Notes:
        def __init__(self, inner: Policy) -> None:
            self.inner, self.drawn = inner, set[int]()

        def act(self, view: Any, rng: Draws) -> Any:
            self.drawn.add(rng.key)
            return self.inner.act(view, rng)

    players = {seat: Notes(player) for seat, player in case.players(3).items()}
    play_episode(case.game, case.setup, 3, players, secret=b"hush")
    for seat, player in players.items():
        seated = seat in case.seated
        assert player.drawn == ({policy_draws(case.game, 3, seat, b"hush").key} if seated else set())
    keys = [policy_draws(case.game, 3, seat).key for seat in case.game.seats]
    assert len(set(keys)) == len(keys)


def test_a_log_replays_the_same_states_and_rewards_bit_for_bit(case: Case) -> None:
    game = case.game
    for seed in SEEDS:
        episode = play_episode(game, case.setup, seed, case.players(seed, illegal=seed % 2 == 1))
        assert episode.log is not None
        read = EventLog.from_jsonl(episode.log.to_jsonl())
        assert read == episode.log
        for log in (episode.log, read):
            again = replay(game, log)
            assert coded(again.state) == coded(episode.state)
            assert again.rewards == episode.rewards
        state = game.start(read.setup(game.id, game.setup_type), read.seed)
        for (played, _), moves in zip(playing(case, seed, seed % 2 == 1), read.moves(game.move_type), strict=False):
            assert coded(state) == coded(played)
            state = game.play(state, moves).state
        assert coded(state) == coded(episode.state)


def test_any_change_of_any_line_of_a_log_is_noticed(case: Case) -> None:
    log = play_episode(case.game, case.setup, 5, case.players(5)).log
    assert log is not None
    lines = log.to_jsonl().splitlines()
    r = random.Random(5)
    for i, line in enumerate(lines):
        other = lines[(i + 1) % len(lines)]
        tampered = [[*lines[:i], other, *lines[i + 1 :]], [*lines[:i], line, line, *lines[i + 1 :]]]
        if i + 1 < len(lines):
            tampered.append([*lines[:i], *lines[i + 1 :]])
        for new in tampered:
            with pytest.raises(LogError):
                EventLog.from_jsonl(b"\n".join(new))
        for _ in range(20):
            at = r.randrange(len(line))
            changed = line[:at] + bytes([r.randrange(256)]) + line[at + 1 :]
            with suppress(LogError):  # what is read is what was written, or it isn't read
                assert EventLog.from_jsonl(b"\n".join([*lines[:i], changed, *lines[i + 1 :]])) == log


def test_a_log_of_another_game_is_refused(case: Case) -> None:
    with pytest.raises(LogError):
        replay(case.game, EventLog.begin("another", case.setup, 1))


def test_only_the_seats_to_move_may_move(case: Case) -> None:
    for state, moves in playing(case, 4):
        if moves is None:
            continue
        waiting = set(case.game.seats) - set(moves)
        wrong = [{}, {**moves, "stranger": next(iter(moves.values()))}]
        wrong += [{seat: next(iter(moves.values()))} for seat in waiting]
        wrong += [{**moves, **dict.fromkeys(waiting, next(iter(moves.values())))}] if waiting else []
        for bad in wrong:
            with pytest.raises(WrongSeat):
                case.game.play(state, bad)


def test_a_move_after_the_end_is_an_error_so_nothing_is_paid_after_it(case: Case) -> None:
    last = None
    for state, moves in playing(case, 6):
        last = (state, last[1]) if moves is None and last else (state, moves)
    assert last is not None
    state, moves = last
    assert not case.game.to_move(state)
    for bad in (moves, {}, dict.fromkeys(case.game.seats, next(iter(moves.values())) if moves else None)):
        with pytest.raises(EpisodeOver):
            case.game.play(state, bad or {})


def test_the_last_step_pays_every_rewarded_seat_and_no_step_pays_another(case: Case) -> None:
    for seed in SEEDS:
        for state, moves in playing(case, seed, illegal=seed % 2 == 0):
            if moves is None:
                break
            step = case.game.play(state, moves)
            assert set(step.rewards) <= set(case.paid)
            if not case.game.to_move(step.state):
                assert set(step.rewards) == set(case.paid)
            for terms in step.rewards.values():
                assert all(isinstance(value, float) for value in terms.values())


def test_before_the_end_a_players_view_holds_nothing_hidden_and_after_it_everything(case: Case) -> None:
    game, longest = case.game, 0
    for seed in range(12):
        trail = list(playing(case, seed))
        longest = max(longest, len(trail))
        for state, moves in trail:
            observed = msgspec.to_builtins(game.view(state, Viewer("observer")))
            assert case.told <= _keys(observed)
            assert observed["truth"] is not None
            assert "keys" not in _keys(observed)
            for seat in game.seats:
                for role in ("player", "trainer"):
                    seen = msgspec.to_builtins(game.view(state, Viewer(role, seat)))
                    if moves is None:
                        assert seen["truth"] == observed["truth"]
                        continue
                    assert not _keys(seen) & case.hidden
                    assert all(seen[part] is None for part in case.closed)
    assert longest > case.long


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    if isinstance(value, (list, tuple)):
        return set().union(*map(_keys, value))
    return set()
