"""Figures as people read them at a terminal."""

from __future__ import annotations

from parlay_env.deal.terms import CENTS

WHOLE_FROM = 1000
"""Amounts from here on are shown without decimals: they are counted in steps, not in hundredths."""


def money(value: float) -> str:
    """An amount: 148,000; 9.85."""
    if abs(value) >= WHOLE_FROM or value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.2f}"


def in_money(hundredths: float) -> str:
    """An amount of the game's own unit, hundredths of money."""
    return money(hundredths / CENTS)


def short(value: float) -> str:
    """An amount where there is little room: 148k, 10.5M."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return money(value)
