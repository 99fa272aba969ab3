"""A game in the terminal, from the choice of a scenario to the debrief."""

from __future__ import annotations

import shlex
from typing import Any

from pydantic import ValidationError

from agent import registry
from cli.console import console, without_colour
from cli.figures import money
from cli.play.briefing import briefing, cards_screen, help_screen
from cli.play.chair import Chair
from cli.play.debrief import debrief, offers_chart
from cli.play.lines import Desk
from cli.play.menu import Choice, choose
from cli.play.points import BREACH, NOISE
from cli.play.reading import Typed, may_be_a_slip, read
from cli.play.screen import claims_screen, turn_screen
from cli.play.terminal import Instead, Left, Terminal, wrapped
from parlay_env.amounts import amounts
from parlay_env.deal.numbers import HEAT_CURT
from parlay_env.deal.state import SEATS, Setup
from parlay_env.deal.terms import range_of, to_offer
from parlay_env.figures import public_prior
from parlay_env.models import MAX_WORDS, ParlayAction
from parlay_env.session import Table

CURT = (
    f"(An offer without words is curt: tension +{HEAT_CURT:.0f}. "
    "Words after it make it kind: {offer} We could sign today.)"
)
TURN = "It uses a turn."
HINT = "Type an amount to offer it, words to say them, or both; `help` tells the rest."


def play(scenario: str | None, seat: str | None, persona: str | None, seed: int | None, no_colour: bool) -> None:
    """Play one game with the person at the terminal."""
    if no_colour:
        without_colour()
    terminal = Terminal()
    choice = choose(terminal, scenario, seat, persona, seed)
    chair = _seated(choice)
    out = console()
    out.print()
    out.print(briefing(chair))
    out.print(HINT, style="dim")
    game = Game(chair, terminal)
    try:
        while not chair.over:
            out.print(turn_screen(chair))
            game.turn()
    except Left:
        _print_how_it_stood(chair, choice)
        return
    out.print(debrief(chair, out.width))
    out.print()
    out.print(f"The same game again: {_command(choice)}", style="dim", soft_wrap=True)


def _seated(choice: Choice) -> Chair:
    setup = Setup(scenario=choice.scenario, seat=choice.seat, opponent=registry.profile(choice.persona))
    other = SEATS[1 - setup.learner]
    table = Table(setup, choice.seed, {choice.seat: None, other: registry.opponent(choice.persona)})
    return Chair(table, choice.seat, choice.persona)


def _command(choice: Choice) -> str:
    scenario = shlex.quote(choice.named)
    return f"parlay play --scenario {scenario} --seat {choice.seat} --persona {choice.persona} --seed {choice.seed}"


def _print_how_it_stood(chair: Chair, choice: Choice) -> None:
    """What there is to remember of a game that was left."""
    out, public = console(), chair.view.public
    out.print(f"You left in turn {public.turn}; the game is not graded. How it stood:", style="bold")
    for who, side in (("theirs", chair.theirs), ("yours", chair.mine)):
        if side.standing is None:
            out.print(f"  {who}: no offer stands")
        else:
            worth = chair.surplus_words(chair.surplus(side.standing))
            out.print(wrapped(f"{who}: {chair.offer_words(side.standing)} ({worth})"))
    out.print(wrapped(f"Tension {public.tension:.0f}. {chair.limit_rule()}"))
    out.print("The same game from its start, same moves, same answers:", style="dim")
    out.print(_command(choice), style="dim", soft_wrap=True)


SCREENS = {
    "help": help_screen,
    "cards": cards_screen,
    "claims": claims_screen,
    "brief": briefing,
    "status": turn_screen,
}


