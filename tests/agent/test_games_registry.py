"""The list of games names every player that there is, those that are loaded later too."""

from __future__ import annotations

from importlib import import_module

import pytest

from agent.games.registry import games


@pytest.mark.parametrize("game_id", games())
def test_every_player_is_listed_in_its_module_s_order(game_id: str) -> None:
    players = import_module(f"agent.games.{game_id}").PLAYERS
    assert list(games()[game_id].players) == list(players)
    for name, made in players.items():
        assert type(games()[game_id].player(name)) is type(made())
