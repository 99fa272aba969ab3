/** Curves over turns: limits as stairs, offers as dots, estimates as ribbons. Its figures stand beside it in a table. */
import { html, classes } from "../html.js";
import { apart, textWidth, ticks, useWidth } from "./width.js";

/**
 * @typedef {{x: number, y: number}} Spot
 *
 * @typedef {object} Curve
 * @property {string} name
 * @property {"mine" | "theirs" | "limit" | "theirlimit" | "truth" | "stated" | "guess"} tone
 * @property {Spot[]} points
 * @property {boolean} [stairs] it holds until the next point
 * @property {boolean} [dots]
 * @property {boolean} [dashed]
 * @property {boolean} [unnamed] no name at its end
 *
 * @typedef {object} PlotProps
 * @property {number} last the last turn that is shown
 * @property {Curve[]} curves
 * @property {{tone: string, points: {x: number, low: number, high: number}[], stairs?: boolean}[]} [ribbons]
 * @property {{y: number, name: string}[]} [levels]
 * @property {{x: number, name: string, lang?: string}[]} [events]
 * @property {{x: number, y: number, name: string} | null} [deal]
 * @property {number | null} [at] the turn that is looked at
 * @property {(turn: number) => void} [onPick]
 * @property {(value: number) => string} say a value in short
 * @property {number} [height]
 * @property {[number, number]} [range] what is shown at least
 * @property {boolean} [ends] leave room for names at the right
 * @property {string} axis what the turns are called
 */

const TOP = 16;
const BOTTOM = 30;

/** @param {Spot[]} points @param {number} end */
const asStairs = (points, end) =>
  points.flatMap((point, i) => {
    const next = points[i + 1]?.x ?? Math.max(end, point.x);
    return [point, { x: next, y: point.y }];
  });

