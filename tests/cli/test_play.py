"""`parlay play`: whole games by a real process, through a pipe and at a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace
from rich.console import Console

from agent import registry
from cli.play.briefing import briefing, cards_screen, help_screen
from cli.play.chair import Chair
from cli.play.chart import Line, Mark, chart
from cli.play.debrief import offers_chart
from cli.play.game import Game
from cli.play.screen import turn_screen
from cli.play.terminal import Terminal
from game.scenarios import scenarios
from parlay_env.deal.instance import tightened
from parlay_env.deal.state import Move, Setup
from parlay_env.deal.terms import terms_of, to_offer
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction
from parlay_env.rng import Draws
from parlay_env.session import Table

from .conftest import COMMAND, Run, environment

END = "How it ended"
PRICE = ("--scenario", "saas_enterprise", "--seat", "seller", "--persona", "diplomat", "--seed", "5")
THREE = ("--scenario", "supplier_contract", "--seat", "buyer", "--persona", "diplomat", "--seed", "3")


def lines(*typed: str) -> str:
    return "".join(f"{line}\n" for line in typed)


def flat(text: str) -> str:
    """The text without line breaks and frames."""
    return " ".join(re.sub(r"[│╭╮╰╯─━]", " ", text).split())


# Whole games ----------------------------------------------------------------------------------------------------------


def test_a_game_about_a_price_ends_in_a_debrief(parlay: Run) -> None:
    typed = lines(
        "172k We believe this platform earns its price.",
        "ask timeline",
        "believe 160k urgency=0.4",
        "158k Think of what another year of spreadsheets would cost.",
        "152k We are moving; so could you.",
        "accept",
        "y",
    )
    found = parlay("play", *PRICE, stdin=typed)
    assert found.returncode == 0, found.stderr
    before, _, after = flat(found.stdout).partition(END)
    assert re.search(r"Do not sell under [\d,]+ USD\.", before)
    assert "Noted; it goes along with your next move." in before
    assert re.search(r"theirs [\d,]+ [\d,]+ (inside|BEYOND) your limit", before)
    assert re.search(r"yours 172,000 [\d,]+ inside your limit", before)
    assert "tension" in before
    assert "Calm" in before
    assert "You took their offer" in after
    assert re.search(r"E \d+\.\d% of all that their limit would have let you have", after)
    assert "Nash point" in after
    assert re.search(r"Left [\d,]+ USD left on the table", after)
    assert re.search(r"walk-away [\d,]+ 160,000 [\d,]+", after)
    assert "deadline turn" in after
    assert "● yours ○ theirs your limit ┊ their limit · Nash point" in after
    assert "your share of what could be had (100 × E)" in after or "a deal beyond your limit" in after
    assert (
        "The same game again: parlay play --scenario saas_enterprise --seat seller --persona diplomat --seed 5" in after
    )


def test_a_game_about_three_issues_ends_in_a_debrief(parlay: Run) -> None:
    typed = lines(
        "price=9",
        "8.2 90 5000 A fair start for a million units a year.",
        "worth 10 60 10k",
        "price=8.8 One step from us.",
        "card sweet roll 9.2 60 10000 We sign a forecast with it.",
        "history",
        "walk",
        "n",
        "walk",
        "y",
    )
    found = parlay("play", *THREE, stdin=typed)
    assert found.returncode == 0, found.stderr
    before, _, after = flat(found.stdout).partition(END)
    assert "Take nothing that is worth less than" in before
    assert "add payment_days and minimum_order" in before
    assert "What usually matters to them" in before
    assert "price 2,200,000, payment_days 600,000, minimum_order 1,200,000" in before
    assert re.search(
        r"price 10, payment_days 60, minimum_order 10,000: [\d,]+ USD, [\d,]+ (inside|BEYOND) your limit", before
    )
    assert re.search(r"yours 8.80 90 5,000", before)
    assert re.search(r"yours 9.20 60 10,000", before)
    assert "Nothing was played." in before
    assert "You walked away in turn" in after
    assert "weight of payment_days" in after
    assert "Offers, by their worth to you" in after


@pytest.mark.parametrize("scenario", scenarios())
@pytest.mark.parametrize("seat", ["seller", "buyer"])
@pytest.mark.parametrize("persona", ["shark", "diplomat", "veteran"])
def test_every_scenario_seat_and_persona_plays_to_an_end(parlay: Run, scenario: str, seat: str, persona: str) -> None:
    typed = lines(*(f"say Let us hear what you can do, round {turn}." for turn in range(1, 21)))
    found = parlay("play", "--scenario", scenario, "--seat", seat, "--persona", persona, "--seed", "11", stdin=typed)
    assert found.returncode == 0, found.stderr
    assert END in found.stdout
    assert "all points" in found.stdout


def test_a_breach_is_asked_about_and_told(parlay: Run) -> None:
    typed = lines("172k We start here.", "accept", "n", "accept", "y")
    found = parlay("play", *PRICE, stdin=typed)
    text = flat(found.stdout)
    asked = r"Take [\d,]+ USD, [\d,]+ BEYOND your limit\? It would cost you 200 points. It ends the game. \[y/N\] n"
    assert re.search(asked, text)
    assert "That was beyond your limit: the one thing not to do." in text
    assert re.search(r"a deal beyond your limit -200.00", text)


def test_the_same_seed_and_moves_have_the_same_answers(parlay: Run) -> None:
    typed = lines("170k We start here.", "165k A step.", "walk", "y")
    assert parlay("play", *PRICE, stdin=typed).stdout == parlay("play", *PRICE, stdin=typed).stdout


def test_their_limit_is_not_named_before_the_end(parlay: Run) -> None:
    for seed in range(4):
        options = ("--scenario", "saas_enterprise", "--seat", "seller", "--persona", "veteran", "--seed", str(seed))
        found = parlay("play", *options, stdin=lines("170k We start here.", "walk", "y"))
        before, _, after = flat(found.stdout).partition(END)
        hidden = re.search(r"walk-away ([\d,]+) – ([\d,]+) budget \(else the walk-away\) ([\d,]+)", after)
        assert hidden is not None
        walk_away, _, budget = hidden.groups()
        assert walk_away not in before
        assert budget not in before
        assert "Nash" not in before
        assert f"--seed {seed}" not in before


@pytest.mark.parametrize("scenario", scenarios())
def test_no_screen_tells_apart_what_differs_only_in_what_is_hidden(scenario: str) -> None:
    setup = Setup(scenario=scenarios()[scenario], opponent=registry.profile("shark"))
    table = Table(setup, 3, {"seller": None, "buyer": registry.opponent("shark")})
    chair = Chair(table, "seller", "shark")
    for turn in range(6):
        told = screens(chair)
        state = table.state
        theirs = tightened(state.facts[1], 123_400)
        theirs = replace(theirs, urgency=0.99, has_alternative=not theirs.has_alternative, deadline=13)
        shocks = tuple(replace(shock, effect=(shock.effect[0], 0.1)) for shock in state.shocks)
        truths = tuple(not true for true in state.truths)
        table.state = replace(state, facts=(state.facts[0], theirs), shocks=shocks, truths=truths)
        assert screens(chair) == told
        table.state = state
        chair.play(ParlayAction(utterance=f"Please go on, {turn}.", question="timeline" if turn == 1 else None))


def screens(chair: Chair) -> str:
    """Everything that can be looked at before the end."""
    out = Console(width=100, record=True, file=io.StringIO())
    for screen in (briefing, turn_screen, help_screen, cards_screen):
        out.print(screen(chair))
    out.print("\n".join(offers_chart(chair, 100)))
    return out.export_text()


# What is asked --------------------------------------------------------------------------------------------------------


def test_what_is_not_given_is_asked_for_by_number_or_name(parlay: Run) -> None:
    found = parlay("play", "--seed", "4", stdin=lines("2", "buy", "vet", "walk", "y"))
    text = flat(found.stdout)
    assert "you are the buyer" in text
    assert "Senior hire's package" in text
    assert "--scenario hiring_package --seat buyer --persona veteran --seed 4" in text


def test_a_wrong_choice_is_asked_again(parlay: Run) -> None:
    found = parlay("play", "--seat", "seller", "--persona", "any", "--seed", "4", stdin=lines("9", "", "walk", "y"))
    text = flat(found.stdout)
    assert "a number from 1 to 4, or a name: saas_enterprise" in text
    assert "--scenario saas_enterprise" in text


def test_input_that_ends_in_the_menu_is_told_the_way_out(parlay: Run) -> None:
    found = parlay("play", stdin="")
    assert found.returncode == 2
    assert "name --scenario, --seat and --persona" in found.stderr
    assert "Traceback" not in found.stderr


def test_slips_cost_nothing(parlay: Run) -> None:
    typed = lines(
        "acept",
        "challenge",
        "accept",
        "card batna_reveal",
        "148",
        "100k A gift.",
        "n",
        "170k We can do 150,000.",
        "n",
        "help",
        "cards",
        "",
        "status",
        "brief",
    )
    found = parlay("play", *PRICE, stdin=typed)
    assert found.returncode == 0
    text = flat(found.stdout)
    for told in (
        "did you mean `accept`?",
        "no claim that has not been challenged",
        "no offer of the other side stands",
        "for thousands write 148k",
        "BEYOND your limit: taken, it costs 200 points.",
        "That counts as incoherent, -10 points",
        "claim which limit?",
        "without, an offer is curt",
        "You offer 170,000 USD, but your words name another amount.",
        "card time_pressure 12",
        "Claims a last turn, true or not.",
        "still to give",
        "A perfect, early deal is worth about 135 points",
        "how far they trust you",
    ):
        assert told in text
    assert "You left in turn 1" in text


def test_words_that_name_an_amount_can_become_the_offer(parlay: Run) -> None:
    typed = lines("We could do 171,000 if you sign this month.", "y", "Let us say 168,000 then.", "n")
    text = flat(parlay("play", *PRICE, stdin=typed).stdout)
    assert "Your words name 171,000. Make it your offer, too? [y/N] y" in text
    assert re.search(r"yours 171,000", text)
    assert re.search(r"tension .{10} \d+ \([+-]\d+\) ", text)
    assert not re.search(r"yours 168,000", text)


class Insists:
    """A buyer that opens with a price that no seller refuses."""

    def act(self, view: View, rng: Draws) -> Move:
        return Move(
            utterance="Here you are.", voiced=True, offer=to_offer(terms_of(view.setup.scenario), {"price": 200e3})
        )


class Yes(Terminal):
    """A person who says yes to everything, and what was asked."""

    def __init__(self, *typed: str) -> None:
        super().__init__()
        self.typed, self.asked = list(typed), list[str]()

    def in_game(self, prompt: str) -> str:
        self.asked.append(prompt)
        return "y" if "[y/N]" in prompt else self.typed.pop(0)


def test_an_offer_worse_than_theirs_is_asked_about() -> None:
    setup = Setup(scenario=scenarios()["saas_enterprise"], opponent=registry.profile("shark"))
    chair = Chair(Table(setup, 1, {"seller": None, "buyer": Insists()}), "seller", "shark")
    terminal = Yes("210k We start here.", "190k A gift.")
    game = Game(chair, terminal)
    game.turn()
    assert terminal.asked == ["you> "]
    game.turn()
    assert "They offer you more (200,000 USD; `accept` takes it)" in terminal.asked[-1]


def test_a_game_that_is_left_says_how_it_stood(parlay: Run) -> None:
    found = parlay("play", *PRICE, stdin=lines("172k We start here."))
    assert found.returncode == 0
    text = flat(found.stdout)
    assert "You left in turn 2; the game is not graded. How it stood: theirs:" in text
    assert re.search(r"yours: 172,000 USD \([\d,]+ inside your limit\)", text)
    assert "--seed 5" in text
    assert END not in text


def test_quit_asks_first(parlay: Run) -> None:
    found = parlay("play", *PRICE, stdin=lines("quit", "n", "quit", "y"))
    assert found.returncode == 0
    assert "You left in turn 1" in found.stdout


@pytest.mark.parametrize("typed", ["y", "ok", "deal", "what is my limit?", "believe banana"])
def test_words_that_may_be_a_slip_are_asked_about(parlay: Run, typed: str) -> None:
    text = flat(parlay("play", *PRICE, stdin=lines("172k We start here.", typed, "n")).stdout)
    assert f"Say “{typed}” to them? It uses a turn. [y/N] n" in text
    assert "You left in turn 2" in text


def test_a_command_typed_at_a_question_is_that_command(parlay: Run) -> None:
    text = flat(parlay("play", *PRICE, stdin=lines("172k We start here.", "deal", "accept", "quit", "y")).stdout)
    assert "Say “deal” to them? It uses a turn. [y/N] accept" in text
    assert re.search(r"Take [\d,]+ USD, .* It ends the game. \[y/N\] quit", text)
    assert "Leave this game? [y/N] y You left in turn 2" in text


def test_a_far_belief_is_asked_about(parlay: Run) -> None:
    text = flat(parlay("play", *PRICE, stdin=lines("believe 150", "n", "believe 150k", "impact 10%", "claims")).stdout)
    assert re.search(r"150 is far from anybody's guess \([\d,]+ to [\d,]+\)\. Note it\? \[y/N\] n", text)
    assert text.count("Noted;") == 1
    assert "there is no news yet" in text
    assert "No claims yet." in text


def test_words_stand_before_the_news_that_voids_them(parlay: Run) -> None:
    typed = lines(*(f"say Let us hear what else you can do, round {turn}." for turn in range(1, 21)))
    for seed in range(1, 30):
        options = ("--scenario", "saas_enterprise", "--seat", "seller", "--persona", "diplomat", "--seed", str(seed))
        text = flat(parlay("play", *options, stdin=typed).stdout)
        if found := re.search(r"Turn \d+ of 20 (?:· \d+ left )?Diplomat ◎ “[^”]*”(?: [^“”]*)? NEWS .*", text):
            assert "they just named is void, too." in found[0]
            return
    raise AssertionError("no news in any game")


def test_the_outcome_of_a_challenge_is_told(parlay: Run) -> None:
    typed = lines("172k We start here.", "ask timeline", "challenge", "claims")
    text = flat(parlay("play", *PRICE, stdin=typed).stdout)
    assert re.search(r"(taken back: .* was a bluff|they stand by it: )", text)
    assert re.search(r"diplomat deadline turn \d+ (disputed, they stand by it|taken back: it was a bluff)", text)


def test_the_end_has_their_last_words_and_the_reason(parlay: Run) -> None:
    typed = lines(*(f"say Let us hear what else you can do, round {turn}." for turn in range(1, 21)))
    for seed in range(1, 12):
        options = ("--scenario", "saas_enterprise", "--seat", "seller", "--persona", "diplomat", "--seed", str(seed))
        text = flat(parlay("play", *options, stdin=typed).stdout)
        if re.search(r"Turn \d+ was its last turn\.", text):
            assert re.search(r"Diplomat ◎ “[^”]*” How it ended Diplomat ◎ walked away in turn", text)
            assert "The most they had offered:" in text
            return
    raise AssertionError("nobody left at the last turn")


@pytest.mark.parametrize("columns", ["40", "60", "100"])
def test_messages_wrap_at_words_at_every_width(parlay: Run, columns: str) -> None:
    typed = lines("price=9", "help", "cards", "8.2 90 5000 A start.", "deal", "accept", "y")
    found = parlay("play", *THREE, stdin=typed, COLUMNS=columns)
    told = [line for line in found.stdout.splitlines() if "parlay play" not in line and "you> " not in line]
    assert max(map(len, told)) <= int(columns) + len("[y/N] accept")
    text = flat(found.stdout)
    assert "your first offer needs every issue; add payment_days and minimum_order" in text
    assert re.search(r"Their limit [\d,]+ (USD )?at the end", text)


# At a terminal --------------------------------------------------------------------------------------------------------


class Screen:
    """A process at a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, "play", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(TERM="xterm-256color", COLUMNS="90"),
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""

    def wait_for(self, words: str, within: float = 60) -> None:
        """Read until these words are on the screen, after what was waited for before."""
        assert self.shows(words, within), self.text
        self.text = self.text.partition(words)[2]

    def shows(self, words: str, within: float) -> bool:
        """Are these words on the screen before the time is over?"""
        end = time.monotonic() + within
        while words not in self.text and time.monotonic() < end:
            if not select.select([self.ours], [], [], 0.2)[0]:
                continue
            try:
                self.text += os.read(self.ours, 65536).decode(errors="replace")
            except OSError:
                break
        return words in self.text

    def type(self, line: str) -> None:
        os.write(self.ours, f"{line}\n".encode())

    def interrupt(self, words: str) -> None:
        """Press Ctrl-C until these words are on the screen: a signal just before Python waits for a key is not seen."""
        for _ in range(6):
            time.sleep(0.3)
            self.process.send_signal(signal.SIGINT)
            if self.shows(words, within=10):
                break
        self.wait_for(words)


