"""The ways in which episodes of each game can differ unseen by a seat: each is a function that plays a pair of them to
where the seat is told."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from agent.games.registry import entry
from game.texts import texts
from parlay_env.core import Seat
from parlay_env.games import bertrand, commons, levers, rps_talk, signalling, size_price, teamwork, undercover
from parlay_env.rng import Keys

from .pairs import Pair, begun, hidden_changed, keys_of, not_allowed, started

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
