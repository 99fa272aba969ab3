"""A model behind a server in vLLM's form answers as it does in this process, and a policy reaches it as an adapter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from cli.app import app
from training import models, tiny, vllm_speaker
from training.grpo import SERVED, GrpoError, run
from training.local_server import serving
from training.presets import preset
from training.run_folder import RunFolder
from training.speaker import Speaker
from training.updates import Policy, Sample
from training.vllm_speaker import ModelServer, SamplerError, ServedPolicy, ServedSpeaker

from .vllm_like import Body, ModelHouse, Refused

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not here: pip install -r requirements-train.txt"),
]
ASKED = [
    [{"role": "user", "content": f"seller turn {turn}\nlimit {limit} theirs 120000 to 180000"}]
    for turn, limit in ((0, 150000), (3, 99000), (11, 7))
]
SMALL = [
    "lora={rank: 4, alpha: 8, dropout: 0.0}",
    "answer_tokens=6",
    "grpo.steps=3",
    "grpo.tasks=2",
    "grpo.group=2",
    "grpo.minibatches=1",
    "grpo.learning_rate=0.01",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that has learned nothing; what it says is noise, and ends now and then."""
    folder = tmp_path_factory.mktemp("model")
    tiny.make([one[0]["content"] for one in ASKED] * 20, folder, seed=3)
    return folder


@pytest.fixture
def house(model: Path) -> Iterator[ModelHouse]:
    found = ModelHouse(model)
    yield found
    found.stop()


