/** One line of prices (or of worth): both limits, what lies between, the offers, the Nash point, the deal. */
import { html } from "../html.js";
import { textWidth, useWidth } from "./width.js";

/**
 * @typedef {object} Peg
 * @property {number} at
 * @property {string} label
 * @property {string} value
 * @property {"mine" | "theirs" | "truth" | "deal"} tone
 * @property {"top" | "bottom"} side
 * @property {"bar" | "dot" | "diamond" | "deal"} mark
 *
 * @typedef {{from: number, to: number, tone: string, label?: string}} Stretch
 */

const LINE = 40;
const ROW = 38;

/**
 * Where the texts of one side's pegs go: side by side where there is room, else in rows, never on one another.
 * @param {Peg[]} pegs
 * @param {(value: number) => number} x
 * @param {number} width
 */
function placed(pegs, x, width) {
  const texts = [...pegs]
    .sort((a, b) => a.at - b.at)
    .map((peg) => {
      const half = Math.max(textWidth(peg.label, 12), textWidth(peg.value, 14)) / 2 + 6;
      return { peg, half, middle: Math.min(Math.max(x(peg.at), half), width - half), row: 0 };
    });
  if (texts.reduce((sum, { half }) => sum + 2 * half, 0) <= width) return sideBySide(texts, width);
  /** @type {number[]} */
  const ends = [];
  for (const text of texts) {
    const free = ends.findIndex((end) => end <= text.middle - text.half);
    text.row = free < 0 ? ends.length : free;
    ends[text.row] = text.middle + text.half;
  }
  return texts;
}

/**
 * Push texts apart, and back from the edges.
 * @template {{half: number, middle: number}} T
 * @param {T[]} texts
 * @param {number} width
 */
function sideBySide(texts, width) {
  for (let round = 0; round < 30; round++) {
    for (let i = 1; i < texts.length; i++) {
      const overlap = texts[i - 1].middle + texts[i - 1].half - (texts[i].middle - texts[i].half);
      if (overlap <= 0) continue;
      texts[i - 1].middle -= overlap / 2;
      texts[i].middle += overlap / 2;
    }
    for (const text of texts) text.middle = Math.min(Math.max(text.middle, text.half), width - text.half);
  }
  return texts;
}

/** The widest part between these places. @param {number[]} places @returns {[number, number]} */
function widest(places) {
  const sorted = [...places].sort((a, b) => a - b);
  let best = 0;
  for (let i = 1; i + 1 < sorted.length; i++) if (sorted[i + 1] - sorted[i] > sorted[best + 1] - sorted[best]) best = i;
  return [sorted[best], sorted[best + 1]];
}

/**
 * @param {{pegs: Peg[], stretches: Stretch[], label: string}} props `label`: the whole in words
 */
export function Axis({ pegs, stretches, label }) {
  const [place, width] = useWidth();
  const all = [...pegs.map((peg) => peg.at), ...stretches.flatMap((each) => [each.from, each.to])];
  const spread = Math.max(...all) - Math.min(...all) || 1;
  const low = Math.min(...all) - spread * 0.07;
  const high = Math.max(...all) + spread * 0.07;
  const x = (/** @type {number} */ value) => 8 + ((value - low) / (high - low)) * (width - 16);
  const above = placed(pegs.filter((peg) => peg.side === "top"), x, width);
  const below = placed(pegs.filter((peg) => peg.side === "bottom"), x, width);
  const top = Math.max(0, ...above.map((each) => each.row + 1)) * ROW;
  const bottom = Math.max(0, ...below.map((each) => each.row + 1)) * ROW;
  const line = top + LINE / 2;
  const height = top + LINE + bottom;
  return html`
    <div class="axis" ref=${place} role="img" aria-label=${label}>
      <svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">
        <rect class="axis__track" x="4" y=${line - 5} width=${Math.max(width - 8, 0)} height="10" rx="5" />
        ${stretches.map((each) => {
          const [from, to] = [x(Math.min(each.from, each.to)), x(Math.max(each.from, each.to))];
          const [start, end] = widest([from, ...pegs.map((peg) => x(peg.at)).filter((at) => at > from && at < to), to]);
          const fits = each.label && textWidth(each.label, 12) + 26 < end - start;
          return html`
            <rect class=${`axis__stretch axis__stretch--${each.tone}`} x=${from} y=${line - 11} width=${Math.max(to - from, 1)} height="22" rx="4" />
            ${fits && html`<text class=${`axis__inside axis__inside--${each.tone}`} x=${(start + end) / 2} y=${line + 4} text-anchor="middle">${each.label}</text>`}
          `;
        })}
        ${[...above.map((each) => ({ ...each, up: true })), ...below.map((each) => ({ ...each, up: false }))].map(({ peg, middle, row, up }) => {
          const at = x(peg.at);
          const text = up ? top - row * ROW - ROW : line + LINE / 2 + row * ROW;
          const stem = up ? text + ROW - 4 : text + 2;
          const bend = up ? line - 13 : line + 13;
          return html`
            <path class=${`axis__stem axis__stem--${peg.tone}`} d=${row === 0 ? `M${at} ${line}V${bend}L${middle} ${stem}` : `M${at} ${line}V${stem}`} />
            <${Sign} mark=${peg.mark} tone=${peg.tone} x=${at} y=${line} />
            <text class="axis__label" x=${middle} y=${text + 13} text-anchor="middle">${peg.label}</text>
            <text class=${`axis__value axis__value--${peg.tone}`} x=${middle} y=${text + 29} text-anchor="middle">${peg.value}</text>
          `;
        })}
      </svg>
    </div>
  `;
}

/** @param {{mark: Peg["mark"], tone: string, x: number, y: number}} props */
function Sign({ mark, tone, x, y }) {
  const name = `axis__mark axis__mark--${tone}`;
  if (mark === "bar") return html`<rect class=${name} x=${x - 2} y=${y - 14} width="4" height="28" rx="2" />`;
  if (mark === "diamond") return html`<path class=${name} d=${`M${x} ${y - 8}l8 8-8 8-8-8Z`} />`;
  if (mark === "deal") {
    return html`<circle class=${name} cx=${x} cy=${y} r="11" /><path class="axis__tick" d=${`M${x - 4.5} ${y}l3.2 3.6 5.800-7`} />`;
  }
  return html`<circle class=${name} cx=${x} cy=${y} r="7" />`;
}
