"""Language models in the strategic games' evaluation: on everybody's seeds, in a purse, with thoughts of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agent.games.registry import UnknownPlayer, entry
from parlay_env.games.interface import PLAYED, VOID
from parlay_env.games.rps_talk import Setup
from tests.agent.llm.servers import KEY, USED, Answer, Heard, Server, chat, openai_door, openai_error, running
from training.games_eval import Broken, Interrupted, Result, play_all
from training.language import LanguageRun, Means

MODEL, OTHER = "llm:openai/some-model", "llm:openai/another"
SURE = "SECRET, expect: rock 1, paper 0, scissors 0"


def rocks(heard: Heard) -> Answer:
    """A model that says it will play rock, thinks that the other will, and plays paper."""
    seen = json.loads(heard.body["messages"][-1]["content"].partition("You see:\n")[2].splitlines()[0])
    mine = [one for one in seen["said"] if one["seat"] == seen["seat"]]
    if seen["talks"] and not mine:
        return chat(json.dumps({"think": "SECRET", "talk": "I will play rock."}))
    return chat(json.dumps({"think": SURE, "play": "paper"}))


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    async with running(openai_door, "/v1") as one:
        one.usual = rocks
        monkeypatch.setenv("OPENAI_BASE_URL", one.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield one


async def evaluated(
    *players: str, partner: str = "stubborn", episodes: int = 6, game: str = "rps_talk", setup: Any = None, **means: Any
) -> tuple[list[Result], LanguageRun]:
    run = LanguageRun([name for name in (*players, partner) if name.startswith("llm:")], Means(**means))
    chosen = {"episodes": episodes, "setup": setup, "language": run}
    return await asyncio.to_thread(play_all, entry(game), list(players), partner, **chosen), run


def values(result: Result) -> dict[str, float]:
    return {name: one.value for name, one in result.measures.items()}


async def test_a_model_is_measured_beside_players_by_code_on_their_seeds(server: Server) -> None:
    (code, model), run = await evaluated("naive", MODEL)
    assert (code.player, model.player) == ("naive", MODEL)
    told = values(model)
    assert (told["win"], told["ise"], told["srp"], told["lo"], told["regret"]) == (1.0, 0.0, 1.0, 2.0, 0.0)
    assert model.measures["ise"].over == 6
    assert code == play_all(entry("rps_talk"), ["naive"], "stubborn", episodes=6)[0]
    said = model.spoken[MODEL]
    assert said.moves["ok"] == said.total == run.usage.requests == len(server.heard)
    assert run.usage.tokens == sum(USED) * len(server.heard)
    assert code.spoken == {}


async def test_a_model_without_a_legal_move_pays_for_it_and_has_no_signals(server: Server) -> None:
    server.usual = chat("Rock, I think.")
    (model,), _ = await evaluated(MODEL)
    assert model.reward.value == -1.0
    assert values(model) == {"void": 0.0, "error": 1.0, "win": 0.0, "tie": 0.0, "reward": -1.0}
    assert model.ends == {VOID: 6}
    assert model.spoken[MODEL].moves == {"ok": 0, "repaired": 0, "illegal": 0, "absent": 6}


@pytest.mark.parametrize("text", [r'{"talk": "\ud800"}', "<think>\ud800</think><talk>hi</talk>"])
async def test_half_a_surrogate_pair_is_a_wrong_move_and_ends_no_evaluation(server: Server, text: str) -> None:
    server.usual = chat(text)
    (code, model), run = await evaluated("naive", MODEL)
    assert (code.ends, model.ends) == ({PLAYED: 6}, {VOID: 6})
    assert values(model)["error"] == 1.0
    assert model.spoken[MODEL].moves == {"ok": 0, "repaired": 0, "illegal": 6, "absent": 0}
    assert run.failed == 0


async def test_without_paper_a_model_is_told_so_in_its_own_seat(server: Server) -> None:
    (model,), _ = await evaluated(MODEL, setup=Setup(no_paper=True))
    assert values(model)["error"] == 1.0
    assert all("may not play paper" in heard.body["messages"][-1]["content"] for heard in server.heard)
    assert model.spoken[MODEL].moves["illegal"] == 6


async def test_beside_a_model_srp_alone_is_known_and_no_thought_is_told_to_it(server: Server) -> None:
    (one,), _ = await evaluated(MODEL, partner=OTHER)
    told = values(one)
    assert told["srp"] == 1.0
    assert not {"ise", "lo", "regret"} & told.keys()
    assert set(one.spoken) == {MODEL, OTHER}
    prompts = [heard.body["messages"][-1]["content"] for heard in server.heard]
    assert not any("SECRET" in prompt for prompt in prompts)
    assert {heard.body["model"] for heard in server.heard} == {"some-model", "another"}
    assert all(
        ("expect:" in text) == (heard.body["model"] == "some-model")
        for text, heard in zip(prompts, server.heard, strict=True)
    )


async def test_any_number_at_once_gives_the_same_results(server: Server) -> None:
    one, _ = await evaluated(MODEL, "naive", partner="anybody", concurrency=1)
    many, _ = await evaluated(MODEL, "naive", partner="anybody", concurrency=5)
    assert one == many
    assert [result.player for result in one] == [MODEL, "naive"]


@pytest.mark.parametrize(("game", "text"), [("levers", '{"lever": 9}'), ("teamwork", '{"work": 1}')])
async def test_models_play_where_all_move_at_once(server: Server, game: str, text: str) -> None:
    server.usual = chat(text)
    (model,), _ = await evaluated(MODEL, partner=MODEL, game=game)
    assert model.spoken[MODEL].moves["ok"] == len(server.heard)
    assert model.reward.value > 0.7


async def test_refused_moves_end_an_episode_where_the_game_says_so(server: Server) -> None:
    server.usual = chat("Lever nine.")
    (model,), _ = await evaluated(MODEL, partner="odd", game="levers", episodes=2)
    assert model.ends == {"void": 2}
    assert model.spoken[MODEL].moves["absent"] == len(server.heard) == 16


async def test_an_empty_purse_leaves_what_was_played(server: Server) -> None:
    found, run = await evaluated("naive", MODEL, episodes=40, max_tokens=10 * sum(USED), concurrency=1)
    code, model = found
    assert code.episodes == 40
    assert 0 < model.episodes < 40
    assert "tokens are used" in run.stopped


async def test_a_wrong_key_ends_it_and_what_was_played_is_there(server: Server) -> None:
    server.usual = openai_error(401, "invalid_api_key")
    with pytest.raises(Broken, match="key") as error:
        await evaluated("naive", MODEL)
    assert [result.player for result in error.value.found] == ["naive"]


def test_what_was_played_before_a_person_stopped_it_is_there() -> None:
    def stop(done: int, _: int) -> None:
        if done == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as error:
        play_all(entry("levers"), ["odd", "habit", "random"], episodes=20, told=stop)
    assert isinstance(error.value, Interrupted)
    assert [(one.player, one.episodes) for one in error.value.found] == [("odd", 20), ("habit", 10)]


async def test_a_model_plays_only_where_there_is_somebody_to_ask() -> None:
    for names, partner in (((MODEL,), "naive"), (("naive",), MODEL)):
        with pytest.raises(UnknownPlayer, match="somebody to ask"):
            play_all(entry("rps_talk"), names, partner, episodes=1)