@pytest.fixture
def server(house: ModelHouse) -> Iterator[ModelServer]:
    found = ModelServer(house.url, key="k")
    yield found
    found.close()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The environment."""
    with serving() as address:
        yield address


def speaker(server: ModelServer, model: Path, **options: Any) -> ServedSpeaker:
    given = {"answer_tokens": 12, **options}
    return ServedSpeaker(server, server.name_of(str(model)), models.load_tokenizer(str(model)), **given)


def test_its_answers_are_those_of_the_model_in_this_process(server: ModelServer, model: Path) -> None:
    here = Speaker(*models.load(str(model)), answer_tokens=12).answer(ASKED)
    there = speaker(server, model)
    found = there.answer(ASKED)
    assert [(one.text, one.prompt, one.ids, one.cut) for one in found] == [
        (one.text, one.prompt, one.ids, one.cut) for one in here
    ]
    assert [one.logprobs for one in found] == [pytest.approx(one.logprobs, abs=1e-4) for one in here]
    assert there.tokens == sum(len(one.ids) for one in found) > 0


def test_answers_are_drawn_by_the_seed_and_their_ends_are_known(server: ModelServer, model: Path) -> None:
    one, same, other = (speaker(server, model, temperature=1.0, seed=seed).answer(ASKED * 20) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    end = models.load_tokenizer(str(model)).eos_token_id
    assert all(said.cut == (said.ids[-1] != end) for said in one)
    assert {len(said.ids) for said in one if said.cut} <= {12}
    assert len({said.ids for said in one}) > len(ASKED), "the same question has different answers"


def test_every_option_that_would_change_the_distribution_is_sent(
    server: ModelServer, house: ModelHouse, model: Path
) -> None:
    speaker(server, model, temperature=0.7).answer(ASKED[:1])
    _, sent = house.heard[-1]
    kept = {name: sent[name] for name in ("temperature", "top_p", "top_k", "repetition_penalty", "logprobs")}
    assert kept == {"temperature": 0.7, "top_p": 1.0, "top_k": 0, "repetition_penalty": 1.0, "logprobs": 0}


def changed(**fields: Any) -> Any:
    """Spoils completions: these fields of the choice are other ones."""

    def spoil(path: str, answer: Body) -> Body:
        if path == "/v1/completions":
            answer["choices"][0].update(fields)
        return answer

    return spoil


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"token_ids": None}, "tells no tokens of its answers"),
        ({"logprobs": None}, "tells no tokens of its answers"),
        ({"prompt_token_ids": [1, 2]}, "changed a prompt"),
        ({"logprobs": {"token_logprobs": [-0.5]}}, "log-probabilities of"),
        ({"token_ids": "five"}, "answers in another form"),
    ],
)
def test_an_answer_that_is_not_known_to_be_what_was_sampled_is_refused(
    server: ModelServer, house: ModelHouse, model: Path, fields: dict[str, Any], said: str
) -> None:
    house.spoil = changed(**fields)
    with pytest.raises(SamplerError, match=said):
        speaker(server, model).answer(ASKED)


def test_a_server_that_fails_is_asked_again_and_one_that_refuses_is_not(
    server: ModelServer, house: ModelHouse, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vllm_speaker, "PAUSE", 0.01)
    left = [503, 429]

    def spoil(path: str, answer: Body) -> Body:
        if path == "/v1/completions" and left:
            raise Refused(left.pop(), "wait")
        return answer

    asking = speaker(server, model)
    house.spoil = spoil
    assert len(asking.answer(ASKED[:1])) == 1
    left.extend([500, 500, 500])
    with pytest.raises(SamplerError, match="answers 500"):
        asking.answer(ASKED[:1])
    left.extend([400])
    before = len(house.heard)
    with pytest.raises(SamplerError, match="answers 400"):
        asking.answer(ASKED[:1])
    assert len(house.heard) == before + 1


def test_what_is_not_served_and_who_is_not_there_is_said(server: ModelServer, house: ModelHouse, model: Path) -> None:
    with pytest.raises(SamplerError, match=f"serves {model}, and not other"):
        server.name_of("other")
    nobody = ModelServer("http://127.0.0.1:9")
    with pytest.raises(SamplerError, match="can't be reached"):
        nobody.models()
    nobody.close()


def test_a_policy_learns_from_a_server_that_gets_its_adapter_each_step(
    server: ModelServer, house: ModelHouse, model: Path, url: str, tmp_path: Path
) -> None:
    chosen = preset("tiny", SMALL)
    run(model=str(model), chosen=chosen, out=tmp_path / "run", url=url, sampler=server)
    rows = RunFolder(tmp_path / "run").rows()
    assert [row["step"] for row in rows] == [1, 2, 3]
    assert all(row["drift"] < 1e-4 for row in rows)
    loaded = [body["lora_name"] for path, body in house.heard if path == "/v1/load_lora_adapter"]
    assert len(set(loaded)) == 3
    assert {body["model"] for path, body in house.heard if path == "/v1/completions"} == set(loaded)
    assert house.adapters == {}
    assert not (tmp_path / "run" / SERVED).exists()


def test_each_step_is_answered_with_the_weights_as_they_are_and_old_ones_show_as_drift(
    server: ModelServer, model: Path, tmp_path: Path
) -> None:
    peft: Any = import_module("peft")
    network, tokenizer = models.load(str(model))
    network = peft.get_peft_model(network, peft.LoraConfig(r=4, target_modules="all-linear"))
    policy = Policy(network, learning_rate=0.05, kl=0.0, clip=0.2, temperature=1.0)
    served = ServedPolicy(server, str(model), tmp_path / "served")

    def learn(name: str) -> float:
        """A step on answers by this name; how far the policy is from who answered."""
        said = ServedSpeaker(server, name, tokenizer, answer_tokens=12, temperature=1.0).answer(ASKED * 2)
        samples = [Sample(one, (-1.0) ** k) for k, one in enumerate(said)]
        return policy.update(samples, 1, random.Random(0)).drift

    first = served.publish(network, 0)
    assert learn(first) < 1e-4
    second = served.publish(network, 1)
    assert learn(second) < 1e-4
    assert learn(second) > 1e-2
    assert server.models() == [str(model), second]
    served.publish(network, 2)
    assert [one.name for one in sorted((tmp_path / "served").iterdir())] == [second, second[:-1] + "2"]
    served.close()
    assert server.models() == [str(model)]


def test_a_policy_without_adapters_can_not_be_served(server: ModelServer, model: Path, tmp_path: Path) -> None:
    with pytest.raises(GrpoError, match="takes adapters alone"):
        run(model=str(model), chosen=preset("tiny"), out=tmp_path / "run", url="http://nobody", sampler=server)


def test_an_evaluation_by_the_server_comes_to_what_one_in_this_process_does(
    house: ModelHouse, model: Path, url: str, tmp_path: Path
) -> None:
    words = ["train", "eval", f"base={model}", "--preset", "tiny", "--seeds", "2", "--set", "answer_tokens=8"]
    found = {}
    for name, more in (("here", []), ("there", ["--sampler", house.url])):
        file = tmp_path / f"{name}.json"
        done = CliRunner().invoke(app, [*words, "--url", url, "--json", str(file), *more])
        assert done.exit_code == 0, done.output
        found[name] = msgspec.json.decode(file.read_bytes())
    assert found["here"]["rewards"] == found["there"]["rewards"]
    assert found["here"]["players"] == found["there"]["players"]
    assert any(path == "/v1/completions" for path, _ in house.heard)


def test_an_adapter_that_is_served_under_a_name_is_evaluated_by_that_name(
    house: ModelHouse, model: Path, url: str, tmp_path: Path
) -> None:
    peft: Any = import_module("peft")
    network, tokenizer = models.load(str(model))
    adapted = peft.get_peft_model(network, peft.LoraConfig(target_modules="all-linear"))
    adapted.save_pretrained(tmp_path / "adapter")
    tokenizer.save_pretrained(tmp_path / "adapter")
    house.answer("/v1/load_lora_adapter", {"lora_name": "tuned", "lora_path": str(tmp_path / "adapter")})
    words = ["train", "eval", f"tuned={tmp_path / 'adapter'}", "--preset", "tiny", "--seeds", "1", "--url", url]
    done = CliRunner().invoke(app, [*words, "--set", "answer_tokens=4", "--sampler", house.url])
    assert done.exit_code == 0, done.output
    assert {body["model"] for path, body in house.heard if path == "/v1/completions"} == {"tuned"}
