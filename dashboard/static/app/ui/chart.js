/** Small drawings of how things moved, each with its figures as a table for those who can't see it. */
import { html, useState } from "../html.js";
import { t } from "../i18n.js";

/**
 * A line of a few points; `low` and `high` are what its ends stand for.
 * @param {{values: number[], low: number, high: number, tone?: string, label: string}} props
 */
export function Spark({ values, low, high, tone = "gold", label }) {
  const width = 84;
  const height = 22;
  const x = (/** @type {number} */ i) => (values.length > 1 ? (i / (values.length - 1)) * (width - 6) + 3 : width - 3);
  const y = (/** @type {number} */ value) => height - 3 - ((Math.min(Math.max(value, low), high) - low) / (high - low || 1)) * (height - 6);
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const last = values.length - 1;
  return html`
    <svg class=${`spark spark--${tone}`} viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
      ${values.length > 1 && html`<polyline points=${points} fill="none" />`}
      ${values.length > 0 && html`<circle cx=${x(last)} cy=${y(values[last])} r="2.4" />`}
    </svg>
  `;
}

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} tone
 * @property {{x: number, y: number}[]} points
 */

/**
 * Lines over turns with a ribbon behind them and level marks; `say` words a value.
 * @param {{series: Series[], ribbon?: {x: number, low: number, high: number}[], levels?: {y: number, name: string}[],
 *   turns: number, marks?: {x: number, name: string, lang?: string}[], say: (value: number) => string}} props `marks` stand for what happened in a turn
 */
export function TurnChart({ series, ribbon = [], levels = [], turns, marks = [], say }) {
  const width = 320;
  const height = 176;
  const left = 8;
  const right = 70;
  const top = 12;
  const bottom = 24;
  const all = [...series.flatMap((each) => each.points.map((p) => p.y)), ...levels.map((level) => level.y)];
  if (!all.length) return null;
  let low = Math.min(...all);
  let high = Math.max(...all);
  const pad = (high - low || Math.abs(high) || 1) * 0.1;
  low -= pad;
  high += pad;
  const x = (/** @type {number} */ turn) => left + (turn / turns) * (width - left - right);
  const y = (/** @type {number} */ value) => top + (1 - (Math.min(Math.max(value, low), high) - low) / (high - low)) * (height - top - bottom);
  const path = (/** @type {{x: number, y: number}[]} */ points) => points.map((p) => `${x(p.x).toFixed(1)},${y(p.y).toFixed(1)}`).join(" ");
  const area = [...ribbon.map((r) => ({ x: r.x, y: r.high })), ...ribbon.map((r) => ({ x: r.x, y: r.low })).reverse()];
  const ends = apart(
    [
      ...series.filter((each) => each.points.length).map((each) => ({ tone: each.tone, y: y(each.points.at(-1)?.y ?? 0), value: each.points.at(-1)?.y ?? 0, x: x(each.points.at(-1)?.x ?? 0) })),
    ],
    13,
  );
  return html`
    <svg class="chart" viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
      ${[0, 5, 10, 15, 20].filter((turn) => turn <= turns).map((turn) => html`
        <line class="chart__grid" x1=${x(turn)} x2=${x(turn)} y1=${top} y2=${height - bottom} />
        <text class="chart__tick" x=${x(turn)} y=${height - 8} text-anchor="middle">${turn}</text>
      `)}
      ${area.length > 2 && html`<polygon class="chart__ribbon" points=${path(area)} />`}
      ${marks.map((mark) => html`<line class="chart__mark" x1=${x(mark.x)} x2=${x(mark.x)} y1=${top} y2=${height - bottom}><title lang=${mark.lang}>${mark.name}</title></line>`)}
      ${levels.map((level) => html`
        <line class="chart__level" x1=${left} x2=${width - right} y1=${y(level.y)} y2=${y(level.y)} />
        <text class="chart__levelname" x=${left + 2} y=${y(level.y) - 4}>${level.name}</text>
      `)}
      ${series.map((each) => html`
        <polyline class=${`chart__line chart__line--${each.tone}`} points=${path(each.points)} fill="none" />
        ${each.points.map((p) => html`<circle class=${`chart__dot chart__dot--${each.tone}`} cx=${x(p.x)} cy=${y(p.y)} r="2.6" />`)}
      `)}
      ${ends.map((end) => html`<text class=${`chart__end chart__end--${end.tone}`} x=${Math.max(end.x + 8, left)} y=${end.y + 4}>${say(end.value)}</text>`)}
    </svg>
  `;
}

/**
 * The same places, moved apart until none overlap.
 * @template {{y: number}} T
 * @param {T[]} places
 * @param {number} least
 * @returns {T[]}
 */
function apart(places, least) {
  const sorted = [...places].sort((a, b) => a.y - b.y).map((place) => ({ ...place }));
  for (let i = 1; i < sorted.length; i++) {
    const overlap = least - (sorted[i].y - sorted[i - 1].y);
    if (overlap > 0) {
      sorted[i - 1].y -= overlap / 2;
      sorted[i].y += overlap / 2;
    }
  }
  return sorted;
}

/**
 * A drawing that can be read as a table: always by a screen reader, by everybody on request.
 * @param {{drawing: any, table: any, class?: string}} props
 */
export function Drawn({ drawing, table, class: name }) {
  const [asTable, setAsTable] = useState(false);
  return html`
    <div class=${name}>
      ${!asTable && drawing}
      <div class=${asTable ? "scroll-x" : "hidden-visually"} tabindex=${asTable ? 0 : undefined}
        role=${asTable ? "group" : undefined} aria-label=${asTable ? t("chart.table") : undefined}>${table}</div>
      <button type="button" class="link-button small" onClick=${() => setAsTable(!asTable)}>
        ${t(asTable ? "chart.asDrawing" : "chart.asTable")}
      </button>
    </div>
  `;
}
