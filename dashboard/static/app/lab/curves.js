/** Lines over steps, named at their ends, with a mark at the step that is looked at. */
import { html, classes } from "../html.js";
import { apart, textWidth, ticks, useWidth } from "../ui/width.js";

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} tone
 * @property {{x: number, y: number}[]} points
 * @property {boolean} [strong]
 * @property {boolean} [area] fill what lies below
 */

const TOP = 14;
const BOTTOM = 28;

/**
 * @param {{lines: Line[], last: number, first?: number, range: [number, number], axis: string, say: (value: number) => string,
 *   sayStep?: (step: number) => string, every?: number, levels?: {y: number, name: string}[], at?: number | null, height?: number}} props
 */
export function Curves({ lines, last, first = 0, range: [low, high], axis, say, sayStep = String, levels = [], at = null, height = 250, every }) {
  const [place, width] = useWidth();
  const narrow = width < 460;
  const marks = ticks(low, high, Math.max(2, Math.round((height - TOP - BOTTOM) / 48)));
  const left = Math.max(...marks.map((mark) => textWidth(say(mark), 11))) + 12;
  const right = narrow ? 12 : Math.max(...lines.map((line) => textWidth(line.name, 12)), 20) + 18;
  const x = (/** @type {number} */ step) => left + ((step - first) / (last - first)) * (width - left - right);
  const y = (/** @type {number} */ value) => TOP + (1 - (Math.min(Math.max(value, low), high) - low) / (high - low)) * (height - TOP - BOTTOM);
  const path = (/** @type {{x: number, y: number}[]} */ points) => points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(" ");
  const steps = every ? Array.from({ length: Math.floor((last - first) / every) }, (_, n) => first + n * every) : ticks(first, last, Math.max(3, Math.round((width - left - right) / 90)));
  const drawn = lines.filter((line) => line.points.length);
  const ends = apart(drawn.map((line) => ({ line, y: y(line.points.at(-1)?.y ?? 0) })), 15, TOP + 4, height - BOTTOM - 2);
  return html`
    <div class="curves" ref=${place}>
      <svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
        ${marks.map((mark) => html`
          <line class="curves__grid" x1=${left} x2=${width - right} y1=${y(mark)} y2=${y(mark)} />
          <text x=${left - 8} y=${y(mark) + 4} text-anchor="end">${say(mark)}</text>
        `)}
        ${steps.map((step) => html`
          <text x=${x(step)} y=${height - 10} text-anchor="middle">${sayStep(step)}</text>`)}
        ${!narrow && html`<text x=${width - right + 14} y=${height - 10}>${axis}</text>`}
        ${levels.map((level) => html`
          <line class="curves__level" x1=${left} x2=${width - right} y1=${y(level.y)} y2=${y(level.y)} />
          <text class="curves__levelname" x=${width - right} y=${y(level.y) - 6} text-anchor="end">${level.name}</text>
        `)}
        ${at !== null && html`<line class="curves__at" x1=${x(at)} x2=${x(at)} y1=${TOP - 6} y2=${height - BOTTOM} />`}
        ${drawn.map((line) => line.area && html`
          <polygon class=${`curves__area tone--${line.tone}`} points=${`${x(line.points[0].x)},${y(low)} ${path(line.points)} ${x(line.points.at(-1)?.x ?? 0)},${y(low)}`} />`)}
        ${drawn.map((line) => html`
          <polyline class=${classes("curves__line", `tone--${line.tone}`, line.strong && "curves__line--strong")} points=${path(line.points)} />`)}
        ${!narrow && ends.map(({ line, y: height }) => html`<text class=${`curves__end tone--${line.tone}`} x=${width - right + 8} y=${height + 4}>${line.name}</text>`)}
      </svg>
      ${narrow && lines.length > 1 && html`
        <ul class="curves__legend" aria-hidden="true">
          ${lines.map((line) => html`<li><i class=${`curves__key tone--${line.tone}`}></i>${line.name}</li>`)}
        </ul>
      `}
    </div>
  `;
}
