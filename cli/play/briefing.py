"""Before the first move, in plain words: who you are, your limit, what a good result is; and all that can be typed."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cli.figures import money
from cli.play.chair import Chair
from cli.play.offers import example_limit, example_offer
from game.cards import CARDS, POINTS_A_TURN, QUESTION_COST, START_POINTS, TOPICS
from parlay_env.deal.state import SEATS, T_MAX
from parlay_env.deal.terms import range_of
from parlay_env.figures import public_prior


def briefing(chair: Chair) -> RenderableType:
    """The briefing of this seat."""
    side = chair.scenario.side(chair.seat)
    parts: list[RenderableType] = [Text(side.briefing.en), Text()]
    if not chair.terms.is_price:
        parts += [_issues(chair), Text()]
    parts += [Text(line, style) for line, style in _rules(chair)]
    title = f"{chair.scenario.title.en}: you are the {SEATS[chair.seat]} ({side.role.en})"
    return Panel(Group(*parts), title=title, title_align="left", padding=(1, 2))


def _rules(chair: Chair) -> list[tuple[str, str]]:
    own, prior = chair.facts, public_prior(chair.terms, 1 - chair.seat)
    guess, currency = prior["walk_away"], chair.currency
    better = "more it is worth to you" if not chair.terms.is_price else "higher" if chair.seat == 0 else "lower"
    alternative = (
        "you have an alternative (your limit allows for it)" if own["has_alternative"] else "you have no alternative"
    )
    theirs = "Their limit" if chair.terms.is_price else "What they need at least, in money,"
    return [
        (chair.limit_rule(), "bold"),
        ("A deal beyond that limit costs 200 points; no deal at all about 10.", ""),
        (f"Aim for about {money(own['target'])} {currency}. The {better}, the better; the sooner, the better.", ""),
        (
            f"{theirs} is hidden: about {money(guess['mean'])}, as anybody would guess "
            f"({money(guess['low'])} to {money(guess['high'])}).",
            "",
        ),
        ("In about one game of ten nothing suits both; then walking away is right.", ""),
        (f"You are {_hurry(own['urgency'])} (urgency {own['urgency']:.2f}), and {alternative}.", ""),
        (f"{chair.opponent} sits opposite. {T_MAX} turns; both may leave at any time.", ""),
    ]


def _hurry(urgency: float) -> str:
    return "in no hurry" if urgency < 0.4 else "in some hurry" if urgency < 0.7 else "in a hurry"


def _issues(chair: Chair) -> Table:
    """What each issue is worth to this seat, from its worst value to its best."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("issue", "", "can be", "you want it", "worst to best for you"):
        table.add_column(title)
    table.columns[0].no_wrap = True
    table.columns[-1].justify = "right"
    for k, issue in enumerate(chair.scenario.issues):
        low, high = range_of(chair.terms, k)
        span = ", ".join(map(money, issue.values)) or f"{money(low)} to {money(high)}, step {money(issue.step)}"
        wants = "high" if (issue.rises == "seller") == (chair.seat == 0) else "low"
        stake = chair.own.weights[k] * chair.scenario.stake
        table.add_row(issue.name, issue.title.en, span, wants, f"0 to {money(stake)}")
    return table


def help_screen(chair: Chair) -> RenderableType:
    """All that can be typed."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    offer, limit = example_offer(chair.terms), example_limit(chair.terms)
    lines = [
        (offer, "offer it" + ("" if chair.terms.is_price else f": {', '.join(i.name for i in chair.scenario.issues)}")),
        (f"{offer} We could sign today.", "offer it with words: without, an offer is curt and raises tension"),
        ("We need more than that.", "words alone; `say …` for words that look like a command"),
        ("accept", "take their offer at its terms: ends the game"),
        ("walk", "leave without a deal: ends the game"),
        (f"ask {TOPICS[0]}", f"a question, {QUESTION_COST} CP: {', '.join(TOPICS)}"),
        (f"card reframe {offer} …", "a card, alone or with an offer: `cards` tells what each does and costs"),
        (
            f"claim {limit}   claim turn 12",
            "claim a limit, or a last turn; true or a bluff (the cards batna_reveal, time_pressure)",
        ),
        ("challenge", "dispute their newest claim: a bluffer mostly backs down"),
        (
            f"believe {limit} urgency=0.7",
            "note what you believe of them; also budget=…, alternative=30%. Goes with your next move",
        ),
        ("impact 10%", "after news: how far it tightened their limit, of the width. Goes with your next move"),
        ("worth " + offer, "what an offer would be worth to you; free"),
        ("status  brief  history", "the table again, the briefing again, all offers"),
        ("quit", "leave the game unfinished; also Ctrl-C"),
    ]
    if not chair.terms.is_price:
        lines.insert(
            1, (f"{chair.scenario.issues[0].name}={offer.split()[0]}", "offer it with the rest as in your last offer")
        )
    for typed, what in lines:
        table.add_row(Text(typed, "bold"), what)
    return Group(table, Text(f"Commands come first, then the offer, then words: challenge {offer} I doubt it.", "dim"))


def cards_screen(chair: Chair) -> RenderableType:
    """The cards: cost, effect, source, and what is left of them."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("card", "CP", "effect", "source"):
        table.add_column(title)
    table.columns[0].no_wrap = True
    for k, card in enumerate(CARDS):
        used = chair.mine.used[k]
        name = Text(card.id, "" if chair.can(card.id) else "dim")
        effect = card.effect + (f" (Used {used} ×; halves every time.)" if used else "")
        table.add_row(name, str(card.cost), effect, card.source)
    points = f"You have {chair.mine.points} credibility points (CP); +{POINTS_A_TURN} a turn up to {START_POINTS}."
    parts: list[RenderableType] = [table, Text(points)]
    items = [item for item in chair.scenario.sweeteners if item.by == SEATS[chair.seat]]
    for item in items:
        state = "thrown in" if item.id in chair.mine.items else "left"
        cost = money(item.cost * chair.terms.delta0[chair.seat] / 100)
        parts.append(Text(f"  sweetener {item.id}: {item.title.en}; costs you {cost} ({state})"))
    return Group(*parts)
