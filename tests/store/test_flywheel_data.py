"""People's games as data: what consent allows at that moment, played again like any other log, and nobody's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from game.house import House
from game.live import Live
from game.store import flywheel, players, tables
from game.store.database import Database, StoreUnavailable
from parlay_env.models import ParlayAction
from training.data.build import Options, build
from training.data.card import card
from training.data.export import export
from training.data.form import Manifest, load
from training.data.records import records_of

from .support import LEAVE, apart, contents, count, new_player, plan, played

OPTIONS = Options("parlay data build --source human --database URL --out DIR", source="human", filter="all")
NAME = "Ada Lovelace"


async def given(
    house: House, database: Database, name: str = NAME, words: str = "Let us see.", request: str = "r"
) -> Live:
    """A finished game that its player gave; its row says that it went well."""
    player = await new_player(database, name)
    live = await house.start(plan(), player, request)
    for said in (words, "Well then."):
        live = await house.move(live.row.id, "seller", live.number("seller"), ParlayAction(utterance=said))
    live = await house.move(live.row.id, "seller", live.number("seller"), LEAVE)
    async with database.begin() as conn:
        mine = (tables.seats.c.game_id == live.row.id) & (tables.seats.c.seat == "seller")
        await conn.execute(update(tables.seats).where(mine).values(efficiency=0.7))
    live = await house.load(live.row.id)
    await consent(database, live, True)
    return live


async def consent(database: Database, live: Live, wish: bool) -> None:
    async with database.begin() as conn:
        await flywheel.keep_or_drop(conn, live, "seller", consent=wish, now=5)


def built(url: str, out: Path, **options: Any) -> Manifest:
    """The set of this database's records."""
    return apart(lambda: build(records_of(url), OPTIONS, out))


