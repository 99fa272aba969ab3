"""`parlay games`: every game is listed, shown, played and measured; what is typed wrongly is told in a line."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.games.registry import games
from cli.games import TOGETHER, read_move
from parlay_env.core import replay
from parlay_env.game_session import BadMove
from parlay_env.log import EventLog

from .conftest import COMMAND, Run, environment, is_one_line


def test_list_has_every_game(parlay: Run) -> None:
    found = parlay("games", "list")
    assert found.returncode == 0
    assert all(name in found.stdout for name in games())
    assert [one["id"] for one in json.loads(parlay("games", "list", "--json", "-").stdout)] == list(games())


@pytest.mark.parametrize("name", games())
def test_show_tells_rules_players_and_move(parlay: Run, name: str) -> None:
    found = parlay("games", "show", name)
    assert found.returncode == 0
    words = " ".join(found.stdout.split())
    assert " ".join(games()[name].game.rules.split()) in words
    assert all(player in words for player in games()[name].players)


def test_a_person_plays_with_as_few_letters_as_will_do(parlay: Run) -> None:
    for typed in ("0", '{"lever": 0}', "lever=0"):
        found = parlay("games", "play", "levers", "--seed", "7", "--partner", "habit", stdin=f"{typed}\n")
        assert found.returncode == 0
        assert "worth 1 to you" in found.stdout


def test_what_is_no_move_is_told_and_asked_again(parlay: Run) -> None:
    found = parlay("games", "play", "levers", "--seed", "7", "--partner", "habit", stdin="x\nlev=3\n44\n0\n")
    assert found.returncode == 0
    assert "a move of levers is" in found.stdout
    assert "from 0 to 9" in found.stdout
    assert "worth 1 to you" in found.stdout


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_what_is_typed_in_no_encoding_is_no_move_and_asked_again(tmp_path: Path, errors: str) -> None:
    found = subprocess.run(
        [*COMMAND, "games", "play", "levers", "--seed", "7", "--partner", "habit"],
        input=b"\xff\xfe\n0\n",
        capture_output=True,
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING=f"utf-8:{errors}"),
        timeout=120,
        check=False,
    )
    assert found.returncode == 0
    assert b"a move of levers is" in found.stdout


@pytest.mark.parametrize(
    ("game", "typed", "move"),
    [
        ("rps_talk", "rock", {"play": "rock"}),
        ("rps_talk", "think=hm, rock = bait talk=I play rock", {"think": "hm, rock = bait", "talk": "I play rock"}),
        ("rps_talk", "talk=Next I play=rock", {"talk": "Next I play=rock"}),
        ("rps_talk", "think=bait talk=I play=rock, text=me", {"think": "bait", "talk": "I play=rock, text=me"}),
        ("rps_talk", "think=they play rock play=paper", {"think": "they play rock", "play": "paper"}),
        ("rps_talk", "text=<talk>I play=rock</talk>", {"text": "<talk>I play=rock</talk>"}),
        ("commons", "say=I will catch_t=10", {"say": "I will catch_t=10"}),
        ("commons", '{"catch_t": 10, "say": ""}', {"catch_t": 10, "say": ""}),
        ("undercover", "summary=I vote=nobody", {"summary": "I vote=nobody"}),
        ("undercover", 'vote=player_2 beliefs={"player_2": 1}', {"vote": "player_2", "beliefs": {"player_2": 1}}),
        ("rps_talk", "<think>a</think><play>rock</play>", {"text": "<think>a</think><play>rock</play>"}),
        ("rps_talk", '{"talk": "play=rock"}', {"talk": "play=rock"}),
        ("bertrand", "120", {"play": 120}),
        ("size_price", "accept", {"play": "accept"}),
        ("commons", "10", {"catch_t": 10}),
        ("commons", "catch_t=10", {"catch_t": 10}),
        ("commons", "hello", {"say": "hello"}),
        ("levers", "3", {"lever": 3}),
        ("commons", "10.0", {"catch_t": 10.0}),
        ("levers", "three", {"lever": "three"}),
    ],
)
def test_what_a_person_types_is_the_move_that_was_meant(game: str, typed: str, move: dict[str, Any]) -> None:
    assert read_move(games()[game], typed) == move


@pytest.mark.parametrize(
    ("game", "typed", "told"),
    [("rps_talk", "hello", "talk=…"), ("commons", "catch=4", "did you mean catch_t?"), ("undercover", "me", "vote=…")],
)
def test_what_can_be_several_moves_or_none_is_asked_about(game: str, typed: str, told: str) -> None:
    with pytest.raises(BadMove, match=re.escape(told)):
        read_move(games()[game], typed)


@pytest.mark.parametrize(
    ("game", "typed", "told"),
    [
        ("rps_talk", "play=rock talk=I play rock", "talk and play are not of one move"),
        ("rps_talk", "think=hm play=rock talk=I play rock", "think, talk and play are not of one move"),
        ("rps_talk", '{"talk": "rock", "play": "rock"}', "talk and play are not of one move"),
        ("bertrand", "play=120 talk=120 it is", "talk and play are not of one move"),
        ("commons", "catch_t=10 say=hello", "catch_t and say are not of one move"),
    ],
)
def test_what_no_move_has_together_is_asked_again(game: str, typed: str, told: str) -> None:
    with pytest.raises(BadMove, match=told):
        read_move(games()[game], typed)


def test_every_field_that_goes_with_others_is_one() -> None:
    known = [{field.encode_name for field in msgspec.structs.fields(one.game.move_type)} for one in games().values()]
    assert all(any(some <= names for names in known) for some in TOGETHER)


def test_words_that_hold_a_field_lose_no_game(parlay: Run) -> None:
    typed = "talk=Next I play=rock\nplay=rock talk=So I do\n"
    asked = ("rps_talk", "--seed", "1", "--seat", "first", "--partner", "naive")
    found = parlay("games", "play", *asked, stdin=typed)
    assert "Next I play=rock" in found.stdout
    assert "not of one move" in found.stdout
    assert "The game is over" not in found.stdout
    assert found.stderr == "left before the end; nothing is paid\n"


@pytest.mark.parametrize("game", games())
def test_an_empty_line_is_no_move_where_no_talk_is_due(game: str) -> None:
    for phase in (None, "fish", "write", "vote"):
        with pytest.raises(BadMove, match="an empty line is no move"):
            read_move(games()[game], "", phase)


def test_empty_lines_cost_nothing_and_are_silence_where_talk_is_due(parlay: Run) -> None:
    found = parlay("games", "play", "commons", "--seed", "3", "--set", "months=1", stdin="\n" * 9 + "10\n")
    assert found.stdout.count("an empty line is no move") == 9
    assert "not played" not in found.stdout
    assert "The game is over: played" in found.stdout
    chosen = ("--set", "months=1", "--set", "chat=true")
    found = parlay("games", "play", "commons", "--seed", "3", *chosen, stdin="\n\n10\n")
    assert found.stdout.count("an empty line is no move") == 1
    assert "The game is over: played" in found.stdout


def test_a_table_is_readable_at_a_hundred_columns(parlay: Run) -> None:
    found = parlay("games", "eval", "bertrand", "--player", "promise_keeper,promise_breaker", "--episodes", "5")
    assert found.returncode == 0
    assert "…" not in found.stdout
    assert "promise_keeper" in found.stdout
    assert "promise_breaker" in found.stdout


@pytest.mark.parametrize("name", games())
def test_a_view_is_told_in_words_and_tables_and_never_as_json(parlay: Run, name: str) -> None:
    found = parlay("games", "play", name, "--as", "random", "--seed", "5")
    assert found.returncode == 0
    _, _, views = found.stdout.partition("leaves.")
    told = [line for line in views.splitlines() if not line.startswith("> ")]
    assert len(told) > 3
    assert not [line for line in told if re.search(r'[\[{]"|":|\]\]|true|null', line)]


def test_months_are_counted_and_catches_stand_under_who_made_them(parlay: Run) -> None:
    lines = parlay("games", "play", "commons", "--as", "sustainable", "--seed", "3").stdout.splitlines()
    assert "month      1 of 12" in lines
    assert "lake       100 t" in lines
    assert ["month", *(f"fisher_{n}" for n in range(1, 6))] in [line.split() for line in lines]
    assert ["12", *["10", "t"] * 5] in [line.split() for line in lines]
    assert any("the last 6 of 12" in line for line in lines)
    lines = parlay("games", "play", "commons", "--as", "sustainable", "--set", "months=1").stdout.splitlines()
    assert "month      1 of 1" in lines


def test_why_a_move_was_not_played_is_told_in_a_line(parlay: Run) -> None:
    found = parlay("games", "play", "commons", "--seed", "3", stdin="101\n")
    assert "not played: catch_t is a whole number of tonnes from 0 to 100" in found.stdout


def test_a_document_is_told_once(parlay: Run) -> None:
    found = parlay("games", "play", "undercover", "--seed", "3", "--as", "random").stdout
    assert sum(line.startswith("document") for line in found.splitlines()) == 1


def test_one_episode_is_one(parlay: Run) -> None:
    assert "1 episode each" in parlay("games", "eval", "levers", "--player", "odd", "--episodes", "1").stdout
    assert "2 episodes each" in parlay("games", "eval", "levers", "--player", "odd", "--episodes", "2").stdout


def test_an_option_that_there_is_not_is_answered_with_the_nearest_that_is(parlay: Run) -> None:
    found = parlay("games", "play", "commons", "--set", "month=3")
    assert found.returncode == 2
    assert "did you mean months?" in found.stderr


def test_a_log_on_standard_output_is_alone_there(parlay: Run) -> None:
    found = parlay("games", "play", "levers", "--seed", "1", "--seat", "first", "--log", "-", stdin="44\n9\n")
    assert found.returncode == 0
    game = games()["levers"].game
    assert not game.to_move(replay(game, EventLog.from_jsonl(found.stdout.encode())).state)
    assert found.stderr.count("> ") == 2


@pytest.mark.parametrize("typed", ["quit\n", ""])
def test_leaving_early_is_said(parlay: Run, typed: str) -> None:
    found = parlay("games", "play", "levers", stdin=typed)
    assert found.returncode == 0
    assert found.stderr == "left before the end; nothing is paid\n"


@pytest.mark.parametrize("name", games())
def test_a_player_is_watched_in_ones_seat_and_the_log_replays(parlay: Run, tmp_path: Path, name: str) -> None:
    found = parlay("games", "play", name, "--as", "random", "--seed", "3", "--log", "game.jsonl")
    assert found.returncode == 0
    assert "The game is over" in found.stdout
    log = EventLog.from_jsonl((tmp_path / "game.jsonl").read_bytes())
    game = games()[name].game
    assert not game.to_move(replay(game, log).state)


def test_eval_measures_and_writes_what_it_prints(parlay: Run, tmp_path: Path) -> None:
    found = parlay("games", "eval", "levers", "--player", "odd,habit", "--episodes", "20", "--json", "found.json")
    assert found.returncode == 0
    told = json.loads((tmp_path / "found.json").read_text())
    odd, habit = told["players"]
    assert (odd["player"], odd["partner"], odd["reward"]["value"], odd["measures"]["match"]["value"]) == (
        *("odd", "odd"),
        *(0.9, 1.0),
    )
    assert habit["reward"]["value"] == 0.0
    assert "0.9 [0.9, 0.9]" in found.stdout


def test_eval_tells_ise_srp_and_lo_where_plays_make_a_table(parlay: Run, tmp_path: Path) -> None:
    asked = (
        "--player",
        "naive,promise_keeper",
        "--partner",
        "promise_breaker",
        "--episodes",
        "10",
        "--json",
        "all.json",
    )
    found = parlay("games", "eval", "rps_talk", *asked)
    assert found.returncode == 0
    assert {"ise", "srp", "lo", "regret"} <= set(found.stdout.split())
    assert "-5.64 [-5.64, -5.64]" in found.stdout
    told = json.loads((tmp_path / "all.json").read_text())
    assert told["ise_smoothing"] == 0.01
    naive, keeper = (one["measures"] for one in told["players"])
    assert naive["lo"] == {"value": 2.0, "low": 2.0, "high": 2.0, "over": 10}
    assert naive["srp"]["value"] == 1.0
    assert "lo" in keeper
    assert "ise" not in keeper
    assert "ise_smoothing" not in json.loads(parlay("games", "eval", "levers", "--episodes", "2", "--json", "-").stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "lever"),
        ("play", "levers", "--seat", "third"),
        ("play", "levers", "--partner", "ood"),
        ("play", "levers", "--as", "nobody"),
        ("play", "levers", "--seat", "x" * 100),
        ("play", "levers", "--partner", "x" * 100),
        ("play", "levers", "--as", "odd", "--log", "nowhere/game.jsonl"),
        ("play", "teamwork", "--set", "players=0"),
        ("play", "undercover", "--set", "document=\udcff"),
        ("eval", "undercover", "--set", "players=0"),
        ("eval", "levers", "--json", "nowhere/found.json"),
        ("play", "levers", "--set", "odd=12"),
        ("play", "levers", "--set", "even=1"),
        ("play", "levers", "--seed", str(2**60)),
        ("eval", "levers", "--player", "nobody"),
        ("eval", "levers", "--player", ","),
        ("eval", "levers", "--set", "odd"),
        ("eval", "levers", "--set", "odd=99"),
        ("eval", "teamwork", "--set", "players=0"),
        ("play", "levers", "--seat", "x" * 65),
        ("play", "levers", "--partner", "x" * 65),
    ],
)
def test_what_is_asked_wrongly_is_told_in_a_line(parlay: Run, arguments: tuple[str, ...]) -> None:
    found = parlay("games", *arguments)
    assert found.returncode == 2
    assert is_one_line(found.stderr.splitlines(keepends=True)[-1])
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("command", [("play", "--as", "random"), ("eval", "--episodes", "1")])
def test_a_folder_of_texts_is_read_for_undercover_alone(parlay: Run, command: tuple[str, ...]) -> None:
    name, *more = command
    assert parlay("games", name, "levers", *more, PARLAY_DOCUMENTS="/nope").returncode == 0
    found = parlay("games", name, "undercover", *more, PARLAY_DOCUMENTS="/nope")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert "/nope" in found.stderr
