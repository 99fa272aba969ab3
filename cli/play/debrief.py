"""After the end: how it came out, what was hidden, which claims were bluffs, where the points came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cli.figures import in_money, money
from cli.play.chair import Chair
from cli.play.chart import Line, Mark, chart
from cli.play.fitted import Fitted
from cli.play.points import PERFECT
from cli.play.screen import claim_words
from parlay_env.deal import numbers as n
from parlay_env.deal.state import SEATS, Ended
from parlay_env.deal.terms import worth
from parlay_env.deal.views import Truth
from parlay_env.figures import belief_report, public_prior
from parlay_env.grader import Grade
from parlay_env.observe import hidden_facts

_TERMS = {
    "delta_v": "their\noffer",
    "concession": "con-\nceding",
    "noise": "noise",
    "tom": "beliefs",
    "bluff": "chal-\nlenges",
    "mev": "news",
}
_TERMINAL = {
    "efficiency": "your share of what could be had (100 × E)",
    "speed": "an early deal (20 × E × turns left / 20)",
    "adaptation": "no news that moved them went unread (15 × E × share)",
    "cliff": "a deal beyond your limit",
    "no_deal": "no deal",
}


def debrief(chair: Chair, width: int) -> RenderableType:
    """All of it, for an episode that is over."""
    view = chair.view
    grade, truth, ended = view.grade, view.truth, view.public.ended
    assert grade is not None and truth is not None and ended is not None
    how: list[RenderableType] = [_verdict(chair, grade, ended, truth), *map(Text, advice(chair))]
    parts: list[RenderableType] = [Text(), *_last_words(chair, ended)]
    parts += [Panel(Group(*how), title="How it ended", title_align="left")]
    parts += [_figures(chair, grade, truth, ended), Text()]
    parts += [Text("What they hid", "bold"), _hidden(chair, truth), Text()]
    if view.public.claims:
        parts += [Text("Claims", "bold"), _claims(chair, truth), Text()]
    if truth.shocks:
        parts += [Text("News, and how far it tightened the limits", "bold"), _news(chair, truth), Text()]
    if lines := offers_chart(chair, width, truth):
        parts += [Text("Offers" if chair.terms.is_price else "Offers, by their worth to you", "bold")]
        parts += [Text("\n".join(lines), no_wrap=True), Text()]
    parts += [Text("Points, turn by turn", "bold"), _ledger(grade)]
    return Group(*parts)


def _last_words(chair: Chair, ended: Ended) -> list[Text]:
    """What the opponent said with its last move, unless that has been on the screen before."""
    words = chair.theirs.utterance
    if not words or (ended.seat == chair.seat):
        return []
    return [Text.assemble((f"{chair.opponent}  ", "bold cyan"), f"“{words}”")]


def advice(chair: Chair) -> list[str]:
    """What the log tells for the next game: the most they had offered, and whose steps came first."""
    public, found = chair.view.public, []
    theirs = [made for made in public.offers if made.seat != chair.seat]
    if theirs:
        best = max(theirs, key=lambda made: worth(chair.own.utility, made.offer))
        if public.ended is None or best.offer != public.ended.outcome:
            found.append(f"The most they had offered: {chair.offer_words(best.offer)}, in turn {best.turn}.")
    mine = _steps(chair, chair.seat)
    if mine and public.ended is not None and public.ended.reason != "forfeit":
        their = _steps(chair, 1 - chair.seat)
        told = f"You gave {mine} step{'s' if mine > 1 else ''} for their {their}."
        more = " Wait for a step of theirs before you give the next." if mine > their + 1 else ""
        found.append(told + more)
    return found


def _steps(chair: Chair, seat: int) -> int:
    """How often this side's offer was better for the other side, by declared figures, than all before."""
    utility = chair.terms.declared[1 - seat]
    values = [worth(utility, made.offer) for made in chair.view.public.offers if made.seat == seat]
    return sum(value > max(values[:k]) for k, value in enumerate(values) if k)


def _why_they_left(chair: Chair, ended: Ended, truth: Truth) -> str:
    deadline = truth.facts[1 - chair.seat].deadline
    if ended.turn >= deadline:
        return f" Turn {deadline} was its last turn."
    tension = chair.view.public.tension
    return f" The tension was {tension:.0f}." if tension >= n.HOT else ""


