"""A language model behind a real HTTP server in OpenAI's form, that words what it is asked to word, or misbehaves."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.agent.llm.servers import KEY, Answer, Heard, Server, chat, openai_door, running

SAID = "How does {figure} sound to you?"
"""What it says with an offer. No persona's own words are these."""


HELD = "I hear you, and I would like to hear more."
"""What it says without one."""


def worded(heard: Heard) -> Answer:
    """Fit words for a plain offer, or for none; whatever else is asked for, they can't be used."""
    brief = ([""] + [one["content"] for one in heard.body["messages"] if "DECISION:" in one["content"]])[-1]
    offer = re.search(r"your offer ([^;\n]+?)[;.]?(?:;|\.\n|$)", brief, re.MULTILINE)
    figure = "" if offer is None else offer[1]
    return chat(json.dumps({"words": SAID.format(figure=figure) if figure else HELD}))


@asynccontextmanager
async def wordsmith() -> AsyncIterator[Server]:
    """The server, which words what it is asked to until it is told otherwise."""
    async with running(openai_door, "/v1") as server:
        server.usual = worded
        yield server


def model_at(url: str, **more: Any) -> dict[str, Any]:
    """The settings of an application that speaks through the model at this address."""
    return {"model": "openai/scripted", "model_url": url, "model_seconds": 20.0, **more}


__all__ = ["HELD", "KEY", "SAID", "model_at", "wordsmith"]
