/** Where one goes on after a move, and that one sees where one is. */
import { useEffect } from "../html.js";

/** At the next words, or, when the game is over, at what came of it. */
export function goOn() {
  requestAnimationFrame(() => {
    const place = document.getElementById("over-title") ?? document.getElementById("words");
    place?.focus({ preventScroll: true });
  });
}

/**
 * What has the focus is seen whole, not behind the foot: when Tab comes to it, and when something above it comes, goes or
 * grows (a notice, a whisper, news, a picture). Who has scrolled away from it is left there.
 * @param {import("preact").RefObject<HTMLElement>} place what scrolls
 */
export function useFocusInSight(place) {
  useEffect(() => {
    const pane = place.current;
    if (!pane) return undefined;
    let seen = false;
    let pointed = false;
    const look = () => {
      seen = hidden(pane) <= 0.5;
    };
    const show = () => {
      if (hidden(pane) > 0.01) document.activeElement?.scrollIntoView({ block: "nearest" });
      look();
    };
    // A click stays on what was clicked: nothing moves under it.
    const come = () => (pointed ? look() : show());
    const point = () => (pointed = true);
    const type = () => (pointed = false);
    const keep = () => (seen ? show() : look());
    const sizes = new ResizeObserver(keep);
    for (const part of pane.children) sizes.observe(part);
    const parts = new MutationObserver((changes) => {
      for (const change of changes)
        for (const part of change.addedNodes) if (part instanceof Element) sizes.observe(part);
      keep();
    });
    parts.observe(pane, { childList: true });
    pane.addEventListener("focusin", come);
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("pointerdown", point, { capture: true, passive: true });
    addEventListener("keydown", type, { capture: true, passive: true });
    return () => {
      sizes.disconnect();
      parts.disconnect();
      pane.removeEventListener("focusin", come);
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("pointerdown", point, { capture: true });
      removeEventListener("keydown", type, { capture: true });
    };
  }, []);
}

/**
 * Which share of what has the focus is off the screen, or behind the header, the foot or the tabs; 1 without a focus in
 * this pane.
 * @param {HTMLElement} pane
 */
function hidden(pane) {
  const at = document.activeElement;
  if (!at || !pane.contains(at)) return 1;
  const box = at.getBoundingClientRect();
  const foot = pane.querySelector(".move__foot");
  const highest = Math.max(edge(document.querySelector(".header"), "bottom", 0), 0);
  const below = [foot?.contains(at) ? null : foot, document.querySelector(".tabs")];
  const lowest = Math.min(...below.map((one) => edge(one, "top", innerHeight)), innerHeight);
  const shown = Math.min(box.bottom, lowest) - Math.max(box.top, highest);
  return 1 - Math.max(shown, 0) / Math.max(box.height, 1);
}

/**
 * Where an element's edge is, as far as it is shown at all.
 * @param {Element | null | undefined} one
 * @param {"top" | "bottom"} side
 * @param {number} otherwise
 */
function edge(one, side, otherwise) {
  const box = one?.getBoundingClientRect();
  return box && box.height > 0 ? box[side] : otherwise;
}
