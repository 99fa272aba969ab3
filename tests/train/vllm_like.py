"""A real server of models that speaks what `training.vllm_speaker` needs of vLLM's form, with models of transformers.

It generates token by token by its own means, so that what `Speaker` says of the same model is a second opinion.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

from training import models

Body = dict[str, Any]


class Refused(Exception):
    """An answer of this status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ModelHouse:
    """A model under the name of its folder, and adapters on it. `heard`: requests, in their order; `spoil`: changes an
    answer before it is sent, or raises Refused."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.model, self.tokenizer = models.load(str(place), device="cpu")
        self.adapters: dict[str, Any] = {}
        self.heard: list[tuple[str, Body]] = []
        self.spoil: Callable[[str, Body], Body] = lambda _, answer: answer
        self._lock = threading.Lock()
        house = self

        class Door(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer({})

            def do_POST(self) -> None:
                self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

            def _answer(self, body: Body) -> None:
                try:
                    status, answer = 200, house.spoil(self.path, house.answer(self.path, body))
                except Refused as error:
                    status, answer = error.status, {"error": {"message": str(error), "code": error.status}}
                sent = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing is said."""

        class House(ThreadingHTTPServer):
            request_queue_size = 256

        self._server = House(("127.0.0.1", 0), Door)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: Body) -> Body:
        with self._lock:
            self.heard.append((path, body))
            if path == "/v1/models":
                return {"data": [{"id": name} for name in (str(self.place), *self.adapters)]}
            if path == "/v1/completions":
                return self._completion(body)
            if path == "/v1/load_lora_adapter":
                if body["lora_name"] in self.adapters:
                    raise Refused(400, "it is loaded")
                base, _ = models.load(str(self.place), device="cpu")
                adapted: Any = import_module("peft").PeftModel.from_pretrained(base, body["lora_path"])
                self.adapters[body["lora_name"]] = adapted.eval()
                return {}
            if path == "/v1/unload_lora_adapter" and body["lora_name"] in self.adapters:
                del self.adapters[body["lora_name"]]
                return {}
        raise Refused(404, f"there is nothing at {path} for {body}")

    def _completion(self, body: Body) -> Body:
        torch: Any = import_module("torch")
        model = self.model if body["model"] == str(self.place) else self.adapters.get(body["model"])
        if model is None:
            raise Refused(404, f"the model {body['model']} does not exist")
        draws = torch.Generator().manual_seed(body["seed"] % 2**31)
        ids, logprobs = list(body["prompt"]), []
        with torch.inference_mode():
            while len(logprobs) < body["max_tokens"] and (not logprobs or ids[-1] not in body["stop_token_ids"]):
                logits = model(input_ids=torch.tensor([ids])).logits[0, -1].float()
                scores = torch.log_softmax(logits / (body["temperature"] or 1.0), -1)
                drawn = torch.multinomial(scores.exp(), 1, generator=draws) if body["temperature"] else scores.argmax()
                ids.append(int(drawn))
                logprobs.append(float(scores[ids[-1]]))
        made = ids[len(body["prompt"]) :]
        choice = {
            "index": 0,
            "text": self.tokenizer.decode(made, skip_special_tokens=True),
            "finish_reason": "stop" if made[-1] in body["stop_token_ids"] else "length",
            "logprobs": {"tokens": self.tokenizer.convert_ids_to_tokens(made), "token_logprobs": logprobs},
            "token_ids": made,
            "prompt_token_ids": body["prompt"],
        }
        return {"object": "text_completion", "model": body["model"], "choices": [choice]}
