"""Nothing leaks, in any game and to any seat: two episodes that differ only in what is hidden from a seat look the same
to it, and pay it the same, until something tells the difference.

Each way in which episodes can differ unseen is a function below, which plays a pair of them to where it is told.
`HIDDEN` names what of a state is hidden from somebody, `DRAWN` what of that is drawn. Both are tested: the fields that
are named, and no others, differ unseen, and each would be noticed if it were shown.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import msgspec
import pytest

from agent.games.registry import entry, games
from game.texts import texts
from parlay_env.core import Seat, Viewer
from parlay_env.doors.games_http import schemas
from parlay_env.game_session import BadMove, move_of
from parlay_env.games import bertrand, commons, levers, rps_talk, signalling, size_price, teamwork, undercover
from parlay_env.rng import Draws, Keys

from .pairs import Pair, Seen, begun, coded, hidden_changed, keys_of, not_allowed, started

REFUSED = ("refused", "tries")
HIDDEN: Mapping[str, frozenset[str]] = {
    "rps_talk": frozenset(("keys", "setup", "plays", "thoughts")),
    "bertrand": frozenset(("keys", "prices", "thoughts", *REFUSED)),
    "size_price": frozenset(("keys", "setup", "value", "cost", "thoughts", *REFUSED)),
    "undercover": frozenset(
        ("keys", "setup", "document", "spy", "first", "summaries", "ballots", *REFUSED),
    ),
    "levers": frozenset(("keys", *REFUSED)),
    "signalling": frozenset(("keys", *REFUSED)),
    "teamwork": frozenset(("keys", "worked", *REFUSED)),
    "commons": frozenset(("keys", *REFUSED)),
}
"""What of a state some seat can't see before the end. In levers and in the commons that is only who was refused, in a
call of which nothing was played, and the keys, which nothing is drawn from."""
OWN: Mapping[Seat, str] = {"buyer": "value", "seller": "cost"}
"""What is hidden from the other seats alone."""
DRAWN: Mapping[str, str] = {
    "size_price": "the worths",
    "undercover": "the spy and the gap",
    "signalling": "the states",
    "teamwork": "the noise",
}
"""What is drawn and hidden; the other games draw nothing that anybody is not told at once."""
UNSEEDED = ("levers", "commons")
"""Games of which the seed says nothing at all: it feeds the players alone."""
REPEATS = 15

Secret = Callable[[Seat, random.Random], Pair]


def refused(pair: Pair, r: random.Random, seat: Seat) -> Any:
    """A move of this seat that is not allowed."""
    return not_allowed(pair.entry, pair.one, seat, r)


def words(r: random.Random) -> str:
    return "".join(r.choices("abcdef ", k=r.randint(0, 6)))


# --- The games in turns -----------------------------------------------------------------------------------------------


def rps_limit_plays_and_thoughts(seat: Seat, r: random.Random, *, ends: bool) -> Pair:
    """The other's limit, what it thinks, what it has played. `ends`: by an error of one's own."""
    (other,) = {*rps_talk.SEATS} - {seat}
    pair = begun("rps_talk", seat, r, rps_talk.Setup(), rps_talk.Setup(no_paper=True, limited=other))
    errs = r.randint(2, 4)
    while True:
        (mover,) = pair.due
        view = pair.view(mover)
        own = view.seat == seat
        if own and ends and (errs := errs - 1) <= 0:
            wrong = rps_talk.Move(talk="one", play="rock")
            pair.tell({seat: wrong}, {seat: wrong}, "truth", paid_alike=True)
            return pair
        talk = words(r) + "." if view.talks and r.random() < 0.6 else None
        plays = (None, None) if talk else (r.choice(rps_talk.PLAYS), r.choice(("rock", "scissors")))
        one = rps_talk.Move(think=words(r), talk=talk, play=plays[0])
        two = one if own else rps_talk.Move(think=words(r), talk=talk, play=plays[1])
        if plays[0] and any(view.played):
            pair.tell({mover: one}, {mover: two}, "truth")
            return pair
        pair.play({mover: one}, {mover: two})


def bertrand_prices_and_thoughts(seat: Seat, r: random.Random) -> Pair:
    """The other's price of the round, what it thinks, its refused moves."""
    pair = begun("bertrand", seat, r)
    pmax, tries = pair.one.market.pmax, 0
    while True:
        (mover,) = pair.due
        view = pair.view(mover)
        if r.random() < 0.2 and tries < 3:
            tries, wrong = tries + 1, {mover: refused(pair, r, mover)}
            pair.play(wrong, wrong if mover == seat or r.random() < 0.5 else None)
            continue
        talk = "So." if view.talks and r.random() < 0.4 else None
        price = None if talk else r.randint(0, pmax)
        changed = price if price is None or r.random() < 0.3 else r.randint(0, pmax)
        one = bertrand.Move(think=words(r), talk=talk, play=price)
        two = one if mover == seat else bertrand.Move(think=f"{one.think}!", talk=talk, play=changed)
        if price is not None and any(view.priced):
            if pair.one.prices != pair.two.prices or one.play != two.play:
                pair.tell({mover: one}, {mover: two}, "past")
                return pair
            if view.round == bertrand.ROUNDS:
                pair.tell({mover: one}, {mover: two}, "truth", paid_alike=True)
                return pair
        pair.play({mover: one}, {mover: two})