class Game:
    """The person's side of the conversation with the program."""

    def __init__(self, chair: Chair, terminal: Terminal) -> None:
        self.chair = chair
        self.terminal = terminal
        self.out = console()
        self.noted: dict[str, Any] = {}
        """Beliefs and estimates that go along with the next move."""
        self.warned_of_curtness = False

    def turn(self) -> None:
        """Lines, until one of them is a move that the rules allow and the person means."""
        line = self.terminal.in_game("you> ")
        while True:
            try:
                if self._ends_turn(line):
                    return
                line = self.terminal.in_game("you> ")
            except Instead as other:
                self._explain("Not played; this instead:")
                line = other.line

    def _ends_turn(self, line: str) -> bool:
        """Do what this line says; was it a move?"""
        typed = read(line, Desk.of(self.chair.view))
        if typed.problem:
            self._explain(typed.problem)
        elif typed.look == "quit":
            if self.terminal.agrees("Leave this game?"):
                raise Left
        elif typed.look is not None:
            self._show(typed)
        elif typed.is_note:
            self._note(typed.action)
        else:
            return self._play(typed)
        return False

    def _explain(self, problem: str) -> None:
        self.out.print(wrapped(problem), style="yellow")

    def _tell(self, text: str) -> None:
        self.out.print(wrapped(text), style="dim")

    def _note(self, found: dict[str, Any]) -> None:
        if not self._is_sane(found):
            return
        belief = {**self.noted.get("belief", {}), **found.get("belief", {})}
        self.noted |= found
        if belief:
            self.noted["belief"] = belief
        self._tell("Noted; it goes along with your next move.")

    def _is_sane(self, found: dict[str, Any]) -> bool:
        """Ask about a belief that is far from what anybody would guess."""
        prior = public_prior(self.chair.terms, 1 - self.chair.seat)
        for name in ("walk_away", "budget"):
            value, guess = found.get("belief", {}).get(f"est_{name}"), prior[name]
            low, high = guess["low"], guess["high"]
            if value is not None and not low - 2 * (high - low) <= value <= high + 2 * (high - low):
                far = f"{money(value)} is far from anybody's guess ({money(low)} to {money(high)}). Note it?"
                return self.terminal.agrees(far)
        return True

    def _show(self, typed: Typed) -> None:
        chair, out = self.chair, self.out
        if typed.look == "worth" and typed.offer is not None:
            offer = to_offer(chair.terms, typed.offer)
            total = "" if chair.terms.is_price else f"{money(chair.value(offer))} {chair.currency}, "
            out.print(wrapped(f"{chair.offer_words(offer)}: {total}{chair.surplus_words(chair.surplus(offer))}"))
        elif typed.look == "history":
            lines = offers_chart(chair, out.width)
            out.print("\n".join(lines) if lines else "  No offers yet.")
        elif typed.look == "nothing":
            self._explain("an amount offers it, words say them, `accept` or `walk` ends it; `help` tells the rest")
        else:
            out.print(SCREENS[typed.look or "help"](chair))

    def _play(self, typed: Typed) -> bool:
        """Make this move, if it is allowed and meant; were it not, say why."""
        fields = self._with_offer_in_words(typed.action) | self.noted
        if "belief" in typed.action:
            fields["belief"] = {**self.noted.get("belief", {}), **typed.action["belief"]}
        try:
            action = ParlayAction.model_validate(fields)
        except ValidationError:
            self._explain(f"that is too long: at most {MAX_WORDS:,} characters")
            return False
        if (problem := self.chair.problem_with(action)) is not None:
            self._explain(f"{problem.message}. Nothing was played.")
            return False
        if not self._is_sane(typed.action) or not self._is_meant(action, typed):
            self._tell("Nothing was played.")
            return False
        if typed.rounded and typed.offer is not None:
            self._tell(f"Rounded to {self.chair.offer_words(to_offer(self.chair.terms, typed.offer))}.")
        if action.offer and not action.utterance and not self.warned_of_curtness:
            self.warned_of_curtness = True
            self._tell(CURT.format(offer=" ".join(f"{value:g}" for value in action.offer.values())))
        self.chair.play(action)
        self.noted = {}
        return True

    def _with_offer_in_words(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The move, with the one amount that its words name as its offer if the person meant that."""
        if set(fields) != {"utterance"} or not self.chair.terms.is_price:
            return fields
        low, high = range_of(self.chair.terms, 0)
        named = {amount for amount in amounts(fields["utterance"]) if low <= amount <= high}
        if len(named) != 1:
            return fields
        amount = named.pop()
        if not self.terminal.agrees(f"Your words name {money(amount)}. Make it your offer, too?"):
            return fields
        return {**fields, "offer": {self.chair.scenario.issues[0].name: amount}}

    def _is_meant(self, action: ParlayAction, typed: Typed) -> bool:
        """Ask before what can't be taken back, and before what is probably a slip."""
        chair, theirs, agrees = self.chair, self.chair.theirs.standing, self.terminal.agrees
        if action.walk_away:
            return agrees("Walk away without a deal? It ends the game.")
        if action.accept_deal and theirs is not None:
            surplus = chair.surplus(theirs)
            loss = f" It would cost you {BREACH} points." if surplus < 0 else ""
            return agrees(f"Take {chair.offer_words(theirs)}, {chair.surplus_words(surplus)}?{loss} It ends the game.")
        if action.offer is None and may_be_a_slip(typed) and not agrees(f"Say “{action.utterance}” to them? {TURN}"):
            return False
        reason = chair.incoherence(action)
        if reason and not agrees(f"{reason} That counts as incoherent, -{NOISE} points. Play it all the same?"):
            return False
        if action.offer is None:
            return True
        offer = to_offer(chair.terms, action.offer)
        surplus = chair.surplus(offer)
        if surplus < 0:
            stands = f"{chair.offer_words(offer)} is {chair.surplus_words(surplus)}"
            return agrees(f"{stands}: taken, it costs {BREACH} points. Offer it?")
        if theirs is not None and chair.surplus(theirs) > surplus:
            return agrees(
                f"They offer you more ({chair.offer_words(theirs)}; `accept` takes it). Offer yours all the same?"
            )
        return True
