#!/usr/bin/env python3
"""Seven checks of a running Parlay server, over a live socket.

    .venv/bin/python smoke_test.py [URL]          default http://localhost:8000

One line a check; exit status 0 when all hold, 1 when one does not, 2 when nothing answers. Needs Python and
`websockets`, which .venv has, and nothing of this project. A server with a key: PARLAY_API_KEY=... in the environment.
"""

from __future__ import annotations

import json
import math
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from websockets.sync.client import ClientConnection, connect
except ImportError:
    sys.exit("This needs `websockets`: run it as `.venv/bin/python smoke_test.py`, or `pip install websockets`.")

TIMEOUT_S = 20
HEADERS = {"Authorization": f"Bearer {key}"} if (key := os.environ.get("PARLAY_API_KEY")) else {}
HIDDEN = ("truth", "grade", "final_offer", "termination_reason")
"""What an observation holds after the end only."""


class Failed(Exception):
    """A check does not hold; its words say what was seen instead."""


def expect(holds: bool, otherwise: object) -> None:
    if not holds:
        raise Failed(str(otherwise)[:300])


def get(url: str, path: str) -> Any:
    """What GET answers, from JSON. Raises Failed."""
    request = urllib.request.Request(url + path, headers=HEADERS)  # noqa: S310 - main() lets http(s) through alone
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:  # noqa: S310
            return json.load(reply)
    except urllib.error.HTTPError as error:
        raise Failed(f"GET {path} answers {error.code}") from error


class Session:
    """A session at `/ws`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def ask(self, message: dict[str, Any] | str) -> tuple[str, dict[str, Any]]:
        """An answer's type and data."""
        self._socket.send(message if isinstance(message, str) else json.dumps(message))
        answer = json.loads(self._socket.recv(timeout=TIMEOUT_S))
        return answer["type"], answer["data"]

    def reset(self, **options: Any) -> dict[str, Any]:
        kind, data = self.ask({"type": "reset", "data": options})
        expect(kind == "observation", data)
        return data

    def step(self, action: dict[str, Any]) -> dict[str, Any]:
        kind, data = self.ask({"type": "step", "data": action})
        expect(kind == "observation", data)
        return data


@contextmanager
def session(url: str) -> Iterator[Session]:
    """A session for the length of a block."""
    address = url.replace("http", "ws", 1) + "/ws"
    with connect(address, open_timeout=TIMEOUT_S, max_size=None, additional_headers=HEADERS, proxy=None) as socket:
        yield Session(socket)


def move(seen: dict[str, Any]) -> dict[str, Any]:
    """A simple seller of one issue: concede evenly from the target toward the limit; take what is as good."""
    own, turn = seen["own"], seen["turn"]
    ask = own["target"] + (own["limit"] - own["target"]) * min(1.0, turn / 18)
    theirs = seen["opponent_offer"]
    if theirs is not None and next(iter(theirs.values())) >= ask:
        return {"utterance": "We have a deal.", "accept_deal": True}
    return {"utterance": f"Round {turn}: this is our figure.", "offer_amount": math.ceil(ask / 100) * 100}


def game(url: str, seed: int) -> list[dict[str, Any]]:
    """Every answer of a whole game."""
    with session(url) as player:
        trail = [player.reset(scenario_id="saas_enterprise", persona="diplomat", seat="seller", seed=seed)]
        while not trail[-1]["done"]:
            expect(len(trail) < 60, "the game does not end")
            trail.append(player.step(move(trail[-1]["observation"])))
        return trail


# The checks -----------------------------------------------------------------------------------------------------------


def health(url: str) -> str:
    answer = get(url, "/health")
    expect(answer.get("status") == "healthy", answer)
    return "the server is healthy"


def schema(url: str) -> str:
    answer = get(url, "/schema")
    expect({"action", "observation", "state"} <= set(answer), sorted(answer))
    fields = answer["action"]["properties"]
    expect({"utterance", "offer_amount", "accept_deal"} <= set(fields), sorted(fields))
    expect(all(field.get("description") for field in fields.values()), "a field of the action has no description")
    return f"the action has {len(fields)} fields, each described"