def size_price_worths_and_thoughts(seat: Seat, r: random.Random, *, chosen: bool) -> Pair:
    """What it is worth to the other, drawn or `chosen`, what the other thinks, its refused moves."""
    own, least = ("value", "cost") if seat == "buyer" else ("cost", "value"), {"value": 30, "cost": 10}
    setups = [size_price.Setup(turns=8, **({own[1]: least[own[1]] + add} if chosen else {})) for add in (0, 20)]
    pair = begun("size_price", seat, r, *setups)
    tries = 0
    while True:
        (mover,) = pair.due
        view = pair.view(mover)
        if r.random() < 0.2 and tries < 3:
            tries, wrong = tries + 1, {mover: refused(pair, r, mover)}
            pair.play(wrong, wrong if mover == seat or r.random() < 0.5 else None)
            continue
        accepts = bool(view.offers) and r.random() < 0.15
        play = "accept" if accepts else size_price.Offer(r.randint(1, 20), r.randint(1, 200))
        one = size_price.Move(think=words(r), play=play)
        two = one if mover == seat else size_price.Move(think=words(r), play=play)
        if accepts or view.turns_left == 1:
            pair.tell({mover: one}, {mover: two}, "truth")
            return pair
        pair.play({mover: one}, {mover: two})


# --- Undercover -------------------------------------------------------------------------------------------------------


def _setup(seat: Seat, r: random.Random, mode: undercover.Mode) -> undercover.Setup:
    least = max(undercover.MIN_PLAYERS, undercover.SEATS.index(seat) + 1)
    return undercover.Setup(players=r.randint(least, 8), mask=r.choice((0.2, 0.5)), mode=mode)


def _instances(
    setup: undercover.Setup, seat: Seat, r: random.Random, wanted: Callable[[Any, Any, int], bool]
) -> tuple[Keys, Keys]:
    """Keys of two instances, alike in what the seat has a part in, whose first states are as wanted."""
    game, number = entry("undercover").game, undercover.SEATS.index(seat)
    while True:
        first = keys_of(r)
        both = first, hidden_changed(first, keys_of(r), number)
        if wanted(*(started(game, setup, keys) for keys in both), number):
            return both


def _summaries(pair: Pair, r: random.Random, end: str) -> dict[Seat, Any]:
    return {seat: undercover.Move(summary=f"It is{words(r)} {end}.") for seat in pair.due}


