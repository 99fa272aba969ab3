"""The leaderboard ranks what people did by themselves, and a record for training is made by consent alone."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import insert, update

from game.house import House
from game.leaderboard import cells_of, leaderboard, percentile
from game.store import flywheel, games, tables
from game.store.database import Database
from game.store.players import delete_game, forget, games_of
from parlay_env.core import Viewer
from parlay_env.deal.state import Move, Setup
from parlay_env.log import EventLog
from parlay_env.session import GAME

from .support import LEAVE, contents, count, finished, new_player, plan


class Board:
    """Results by hand: rows as finished games leave them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.made = 0

    async def results(self, player: str, *figures: float | None, **fields: Any) -> list[str]:
        """Finished games with these E, oldest first; fields of the game or of the seat."""
        found = []
        async with self.database.begin() as conn:
            for figure in figures:
                self.made += 1
                found.append(f"g{self.made:05d}")
                game = {
                    "id": found[-1], "head": "", "secret": b"", "scenario_id": "saas_enterprise", "seat": "seller",
                    "persona": "shark", "split": "train", "status": "over", "guided": False, "watched": False,
                    "helped": False, "fixed_seed": False, "turn": 1, "started_at": self.made, "moved_at": self.made,
                    "ended_at": self.made,
                }  # fmt: skip
                seat = {"game_id": found[-1], "seat": "seller", "player_id": player, "bot": False, "consent": False,
                        "ranked": True, "efficiency": figure, "right_exit": False}  # fmt: skip
                for name, value in fields.items():
                    (game if name in tables.games.c and name != "seat" else seat)[name] = value
                await conn.execute(insert(tables.games).values(**game | {"seat": seat["seat"]}))
                await conn.execute(insert(tables.seats).values(**seat))
        return found

    async def read(self, you: str | None = None, **filters: str | None) -> dict[str, Any]:
        wanted = [filters.get(name) for name in ("scenario", "seat", "persona")]
        async with self.database.read() as conn:
            return await leaderboard(conn, *wanted, you)

    async def ranks(self, **filters: str | None) -> list[tuple[int, str, float]]:
        return [(row["rank"], row["name"], round(row["mean"], 6)) for row in (await self.read(**filters))["rows"]]


@pytest.fixture
def board(database: Database) -> Board:
    return Board(database)


async def test_a_rank_is_the_mean_of_the_last_ten_games(board: Board) -> None:
    ada, bob = await new_player(board.database, "Ada"), await new_player(board.database, "Bob")
    await board.results(ada, *[0.0] * 7, *[0.8] * 10)
    await board.results(bob, *[0.9] * 7, *[0.7] * 10)
    assert await board.ranks() == [(1, "Ada", 0.8), (2, "Bob", 0.7)]
    row = (await board.read())["rows"][0]
    assert (row["games"], row["best"], row["trend"]) == (17, 0.8, [0.8] * 10)


async def test_four_games_give_no_rank_and_five_do(board: Board) -> None:
    ada = await new_player(board.database, "Ada")
    await board.results(ada, 0.5, 0.6, 0.7, 0.8)
    found = await board.read()
    assert found["rows"] == [] and [one["missing"] for one in found["unranked"]] == [1]
    await board.results(ada, 0.9)
    assert await board.ranks() == [(1, "Ada", 0.7)]


async def test_equals_share_a_rank(board: Board) -> None:
    for name, figure in (("Ada", 0.5), ("Bob", 0.5), ("Cid", 0.4)):
        await board.results(await new_player(board.database, name), *[figure] * 5)
    assert sorted(await board.ranks()) == [(1, "Ada", 0.5), (1, "Bob", 0.5), (3, "Cid", 0.4)]


async def test_a_right_walk_away_counts_neither_for_nor_against(board: Board) -> None:
    ada = await new_player(board.database, "Ada")
    await board.results(ada, *[0.6] * 5)
    await board.results(ada, 0.0, 0.0, right_exit=True)
    await board.results(ada, None, right_exit=True)
    assert await board.ranks() == [(1, "Ada", 0.6)]
    assert (await board.read())["rows"][0]["games"] == 5