def _verdict(chair: Chair, grade: Grade, ended: Ended, truth: Truth) -> Text:
    mine = ended.seat == chair.seat
    if ended.outcome is not None:
        who = "You took their offer" if mine else f"{chair.opponent} took your offer"
        text = Text(f"{who}: {chair.offer_words(ended.outcome)}, turn {ended.turn}. ")
        if grade.breach:
            return text + Text("That was beyond your limit: the one thing not to do.", "bold red")
        return text + Text(f"That is {chair.surplus_words(round(grade.surplus * 100))}.", "bold green")
    existed = "no terms suited both" if grade.walk_was_right else "there were terms that suited both"
    if grade.walk_was_right and grade.zopa_existed:
        existed = "tension had eaten up all that could be agreed on"
    if ended.reason == "walk_away" and mine:
        right = "right: " if grade.walk_was_right else "wrong: "
        return Text(f"You walked away in turn {ended.turn}, which was {right}{existed}.")
    reasons = {
        "walk_away": f"{chair.opponent} walked away in turn {ended.turn}; {existed}."
        + _why_they_left(chair, ended, truth),
        "timeout": f"Time ran out; {existed}.",
        "zopa_collapsed": f"Tension ate up all that could be agreed on, by turn {ended.turn}.",
        "forfeit": "Too many moves in a row were not allowed.",
    }
    return Text(reasons[ended.reason])


def _plain_table(*titles: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(titles))
    for title in titles:
        table.add_column(title)
    return table


def _figures(chair: Chair, grade: Grade, truth: Truth, ended: Ended) -> Table:
    table = _plain_table("", "", "")
    table.columns[1].justify = "right"
    table.add_row("E", f"{grade.efficiency:.1%}", "of all that their limit would have let you have")
    if truth.nash is not None:
        table.add_row("Nash point", chair.offer_words(truth.nash), _from_nash(chair, truth, ended))
    if grade.zopa_existed:
        left = "left on the table" if grade.deal else "could have been had"
        table.add_row("Left", f"{money(grade.left_on_table)} {chair.currency}", left)
    limit = hidden_facts(truth, chair.terms, chair.view.public)[SEATS[1 - chair.seat]]["limit"]
    what = "at the end" if chair.terms.is_price else "at the end: what a deal had to be worth to them"
    table.add_row("Their limit", f"{money(limit)} {chair.currency}", what)
    table.add_row("Points", f"{grade.reward:+.1f}", f"a perfect, early deal is worth about {PERFECT}")
    return table


def _from_nash(chair: Chair, truth: Truth, ended: Ended) -> str:
    """How far the deal is from the even split of what there was."""
    if ended.outcome is None or truth.nash is None:
        return "the even split of what there was"
    utility = truth.facts[chair.seat].utility
    gap = worth(utility, ended.outcome) - worth(utility, truth.nash)
    better = "better" if gap > 0 else "worse"
    mine = "your deal is exactly that for you" if gap == 0 else f"your deal is {in_money(abs(gap))} {better} for you"
    if chair.terms.is_price:
        return mine
    theirs = truth.facts[1 - chair.seat].utility
    other = worth(theirs, ended.outcome) - worth(theirs, truth.nash)
    return f"{mine}, {in_money(abs(other))} {'better' if other > 0 else 'worse'} for them"


def _hidden(chair: Chair, truth: Truth) -> RenderableType:
    """Believed against true, beside what anybody would have guessed."""
    other, view = 1 - chair.seat, chair.view
    facts: dict[str, Any] = hidden_facts(truth, chair.terms, view.public)[SEATS[other]]
    prior = public_prior(chair.terms, other)
    told = {} if view.belief is None else belief_report(chair.terms, view.belief)
    budget = facts["walk_away"] if facts["budget"] is None else facts["budget"]
    table = _plain_table("", "true", "you believed", "anybody's guess")
    for column in table.columns[1:]:
        column.justify = "right"
    rows = (
        ("walk-away", money(facts["walk_away"]), told.get("est_walk_away"), money(prior["walk_away"]["mean"]), money),
        ("budget (else the walk-away)", money(budget), told.get("est_budget"), money(prior["budget"]["mean"]), money),
        ("urgency", _share(facts["urgency"]), told.get("est_urgency"), _share(prior["urgency"]["mean"]), _share),
        (
            "has an alternative",
            "yes" if facts["has_alternative"] else "no",
            told.get("est_has_alternative"),
            f"{prior['has_alternative']:.0%}",
            lambda p: f"{p:.0%}",
        ),
    )
    lines = [
        (name, true, "–" if believed is None else form(believed), guess) for name, true, believed, guess, form in rows
    ]
    lines.append(("last turn it would deal", str(facts["deadline"]), "", ""))
    for name, weight in (facts["weights"] or {}).items():
        lines.append((f"weight of {name}", _share(weight), "", _share(prior["weights"][name])))
    for line in lines:
        table.add_row(*line)
    slim = [Text("; ".join(part for part in _told(*line) if part)) for line in lines]
    return Fitted(table, Group(*slim), 62)


