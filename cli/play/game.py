"""A game in the terminal, from the choice of a scenario to the debrief."""

from __future__ import annotations

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
from cli.play.reading import Typed, read
from cli.play.screen import turn_screen
from cli.play.terminal import Left, Terminal
from game.scenarios import scenarios
from parlay_env.amounts import amounts
from parlay_env.deal.state import SEATS, Setup
from parlay_env.deal.terms import range_of, to_offer
from parlay_env.models import MAX_WORDS, ParlayAction
from parlay_env.session import Table

CURT = "(An offer without words is curt: tension +4. Words after it make it kind: {offer} We could sign today.)"
NOISE = (
    "That counts as incoherent, -10 points: words that name another amount than the offer, an offer worse for them "
    "than your last, or the same words again. Play it all the same?"
)


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
    out.print("Type an amount to offer it, words to say them, or both; `help` tells the rest.", style="dim")
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
    setup = Setup(scenario=scenarios()[choice.scenario], seat=choice.seat, opponent=registry.profile(choice.persona))
    other = SEATS[1 - setup.learner]
    table = Table(setup, choice.seed, {choice.seat: None, other: registry.opponent(choice.persona)})
    return Chair(table, choice.seat, choice.persona)


def _command(choice: Choice) -> str:
    return (
        f"parlay play --scenario {choice.scenario} --seat {choice.seat} --persona {choice.persona} --seed {choice.seed}"
    )


def _print_how_it_stood(chair: Chair, choice: Choice) -> None:
    """What there is to remember of a game that was left."""
    out, public = console(), chair.view.public
    out.print(f"You left in turn {public.turn}; the game is not graded. How it stood:", style="bold")
    for who, side in (("theirs", chair.theirs), ("yours", chair.mine)):
        if side.standing is None:
            out.print(f"  {who:<7} no offer stands")
        else:
            worth = chair.surplus_words(chair.surplus(side.standing))
            out.print(f"  {who:<7} {chair.offer_words(side.standing)} ({worth})", soft_wrap=True)
    out.print(f"  tension {public.tension:.0f}, {chair.limit_rule()}", soft_wrap=True)
    out.print(
        f"The same game from its start, same moves, same answers: {_command(choice)}", style="dim", soft_wrap=True
    )


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
        while True:
            typed = read(self.terminal.in_game("you> "), Desk.of(self.chair.view))
            if typed.problem:
                self._explain(typed.problem)
            elif typed.look == "quit":
                if self.terminal.agrees("Leave this game?"):
                    raise Left
            elif typed.look is not None:
                self._show(typed)
            elif typed.is_note:
                self._note(typed.action)
            elif self._play(typed):
                return

    def _explain(self, problem: str) -> None:
        self.out.print(f"  {problem}", style="yellow", soft_wrap=True)

    def _note(self, found: dict[str, Any]) -> None:
        belief = {**self.noted.get("belief", {}), **found.get("belief", {})}
        self.noted |= found
        if belief:
            self.noted["belief"] = belief
        self.out.print("  Noted; it goes along with your next move.", style="dim")

    def _show(self, typed: Typed) -> None:
        chair, out = self.chair, self.out
        if typed.look == "worth" and typed.offer is not None:
            offer = to_offer(chair.terms, typed.offer)
            total = "" if chair.terms.is_price else f"{money(chair.value(offer))} {chair.currency}, "
            out.print(
                f"  {chair.offer_words(offer)}: {total}{chair.surplus_words(chair.surplus(offer))}", soft_wrap=True
            )
        elif typed.look == "history":
            lines = offers_chart(chair, out.width)
            out.print("\n".join(lines) if lines else "  No offers yet.")
        elif typed.look == "nothing":
            self._explain("an amount offers it, words say them, `accept` or `walk` ends it; `help` tells the rest")
        else:
            screens = {"help": help_screen, "cards": cards_screen, "brief": briefing, "status": turn_screen}
            out.print(screens[typed.look or "help"](chair))

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
        if not self._is_meant(action):
            self.out.print("  Nothing was played.", style="dim")
            return False
        if typed.rounded and typed.offer is not None:
            offered = self.chair.offer_words(to_offer(self.chair.terms, typed.offer))
            self.out.print(f"  Rounded to {offered}.", style="dim")
        if action.offer and not action.utterance and not self.warned_of_curtness:
            self.warned_of_curtness = True
            offer = " ".join(f"{value:g}" for value in action.offer.values())
            self.out.print(f"  {CURT.format(offer=offer)}", style="dim", soft_wrap=True)
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

    def _is_meant(self, action: ParlayAction) -> bool:
        """Ask before what can't be taken back, and before what is probably a slip."""
        chair, theirs = self.chair, self.chair.theirs.standing
        if action.walk_away:
            return self.terminal.agrees("Walk away without a deal? It ends the game.")
        if action.accept_deal and theirs is not None:
            surplus = chair.surplus(theirs)
            loss = " It would cost you 200 points." if surplus < 0 else ""
            return self.terminal.agrees(
                f"Take {chair.offer_words(theirs)}, {chair.surplus_words(surplus)}?{loss} It ends the game."
            )
        if chair.is_noise(action) and not self.terminal.agrees(NOISE):
            return False
        if action.offer is None:
            return True
        offer = to_offer(chair.terms, action.offer)
        surplus = chair.surplus(offer)
        if surplus < 0:
            return self.terminal.agrees(
                f"{chair.offer_words(offer)} is {chair.surplus_words(surplus)}: taken, it costs 200 points. Offer it?"
            )
        if theirs is not None and chair.surplus(theirs) > surplus:
            return self.terminal.agrees(
                f"They offer you more ({chair.offer_words(theirs)}; `accept` takes it). Offer yours all the same?"
            )
        return True