/** @param {PlotProps} props */
export function Plot({ last, curves, ribbons = [], levels = [], events = [], deal = null, at = null, onPick, say, height = 300, range, ends = true, axis }) {
  const [place, width] = useWidth();
  const named = curves.filter((curve) => !curve.unnamed && curve.points.length);
  const narrow = width < 520;
  const values = [
    ...curves.flatMap((curve) => curve.points.map((point) => point.y)),
    ...ribbons.flatMap((ribbon) => ribbon.points.flatMap((point) => [point.low, point.high])),
    ...levels.map((level) => level.y),
    ...(range ?? []),
  ].filter(Number.isFinite);
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const pad = range ? 0 : (highest - lowest || Math.abs(highest) || 1) * 0.07;
  const [low, high] = [lowest - pad, highest + pad];
  const marks = ticks(low, high, Math.max(2, Math.round((height - TOP - BOTTOM) / 56)));
  const left = Math.max(...marks.map((mark) => textWidth(say(mark), 11))) + 12;
  const right = ends && !narrow ? Math.min(Math.max(...named.map((curve) => textWidth(curve.name, 12)), 40) + (deal ? 24 : 16), width * 0.24) : 14;
  const span = Math.max(last, 1);
  const x = (/** @type {number} */ turn) => left + (turn / span) * (width - left - right);
  const y = (/** @type {number} */ value) => TOP + (1 - (value - low) / (high - low || 1)) * (height - TOP - BOTTOM);
  const path = (/** @type {Spot[]} */ points) => points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(" ");
  const drawn = (/** @type {Curve} */ curve) => (curve.stairs ? asStairs(curve.points, last) : curve.points);
  const labels = apart(
    named.map((curve) => ({ curve, y: y(curve.points.at(-1)?.y ?? 0) })),
    15,
    TOP + 4,
    height - BOTTOM - 2,
  );
  const every = span / Math.max(1, (width - left - right) / 34);
  const step = [1, 2, 5, 10].find((size) => size >= every) ?? 10;
  const turns = [];
  for (let turn = 0; turn <= last; turn += step) turns.push(turn);

  const pick = (/** @type {MouseEvent} */ event) => {
    if (!onPick) return;
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const turn = Math.round((((event.clientX - box.left) / box.width) * width - left) / (width - left - right) * span);
    onPick(Math.min(Math.max(turn, 0), last));
  };

  return html`
    <div class="plot" ref=${place}>
      <svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true" class=${onPick && "plot--pick"} onClick=${pick}>
        ${marks.map((mark) => html`
          <line class="plot__grid" x1=${left} x2=${width - right} y1=${y(mark)} y2=${y(mark)} />
          <text class="plot__tick" x=${left - 8} y=${y(mark) + 4} text-anchor="end">${say(mark)}</text>
        `)}
        ${turns.map((turn) => html`<text class="plot__tick" x=${x(turn)} y=${height - 12} text-anchor="middle">${turn}</text>`)}
        <text class="plot__axis" x=${width - right + 16} y=${height - 12}>${narrow || !ends ? "" : axis}</text>
        ${ribbons.map((ribbon) => html`<polygon class=${`plot__ribbon plot__ribbon--${ribbon.tone}`} points=${area(ribbon, last, x, y)} />`)}
        ${events.map((event) => html`
          <line class="plot__event" x1=${x(event.x)} x2=${x(event.x)} y1=${TOP - 6} y2=${height - BOTTOM} />
          <path class="plot__flag" d=${`M${x(event.x)} ${TOP - 10}l5 5-5 5-5-5Z`}><title lang=${event.lang}>${event.name}</title></path>
        `)}
        ${levels.map((level) => html`
          <line class="plot__level" x1=${left} x2=${width - right} y1=${y(level.y)} y2=${y(level.y)} />
          <text class="plot__levelname" x=${left + 6} y=${y(level.y) - 6}>${level.name}</text>
        `)}
        ${at !== null && html`<line class="plot__now" x1=${x(at)} x2=${x(at)} y1=${TOP - 8} y2=${height - BOTTOM} />`}
        ${curves.map((curve) => html`
          <polyline class=${classes("plot__line", `plot__line--${curve.tone}`, curve.dashed && "plot__line--dashed")} points=${path(drawn(curve))} />
          ${curve.dots && curve.points.map((point) => html`
            <circle class=${classes("plot__dot", `plot__dot--${curve.tone}`, at === point.x && "plot__dot--now")} cx=${x(point.x)} cy=${y(point.y)} r=${at === point.x ? 5.5 : 3.6} />
          `)}
        `)}
        ${deal && html`
          <circle class="plot__deal" cx=${x(deal.x)} cy=${y(deal.y)} r="9" />
          <path class="plot__dealmark" d=${`M${x(deal.x) - 4} ${y(deal.y)}l3 3.2 5-6`} />
        `}
        ${ends && !narrow && labels.map(({ curve, y: height }) => html`
          <text class=${`plot__end plot__end--${curve.tone}`} x=${width - right + (deal ? 16 : 8)} y=${height + 4}>${curve.name}</text>
        `)}
      </svg>
      ${(narrow || !ends) && html`<${Legend} curves=${named} />`}
    </div>
  `;
}

/** @param {{curves: Curve[]}} props */
const Legend = ({ curves }) => html`
  <ul class="plot__legend" aria-hidden="true">
    ${curves.map((curve) => html`<li><i class=${`plot__key plot__key--${curve.tone}`}></i>${curve.name}</li>`)}
  </ul>
`;

/**
 * @param {{points: {x: number, low: number, high: number}[], stairs?: boolean}} ribbon
 * @param {number} last
 * @param {(turn: number) => number} x
 * @param {(value: number) => number} y
 */
function area({ points, stairs }, last, x, y) {
  const highs = points.map((point) => ({ x: point.x, y: point.high }));
  const lows = points.map((point) => ({ x: point.x, y: point.low }));
  const outline = stairs ? [...asStairs(highs, last), ...asStairs(lows, last).reverse()] : [...highs, ...lows.reverse()];
  return outline.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(" ");
}
