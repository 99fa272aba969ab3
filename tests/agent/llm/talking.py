"""Models for the tests of voices: one that does its work well, and adversaries, each a function from a request that a
real server heard to what it answers."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from agent.llm.base import Provider
from agent.llm.providers import provider
from agent.llm.retry import Patience
from tests.agent.llm.conftest import BRISK
from tests.agent.llm.servers import KEY, Answer, Heard, Server, chat

SAID = {
    "You make your offer": "Here is what I have in mind: {figure}.",
    "You move toward them": "You see that I can listen. Let us look at {figure} together.",
    "You propose to meet in the middle": "We could meet there, I think: {figure}.",
    "You now offer": "Here is how I see it now: {figure}.",
    "You offer": "This is my last offer, and I mean it: {figure}.",
    "You stay": "You have heard what I think. It stands.",
    "You make no offer": "Tell me a little more of what you have in mind.",
    "You accept": "I accept what is on the table, and we have a deal.",
    "You end": "I see no way for us here. Goodbye, I walk away.",
}
BESIDE = (
    (r"You claim that your limit is ([^.]*(?:\.\d+)?[^.]*)\.", "My limit is {}."),
    (r"You claim that your authority ends at ([^.]*(?:\.\d+)?[^.]*)\.", "My authority ends at {}."),
    (r"You claim that you can deal no later than ([^.]*)\.", "My deadline is {}."),
    (r"You claim that you have an alternative\.", "I have another offer."),
    (r"You claim that you have no alternative\.", "I have no other offer."),
    (r"You claim that ([^.]*) matters most to you\.", "What matters most to me is {}."),
    (r"You decline to say anything of your", "I would rather not answer that."),
    (r"You say plainly that you doubt", "I doubt what you told me."),
    (r'You throw in something: "([^"]*)"', "I throw in {}."),
)
"""What a prompt says of a claim, an answer, a doubt, a gift; and how it can be said."""


def prompt_of(heard: Heard) -> str:
    """The last thing but one's own answers that the model was told of a move."""
    return next(m["content"] for m in reversed(heard.body["messages"]) if "FIGURES:" in m["content"])


def extras_in(prompt: str) -> list[str]:
    """The sentences for what is to be said beside the decision."""
    return [
        words.format(*found.groups()) for pattern, words in BESIDE for found in [re.search(pattern, prompt)] if found
    ]


def fitting(heard: Heard) -> str:
    """Words that say the decision, as a good model would."""
    prompt = prompt_of(heard)
    decision = prompt.partition("DECISION: ")[2]
    main = next(words for start, words in SAID.items() if decision.startswith(start))
    figure = re.search(r"your offer ([^;]*?)(?:;|\.$|\.\n)", prompt.partition("FIGURES: ")[2] + "\n")
    said = " ".join([main.format(figure=figure[1] if figure else ""), *extras_in(decision)])
    last = re.search(r"YOUR_LAST_WORDS \(don't say them again\): (.*)", prompt)
    return f"Well. {said}" if last and json.loads(last[1]) == said else said


def worded(words: str, **more: Any) -> Answer:
    """An answer in the narrator's form."""
    return chat(json.dumps({"words": words, **more}))


def well(heard: Heard) -> Answer:
    """The answer of a good model."""
    return worded(fitting(heard))


@asynccontextmanager
async def speaking(
    server: Server, usual: Answer | Callable[[Heard], Answer] = well, patience: Patience = BRISK
) -> AsyncIterator[Provider]:
    """The real client of this server."""
    server.usual = usual
    model = provider("openai/some-model", base_url=server.url, api_key=KEY, patience=patience)
    try:
        yield model
    finally:
        await model.close()
