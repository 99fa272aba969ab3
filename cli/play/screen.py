"""A turn on the screen: what they said and did, where both offers stand, how the table feels."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cli.figures import in_money, money
from cli.play.chair import Chair
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX, ClaimMade
from parlay_env.deal.terms import Offer, values_of
from parlay_env.figures import claim_value, shown

_TENSION = ((85, "Critical", "red"), (70, "Intense", "red"), (55, "Heated", "yellow"), (35, "Warming", "yellow"))
_BAR = 10


def tension_word(tension: float) -> tuple[str, str]:
    """The word for this tension, and its colour."""
    return next(((word, colour) for least, word, colour in _TENSION if tension >= least), ("Calm", "green"))


def turn_screen(chair: Chair) -> RenderableType:
    """Everything to know before this move."""
    public = chair.view.public
    left = T_MAX - public.turn
    title = f"Turn {public.turn} of {T_MAX}" + (
        "" if left > 3 else " · the last one" if left == 0 else f" · {left} left"
    )
    parts: list[RenderableType] = [Text(), Rule(Text(title, "bold"), align="left"), *_news(chair), *_said(chair)]
    parts += [_offers(chair), _mood(chair)]
    if public.streak:
        told = f"{public.streak} hot turn{'s' if public.streak > 1 else ''} in a row (tension over {n.HOT:.0f})"
        parts.append(Text(f"{told}: from {n.HOT_TURNS} on, both limits tighten every turn", "red"))
    if public.ticks:
        parts.append(Text(f"Tension has tightened both limits {public.ticks} ×: there is less to agree on", "red"))
    return Group(*parts)


def _news(chair: Chair) -> list[Text]:
    public = chair.view.public
    fresh = [news for news in public.news if news.turn == public.turn]
    lines = [Text.assemble(("NEWS  ", "bold magenta"), (news.words, "magenta")) for news in fresh]
    if fresh:
        hint = " `impact 10%` tells how far you think it tightened theirs." if fresh[-1].market else ""
        lines.append(Text(f"      Both standing offers are void; limits may have moved, see yours.{hint}", "dim"))
        lines.append(Text(f"      {chair.limit_rule()}", "bold"))
    return lines


def _said(chair: Chair) -> list[Text]:
    theirs = chair.theirs
    if theirs.steps == 0:
        return [Text(f"{chair.opponent} waits for you to open.", "dim")]
    words = f"“{theirs.utterance}”" if theirs.utterance else "says nothing."
    lines = [Text.assemble((f"{chair.opponent}  ", "bold cyan"), words)]
    return lines + [Text(f"  {what}", "cyan") for what in _done(chair)]


def _done(chair: Chair) -> list[str]:
    """What their newest move was besides words and an offer."""
    theirs, public = chair.theirs, chair.view.public
    found = []
    if theirs.card == "sweetener" and theirs.item:
        k, item = next((k, s) for k, s in enumerate(chair.scenario.sweeteners) if s.id == theirs.item)
        found.append(
            f"throws in: {item.title.en} (worth {in_money(chair.own.item_worth[k])} to you, in every deal now)"
        )
    elif theirs.card:
        found.append(f"plays {theirs.card}")
    if theirs.question:
        found.append(f"asks about your {theirs.question}: `answer …` answers with a claim")
    if theirs.challenged:
        came = "you take it back" if theirs.challenged == "withdrawn" else "it stands"
        found.append(f"disputes your claim: {came}")
    newest = next((made for made in reversed(public.claims) if made.seat != chair.seat), None)
    if newest is not None and newest.turn >= public.turn - 1:
        doubt = ", `challenge` disputes it" if newest.status == "open" else ""
        found.append(f"claims: {claim_words(chair, newest)} ({newest.status}{doubt})")
    return found


def claim_words(chair: Chair, made: ClaimMade) -> str:
    """A claim in words: `limit 140,000`, `deadline turn 12`, `an alternative: yes`."""
    value = claim_value(chair.terms, made)
    if isinstance(value, bool):
        return f"an alternative: {'yes' if value else 'no'}"
    if isinstance(value, str):
        return f"what matters most: {value}"
    return f"deadline turn {value:.0f}" if made.claim.kind == "deadline" else f"{made.claim.kind} {money(value)}"


def _offers(chair: Chair) -> Table:
    issues = chair.scenario.issues
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1 if len(issues) > 1 else 2, 0, 0))
    table.add_column("offer")
    for issue in issues:
        table.add_column(issue.name if len(issues) > 1 else f"{issue.name}, {chair.currency}", justify="right")
    if len(issues) > 1:
        table.add_column("worth to you", justify="right")
    table.add_column("your limit" if len(issues) > 1 else "worth to you", justify="right")
    for who, offer in (("theirs", chair.theirs.standing), ("yours", chair.mine.standing)):
        table.add_row(who, *_row(chair, offer))
    return table


def _row(chair: Chair, offer: Offer | None) -> list[Text]:
    several = not chair.terms.is_price
    if offer is None:
        return [Text("–", "dim") for _ in range(len(chair.scenario.issues) + several)] + [
            Text("no offer stands", "dim")
        ]
    surplus = chair.surplus(offer)
    found = [Text(money(value)) for value in values_of(chair.terms, offer).values()]
    words = chair.surplus_words(surplus)
    if several:
        found.append(Text(money(chair.value(offer))))
        words = words.removesuffix(" your limit")
    return [*found, Text(words, "green" if surplus >= 0 else "red")]


def _mood(chair: Chair) -> Text:
    public, mine = chair.view.public, chair.mine
    word, colour = tension_word(public.tension)
    full = round(public.tension / 100 * _BAR)
    text = Text.assemble(
        "tension ",
        ("█" * full + "░" * (_BAR - full), colour),
        (f" {public.tension:.0f} {word}", colour),
        f"   trust {mine.trust:.0%}   credibility {mine.credibility:.0%}   CP {mine.points}",
    )
    if (belief := chair.view.belief) is not None and belief.walk_away is not None:
        text.append(f"\nyou believe their limit is {money(shown(chair.terms, belief.walk_away))}")
    return text
