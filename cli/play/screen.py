"""A turn on the screen: what they said and did, where both offers stand, how the table feels."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cli.figures import in_money, money
from cli.play.chair import Chair
from cli.play.fitted import Fitted
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
    parts: list[RenderableType] = [Text(), Rule(Text(title, "bold"), align="left"), *_said(chair), *_news(chair)]
    parts += [_offers(chair), _mood(chair)]
    if public.streak:
        told = f"{public.streak} hot turn{'s' if public.streak > 1 else ''} in a row (tension over {n.HOT:.0f})"
        parts.append(Text(f"{told}: from {n.HOT_TURNS} on, both limits tighten every turn", "red"))
    if public.ticks:
        parts.append(Text(f"Tension has tightened both limits {public.ticks} ×: there is less to agree on", "red"))
    return Group(*parts)


def _news(chair: Chair) -> list[RenderableType]:
    public = chair.view.public
    fresh = [news for news in public.news if news.turn == public.turn]
    lines = [Text.assemble(("NEWS  ", "bold magenta"), (news.words, "magenta")) for news in fresh]
    if fresh:
        hint = " `impact 10%` tells how far you think it tightened theirs." if fresh[-1].market else ""
        lines.append(Text(f"Both standing offers are void; limits may have moved, see yours.{hint}", "dim"))
        if chair.theirs.offered and chair.theirs.latest is not None and chair.theirs.standing is None:
            lines.append(Text(f"The {_named(chair, chair.theirs.latest)} they just named is void, too.", "dim"))
        lines.append(Text(chair.limit_rule(), "bold"))
    return [lines[0], *(Padding(line, (0, 0, 0, 2), expand=False) for line in lines[1:])] if lines else []


def _named(chair: Chair, offer: Offer) -> str:
    """`122,600`; of several issues `offer (9.85, 60, 10,000)`."""
    values = ", ".join(map(money, values_of(chair.terms, offer).values()))
    return values if chair.terms.is_price else f"offer ({values})"


def _said(chair: Chair) -> list[RenderableType]:
    theirs = chair.theirs
    if theirs.steps == 0:
        return [Text(f"{chair.opponent} waits for you to open.", "dim")]
    words = f"“{theirs.utterance}”" if theirs.utterance else "says nothing."
    lines: list[RenderableType] = [Text.assemble((f"{chair.opponent}  ", "bold cyan"), words)]
    return lines + [
        Padding(Text(what, "cyan"), (0, 0, 0, 2), expand=False)
        for what in (*_answer_to_challenge(chair), *_done(chair))
    ]


def _answer_to_challenge(chair: Chair) -> list[str]:
    """What came of the person's challenge, if the newest move had one."""
    verdict = chair.mine.challenged
    made = next(
        (made for made in reversed(chair.view.public.claims) if made.seat != chair.seat and made.status == verdict),
        None,
    )
    if not verdict or made is None:
        return []
    if verdict == "withdrawn":
        return [f"taken back: {claim_words(chair, made)} was a bluff"]
    return [f"they stand by it: {claim_words(chair, made)}"]


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


_STATUS = {
    "open": "not disputed",
    "stands": "disputed, they stand by it",
    "withdrawn": "taken back: it was a bluff",
    "broken": "broken by what they did later",
}


def claims_screen(chair: Chair) -> RenderableType:
    """All claims so far, with what has become of them."""
    claims = chair.view.public.claims
    if not claims:
        return Text("  No claims yet.")
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("turn", "who", "claims", "status"):
        table.add_column(title)
    for made in claims:
        mine, status = made.seat == chair.seat, _STATUS[made.status]
        status = status.replace("they stand", "you stand").replace("they did", "you did") if mine else status
        table.add_row(str(made.turn), "you" if mine else chair.persona, claim_words(chair, made), status)
    return table


def _offers(chair: Chair) -> RenderableType:
    """Both standing offers; where there is little room, an issue a line."""
    return (
        Fitted(_offers_across(chair), _offers_down(chair), 72)
        if len(chair.scenario.issues) > 1
        else _offers_across(chair)
    )


def _offers_down(chair: Chair) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for title in ("", "theirs", "yours"):
        table.add_column(title, justify="right" if title else "left", overflow="fold")
    names = [issue.name for issue in chair.scenario.issues]
    both = [_row(chair, side.standing) for side in (chair.theirs, chair.mine)]
    for name, *cells in zip((*names, "worth to you", "your limit"), *both, strict=True):
        table.add_row(name, *cells)
    return table


def _offers_across(chair: Chair) -> Table:
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
    public, mine, before = chair.view.public, chair.mine, chair.tension_before
    word, colour = tension_word(public.tension)
    full = round(public.tension / 100 * _BAR)
    text = Text.assemble(
        "tension ",
        ("█" * full + "░" * (_BAR - full), colour),
        (f" {public.tension:.0f}", colour),
        "" if before is None else f" ({public.tension - before:+.0f})",
        (f" {word}", colour),
        f"   trust {mine.trust:.0%}   credibility {mine.credibility:.0%}   CP {mine.points}",
    )
    if (belief := chair.view.belief) is not None and belief.walk_away is not None:
        text.append(f"\nyou believe their limit is {money(shown(chair.terms, belief.walk_away))}")
    return text
