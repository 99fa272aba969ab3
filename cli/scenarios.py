"""`parlay scenarios`: list, show, validate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table

from cli.console import console, fail, heading
from cli.figures import in_money, money, short
from cli.scenario_files import no_such_file, scenario_named
from game.scenarios import SEATS, Scenario, ScenarioError, Shift, load_scenario_file, scenarios
from parlay_env.deal import numbers as n
from parlay_env.deal.terms import CENTS, range_of, terms_of, values_of, worth


def print_list() -> None:
    """The scenarios that ship."""
    table = _table("id", "title", "issues", "limits", "Δ0")
    table.columns[0].no_wrap = True
    for s in scenarios().values():
        widths = terms_of(s).delta0
        table.add_row(
            s.id,
            s.title.en,
            str(len(s.issues)),
            f"{short(s.seller.limit)} / {short(s.buyer.limit)} {s.currency}",
            " / ".join(dict.fromkeys(short(width / CENTS) for width in widths)),
        )
    console().print(table)
    console().print(
        "limits and Δ0: of the seller / of the buyer. `parlay scenarios show ID` tells the rest.", style="dim"
    )


def print_one(name: str) -> None:
    """A scenario that ships, by id, or one in a file."""
    _print(scenario_named(name))


def validate(files: Sequence[Path]) -> None:
    """Every problem of every file; fails when there is one."""
    out, broken, missing = console(), 0, 0
    for file in files:
        if not file.exists():
            broken += 1
            missing += 1
            out.print(no_such_file(file), style="red", soft_wrap=True)
            continue
        try:
            found = load_scenario_file(file)
        except ScenarioError as error:
            broken += 1
            out.print(f"{file} can't be played:", style="red", soft_wrap=True)
            for problem in error.problems:
                out.print(f"  {problem}", soft_wrap=True)
            continue
        seller, buyer = map(in_money, terms_of(found).delta0)
        out.print(
            f"{file} is fine: {found.id}, {len(found.issues)} {_plural('issue', found.issues)}. "
            f"Δ0 (the most to be had at the declared limits): seller {seller}, buyer {buyer} {found.currency}.",
            soft_wrap=True,
        )
    if broken and broken == missing:
        fail("name a file that is there")
    if broken:
        fail("mend what is listed above and validate again; docs/scenarios.md has every field")


def _plural(word: str, things: Sequence[object]) -> str:
    return word if len(things) == 1 else f"{word}s"


def _print(s: Scenario) -> None:
    out = console()
    out.print(heading(s.id, f"{s.title.en} ({s.unit}, {s.currency})"))
    for seat, name in enumerate(SEATS):
        out.print()
        out.print(heading(name, s.side(seat).role.en))
        out.print(Padding(s.side(seat).briefing.en, (0, 0, 0, 2)))
    out.print()
    out.print(heading("Declared figures", "(each episode draws its hidden ones around them)"))
    out.print(_figures(s))
    out.print()
    out.print(heading("Issues"))
    out.print(_issues(s))
    out.print()
    out.print(heading("Scheduled headlines", "" if s.headlines else "none; market events only"))
    for line in _headlines(s):
        out.print(Padding(line, (0, 0, 0, 2)))
    if s.sweeteners:
        out.print()
        out.print(heading("Sweeteners", "(what they are worth to the other side, only the other side knows)"))
        out.print(_sweeteners(s))


def _table(*titles: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title)
    return table


def _figures(s: Scenario) -> Table:
    terms = terms_of(s)
    table = _table("", "seller", "buyer")
    for column in table.columns[1:]:
        column.justify = "right"
    kind = "price" if terms.is_price else "needs, in money"
    table.add_row(f"limit ({kind})", *(money(s.side(seat).limit) for seat in (0, 1)))
    if terms.is_price:
        table.add_row("anchor", *(money(s.side(seat).anchor or 0.0) for seat in (0, 1)))
    else:
        for k, issue in enumerate(s.issues):
            table.add_row(f"anchor: {issue.name}", *(_value(s, seat, k) for seat in (0, 1)))
        best = (in_money(worth(terms.declared[seat], terms.anchors[seat])) for seat in (0, 1))
        table.add_row("anchor's worth to it", *best)
    table.add_row("Δ0 (the most surplus it could have)", *(in_money(width) for width in terms.delta0))
    table.add_row("hidden walk-away", *(f"± {in_money(s.spread * width)}" for width in terms.delta0))
    either = f"{s.urgency - s.urgency_spread:.2f} to {s.urgency + s.urgency_spread:.2f}"
    table.add_row("urgency", either, either)
    table.add_row("has an alternative", f"{s.alternative:.0%}", f"{s.alternative:.0%}")
    return table


def _value(s: Scenario, seat: int, k: int) -> str:
    terms = terms_of(s)
    return money(values_of(terms, terms.anchors[seat])[s.issues[k].name])


def _issues(s: Scenario) -> Table:
    terms = terms_of(s)
    table = _table("name", "title", "range", "seller wants it", "weight seller", "weight buyer")
    for k, issue in enumerate(s.issues):
        low, high = range_of(terms, k)
        values = ", ".join(map(money, issue.values))
        span = values or f"{money(low)} to {money(high)}, step {money(issue.step)}"
        weights = (f"{s.side(seat).weights[issue.name]:.2f}" if s.side(seat).weights else "–" for seat in (0, 1))
        table.add_row(issue.name, issue.title.en, span, "high" if issue.rises == "seller" else "low", *weights)
    return table


def _headlines(s: Scenario) -> Iterator[str]:
    for headline in s.headlines:
        yield (
            f"turn {headline.turn} ± {n.SCHEDULE_SPREAD}, probability {headline.probability:.0%}: "
            f"“{headline.words['train'][0]}”"
        )
        for seat, shift in zip(SEATS, (headline.seller, headline.buyer), strict=True):
            if moved := _shift(shift):
                yield f"  {seat}: {moved}"


def _shift(shift: Shift) -> str:
    """What a headline does to a seat."""
    parts = []
    if shift.urgency:
        parts.append(f"urgency {shift.urgency:+.2f}")
    if shift.alternative is not None:
        parts.append("gains an alternative" if shift.alternative else "its alternative lapses")
    if shift.limit:
        parts.append(f"its limit {'tightens' if shift.limit > 0 else 'loosens'} by {abs(shift.limit):.2f} Δ0")
    return ", ".join(parts)


def _sweeteners(s: Scenario) -> Table:
    table = _table("id", "by", "title", "costs it", "worth to the other")
    for column in table.columns[3:]:
        column.justify = "right"
    for item in s.sweeteners:
        mine = SEATS.index(item.by)
        cost = item.cost * terms_of(s).delta0[mine]
        least, most = (in_money(share * terms_of(s).delta0[1 - mine]) for share in item.worth)
        table.add_row(item.id, item.by, item.title.en, in_money(cost), f"{least} to {most}")
    return table