def _votes(pair: Pair, r: random.Random) -> dict[Seat, Any]:
    found = {}
    for seat in pair.due:
        shares = {other: r.random() for other in pair.view().players if other != seat}
        beliefs = {other: share / sum(shares.values()) for other, share in shares.items()}
        found[seat] = undercover.Move(vote=r.choice([None, *shares]), beliefs=beliefs)
    return found


def _written(pair: Pair, r: random.Random) -> None:
    """All write the same in both; moves of any are refused now and then."""
    while pair.view().phase == "write":
        moves = _summaries(pair, r, "so")
        moves |= {seat: refused(pair, r, seat) for seat in pair.due if r.random() < 0.1}
        pair.play(moves, moves)


def undercover_spy_and_gap(seat: Seat, r: random.Random, *, mode: undercover.Mode) -> Pair:
    """Who is the spy, and what it lacks, from another."""
    setup = _setup(seat, r, mode)
    keys = _instances(
        setup,
        seat,
        r,
        lambda one, two, i: i not in (one.spy, two.spy) and one.spy != two.spy and one.first != two.first,
    )
    pair = begun("undercover", seat, r, setup, keys=keys)
    _written(pair, r)
    votes = _votes(pair, r)
    pair.tell(votes, votes, "truth")
    return pair


def undercover_what_the_spy_lacks(seat: Seat, r: random.Random, *, mode: undercover.Mode) -> Pair:
    """What it lacks, from the spy itself."""
    text = r.choice(texts()).split()
    setup = msgspec.structs.replace(_setup(seat, r, mode), document=" ".join(text))
    keys = _instances(setup, seat, r, lambda one, _, i: one.spy == i)[0]
    gap = started(entry("undercover").game, setup, keys)
    first, after = gap.first, gap.first + gap.missing
    changed = [*text[:first], *(f"other{i}" for i in range(gap.missing)), *text[after:]]
    other = msgspec.structs.replace(setup, document=" ".join(changed))
    pair = begun("undercover", seat, r, setup, other, keys=(keys, keys))
    _written(pair, r)
    votes = _votes(pair, r)
    pair.tell(votes, votes, "truth")
    return pair


def undercover_summaries(seat: Seat, r: random.Random) -> Pair:
    """What others have written, and who of them has, while one's own summary is due."""
    pair = begun("undercover", seat, r, _setup(seat, r, "parallel"), shared=("hidden",))
    own = refused(pair, r, seat)
    first, second = _summaries(pair, r, "so"), _summaries(pair, r, "not so")
    second |= {one: undercover.Move() for one in pair.due[1:3]}  # refused in one of the two
    pair.play({**first, seat: own}, {**second, seat: own})
    late = {one: undercover.Move(summary="At last.") for one in pair.game.to_move(pair.two)}
    pair.tell({seat: late[seat]}, late, "summaries")
    return pair


def undercover_votes(seat: Seat, r: random.Random, *, mode: undercover.Mode) -> Pair:
    """How others have voted, and what they believe, while one's own vote is due."""
    pair = begun("undercover", seat, r, _setup(seat, r, mode), shared=("hidden",))
    _written(pair, r)
    own = refused(pair, r, seat)
    pair.play({**_votes(pair, r), seat: own}, {**_votes(pair, r), seat: own})
    last = {seat: _votes(pair, r)[seat]}
    pair.tell(last, last, "truth")
    return pair


# --- All at the same time, and signals --------------------------------------------------------------------------------


def _refusals(pair: Pair, r: random.Random, most: int = 1) -> None:
    """Calls in which somebody's move is refused, so that nothing is played: what the others would have done, and who of
    them was refused, stays theirs."""
    for _ in range(r.randint(0, most)):
        own_is_refused = r.random() < 0.5
        own = refused(pair, r, pair.seat) if own_is_refused else pair.legal(r)
        others = [seat for seat in pair.due if seat != pair.seat]
        calls = []
        for _ in range(2):
            wrong = r.sample(others, r.randint(0 if own_is_refused else 1, len(others)))
            moves = {seat: refused(pair, r, seat) if seat in wrong else pair.legal(r, seat) for seat in others}
            calls.append({**moves, pair.seat: own})
        pair.play(*calls)


