"""A person without a mouse: every stop of Tab must be seen, and lie where it can be seen."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Locator, Page

STOP = """
() => {
  const at = document.activeElement;
  if (!at || at === document.body || at === document.documentElement) return null;
  // What a stop looks like: itself, its label, what stands beside a hidden radio.
  const seen = [at, at.nextElementSibling, at.closest("label"), at.parentElement].filter(Boolean);
  const look = () => seen.map((one) => {
    const style = getComputedStyle(one);
    const box = one.getBoundingClientRect();
    const outline = style.outlineStyle === "none" ? "" : style.outlineWidth + style.outlineColor;
    return [outline, style.boxShadow, style.borderColor, style.backgroundColor,
      style.color, style.textDecorationLine, Math.round(box.top), Math.round(box.width)].join();
  }).join(";");
  const focused = look();
  // A date is several stops in one, and would begin anew.
  const whole = !String(at.type).startsWith("date");
  // Transitions would show the old look for a while: the look that counts is the one at their end.
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
  const settled = look();
  if (whole) at.blur();
  for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
  const blurred = look();
  if (whole) at.focus({ preventScroll: true });
  const big = seen.find((one) => one.getBoundingClientRect().width > 3) ?? at;
  const box = big.getBoundingClientRect();
  const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
  const inSight = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const middle = Math.min(Math.max((Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2, 0), innerHeight - 1);
  const over = document.elementFromPoint(x, middle);
  const covered = inSight && over && !seen.some((one) => one.contains(over) || over.contains(one));
  const name = at.getAttribute("aria-label") || at.labels?.[0]?.textContent || at.textContent || at.id || at.name || "";
  return {
    name: `${at.tagName.toLowerCase()} ${name.trim().slice(0, 40)}`,
    marked: !whole || settled !== blurred || focused !== blurred,
    inSight, covered: covered ? `${over.tagName} ${over.className}` : "",
    back: document.activeElement === at,
  };
}
"""


SETTLING = 400
"""Milliseconds until a page that still moves, since a picture came or it scrolls, has come to rest."""


class Keyboard:
    """Presses keys, and notes every stop at which the focus could not be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.stops: list[str] = []

    async def press(self, *keys: str) -> None:
        """One key after the other."""
        for key in keys:
            await self.page.keyboard.press(key)

    async def look(self) -> dict[str, Any] | None:
        """Where the focus is; None if it is nowhere."""
        stop = await self.page.evaluate(STOP)
        if stop is not None and (stop["covered"] or not stop["inSight"]):
            await self.page.wait_for_timeout(SETTLING)
            stop = await self.page.evaluate(STOP)
        if stop is None:
            return None
        self.stops.append(stop["name"])
        if not stop["marked"]:
            self.wrong.append(f"{stop['name']}: nothing shows the focus")
        if not stop["inSight"]:
            self.wrong.append(f"{stop['name']}: out of sight")
        if stop["covered"]:
            self.wrong.append(f"{stop['name']}: covered by {stop['covered']}")
        return stop

    async def tab_to(self, target: Locator, backward: bool = False, most: int = 90) -> None:
        """Tab until this has the focus."""
        for _ in range(most):
            await self.page.keyboard.press("Shift+Tab" if backward else "Tab")
            await self.look()
            if await target.evaluate("(one) => one === document.activeElement"):
                return
        raise AssertionError(f"Tab never comes to it; it came by: {self.stops[-most:]}")

    async def has_focus(self, target: Locator) -> bool:
        """Is the focus there?"""
        return await target.evaluate("(one) => one === document.activeElement")

    async def around(self, most: int = 120) -> list[str]:
        """Tab from where one is until the same stop comes again, or the page ends. No trap if it does."""
        await self.page.evaluate("document.activeElement?.blur()")
        seen: list[str] = []
        first = None
        for _ in range(most):
            await self.page.keyboard.press("Tab")
            handle = await self.page.evaluate_handle("document.activeElement")
            if first is None:
                first = handle
            elif await self.page.evaluate("([a, b]) => a === b || b === document.body", [first, handle]):
                return seen
            stop = await self.look()
            seen.append(stop["name"] if stop else "nowhere")
        raise AssertionError(f"Tab goes on for ever: {seen[-20:]}")
