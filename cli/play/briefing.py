"""Before the first move, in plain words: who you are, your limit, what a good result is; and all that can be typed."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cli.figures import money, short
from cli.play.chair import Chair
from cli.play.fitted import Fitted
from cli.play.offers import example_limit, example_offer
from cli.play.points import BREACH, PERFECT, WALK_RIGHT, WALK_WRONG
from game.cards import CARDS, POINTS_A_TURN, QUESTION_COST, START_POINTS, TOPICS
from parlay_env.deal.state import SEATS, T_MAX
from parlay_env.deal.terms import range_of, values_of
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
        (
            f"A perfect, early deal is worth about {PERFECT} points; a deal beyond your limit costs {BREACH}; no deal "
            f"is worth about 0 ({WALK_RIGHT} for a walk when nothing was left that suits both, else {WALK_WRONG}).",
            "",
        ),
        (f"Aim for about {money(own['target'])} {currency}. The {better}, the better; the sooner, the better.", ""),
        (
            f"{theirs} is hidden: about {money(guess['mean'])}, as anybody would guess "
            f"({money(guess['low'])} to {money(guess['high'])}).",
            "",
        ),
        *_what_matters_to_them(chair, prior["weights"]),
        ("In about one game of ten nothing suits both; then walking away is right.", ""),
        (f"You are {_hurry(own['urgency'])} (urgency {own['urgency']:.2f}), and {alternative}.", ""),
        (f"{chair.opponent} sits opposite. {T_MAX} turns; both may leave at any time.", ""),
    ]


def _what_matters_to_them(chair: Chair, weights: dict[str, float] | None) -> list[tuple[str, str]]:
    """Several issues: what each is worth to the other side, as anybody would guess, in the figures of `_issues`."""
    if weights is None:
        return []
    stakes = ", ".join(f"{name} {money(weight * chair.scenario.stake)}" for name, weight in weights.items())
    return [(f"What usually matters to them, worst to best: {stakes}. This one may differ a little.", "")]


def _hurry(urgency: float) -> str:
    return "in no hurry" if urgency < 0.4 else "in some hurry" if urgency < 0.7 else "in a hurry"


def _issues(chair: Chair) -> RenderableType:
    """What each issue is worth to this seat, from its worst value to its best; a paragraph each on a narrow screen."""
    paragraphs: list[RenderableType] = []
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
        told = f": {issue.title.en}, {span}. You want it {wants}; worst to best is worth 0 to {money(stake)} to you."
        paragraphs.append(Text.assemble((issue.name, "bold"), told))
    return Fitted(table, Group(*paragraphs), 84)


def help_screen(chair: Chair) -> RenderableType:
    """All that can be typed."""
    table = _plain_table()
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
        ("status  brief  history  claims", "the table again, the briefing again, all offers, all claims"),
        ("quit", "leave the game unfinished; also Ctrl-C"),
    ]
    if not chair.terms.is_price:
        lines.insert(
            1, (f"{chair.scenario.issues[0].name}={offer.split()[0]}", "offer it with the rest as in your last offer")
        )
    for typed, what in lines:
        table.add_row(Text(typed, "bold"), what)
    terms = _plain_table()
    for word, meaning in _WORDS:
        terms.add_row(Text(word, "bold"), meaning)
    order = Text(f"Commands come first, then the offer, then words: challenge {offer} I doubt it.", "dim")
    return Group(table, order, Text(), terms)


_WORDS = (
    (
        "tension",
        "standing still and sharp moves raise it, steps by both lower it; high, it tightens both limits",
    ),
    ("trust", "how far they trust you: it follows the steps you make toward them"),
    ("credibility", "how far your claims are believed: a bluff that is called lowers it"),
    ("CP", f"credibility points pay for cards and questions; +{POINTS_A_TURN} a turn up to {START_POINTS}"),
    (
        "points",
        f"the score: your share of what could be had, more the sooner; {PERFECT} at best, -{BREACH} beyond your limit",
    ),
)


def _plain_table() -> Table:
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)


def cards_screen(chair: Chair) -> RenderableType:
    """The cards: what to type, cost, effect, and what is left of them."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("you type", "CP", "effect"):
        table.add_column(title)
    paragraphs: list[RenderableType] = []
    for k, card in enumerate(CARDS):
        used = chair.mine.used[k]
        typed = Text(_typed(chair, card.id), "bold" if chair.can(card.id) else "dim")
        effect = _PLAIN.get(card.id, card.effect) + (f" (Used {used} ×; halves every time.)" if used else "")
        table.add_row(typed, str(card.cost), effect)
        paragraphs.append(Text.assemble(typed, f" ({card.cost} CP): {effect}"))
    points = f"You have {chair.mine.points} credibility points (CP); +{POINTS_A_TURN} a turn up to {START_POINTS}."
    parts: list[RenderableType] = [Fitted(table, Group(*paragraphs), 64), Text(points)]
    items = [item for item in chair.scenario.sweeteners if item.by == SEATS[chair.seat]]
    for item in items:
        state = "thrown in" if item.id in chair.mine.items else "still to give"
        cost = money(item.cost * chair.terms.delta0[chair.seat] / 100)
        line = Text(f"sweetener {item.id}: {item.title.en}; costs you {cost}, {state}")
        parts.append(Padding(line, (0, 0, 0, 2), expand=False))
    return Group(*parts)


_PLAIN = {
    "time_pressure": "Claims a last turn, true or not. Works on the impatient, backfires on the patient.",
    "batna_reveal": "Claims a limit, true or not. Believed as far as you are credible, and it may be disputed.",
}


def _typed(chair: Chair, card: str) -> str:
    """An example of the command that plays this card."""
    if card == "sweetener":
        mine = [item.id for item in chair.scenario.sweeteners if item.by == SEATS[chair.seat]]
        left = [item for item in mine if item not in chair.mine.items]
        return f"card sweetener {(left or mine or [''])[0]}".rstrip()
    more = {
        "anchor_high": f" {_high(chair)}",
        "time_pressure": " 12",
        "batna_reveal": f" {example_limit(chair.terms)}",
    }
    return f"card {card}{more.get(card, '')}"


def _high(chair: Chair) -> str:
    """The own declared anchor, as an offer is typed."""
    values = values_of(chair.terms, chair.terms.anchors[chair.seat]).values()
    return short(next(iter(values))) if chair.terms.is_price else " ".join(f"{value:g}" for value in values)