def levers_pulls(seat: Seat, r: random.Random) -> Pair:
    """What the other would have pulled, and pulls, until both have."""
    pair = begun("levers", seat, r, keys=(keys_of(r), keys_of(r)))
    _refusals(pair, r, 3)
    (other,) = {*levers.SEATS} - {seat}
    own, pulls = levers.Move(r.randrange(10)), r.sample(range(10), 2)
    pair.tell(*({seat: own, other: levers.Move(pull)} for pull in pulls), "truth")
    return pair


def teamwork_work(seat: Seat, r: random.Random) -> Pair:
    """Who of the others works, where as many do."""
    place = teamwork.SEATS.index(seat)
    setup = teamwork.Setup(players=r.randint(max(3, place + 1), 8), rounds=4, noise=r.choice((0.0, 0.3)))
    pair = begun("teamwork", seat, r, setup, shared=("hidden",) if setup.noise else ())
    others = [one for one in pair.due if one != seat]
    for number in range(setup.rounds):
        _refusals(pair, r)
        r.shuffle(others)
        own, works = teamwork.Move(r.randrange(2)), [r.randrange(2) for _ in others[2:]]
        first, second = (
            {seat: own, **{one: teamwork.Move(work) for one, work in zip(others, two + works, strict=True)}}
            for two in ([1, 0], [0, 1])
        )
        if number < setup.rounds - 1:
            pair.play(first, second)
        else:
            pair.tell(first, second, "truth", paid_alike=True)
    return pair


def teamwork_noise(seat: Seat, r: random.Random) -> Pair:
    """The noise, until it is in what was paid."""
    setup = teamwork.Setup(players=8, rounds=2)
    pair = begun("teamwork", seat, r, setup)
    _refusals(pair, r, 3)
    moves = {one: teamwork.Move(r.randrange(2)) for one in pair.due}
    pair.tell(moves, moves, "past")
    return pair


def commons_demands(seat: Seat, r: random.Random, *, chat: bool) -> Pair:
    """What others would have asked for or said in a call in which somebody was refused; and after the end, where the
    lake was short, what they had asked for, which the catches don't tell."""
    pair = begun("commons", seat, r, commons.Setup(months=3, chat=chat), keys=(keys_of(r), keys_of(r)))
    for month in (1, 2):
        if chat:
            _refusals(pair, r)
            said = {one: commons.Move(say=words(r)) for one in pair.due}
            pair.play(said, said)
        _refusals(pair, r)
        catches = {one: commons.Move(r.randint(0, 8)) for one in pair.due}
        if month == 1:
            pair.play(catches, catches)
    lake = pair.view().lake_t
    own = {seat: commons.Move(lake)}
    pair.tell(
        {one: commons.Move(lake) for one in pair.due} | own,
        {one: commons.Move(lake - 1) for one in pair.due} | own,
        *("truth",),
        paid_alike=True,
    )
    return pair


def signalling_state(seat: Seat, r: random.Random) -> Pair:
    """This round's state from the receiver, the next round's from the sender."""
    while True:
        first, second = keys_of(r), keys_of(r)
        second = msgspec.structs.replace(second, visible=first.visible)
        states = [[signalling.drawn_state(keys, i) for i in (0, 1)] for keys in (first, second)]
        alike = [one == two for one, two in zip(*states, strict=True)]
        if alike == ([True, False] if seat == signalling.SENDER else [False, False]):
            break
    pair = begun("signalling", seat, r, signalling.Setup(rounds=3), keys=(first, second))
    while True:
        (mover,) = pair.due
        if r.random() < 0.4:
            wrong = {mover: refused(pair, r, mover)}
            pair.play(wrong, wrong if mover == seat else None)
        sign = {mover: signalling.Move(r.randrange(8))}
        if mover == signalling.RECEIVER:
            pair.tell(
                sign, sign, "state" if seat == signalling.SENDER else "past", paid_alike=seat == signalling.SENDER
            )
            return pair
        pair.play(sign, sign)


