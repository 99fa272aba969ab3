"""docs/games.md tells of every strategic game and its players, and what it measured is what is measured."""

from __future__ import annotations

import doctest
import re
from statistics import fmean

import pytest

from agent.games.registry import entry, games
from parlay_env.core import Episode, play_episode
from tests.clients.servers import ROOT
from training.games_eval import play_all

from .pages import read

PAGE = "docs/games.md"


def section(game_id: str) -> str:
    return read(PAGE).partition(f"\n## {game_id}\n")[2].partition("\n## ")[0]


def rows(game_id: str, head: str) -> list[list[str]]:
    """The cells of the table whose head holds these words."""
    table = section(game_id).partition(head)[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]


def played(game_id: str, names: list[str], seed: int, **setup: object) -> Episode:
    found = entry(game_id)
    players = {seat: found.player(names[i % len(names)]) for i, seat in enumerate(found.game.seats)}
    return play_episode(found.game, found.game.setup_type(**setup), seed, players, keep_log=False)


def test_the_example_prints_what_it_shows() -> None:
    result = doctest.testfile(str(ROOT / PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted >= 5
    assert result.failed == 0


@pytest.mark.parametrize("game_id", games())
def test_every_game_has_a_section_that_names_its_players_and_the_fields_of_its_setup(game_id: str) -> None:
    found = entry(game_id)
    text = section(game_id)
    assert text.strip()
    for name in (*found.players, *found.game.setup_type.__struct_fields__):
        assert f"`{name}`" in text, name


def test_the_sections_stand_in_the_order_of_the_list() -> None:
    headings = re.findall(r"^## (\w+)$", read(PAGE), re.MULTILINE)
    assert [heading for heading in headings if heading in games()] == list(games())


def test_the_signalling_table_is_what_its_players_do() -> None:
    found = rows("signalling", "| sender | receiver")
    assert len(found) == 7
    for sender, receiver, total, late in found:
        runs = [played("signalling", [sender[1:-1], receiver[1:-1]], seed, rounds=100).state.past for seed in range(20)]
        assert f"{fmean(done.matched for past in runs for done in past):.1%}".replace("%", " %") == total
        assert f"{fmean(done.matched for past in runs for done in past[-30:]):.1%}".replace("%", " %") == late


def test_the_commons_table_is_what_its_players_do() -> None:
    found = rows("commons", "| five of them")
    assert len(found) == 8
    measures = entry("commons").game.measures
    for who, catch, total, months, equality in found:
        names = re.findall(r"`(\w+)`", who)
        state = played("commons", [names[0], *[names[-1]] * 4], 1).state
        made = measures(state, "fisher_1")
        lasted = f"{len(state.past)}{', survived' if made['survived'] else ''}"
        assert [f"{made['catch']:g} t", f"{made['total']:g} t", lasted, f"{made['equality']:.2f}"] == [
            catch,
            total,
            months,
            equality,
        ]


def test_the_teamwork_table_is_what_a_team_of_learners_does() -> None:
    """Six of its 200 seeds: the figures are near, and in the same order."""
    for row in rows("teamwork", "| | noise 0"):
        players = int(row[0].split()[0])
        for noise, cell in zip((0.0, 0.1, 0.5), row[1:], strict=True):
            runs = [
                played("teamwork", ["learner"], seed, players=players, rounds=100, noise=noise).state
                for seed in range(6)
            ]
            share = fmean(entry("teamwork").game.measures(state, "agent_1")["work"] for state in runs)
            assert share == pytest.approx(float(cell.split()[0]) / 100, abs=0.1)


def test_the_rps_talk_table_is_what_its_players_know_of_each_other() -> None:
    """On a tenth of its seeds: intervals overlap, and exact figures are the same."""
    found = {row[0][1:-1]: row[1:] for row in rows("rps_talk", "| player | win rate | ISE")}
    assert list(found) == list(games()["rps_talk"].players)
    for result in play_all(entry("rps_talk"), list(found), episodes=200):
        for name, cell in zip(("win", "ise", "srp", "lo", "regret"), found[result.player], strict=True):
            estimate = result.measures.get(name)
            assert (cell == "–") == (estimate is None)
            if estimate is not None and estimate.low is not None and estimate.high is not None:
                value, low, high = (float(part.replace("−", "-")) for part in re.findall(r"[−\d.]+", cell))
                assert low - 0.005 <= estimate.high
                assert estimate.low <= high + 0.005
                assert low <= value <= high