@pytest.mark.parametrize("kind", ["unranked", "room_seed"])
async def test_what_is_not_ranked_is_not_counted(board: Board, kind: str) -> None:
    ada = await new_player(board.database, "Ada")
    await board.results(ada, *[0.6] * 5)
    fields: dict[str, Any] = {"ranked": False} if kind == "unranked" else {"fixed_seed": True}
    await board.results(ada, *[1.0] * 10, **fields)
    assert await board.ranks() == [(1, "Ada", 0.6)]
    assert (await board.read())["rows"][0]["unranked"] == (10 if kind == "unranked" else 0)


async def test_a_filter_counts_what_it_names_alone(board: Board) -> None:
    ada = await new_player(board.database, "Ada")
    await board.results(ada, *[0.1] * 5)
    await board.results(ada, *[0.2] * 5, scenario_id="hiring_package")
    await board.results(ada, *[0.3] * 5, seat="buyer")
    await board.results(ada, *[0.4] * 5, persona="diplomat")
    assert await board.ranks(scenario="hiring_package") == [(1, "Ada", 0.2)]
    assert await board.ranks(seat="buyer") == [(1, "Ada", 0.3)]
    assert await board.ranks(persona="diplomat") == [(1, "Ada", 0.4)]
    assert await board.ranks(scenario="saas_enterprise", seat="seller", persona="shark") == [(1, "Ada", 0.1)]
    assert await board.ranks(scenario="acquisition_term_sheet") == []


async def test_a_forgotten_player_vanishes(board: Board) -> None:
    ada, bob = await new_player(board.database, "Ada"), await new_player(board.database, "Bob")
    await board.results(ada, *[0.9] * 5)
    await board.results(bob, *[0.5] * 5)
    async with board.database.begin() as conn:
        for game in await games_of(conn, ada):
            await delete_game(conn, game, ada)
        await forget(conn, ada)
    assert await board.ranks() == [(1, "Bob", 0.5)]
    assert await count(board.database, tables.games) == 5


async def test_whoever_asks_is_marked_and_always_shown(board: Board) -> None:
    for k in range(101):
        await board.results(await new_player(board.database, f"P{k}"), *[0.9] * 5)
    me = await new_player(board.database, "Me")
    await board.results(me, *[0.1] * 5)
    await board.results(await new_player(board.database, "Last"), *[0.05] * 5)
    rows = (await board.read(you=me))["rows"]
    assert [row["name"] for row in rows if row["you"]] == ["Me"] and rows[-1]["rank"] == 102
    assert "Last" not in [row["name"] for row in rows]


async def test_a_percentile_is_the_share_of_others_in_the_same_cell_that_are_beaten(board: Board) -> None:
    ada = await new_player(board.database, "Ada")
    (mine,) = await board.results(ada, 0.5)
    await board.results(ada, *[0.9] * 20)  # one's own other games are no others
    bob = await new_player(board.database, "Bob")

    async def told() -> dict[str, Any] | None:
        async with board.database.read() as conn:
            row = await games.find(conn, mine)
            assert row is not None
            return await percentile(conn, row, row.row_of("seller"))

    await board.results(bob, 0.1, 0.2, 0.5, 0.6)
    await board.results(bob, *[0.0] * 5, persona="diplomat")
    await board.results(bob, *[0.0] * 5, guided=True)
    await board.results(bob, 0.0, right_exit=True)
    assert await told() is None  # four are too few
    await board.results(bob, 0.7)
    assert await told() == {"value": pytest.approx(2.5 / 5), "games": 5}


