"""Episodes against a persona that speaks through a language model, beside the same with its scripted words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from agent.baselines import baseline
from agent.llm.base import Message, Provider, Reply
from agent.llm.voices import Counts, Voice, Voiced
from agent.narrator import Narrator, characters
from agent.registry import OPPONENTS, opponent, profile
from game.scenarios import scenarios
from parlay_env.core import Policy, Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Move, Setup, State
from parlay_env.deal.views import View
from parlay_env.rng import Draws
from training.tables import table

GAME = Deal()
LEARNER = "tit_for_tat"
PLAYER_SAYS = (
    "Let us find a figure that both of us can live with.",
    "I came toward you, and I would like to see the same.",
    "We value this, but it has to work for our side, too.",
    "Tell me what would help you most.",
    "I think we are closer than it looks.",
)
"""What the player of the transcripts says, turn by turn, over and over."""
HEARD = ("turn", "scripted", "said")
SHARES = ("persona", "moves with words", "as first answered", "asked again", "as scripted", "in the model's words")
MARKS = ("<!-- narrated -->", "<!-- end of narrated -->")


class Spoken(msgspec.Struct, frozen=True):
    """A move of the persona's: what it saw, what it decided with its scripted words, what was played."""

    view: View
    decided: Move
    voiced: Voiced


class Played(msgspec.Struct, frozen=True):
    """An episode, or the beginning of one."""

    spoken: tuple[Spoken, ...]
    state: State


class Listening:
    """A provider that keeps what it was asked."""

    def __init__(self, provider: Provider) -> None:
        self.name = provider.name
        self.heard: list[str] = []
        self._provider = provider

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        """The other's reply. Raises ProviderError."""
        self.heard.append("\n".join(f"{one.role}: {one.content}" for one in messages))
        return await self._provider.complete(
            messages, schema, max_tokens=max_tokens, temperature=temperature, seed=seed
        )

    async def close(self) -> None:
        """Close the other."""
        await self._provider.close()


class Talker:
    """A baseline's moves with words of one's choice; `says` gets the turn, from 1 on."""

    def __init__(self, policy: str, says: Callable[[int], str]) -> None:
        self._policy, self._says = baseline(policy), says

    def act(self, view: View, rng: Draws) -> Move:
        move = self._policy.act(view, rng)
        if move.card == "silence":
            return move
        return replace(move, utterance=self._says(max(1, view.public.turn)), voiced=True)


def setup_for(scenario: str, persona: str, seat: Literal["seller", "buyer"] = "seller") -> Setup:
    """A learner of this seat against this persona, with the validation split's headlines."""
    return Setup(scenarios()[scenario], seat=seat, opponent=profile(persona), split="validation")


async def played(
    setup: Setup, seed: int, learner: Policy, persona: str, voice: Voice | None = None, moves_at_most: int = 200
) -> Played:
    """The episode with the persona's own words, or with a voice; at most so many moves of the persona's."""
    state, policy = GAME.start(setup, seed), opponent(persona)
    draws = {seat: policy_draws(GAME, seed, seat) for seat in SEATS}
    mine, spoken = SEATS[setup.learner], []
    while (seats := GAME.to_move(state)) and len(spoken) < moves_at_most:
        (seat,) = seats
        view = GAME.view(state, Viewer("player", seat))
        if seat == mine:
            move = learner.act(view, draws[seat])
        else:
            decided = policy.act(view, draws[seat])
            voiced = Voiced(decided, "scripted")
            if voice is not None:
                voiced = await voice.answer(view, decided, draws[seat])
            spoken.append(Spoken(view, decided, voiced))
            move = voiced.move
        state = GAME.play(state, {seat: move}).state
    return Played(tuple(spoken), state)


def wordless(state: State) -> State:
    """The state but for what was said."""
    a, b = (replace(side, utterance="") for side in state.public.sides)
    return replace(state, public=replace(state.public, sides=(a, b)))


# Transcripts ----------------------------------------------------------------------------------------------------------


async def transcripts(
    provider: Provider, scenario: str, seed: int, games: int, moves_at_most: int, seconds: float, command: str
) -> str:
    """Episodes against each persona, in Markdown: how many moves were played in the model's words, and of the first
    episode the scripted words and beside them what was played."""
    talker = Talker(LEARNER, lambda turn: PLAYER_SAYS[(turn - 1) % len(PLAYER_SAYS)])
    counted, parts = list[tuple[str, Counts]](), list[str]()
    for persona in OPPONENTS:
        narrator, title = Narrator(persona, provider, seconds), characters()[persona].name
        heard = [
            await played(setup_for(scenario, persona), seed + game, talker, persona, narrator, moves_at_most)
            for game in range(games)
        ]
        lines = [_line(one) for one in heard[0].spoken]
        parts += ["", f"**{title[:1].upper()}{title[1:]}**", "", table(HEARD, lines, figures=False)]
        counted.append((title.removeprefix("the "), narrator.counts))
    return "\n".join([f"`{command}`", "", shares(counted), *parts])


def shares(counted: Sequence[tuple[str, Counts]]) -> str:
    """Of each persona's moves with words, how they were played, as a table."""
    everybody = ("all", sum((counts for _, counts in counted), Counts()))
    return table(SHARES, [_share(name, counts) for name, counts in (*counted, everybody)])


def _share(name: str, counts: Counts) -> tuple[str, ...]:
    spoken = counts.moves - counts.silent
    figures = (spoken, counts.worded, counts.asked_again, counts.replaced)
    return name, *(str(figure) for figure in figures), f"{1 - counts.replaced_share:.0%}" if spoken else "none"


def _line(one: Spoken) -> tuple[str, str, str]:
    scripted, voiced = one.decided.utterance or "*silence*", one.voiced
    said = voiced.move.utterance if voiced.how != "scripted" else f"*as scripted ({voiced.why})*"
    again = " *(asked again)*" if voiced.how == "asked_again" else ""
    return str(max(1, one.view.public.turn)), _cell(scripted), _cell(said) + again


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