@contextmanager
def screen(*arguments: str) -> Iterator[Screen]:
    found = Screen(*arguments)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()
        os.close(found.ours)


def test_a_game_at_a_terminal() -> None:
    with screen("--seed", "5") as at:
        at.wait_for("What about?")
        at.wait_for("1-4 [1]: ")
        at.type("1")
        at.wait_for("Which seat is yours?")
        at.wait_for("1-2 [1]: ")
        at.type("seller")
        at.wait_for("Against whom?")
        at.wait_for("1-4 [1]: ")
        at.type("")  # The Diplomat stands first.
        at.wait_for("\x1b[")  # In colour.
        at.wait_for("Diplomat")
        at.wait_for("you> ")
        at.type("172k We start here.")
        at.wait_for("Turn 2 of 20")
        at.wait_for("you> ")
        at.type("walk")
        at.wait_for("[y/N] ")
        at.type("y")
        at.wait_for(END)
        at.wait_for("The same game again")
        assert at.process.wait(30) == 0


def test_ctrl_c_asks_and_a_second_one_leaves() -> None:
    with screen(*PRICE) as at:
        at.wait_for("you> ")
        at.interrupt("Leave this game? [y/N] ")
        at.type("n")
        at.wait_for("you> ")
        at.interrupt("Leave this game? [y/N] ")
        at.interrupt("You left in turn 1")
        at.wait_for("--seed 5")
        assert at.process.wait(30) == 0
        assert "Traceback" not in at.text


def test_no_colour_is_plain() -> None:
    with screen(*PRICE, "--no-colour") as at:
        at.wait_for("Enterprise software contract")
        at.type("walk")
        at.wait_for("[y/N] ")
        before = at.text
        at.type("y")
        at.wait_for("The same game again")
        assert "\x1b[3" not in before


# The chart ------------------------------------------------------------------------------------------------------------


def test_the_chart_puts_offers_and_limits_in_their_places() -> None:
    offers = [Mark(1, "yours", 200.0), Mark(1, "theirs", 100.0), Mark(2, "yours", 150.0), Mark(2, "theirs", 150.0)]
    top, first, second, legend = chart(offers, [Line("your limit", 125.0, "│")], 41)
    assert top == "turn   100" + " " * 25 + "200"
    assert first == "   1   ○" + " " * 7 + "│" + " " * 21 + "●"
    assert second[7:].index("◉") == 15
    assert legend.split() == ["●", "yours", "○", "theirs", "│", "your", "limit"]


def test_a_chart_of_one_value_and_of_none() -> None:
    assert chart([], [], 80) == []
    assert len(chart([Mark(1, "yours", 5.0)], [], 80)) == 3