async def test_ones_own_summary_leaves_out_what_is_not_open_yet(board: Board) -> None:
    ada = await new_player(board.database, "Ada")
    await board.results(ada, 0.2, 0.4)
    await board.results(ada, 0.9, fixed_seed=True)
    async with board.database.read() as conn:
        rows = await games.find_all(conn, games.of_player(ada))
    (cell,) = cells_of([(row, row.row_of("seller")) for row in rows])
    assert (cell["games"], cell["best"], cell["trend"]) == (2, 0.4, [0.2, 0.4])


# Records --------------------------------------------------------------------------------------------------------------


async def with_result(house: House, player: str, database: Database, **fields: Any) -> Any:
    """A finished game whose row says that it went well, but for these fields."""
    live = await finished(house, player, str(fields))
    good = {"efficiency": 0.7, "right_exit": False}
    own = {name: value for name, value in (good | fields).items() if name in tables.seats.c}
    rest = {name: value for name, value in fields.items() if name not in own}
    async with database.begin() as conn:
        await conn.execute(update(tables.seats).where(tables.seats.c.game_id == live.row.id).values(**own))
        if rest:
            await conn.execute(update(tables.games).where(tables.games.c.id == live.row.id).values(**rest))
    return await house.load(live.row.id)


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, True),
        ({"efficiency": 0.6}, True),
        ({"efficiency": 0.599}, False),
        ({"efficiency": 0.0, "right_exit": True}, True),
        ({"efficiency": None}, False),
        ({"watched": True}, False),
        ({"helped": True}, False),
        ({"guided": True}, False),
        ({"fixed_seed": True}, False),
        ({"bot": True}, False),
    ],
)
async def test_consent_makes_a_record_of_a_game_that_qualifies(
    house: House, database: Database, fields: dict[str, Any], kept: bool
) -> None:
    live = await with_result(house, await new_player(database), database, **fields)
    for consent in (True, True, False):
        async with database.begin() as conn:
            await flywheel.keep_or_drop(conn, live, "seller", consent=consent, now=5)
        assert await count(database, tables.records) == (kept and consent)


async def test_a_record_names_nobody_and_replays_the_game(house: House, database: Database) -> None:
    player = await new_player(database, "Adalbert")
    live = await with_result(house, player, database)
    async with database.begin() as conn:
        await flywheel.keep_or_drop(conn, live, "seller", consent=True, now=5)
    (record,) = (await contents(database))["records"]
    assert "Adalbert" not in repr(record) and player not in repr(record)
    log = EventLog.from_jsonl(record["log"].encode())
    state = GAME.start(log.setup(GAME.id, Setup), log.seed, record["secret"])
    for moves in log.moves(Move):
        state = GAME.play(state, moves).state
    assert state == live.episode.state
    assert GAME.view(state, Viewer("player", "seller")).grade is not None


async def test_a_deleted_game_takes_its_record_along(house: House, database: Database) -> None:
    player = await new_player(database)
    live = await with_result(house, player, database)
    async with database.begin() as conn:
        await flywheel.keep_or_drop(conn, live, "seller", consent=True, now=5)
    async with database.begin() as conn:
        assert await delete_game(conn, live.row.id, player)
    assert [await count(database, table) for table in (tables.records, tables.events, tables.seats)] == [0, 0, 0]


async def test_of_a_game_for_two_a_player_deletes_its_own_part(house: House, database: Database) -> None:
    ada, bob = await new_player(database, "Ada"), await new_player(database, "Bob")
    live = await house.start(plan(persona=None), ada, "wish")
    live = await house.sit_down(live.row.id, bob, "join")
    mover = live.episode.mover
    live = await house.move(live.row.id, mover, 0, LEAVE)
    async with database.begin() as conn:
        assert not await delete_game(conn, live.row.id, ada)
    row = (await House(database).load(live.row.id)).row
    assert row.seat_of(ada) is None and row.seat_of(bob) == "buyer"
    async with database.begin() as conn:
        assert await delete_game(conn, live.row.id, bob)
    assert await count(database, tables.games) == 0