MODES: tuple[undercover.Mode, ...] = ("parallel", "sequential")
SECRETS: Mapping[str, Mapping[str, Secret]] = {
    "rps_talk": {
        "limit-plays-thoughts": partial(rps_limit_plays_and_thoughts, ends=False),
        "errors": partial(rps_limit_plays_and_thoughts, ends=True),
    },
    "bertrand": {"prices-thoughts": bertrand_prices_and_thoughts},
    "size_price": {
        "drawn-worths-thoughts": partial(size_price_worths_and_thoughts, chosen=False),
        "chosen-worths-thoughts": partial(size_price_worths_and_thoughts, chosen=True),
    },
    "undercover": {
        **{f"spy-and-gap-{mode}": partial(undercover_spy_and_gap, mode=mode) for mode in MODES},
        **{f"what-the-spy-lacks-{mode}": partial(undercover_what_the_spy_lacks, mode=mode) for mode in MODES},
        "summaries": undercover_summaries,
        **{f"votes-{mode}": partial(undercover_votes, mode=mode) for mode in MODES},
    },
    "levers": {"pulls": levers_pulls},
    "signalling": {"state": signalling_state},
    "teamwork": {"work": teamwork_work, "noise": teamwork_noise},
    "commons": {
        f"demands-{'chat' if chat else 'silent'}": partial(commons_demands, chat=chat) for chat in (False, True)
    },
}
CASES = [
    pytest.param(game_id, name, seat, id=f"{game_id}-{name}-{seat}")
    for game_id, secrets in SECRETS.items()
    for name in secrets
    for seat in games()[game_id].game.seats
]


@cache
def differed(game_id: str, name: str, seat: Seat) -> frozenset[str]:
    """The fields of the state that were not alike while this seat saw no difference, in pairs that were played until
    they told it one."""
    found = set[str]()
    for pair in pairs(game_id, name, seat):
        assert pair.told
        found |= pair.differed
    return frozenset(found)


def pairs(game_id: str, name: str, seat: Seat) -> list[Pair]:
    return [SECRETS[game_id][name](seat, random.Random(f"{name} {seat} {n}")) for n in range(REPEATS)]


@pytest.mark.parametrize(("game_id", "name", "seat"), CASES)
def test_what_is_hidden_from_a_seat_changes_nothing_for_it_until_it_is_told(
    game_id: str, name: str, seat: Seat
) -> None:
    assert differed(game_id, name, seat) <= HIDDEN[game_id]


@pytest.mark.parametrize(
    ("game_id", "seat"), [(game_id, seat) for game_id, one in games().items() for seat in one.game.seats]
)
def test_all_that_is_declared_hidden_differs_unseen_by_every_seat_and_nothing_else(game_id: str, seat: Seat) -> None:
    found = frozenset[str]().union(*(differed(game_id, name, seat) for name in SECRETS[game_id]))
    assert found == HIDDEN[game_id] - {OWN.get(seat)}


def _all_pairs(game_id: str) -> None:
    for name in SECRETS[game_id]:
        for seat in games()[game_id].game.seats:
            pairs(game_id, name, seat)


LEAKS = [pytest.param(game_id, name, id=f"{game_id}-{name}") for game_id in HIDDEN for name in sorted(HIDDEN[game_id])]