def first_look(url: str) -> str:
    with session(url) as player:
        data = player.reset(scenario_id="saas_enterprise", persona="veteran", seed=7)
    seen = data["observation"]
    expect(data["reward"] is None and data["done"] is False, data)
    expect(seen["own"]["limit"] > 0 and bool(seen["prompt"]), seen)
    told = [name for name in HIDDEN if seen.get(name) is not None]
    expect(not told and "reward" not in seen, f"told before the end: {told}")
    return "the first observation has the player's facts and nothing hidden"


def reward(url: str) -> str:
    with session(url) as player:
        seen = player.reset(scenario_id="saas_enterprise", persona="veteran", seed=7)["observation"]
        data = player.step(move(seen))
    paid = data["reward"]
    expect(isinstance(paid, int | float) and math.isfinite(paid) and -300 <= paid <= 300, paid)
    terms = (data.get("metadata") or {}).get("reward_terms", {})
    expect(not terms or abs(sum(terms.values()) - paid) < 1e-9, f"{terms} sum not to {paid}")
    return f"a step pays {paid:+.3f}"


def bad_input(url: str) -> str:
    with session(url) as player:
        seen = player.reset(scenario_id="saas_enterprise", seed=7)["observation"]
        before = player.ask({"type": "state"})
        for bad, code in (
            ("{", "INVALID_JSON"),
            ('{"type": "step", "data": {"utterance": "", "offer_amount": NaN}}', "INVALID_JSON"),
            ({"type": "fly"}, "UNKNOWN_TYPE"),
            ({"type": "step", "data": {"utterance": "", "ofer": 1}}, "VALIDATION_ERROR"),
            ({"type": "step", "data": {"utterance": "", "offer_amount": "lots"}}, "VALIDATION_ERROR"),
        ):
            kind, data = player.ask(bad)
            expect((kind, data.get("code")) == ("error", code), f"{bad} is answered {kind} {data}")
        expect(player.ask({"type": "state"}) == before, "an error changed the session")
        refused = player.step({"utterance": "", "offer_amount": 1e15})["observation"]
        expect(bool(refused["invalid"]) and refused["turn"] == seen["turn"], refused["invalid"])
    return "bad input is named by a code, and the session goes on"


def whole_game(url: str) -> str:
    last = (trail := game(url, 11))[-1]
    seen, grade = last["observation"], last["observation"]["grade"]
    expect(bool(seen["termination_reason"]) and bool(seen["truth"]) and bool(grade), seen)
    paid = sum(answer["reward"] for answer in trail[1:])
    expect(math.isfinite(paid) and -300 <= paid <= 200, paid)
    return f"a game ends ({seen['termination_reason']}, {len(trail) - 1} moves, {paid:+.1f}) with truth and grade"


def one_seed_one_game(url: str) -> str:
    first, again, other = (json.dumps(game(url, seed)) for seed in (11, 11, 12))
    expect(first == again, "one seed gave two games")
    expect(first != other, "two seeds gave one game")
    return "a seed fixes the game"


CHECKS: tuple[Callable[[str], str], ...] = (
    health,
    schema,
    first_look,
    reward,
    bad_input,
    whole_game,
    one_seed_one_game,
)


def main(arguments: list[str]) -> int:
    url = (arguments[0] if arguments else "http://localhost:8000").rstrip("/")
    if len(arguments) > 1 or not url.startswith(("http://", "https://")):
        print(__doc__)
        return 2
    failures = 0
    for number, check in enumerate(CHECKS, 1):
        try:
            print(f"ok    {number}/{len(CHECKS)}  {check(url)}")
        except Failed as error:
            failures += 1
            print(f"FAIL  {number}/{len(CHECKS)}  {check.__name__}: {error}")
        except (OSError, EOFError) as error:
            if number == 1:
                print(f"Nothing answers at {url} ({error}). Start the server with `make serve`.")
                return 2
            failures += 1
            print(f"FAIL  {number}/{len(CHECKS)}  {check.__name__}: {type(error).__name__} {error}")
        except Exception as error:  # noqa: BLE001 - whatever a server sends, the other checks still run
            failures += 1
            print(f"FAIL  {number}/{len(CHECKS)}  {check.__name__}: {type(error).__name__} {error}")
    print(f"{len(CHECKS) - failures} of {len(CHECKS)} checks hold at {url}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
