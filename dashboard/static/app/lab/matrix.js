/** Who earns what with whom, as a field of colours: a pair is told by pointing at it, or by the arrow keys. */
import { html, classes, useState } from "../html.js";
import { t } from "../i18n.js";
import { useWidth } from "../ui/width.js";

/** Colours from nothing to all, in red, green and blue. */
const RAMP = [[19, 28, 24], [31, 81, 64], [141, 133, 70], [217, 178, 95], [255, 240, 206]];
const EDGE = 22;
const WIDEST = 620;

/** @param {number} share 0…1 */
export function colour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const from = RAMP[Math.floor(place)];
  const to = RAMP[Math.min(Math.floor(place) + 1, RAMP.length - 1)];
  return `rgb(${from.map((part, n) => Math.round(part + (to[n] - part) * (place % 1))).join(" ")})`;
}

/** @type {Record<string, [number, number]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * @param {{matrix: Float64Array, order: number[], most: number, settled: (seed: number) => number | null,
 *   say: (value: number) => string}} props `order`: of the learners; `settled`: a learner's lever, if it has one
 */
export function Matrix({ matrix, order, most, settled, say }) {
  const [place, measured] = useWidth(480);
  const [pair, setPair] = useState(/** @type {[number, number] | null} */ (null));
  const size = order.length;
  const width = Math.min(measured, WIDEST);
  const cell = (width - EDGE) / size;
  const value = (/** @type {number} */ row, /** @type {number} */ column) => matrix[order[row] * size + order[column]];
  const point = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const at = (/** @type {number} */ from, /** @type {number} */ to) => Math.floor(((to - from) * (width / box.width) - EDGE) / cell);
    const [row, column] = [at(box.top, event.clientY), at(box.left, event.clientX)];
    setPair(row >= 0 && column >= 0 && row < size && column < size ? [row, column] : null);
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const [row, column] = pair ?? [0, 0];
    const inside = (/** @type {number} */ n) => Math.min(Math.max(n, 0), size - 1);
    setPair([inside(row + move[0]), inside(column + move[1])]);
  };
  const middle = (/** @type {number} */ n) => EDGE + (n + 0.5) * cell;
  return html`
    <div class="matrix" ref=${place}>
      <div class="matrix__field" tabindex="0" role="group" aria-label=${t("lab.levers.matrix")} onKeyDown=${press}
        onFocus=${() => pair ?? setPair([0, 0])} onBlur=${() => setPair(null)}>
        <svg viewBox=${`0 0 ${width} ${width}`} width=${width} height=${width} aria-hidden="true" onPointerMove=${point} onPointerDown=${point} onPointerLeave=${() => setPair(null)}>
          ${order.map((seed, n) => html`
            <text key=${`c${n}`} class=${classes(pair?.[1] === n && "matrix__named")} x=${middle(n)} y=${EDGE - 7} text-anchor="middle">${settled(seed) ?? "·"}</text>
            <text key=${`r${n}`} class=${classes(pair?.[0] === n && "matrix__named")} x=${EDGE - 7} y=${middle(n) + 4} text-anchor="end">${settled(seed) ?? "·"}</text>
          `)}
          ${order.map((_, row) => order.map((_, column) => html`
            <rect key=${row * size + column} x=${EDGE + column * cell + 0.5} y=${EDGE + row * cell + 0.5} width=${cell - 1} height=${cell - 1} rx="2" fill=${colour(value(row, column) / most)} />`))}
          ${pair && html`<rect class="matrix__chosen" x=${EDGE + pair[1] * cell} y=${EDGE + pair[0] * cell} width=${cell} height=${cell} rx="3" />`}
        </svg>
      </div>
      <div class="matrix__foot">
        <p class="small" aria-live="polite">${pair ? told(order, pair, value(...pair), settled, say) : html`<span class="muted">${t("lab.levers.hint")}</span>`}</p>
        <p class="matrix__scale small muted" aria-hidden="true"><span>0</span>
          <svg viewBox="0 0 100 8" width="100" height="8">${Array.from({ length: 25 }, (_, n) => html`<rect x=${n * 4} width="4.2" height="8" fill=${colour(n / 24)} />`)}</svg><span>${most}</span></p>
      </div>
    </div>
  `;
}

/**
 * @param {number[]} order
 * @param {[number, number]} pair
 * @param {number} value
 * @param {(seed: number) => number | null} settled
 * @param {(value: number) => string} say
 */
function told(order, [row, column], value, settled, say) {
  const [one, other] = [order[row], order[column]];
  const who = (/** @type {number} */ seed) => {
    const lever = settled(seed);
    return lever === null ? t("lab.levers.anyLever", { seed: seed + 1 }) : t("lab.levers.onLever", { seed: seed + 1, lever });
  };
  return one === other
    ? t("lab.levers.alone", { who: who(one), value: say(value) })
    : t("lab.levers.pair", { one: who(one), other: who(other), value: say(value) });
}