def _told(name: str, true: str, believed: str, guess: str) -> tuple[str, str, str]:
    """A line of what they hid, where there is no room for a table."""
    return f"{name}: {true}", believed and f"you believed {believed}", guess and f"anybody's guess {guess}"


def _share(value: float) -> str:
    return f"{value:.2f}"


def _claims(chair: Chair, truth: Truth) -> Table:
    table = _plain_table("turn", "who", "claim", "was", "then")
    for made, true in zip(chair.view.public.claims, truth.truths, strict=True):
        who = "you" if made.seat == chair.seat else chair.persona
        was = Text("true", "green") if true else Text("a bluff", "red")
        then = {"open": "never disputed", "stands": "disputed, stood", "withdrawn": "disputed, taken back"}
        table.add_row(str(made.turn), who, claim_words(chair, made), was, then.get(made.status, "broken by an offer"))
    return table


def _news(chair: Chair, truth: Truth) -> Table:
    """What each headline did to both limits, in money; negative: loosened."""
    table = _plain_table("turn", "headline", "yours", "theirs")
    for column in table.columns[2:]:
        column.justify = "right"
    for news, shock in zip(chair.view.public.news, truth.shocks, strict=True):
        moved = [shock.effect[seat] * chair.terms.delta0[seat] for seat in (chair.seat, 1 - chair.seat)]
        table.add_row(str(news.turn), news.words, *map(in_money, moved))
    return table


def offers_chart(chair: Chair, width: int, truth: Truth | None = None) -> list[str]:
    """All offers so far; with the truth, both limits and the Nash point as well."""
    public = chair.view.public
    marks = [
        Mark(made.turn, "yours" if made.seat == chair.seat else "theirs", chair.value(made.offer))
        for made in public.offers
    ]
    return chart(marks, list(_lines(chair, truth)), width)


def _lines(chair: Chair, truth: Truth | None) -> Iterator[Line]:
    yield Line("your limit", chair.facts["limit"], "│")
    if truth is None:
        return
    if chair.terms.is_price:
        facts = hidden_facts(truth, chair.terms, chair.view.public)[SEATS[1 - chair.seat]]
        yield Line("their limit", facts["limit"], "┊")
    if truth.nash is not None:
        yield Line("Nash point", chair.value(truth.nash), "·")


def _ledger(grade: Grade) -> Group:
    """Every term of every turn, what the end paid, and the sum."""
    table = _plain_table("turn", *_TERMS.values(), "sum")
    for column in table.columns:
        column.justify = "right"
    for row in grade.ledger:
        values = [row[term] for term in _TERMS]
        if any(values):
            table.add_row(f"{row['turn']:.0f}", *map(_points, values), _points(sum(values)))
    totals = [sum(row[term] for row in grade.ledger) for term in _TERMS]
    table.add_row("all", *map(_points, totals), _points(sum(totals)), style="bold")
    slim = _plain_table("turn", "what for", "points")
    slim.columns[2].justify = "right"
    for row in grade.ledger:
        for term, title in _TERMS.items():
            if row[term]:
                slim.add_row(f"{row['turn']:.0f}", title.replace("-\n", "").replace("\n", " "), _points(row[term]))
    end = _plain_table("", "")
    end.columns[1].justify = "right"
    end.add_row("the turns, as above", _points(sum(totals)))
    for term, value in grade.terminal.items():
        end.add_row(_TERMINAL.get(term, term), _points(value))
    end.add_row("all points", f"{grade.reward:+.2f}", style="bold")
    return Group(Fitted(table, slim, 70), Text(), end)


def _points(value: float) -> str:
    return "·" if value == 0 else f"{value:+.2f}"