def everything_in(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


async def test_a_given_game_is_data_and_a_game_taken_back_is_not(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    live = await given(house, database)
    found = built(store_url, tmp_path / "first")
    assert (found.logs, found.kept, found.refused) == (1, 1, {})
    assert sum(found.examples.values()) == 3
    assert "A player who takes it back" in card(found)
    await consent(database, live, False)
    assert await count(database, tables.records) == 0
    assert built(store_url, tmp_path / "first").kept == 0
    assert load(tmp_path / "first").examples == {"train": (), "validation": ()}


async def test_a_deleted_game_is_gone_from_the_next_build(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    live = await given(house, database)
    player = live.row.row_of("seller").player_id
    assert player is not None and built(store_url, tmp_path).kept == 1
    async with database.begin() as conn:
        assert await players.delete_game(conn, live.row.id, player)
    assert built(store_url, tmp_path).kept == 0


async def test_no_name_and_no_id_of_anybody_is_in_any_file(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    words = "I am ADA LOVELACE, call me ada. Lovelaces are many; Adamant I am not."
    live = await given(house, database, words=words)
    player = live.row.row_of("seller").player_id
    found = built(store_url, tmp_path)
    assert card(found)
    export(load(tmp_path), "sft", tmp_path / "sft")
    everything = everything_in(tmp_path)
    assert player is not None
    for secret in (NAME, "ADA", "Lovelace,", player, live.row.id, str(live.episode.seed), live.row.secret.hex()):
        assert secret.lower() not in everything.lower().replace("lovelaces", "").replace("adamant", "")
    assert "I am [name], call me [name]. Lovelaces are many; Adamant I am not." in everything


async def test_names_in_other_scripts_and_odd_names_are_taken_out_and_words_left_in(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    cases = {
        "王小明": ("我是王小明。", "我是[name]。"),
        "a.b*c": ("It is a.b*c here, not aXbYc.", "It is [name] here, not aXbYc."),
        "Zoë": ("Zoë says no. ZOË!", "[name] says no. [name]!"),
        "J": ("J wants 150,000; join us.", "[name] wants 150,000; join us."),
    }
    for name, (words, _) in cases.items():
        await given(house, database, name, words, request=name)
    built(store_url, tmp_path)
    everything = (tmp_path / "train.jsonl").read_text("utf-8") + (tmp_path / "validation.jsonl").read_text("utf-8")
    for _, told in cases.values():
        assert told in everything


async def test_a_record_that_was_changed_is_refused_and_counted(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    await given(house, database)
    (row,) = (await contents(database))["records"]
    lines = row["log"].splitlines(keepends=True)
    for log, secret, code in (
        (row["log"].replace("Let us see.", "Let us sea."), row["secret"], "damaged"),
        ("".join(lines[:-1]), row["secret"], "unfinished"),
        (row["log"], bytes(32), "forged"),
    ):
        async with database.begin() as conn:
            await conn.execute(update(tables.records).values(log=log, secret=secret))
        assert built(store_url, tmp_path).refused == {code: 1}


async def test_reading_changes_nothing_and_waits_for_nobody(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    await given(house, database)
    before = await contents(database)
    (record,) = before["records"]
    async with database.begin() as conn:  # somebody is writing meanwhile, and is not seen
        await conn.execute(update(tables.records).values(log="another"))
        assert built(store_url, tmp_path).kept == 1
        await conn.execute(update(tables.records).values(log=record["log"]))
    assert await contents(database) == before


async def test_people_games_have_no_rows_that_need_their_seed(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    await given(house, database)
    built(store_url, tmp_path)
    data = load(tmp_path)
    assert [episode.seed for episode in data.episodes.values()] == [None]
    for form in ("grpo", "dpo"):
        done = export(data, form, tmp_path / form)
        assert sum(done.rows.values()) == 0
        assert sum(done.left_out.values()) == 3
    assert sum(export(data, "sft", tmp_path / "sft").rows.values()) == 3


@pytest.mark.parametrize("url", ["sqlite:///nowhere/at/all.db", "postgresql://nobody@127.0.0.1:1/nothing"])
def test_a_database_that_is_not_there_is_neither_made_nor_waited_for(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        records_of(url)
    assert not Path("nowhere").exists()


def test_a_file_that_is_no_database_of_a_server_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "empty.db"
    file.touch()
    with pytest.raises(StoreUnavailable, match="records that can be read"):
        records_of(f"sqlite:///{file}")
    assert file.read_bytes() == b""


async def test_whatever_a_person_may_have_sent_its_game_can_be_played_again(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    refused = 0
    for k, (scenario, persona) in enumerate((("saas_enterprise", "shark"), ("supplier_contract", "veteran"))):
        player = await new_player(database)
        live = await house.start(plan(scenario, persona), player, f"wish {k}")
        live = await played(house, live, "seller", 40, seed=k, ends=0.02)
        if not live.episode.over:
            live = await house.move(live.row.id, "seller", live.number("seller"), LEAVE)
        assert live.episode.over
        async with database.begin() as conn:
            await conn.execute(update(tables.seats).values(efficiency=0.7))
        await consent(database, await house.load(live.row.id), True)
        refused += sum(one.invalid[0] is not None for one in live.episode.path)
    found = built(store_url, tmp_path)
    assert (found.kept, found.refused) == (2, {})
    assert found.not_allowed >= refused > 0


async def test_a_name_that_was_given_up_is_taken_out_too(
    house: House, database: Database, store_url: str, tmp_path: Path
) -> None:
    live = await given(house, database, "Annabel", "I am Annabel, and later Beatrix.")
    player = live.row.row_of("seller").player_id
    assert player is not None
    for name in ("Beatrix", "Zed", "Zed"):
        async with database.begin() as conn:
            assert await players.rename(conn, player, name)
    built(store_url, tmp_path)
    found = everything_in(tmp_path)
    assert "[name]" in found
    assert not [name for name in ("Annabel", "Beatrix", "Zed") if name in found]


async def test_nobody_can_be_renamed_who_is_not_there(database: Database) -> None:
    async with database.begin() as conn:
        assert not await players.rename(conn, "nobody", "Zed")
