/** The head of the table: who sits opposite and what was said last. */
import { still } from "../motion.js";

/** Bring it back into view, if it was scrolled away. */
export function headBack() {
  requestAnimationFrame(() => {
    const head = document.querySelector('[data-spot="stage"]');
    const place = head?.getBoundingClientRect();
    if (!head || !place || place.height === 0) return;
    const pane = head.closest(".table__centre")?.getBoundingClientRect().top ?? 0;
    if (place.top >= Math.max(pane, 0) && place.bottom <= innerHeight) return;
    head.scrollIntoView({ block: "start", behavior: still.peek() ? "auto" : "smooth" });
  });
}
