/** The first game's guide: a hint beside what it is about, one at a time, never in the way. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { still } from "../motion.js";
import { limitRule } from "../worth.js";
import { opponentName } from "../ui/opponent.js";
import { headBack } from "./head.js";

/** @type {{name: string, spot: string, tab: "table" | "read"}[]} */
const STEPS = [
  { name: "limit", spot: "limit", tab: "read" },
  { name: "stage", spot: "stage", tab: "table" },
  { name: "line", spot: "line", tab: "table" },
  { name: "offer", spot: "offer", tab: "table" },
  { name: "cards", spot: "cards", tab: "table" },
  { name: "read", spot: "read", tab: "read" },
  { name: "decide", spot: "decide", tab: "table" },
];
const GAP = 12;

/** @param {string} id */
const key = (id) => `parlay.coach.${id}`;

/** @param {string} id */
function reached(id) {
  try {
    return Number(sessionStorage.getItem(key(id)) ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Where the hint stands beside its place: to its left or right where there is room, else beneath or above.
 * @param {DOMRect} place
 * @param {{width: number, height: number}} hint
 */
function beside(place, hint) {
  const clampX = (/** @type {number} */ x) => Math.min(Math.max(x, GAP), innerWidth - hint.width - GAP);
  const clampY = (/** @type {number} */ y) => Math.min(Math.max(y, GAP), innerHeight - hint.height - GAP);
  if (place.left - hint.width - GAP > GAP) return { x: place.left - hint.width - GAP, y: clampY(place.top) };
  if (place.right + hint.width + GAP < innerWidth - GAP) return { x: place.right + GAP, y: clampY(place.top) };
  if (place.bottom + hint.height + GAP < innerHeight) return { x: clampX(place.left), y: place.bottom + GAP };
  if (place.top - hint.height - GAP > 0) return { x: clampX(place.left), y: place.top - hint.height - GAP };
  return { x: clampX(place.right - hint.width), y: GAP + 56 };
}

/**
 * @param {{game: import("../types.js").Game, show: (tab: "table" | "talk" | "read") => void}} props
 */
export function Coach({ game, show }) {
  const [at, setAt] = useState(reached(game.id));
  const [place, setPlace] = useState({ x: -999, y: -999 });
  const hint = useRef(/** @type {HTMLElement | null} */ (null));
  const step = STEPS[at];
  const go = (/** @type {number} */ to) => {
    setAt(to);
    if (to >= STEPS.length) {
      show("table");
      headBack();
      document.getElementById("main")?.focus({ preventScroll: true });
    }
    try {
      sessionStorage.setItem(key(game.id), String(to));
    } catch {
      // It begins anew after a reload.
    }
  };

  useEffect(() => {
    if (step) show(step.tab);
  }, [at]);
  const answers = game.lines.filter((line) => line.seat !== game.seat).length;
  const heard = useRef(answers);
  useEffect(() => {
    // The guide has led the reader down the page: what is answered stands at its head.
    if (answers > heard.current && !step) headBack();
    heard.current = answers;
  }, [answers]);
  useLayoutEffect(() => {
    if (!step) return undefined;
    let target = /** @type {Element | null} */ (null);
    const put = () => {
      if (!target || !hint.current) return;
      setPlace(beside(target.getBoundingClientRect(), hint.current.getBoundingClientRect()));
    };
    const frame = requestAnimationFrame(() => {
      target = document.querySelector(`[data-spot="${step.spot}"]`);
      target?.classList.add("spot");
      const tall = (target?.getBoundingClientRect().height ?? 0) > innerHeight * 0.6;
      target?.scrollIntoView({ block: tall ? "start" : "center", behavior: still.value ? "auto" : "smooth" });
      put();
    });
    const settle = setTimeout(put, 420);
    addEventListener("resize", put);
    addEventListener("scroll", put, true);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(settle);
      target?.classList.remove("spot");
      removeEventListener("resize", put);
      removeEventListener("scroll", put, true);
    };
  }, [at]);

  if (!step) return null;
  const last = at === STEPS.length - 1;
  return html`
    <aside class="coach" ref=${hint} style=${{ left: `${place.x}px`, top: `${place.y}px` }} aria-label=${t("coach.label")} aria-live="polite">
      <p class="coach__count small figure">${t("coach.count", { at: at + 1, of: STEPS.length })}</p>
      <h2 class="coach__title">${t(`coach.${step.name}.title`)}</h2>
      <p>${t(`coach.${step.name}`, { limit: limitRule(game), name: opponentName(game.opponent) })}</p>
      <div class="buttons coach__buttons">
        <button type="button" class="button button--primary button--small" onClick=${() => go(at + 1)}>${t(last ? "coach.done" : "coach.next")}</button>
        ${at > 0 && html`<button type="button" class="button button--small" onClick=${() => go(at - 1)}>${t("coach.back")}</button>`}
        ${!last && html`<button type="button" class="button button--ghost button--small" onClick=${() => go(STEPS.length)}>${t("coach.skip")}</button>`}
      </div>
    </aside>
  `;
}