@pytest.mark.parametrize(("game_id", "name"), LEAKS)
def test_if_what_is_declared_hidden_were_shown_a_seat_would_see_a_difference(
    game_id: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen in the views alone that must be alike: the pairs go on to where they would tell, and tell nothing."""
    _leak(game_id, name, monkeypatch)
    with pytest.raises(Seen):
        _all_pairs(game_id)


@pytest.mark.parametrize(
    ("game_id", "name"),
    [
        pytest.param(game_id, name, id=f"{game_id}-{name}")
        for game_id in HIDDEN
        for name in games()[game_id].game.state_type.__struct_fields__
        if name not in HIDDEN[game_id]
    ],
)
def test_if_what_is_not_declared_hidden_were_shown_no_seat_would_see_a_difference(
    game_id: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the test above fails for what somebody wrongly declares."""
    _leak(game_id, name, monkeypatch)
    _all_pairs(game_id)


def _leak(game_id: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Show this field of the state in a field of its own of every view, and play the pairs only until they'd tell."""
    kind = type(games()[game_id].game)
    view, known = kind.view, kind.view_type.__struct_fields__
    shown = msgspec.defstruct("Shown", [("leak", bytes)], bases=(kind.view_type,), frozen=True, kw_only=True)

    def leaks(game: Any, state: Any, viewer: Viewer) -> Any:
        seen = view(game, state, viewer)
        return shown(*(getattr(seen, field) for field in known), leak=coded(getattr(state, name)))

    monkeypatch.setattr(kind, "view", leaks)
    monkeypatch.setattr(kind, "view_type", shown)
    monkeypatch.setattr(Pair, "tell", lambda *_, **__: None)


def test_every_game_says_what_it_hides() -> None:
    assert [*SECRETS] == [*HIDDEN] == [*games()]
    assert {*DRAWN, *UNSEEDED} <= {*games()}


def _told(game_id: str, keys: Keys, moves: list[Mapping[Seat, Any]]) -> bytes:
    """All that anybody, an observer too, is shown and paid in an episode in which these moves are made."""
    game = games()[game_id].game
    state, told = started(game, game.setup_type(), keys), []
    viewers = [Viewer("observer"), *(Viewer("player", seat) for seat in game.seats)]
    for call in [*moves, None]:
        told += [game.view(state, viewer) for viewer in viewers]
        if call is not None:
            step = game.play(state, call)
            told += [step.rewards, step.events]
            state = step.state
    return coded(told)


def _played(game_id: str, keys: Keys, seed: int) -> list[Mapping[Seat, Any]]:
    """The moves of an episode of players at random."""
    one = games()[game_id]
    state, calls = started(one.game, one.game.setup_type(), keys), []
    r = random.Random(seed)
    while seats := one.game.to_move(state):
        players = {seat: one.player("random") for seat in sorted(seats)}
        from_keys = {seat: keys_of(r).policy[0] for seat in players}
        views = {seat: one.game.view(state, Viewer("player", seat)) for seat in players}
        calls.append({seat: player.act(views[seat], Draws(from_keys[seat])) for seat, player in players.items()})
        state = one.game.play(state, calls[-1]).state
    return calls


@pytest.mark.parametrize("game_id", games())
def test_a_game_with_nothing_drawn_in_secret_is_the_same_for_all_under_other_keys(game_id: str) -> None:
    """An observer sees everything: what it is shown differs where something hidden is drawn, and nowhere else."""
    r = random.Random(7)
    found = set[bool]()
    for seed in range(10):
        keys, other = keys_of(r), keys_of(r)
        if game_id not in UNSEEDED:
            other = hidden_changed(keys, other, None)
        moves = _played(game_id, keys, seed)
        found.add(_told(game_id, keys, moves) == _told(game_id, other, moves))
    assert found == {game_id not in DRAWN}


@pytest.mark.parametrize("game_id", games())
def test_schemas_and_the_errors_of_what_is_no_move_say_nothing_of_an_episode(game_id: str) -> None:
    """They are made of types: what would be right is told without a look at any state."""
    one = games()[game_id]
    before = coded(schemas(one))
    errors = [_error(one, data) for data in ([1], {"no_such": 1}, "x", None)]
    started(one.game, one.game.setup_type(), keys_of(random.Random(1)))
    assert coded(schemas(one)) == before
    assert [_error(one, data) for data in ([1], {"no_such": 1}, "x", None)] == errors


def _error(one: Any, data: Any) -> str:
    with pytest.raises(BadMove) as caught:
        move_of(one, data)
    return str(caught.value)
