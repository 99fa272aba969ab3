"""Nothing hidden reaches a player through a door before the end: two sessions that differ in hidden facts only give the
same bytes, whatever is asked of them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlay_env.deal.state import SEATS, Move
from parlay_env.deal.views import View
from parlay_env.doors.hub import Hub
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.rng import Draws
from parlay_env.server import create_app
from parlay_env.session import Session
from parlay_env.settings import Settings
from tests.parlay_env.test_noninterference import Moment, moments, veiled

from .support import MemorySocket

Ask = Callable[[str, Any], Any]
ACTIONS: tuple[Any, ...] = (
    {"utterance": "Let us see."},
    {"utterance": "And now?", "belief": {"est_walk_away": 150_000.0, "est_has_alternative": 0.3}, "event_impact": 0.1},
    {"offer_amount": -5},
    {"offer": {"nothing": 1}},
    {"accept_deal": True, "walk_away": True},
    {"tactical_move": "batna_reveal"},
    {"tactical_move": "reframe", "utterance": "Look at it this way."},
    {"question": "timeline", "utterance": "When?"},
    {"tactical_move": "sweetener", "sweetener": "nothing"},
    {"utterance": "", "ofer": 3},
    {"offer_amount": "lots"},
)


class Echo:
    """An opponent whose moves follow from what is public alone: so the same in both worlds."""

    def act(self, view: View, rng: Draws) -> Move:
        other = view.public.sides[1 - view.seat]
        words = f"I hear you, turn {view.public.turn}."
        return Move(utterance=words, voiced=True, offer=other.standing if view.public.turn % 2 else None)


def session_at(moment: Moment) -> Session | None:
    """A session of a learner that is to move at this moment."""
    state = moment.state(learner_moves=True)
    if state.public.mover != state.setup.learner:
        return None
    seat = state.setup.seat
    session = Session.open(ResetOptions(seed=0, seat=seat, events=moment.events))
    table = session.table
    table.setup, table.state = state.setup, state
    table._policies = {seat: None, SEATS[1 - state.setup.learner]: Echo()}
    table._draws = dict.fromkeys(SEATS, Draws(1))
    table._owed = {name: {} for name in SEATS}
    session.episode_id = "one"
    return session


def pair_at(moment: Moment, seed: int) -> tuple[Session, Session] | None:
    """Two sessions at this moment, between which everything hidden differs."""
    one, other = session_at(moment), session_at(moment)
    if one is None or other is None:
        return None
    state = other.table.state
    other.table.state = veiled(state, state.setup.learner, random.Random(seed), same_future=True)
    return one, other


def public_part(session: Session) -> Any:
    """What must be equal for the player's world to be the same."""
    state = session.table.state
    return state.public, state.facts[state.setup.learner]


seeds = st.integers(0, 2**32)


@given(moments, seeds)
def test_a_session_answers_alike_whatever_is_hidden(moment: Moment, seed: int) -> None:
    pair = pair_at(moment, seed)
    if pair is None:
        return
    one, other = pair
    assert one.state() == other.state()
    for fields in ACTIONS[:8]:
        answers = [session.step(ParlayAction(**fields)) for session in pair]
        # An end tells everything; a challenge or a headline may have come out otherwise, and then it is another world.
        if one.done or other.done or public_part(one) != public_part(other):
            return
        assert answers[0] == answers[1]
        assert one.state() == other.state()


@contextmanager
def handing_out(hub: Hub, session: Session) -> Iterator[None]:
    """Let the next reset of an application give this session."""
    kept = hub.open
    hub.open = lambda options, **_: (session, None)  # type: ignore[method-assign]
    try:
        yield
    finally:
        hub.open = kept  # type: ignore[method-assign]


def messages(name: str) -> list[str]:
    """Everything that a client may ask for in the middle of an episode, right and wrong."""
    if name == "/ws":
        found: list[Any] = [{"type": "step", "data": action} for action in ACTIONS]
        found += [{"type": "state"}, {"type": "fly"}, {"type": "state", "x": 1}, [1]]
    else:
        found = [{"cmd": "step", "session_id": "{id}", "action": action} for action in ACTIONS]
        found += [{"cmd": "state", "session_id": "{id}"}, {"cmd": "wait", "session_id": "{id}"}, {"cmd": "fly"}, 3]
    return [json.dumps(message) for message in found] + ["{", '{"a": NaN}']


