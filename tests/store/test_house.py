"""A person's game is saved before it is answered, and every wish is met once, however often and from wherever it is
sent."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest
from sqlalchemy import update

from game.house import House, NoSuchGame, Refused
from game.live import Live
from game.store import tables
from game.store.database import Database
from game.store.players import delete_game, forget, games_of, hold
from parlay_env.deal.state import SEATS, Move
from parlay_env.log import LogError
from parlay_env.models import ParlayAction
from parlay_env.session import GAME

from .support import LEAVE, Clock, contents, count, finished, new_player, observed, picture, plan, played, say


async def lines_of(database: Database, game_id: str) -> list[Any]:
    return [row for row in (await contents(database))["events"] if row["game_id"] == game_id]


# Starting -------------------------------------------------------------------------------------------------------------


async def test_a_wish_to_start_makes_one_game_however_often_it_is_sent(house: House, database: Database) -> None:
    player = await new_player(database)
    first = await house.start(plan(), player, "wish")
    before = await contents(database)
    again = await house.start(plan("hiring_package", "shark", "buyer"), player, "wish")
    other_worker = await House(database).start(plan(), player, "wish")
    assert first.row.id == again.row.id == other_worker.row.id
    assert await contents(database) == before


async def test_a_wish_sent_ten_times_at_once_to_two_workers_makes_one_game(house: House, database: Database) -> None:
    player, workers = await new_player(database), (house, House(database))
    found = await asyncio.gather(*(workers[k % 2].start(plan(), player, "wish") for k in range(10)))
    assert len({live.row.id for live in found}) == 1
    assert await count(database, tables.games) == 1


async def test_two_players_may_use_the_same_request_id(house: House, database: Database) -> None:
    found = [await house.start(plan(), await new_player(database), "wish") for _ in range(2)]
    assert found[0].row.id != found[1].row.id


async def test_a_player_that_is_forgotten_meanwhile_starts_nothing(house: House, database: Database) -> None:
    player = await new_player(database)
    async with database.begin() as conn:
        await forget(conn, player)
    before = await contents(database)
    with pytest.raises(Refused) as refused:
        await house.start(plan(), player, "wish")
    assert refused.value.code == "UNAUTHORIZED"
    assert await contents(database) == before


async def test_a_game_begun_while_its_player_is_forgotten_is_not_left_behind(house: House, database: Database) -> None:
    """Either it is deleted with the others, or it is never made."""
    for pause in (0.0, 0.02, 0.05):
        player = await new_player(database)
        await house.start(plan(), player, "first")

        async def forgotten(player: str = player, pause: float = pause) -> None:
            async with database.begin() as conn:
                await hold(conn, player)
                found = await games_of(conn, player)
                await asyncio.sleep(pause)
                for game_id in found:
                    await delete_game(conn, game_id, player)
                await forget(conn, player)

        await asyncio.gather(forgotten(), house.start(plan(), player, "second"), return_exceptions=True)
        assert await count(database, tables.games) == 0


async def test_every_game_has_a_seed_and_a_secret_of_its_own(
    house: House, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.live.secrets", secrets)
    player = await new_player(database)
    found = [await house.start(plan(), player, str(k)) for k in range(8)]
    assert len({live.log.seed for live in found}) == len({live.row.secret for live in found}) == 8


async def test_a_guided_game_is_easy_and_quiet(house: House, database: Database) -> None:
    """Its ZOPA is at least 60 % of the declared width wide, and no headline disturbs it."""
    player = await new_player(database)
    for k, seat in enumerate(SEATS * 4):
        live = await house.start(plan(seat=seat, guided=True), player, str(k))
        state, me = live.episode.state, SEATS.index(seat)
        sign = 1 if me == 0 else -1
        limits = [facts.limit * (1 if side == 0 else -1) for side, facts in enumerate(state.facts)]
        assert sign * (limits[1 - me] - limits[me]) >= 0.6 * 4_000_000
        assert not state.setup.events
    plain = await house.start(plan(), player, "plain")
    assert plain.episode.state.setup.events


async def test_where_the_persona_opens_its_opening_is_stored_at_once(house: House, database: Database) -> None:
    player = await new_player(database)
    for k in range(40):
        live = await house.start(plan(seat="buyer"), player, str(k))
        if live.episode.moves:
            assert [one["by"] for one in await lines_of(database, live.row.id)] == ["persona"]
            assert live.number("buyer") == 0
            return
    pytest.fail("no persona opens")


# Moving ---------------------------------------------------------------------------------------------------------------


async def test_what_is_answered_is_stored(house: House, database: Database) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    for k in range(4):
        live = await house.move(live.row.id, "seller", k, say(f"Word {k}."))
        assert len(await lines_of(database, live.row.id)) == len(live.episode.moves)
        assert picture(await House(database).load(live.row.id)) == picture(live)


async def test_the_same_move_again_changes_nothing_and_is_answered_with_the_game(
    house: House, database: Database
) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    for k in range(3):
        live = await house.move(live.row.id, "seller", k, say(f"Word {k}."))
    before, seen = await contents(database), picture(live)
    for worker in (house, House(database)):
        for k in range(3):
            assert picture(await worker.move(live.row.id, "seller", k, say(f"Word {k}."))) == seen
    assert await contents(database) == before


async def refusal(house: House, *arguments: Any) -> str:
    with pytest.raises(Refused) as refused:
        await house.move(*arguments)
    return refused.value.code


async def test_a_move_that_cannot_be_played_leaves_the_game_as_it_is(house: House, database: Database) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    live = await house.move(live.row.id, "seller", 0, say())
    before, game = await contents(database), live.row.id
    assert await refusal(house, game, "seller", 0, say("Something else.")) == "STALE_MOVE"
    assert await refusal(house, game, "seller", 2, say()) == "STALE_MOVE"
    assert await refusal(house, game, "seller", 10**18, say()) == "STALE_MOVE"
    number = live.number("buyer")
    assert await refusal(house, game, "buyer", number, say()) == "NOT_YOUR_MOVE"
    with pytest.raises(NoSuchGame):
        await house.move("nothing", "seller", 0, say())
    assert await contents(database) == before
    live = await house.move(game, "seller", 1, LEAVE)
    before = await contents(database)
    assert live.row.status == "over"
    assert await refusal(house, game, "seller", 2, say()) == "GAME_OVER"
    assert await contents(database) == before
    assert picture(await house.move(game, "seller", 1, LEAVE)) == picture(live)


async def test_a_move_sent_ten_times_at_once_to_two_workers_is_played_once(house: House, database: Database) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    workers = (house, House(database))
    for number in range(4):
        action = say(f"Word {number}.")
        sent = (workers[k % 2].move(live.row.id, "seller", number, action) for k in range(10))
        found = await asyncio.gather(*sent)
        assert [picture(one) for one in found] == [picture(found[0])] * 10
        mine = [moves for moves in found[0].episode.moves if "seller" in moves]
        assert [moves["seller"].utterance for moves in mine] == [f"Word {k}." for k in range(number + 1)]


async def test_of_two_moves_with_one_number_exactly_one_is_played(house: House, database: Database) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    workers = (house, House(database))
    for number in range(5):
        for pair in ((workers[0], workers[0]), workers)[number % 2 :][:1]:
            sent = [
                worker.move(live.row.id, "seller", number, say(f"From {k}, {number}.")) for k, worker in enumerate(pair)
            ]
            found = await asyncio.gather(*sent, return_exceptions=True)
            lost = [one for one in found if isinstance(one, Refused)]
            (won,) = [one for one in found if isinstance(one, Live)]
            assert [one.code for one in lost] == ["STALE_MOVE"]
            assert won.number("seller") == number + 1
    fresh = await House(database).load(live.row.id)
    assert [picture(await worker.load(live.row.id)) for worker in workers] == [picture(fresh)] * 2


async def test_a_policy_that_fails_leaves_the_store_and_the_memory_as_they_were(
    house: House, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    live = await house.move(live.row.id, "seller", 0, say("First."))
    before, seen = await contents(database), picture(live)

    class Broken:
        def act(self, *_: Any) -> Move:
            raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setitem(live.episode._policies, "buyer", Broken())
        with pytest.raises(ZeroDivisionError):
            await house.move(live.row.id, "seller", 1, say("Second."))
    assert await contents(database) == before
    assert picture(await house.load(live.row.id)) == seen
    live = await house.move(live.row.id, "seller", 1, say("Second."))
    assert live.number("seller") == 2
    assert picture(await House(database).load(live.row.id)) == picture(live)


async def test_a_store_that_fails_leaves_the_memory_as_it_was(
    house: House, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    live = await house.move(live.row.id, "seller", 0, say("First."))
    before, seen = await contents(database), picture(live)

    async def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("game.store.games.change", fails)
        with pytest.raises(ZeroDivisionError):
            await house.move(live.row.id, "seller", 1, say("Second."))
    assert await contents(database) == before
    assert picture(await house.load(live.row.id)) == seen


async def test_a_log_that_was_changed_is_refused(house: House, database: Database) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    live = await house.move(live.row.id, "seller", 0, say("An honest word."))
    line = tables.events.c.line
    async with database.begin() as conn:
        mine = next(row["line"] for row in await lines_of(database, live.row.id) if "honest" in row["line"])
        forged = mine.replace("honest", "forged")
        await conn.execute(update(tables.events).where(line == mine).values(line=forged))
    with pytest.raises(LogError, match="changed"):
        await House(database).load(live.row.id)


# Leaving --------------------------------------------------------------------------------------------------------------


async def test_a_game_left_alone_for_48_hours_ends_as_a_walk_away_of_its_player(
    house: House, database: Database, clock: Clock
) -> None:
    player = await new_player(database)
    live = await house.start(plan(), player, "wish")
    await house.move(live.row.id, "seller", 0, say())
    clock.forward(47.9)
    late = await house.start(plan(), player, "later")
    assert await house.end_left_alone() == 0
    clock.forward(0.2)
    assert await house.end_left_alone() == 1
    ended = await house.load(live.row.id)
    assert (ended.row.status, ended.row.reason, ended.episode.by[-1]) == ("over", "walk_away", "clock")
    assert ended.row.row_of("seller").ranked
    assert (await house.load(late.row.id)).row.status == "playing"
    assert picture(await House(database).load(live.row.id)) == picture(ended)
    assert await refusal(house, live.row.id, "seller", 1, say()) == "GAME_OVER"


async def test_two_workers_that_sweep_at_once_end_a_game_once(house: House, database: Database, clock: Clock) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    clock.forward(49)
    await asyncio.gather(*(worker.end_left_alone() for worker in (house, House(database, clock=clock))))
    ended = await House(database).load(live.row.id)
    assert ended.episode.by.count("clock") == 1
    assert ended.row.status == "over"


async def test_a_game_that_cannot_be_read_does_not_keep_others_from_being_ended(
    house: House, database: Database, clock: Clock
) -> None:
    player = await new_player(database)
    games = [await house.start(plan(), player, str(k)) for k in range(3)]
    for live in games:
        await house.move(live.row.id, "seller", 0, say("An honest word."))
    async with database.begin() as conn:
        broken = tables.events.c.game_id == games[1].row.id
        await conn.execute(update(tables.events).where(broken).values(line="{}"))
    clock.forward(49)
    await House(database, clock=clock).end_left_alone()
    fresh = House(database)
    assert (await fresh.load(games[0].row.id)).row.status == "over"
    assert (await fresh.load(games[2].row.id)).row.status == "over"


async def test_a_game_for_two_that_nobody_joined_is_gone_after_48_hours(
    house: House, database: Database, clock: Clock
) -> None:
    live = await house.start(plan(persona=None), await new_player(database), "wish")
    clock.forward(49)
    assert await house.end_left_alone() == 1
    with pytest.raises(NoSuchGame):
        await house.load(live.row.id)


async def test_a_forgotten_players_games_leave_memory_too(house: House, database: Database) -> None:
    player = await new_player(database)
    live = await finished(house, player)
    async with database.begin() as conn:
        await conn.execute(tables.games.delete())
    with pytest.raises(NoSuchGame):
        await house.load(live.row.id)
    assert await count(database, tables.events) == 0


# Alike on both --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
async def test_one_game_gives_the_same_log_rows_and_answers_on_both_databases(
    databases: dict[str, str], seat: str
) -> None:
    from .support import KINDS, emptied, opened

    found = []
    for kind in KINDS:
        async with opened(databases[kind]) as database:
            await emptied(database)
            house = House(database, clock=Clock())
            player = await new_player(database)
            live = await house.start(plan("supplier_contract", "veteran", seat, seed=77, secret=b"s" * 32), player, "w")
            live = await played(house, live, seat, 20, seed=5, ends=0.005)
            rows = await contents(database, "id", "game_id", "player_id", "token_hash")
            answer = observed(live, seat)
            found.append((picture(live)[:-1], rows, answer))
    assert found[0] == found[1]
    assert len(found[0][0][1]) > 5
    assert GAME.id in found[0][0][4].decode()


async def test_words_of_any_kind_come_back_as_they_were_said(house: House, database: Database) -> None:
    live = await house.start(plan(), await new_player(database), "wish")
    words = [
        "<script>alert(1)</script>",
        "שלום \u202e abc",
        "👩‍👩‍👧 🤝",
        "nul \x00 in here",
        "' OR 1=1; --",
        '\\u0000 \\ "',
        "x" * 2000,
    ]
    for k, one in enumerate(words):
        live = await house.move(live.row.id, "seller", k, ParlayAction(utterance=one))
    fresh = await House(database).load(live.row.id)
    said = [moves["seller"].utterance for moves in fresh.episode.moves if "seller" in moves]
    assert said == words


# Two people -----------------------------------------------------------------------------------------------------------


async def two_people(house: House, database: Database) -> tuple[Live, str, str]:
    """A game for two, both there; the seller's and the buyer's ids."""
    seller, buyer = await new_player(database, "Ada"), await new_player(database, "Bob")
    live = await house.start(plan(persona=None), seller, "wish")
    assert live.row.status == "waiting"
    return await house.sit_down(live.row.id, buyer, "join"), seller, buyer


async def test_the_second_person_sits_down_once_and_a_third_finds_the_seat_taken(
    house: House, database: Database
) -> None:
    live, _, buyer = await two_people(house, database)
    assert live.row.status == "playing" and live.row.seat_of(buyer) == "buyer"
    assert (await house.sit_down(live.row.id, buyer, "join")).row.seats == live.row.seats
    with pytest.raises(Refused) as refused:
        await house.sit_down(live.row.id, await new_player(database, "Cid"), "join")
    assert refused.value.code == "SEAT_TAKEN"


async def test_a_wish_to_sit_down_sent_twice_at_once_to_two_workers_is_met(house: House, database: Database) -> None:
    live = await house.start(plan(persona=None), await new_player(database), "wish")
    player, workers = await new_player(database, "Bob"), (house, House(database))
    found = await asyncio.gather(*(worker.sit_down(live.row.id, player, "join") for worker in workers * 3))
    assert {one.row.seat_of(player) for one in found} == {"buyer"}


async def test_of_three_who_want_the_free_seat_one_gets_it(house: House, database: Database) -> None:
    live = await house.start(plan(persona=None), await new_player(database), "wish")
    others = [await new_player(database, name) for name in ("Bob", "Cid", "Dot")]
    sent = (House(database).sit_down(live.row.id, one, "join") for one in others)
    found = await asyncio.gather(*sent, return_exceptions=True)
    assert sorted(one.code if isinstance(one, Refused) else "sat" for one in found) == [
        "SEAT_TAKEN",
        "SEAT_TAKEN",
        "sat",
    ]


async def test_nobody_moves_before_the_second_person_is_there(house: House, database: Database) -> None:
    live = await house.start(plan(persona=None), await new_player(database), "wish")
    assert await refusal(house, live.row.id, "seller", 0, say()) == "NOT_YOUR_MOVE"


async def test_two_people_move_in_turn_and_each_once(house: House, database: Database) -> None:
    live, *_ = await two_people(house, database)
    for _ in range(6):
        mover = live.episode.mover
        assert mover is not None
        other = SEATS[1 - SEATS.index(mover)]
        assert await refusal(house, live.row.id, other, live.number(other), say()) == "NOT_YOUR_MOVE"
        live = await house.move(live.row.id, mover, live.number(mover), say(f"I am the {mover}."))
    assert set(live.episode.by) == {"player"}
    assert picture(await House(database).load(live.row.id)) == picture(live)


async def test_a_bot_takes_a_seat_moves_at_once_and_gives_it_back(house: House, database: Database) -> None:
    live, *_ = await two_people(house, database)
    gone = live.episode.mover
    assert gone is not None
    here = SEATS[1 - SEATS.index(gone)]
    live = await house.take_over(live.row.id, gone)
    assert live.episode.by == ["bot"] and live.episode.mover == here and live.row.row_of(gone).bot
    assert picture(await House(database).load(live.row.id)) == picture(live)
    live = await house.move(live.row.id, here, 0, say("Are you there?"))
    assert live.episode.by == ["bot", "player", "bot"]
    assert picture(await House(database).load(live.row.id)) == picture(live)
    live = await house.come_back(live.row.id, gone)
    live = await house.move(live.row.id, here, 1, say("And now?"))
    assert live.episode.by[-1] == "player" and live.episode.mover == gone
    live = await house.move(live.row.id, gone, live.number(gone), say("I am back."))
    assert picture(await House(database).load(live.row.id)) == picture(live)
    assert picture(await house.move(live.row.id, here, 1, say("And now?"))) == picture(live)


async def test_two_workers_that_seat_a_bot_at_once_seat_one(house: House, database: Database) -> None:
    live, *_ = await two_people(house, database)
    gone = live.episode.mover
    workers = [house, House(database), House(database)]
    await asyncio.gather(*(worker.load(live.row.id) for worker in workers))
    found = await asyncio.gather(*(worker.take_over(live.row.id, gone) for worker in workers))
    assert [one.episode.by for one in found] == [["bot"]] * 3


async def test_a_seat_that_a_bot_ended_in_is_not_ranked(house: House, database: Database) -> None:
    live, *_ = await two_people(house, database)
    gone = live.episode.mover
    assert gone is not None
    here = SEATS[1 - SEATS.index(gone)]
    live = await house.take_over(live.row.id, gone)
    live = await house.move(live.row.id, here, 0, LEAVE)
    assert live.row.status == "over"
    assert [one.ranked for one in live.row.seats] == [False, False]


# What others see meanwhile --------------------------------------------------------------------------------------------


async def test_a_move_shows_nowhere_before_it_is_stored(
    house: House, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks while a move is being saved holds the game as it was, to the last line."""
    live = await house.start(plan(), await new_player(database), "wish")
    held = await house.load(live.row.id)
    seen, during = picture(held), []
    real = House._save

    async def slowly(self: House, *arguments: Any) -> Any:
        during.append(picture(held))
        return await real(self, *arguments)

    monkeypatch.setattr(House, "_save", slowly)
    moved = await house.move(live.row.id, "seller", 0, say("Not yet."))
    assert during == [seen]
    assert picture(held) == seen != picture(moved)


async def test_a_game_that_somebody_begins_to_watch_in_its_last_move_is_not_ranked(
    house: House, database: Database
) -> None:
    """The mark comes from another worker, between this one's look and its save."""
    live = await house.start(plan(), await new_player(database), "wish")
    await House(database).mark(live.row.id, watched=True)
    assert not (await house.peek(live.row.id)).row.watched
    await house.move(live.row.id, "seller", 0, LEAVE)
    row = (await House(database).load(live.row.id)).row
    assert row.watched and row.status == "over" and not row.row_of("seller").ranked