async def socket_transcript(path: str, session: Session, order: list[int]) -> list[tuple[str, Any]]:
    """What a socket answers, as bytes, with the world after each answer."""
    app = create_app(Settings())
    socket = await MemorySocket(app, path).opened()
    with handing_out(app.state.hub, session):
        first = await socket.ask({"type": "reset"} if path == "/ws" else {"cmd": "reset"})
    name = json.loads(first).get("session_id", "")
    found = [(first.replace(name, "ID") if name else first, public_part(session))]
    for i in order:
        everything = messages(path)
        reply = await socket.ask(everything[i % len(everything)].replace("{id}", name))
        found.append((reply.replace(name, "ID") if name else reply, public_part(session)))
        if session.done:
            break
    await socket.close()
    app.state.hub.stop()
    return found


async def http_transcript(session: Session, order: list[int]) -> list[tuple[str, Any]]:
    app = create_app(Settings())
    found = []
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://parlay") as http:
        with handing_out(app.state.hub, session):
            first = await http.post("/reset", headers={"X-Session-Id": "new"})
        name = first.headers["x-session-id"]
        found.append((first.text.replace(name, "ID"), public_part(session)))
        for i in order:
            if i % (len(ACTIONS) + 1) == len(ACTIONS):
                reply = await http.get("/state", headers={"X-Session-Id": name})
            else:
                action = {"action": ACTIONS[i % (len(ACTIONS) + 1)]}
                reply = await http.post("/step", json=action, headers={"X-Session-Id": name})
            found.append((f"{reply.status_code} {reply.text.replace(name, 'ID')}", public_part(session)))
            if session.done:
                break
    app.state.hub.stop()
    return found


@pytest.mark.parametrize("door", ["/ws", "/env/ws", "http"])
@given(moment=moments, seed=seeds, order=st.lists(st.integers(0, 50), min_size=1, max_size=14))
def test_a_door_answers_alike_whatever_is_hidden(door: str, moment: Moment, seed: int, order: list[int]) -> None:
    pair = pair_at(moment, seed)
    if pair is None:
        return

    async def both() -> list[list[tuple[str, Any]]]:
        if door == "http":
            return [await http_transcript(session, order) for session in pair]
        return [await socket_transcript(door, session, order) for session in pair]

    mine, theirs = asyncio.run(both())
    for (reply, world), (other_reply, other_world) in zip(mine, theirs, strict=False):
        if world != other_world or world[0].ended is not None:
            return
        assert reply == other_reply


@pytest.mark.parametrize("door", ["/ws", "/env/ws", "http"])
def test_the_test_sees_a_leak(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a hidden figure in an observation, the transcripts would differ."""
    moment = Moment("saas_enterprise", "shark", "seller", False, True, 5, 0.0, 4)
    pair = pair_at(moment, 1)
    assert pair is not None
    real = Session.observe

    def leaking(self: Session, with_prompt: bool) -> dict[str, Any]:
        theirs = self.table.state.facts[1 - self.table.setup.learner]
        return real(self, with_prompt) | {"tension_score": float(theirs.walk_away)}

    monkeypatch.setattr(Session, "observe", leaking)

    async def both() -> list[list[tuple[str, Any]]]:
        run = http_transcript if door == "http" else lambda s, o: socket_transcript(door, s, o)
        return [await run(session, [0]) for session in pair]

    mine, theirs = asyncio.run(both())
    assert mine[0] != theirs[0]


def test_what_an_error_of_history_says_depends_on_nothing_hidden() -> None:
    """The same refused prefix from two seeds of one first observation's shape is refused in the same words."""
    history = [ParlayAction(utterance="150,000.", offer_amount=150_000), ParlayAction(offer_amount=-5)]
    found = set()
    for seed in range(20):
        try:
            Session.open(ResetOptions(seed=seed, persona="veteran", events=False, history=history))
        except ValueError as error:
            found.add(str(error))
    assert len(found) == 1
