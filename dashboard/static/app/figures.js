/** Figures as people type them: 150k, 1.2M, 150,000, 15万. Only a help while typing; the server reads words itself. */

/** @type {Record<string, number>} */
const MAGNITUDES = {
  k: 1e3, thousand: 1e3, grand: 1e3, 千: 1e3,
  m: 1e6, mn: 1e6, mio: 1e6, mln: 1e6, mm: 1e6, million: 1e6,
  b: 1e9, bn: 1e9, billion: 1e9,
  万: 1e4, 萬: 1e4, w: 1e4, 百万: 1e6, 千万: 1e7, 亿: 1e8, 億: 1e8,
};

/** Groups of three after a comma or a space; after a dot where it can be no decimal point; groups of two, as in India. */
const GROUPED = [
  "\\d{1,3}(?:[,'’ \\u00a0\\u202f]\\d{3})+(?:\\.\\d+)?",
  "(?:\\d{1,3}(?:\\.\\d{3}){2,}|\\d{3}\\.\\d{3})(?:,\\d{1,2})?|\\d{1,3}\\.\\d{3},\\d{1,2}",
  "\\d{1,2}(?:,\\d{2})+,\\d{3}",
];
const NUMBER = [...GROUPED, "\\d+(?:\\.\\d+)?|\\.\\d+"].join("|");
const DOTTED = new RegExp(`^(?:${GROUPED[1]})$`);
const DECIMAL_COMMA = /^\d+,\d{1,2}$/;
const MAGNITUDE = "thousand|grand|million|billion|mln|mio|mn|mm|bn|百万|千万|[kmbw千万萬亿億]";
const TYPED = new RegExp(`^[$€£¥]?\\s*(${NUMBER}|\\d+,\\d{1,2})\\s*(${MAGNITUDE})?\\s*(?:usd|美元|dollars?)?$`, "i");
const IN_WORDS = new RegExp(
  `(?<![\\d.,#:/_a-z-])([$€£¥]?)\\s?(${NUMBER})\\s?(?:(${MAGNITUDE})(?![a-z]))?(?![\\d:/_]|[,.]\\d)`,
  "gi",
);
const COUNTED =
  /^\s*(?:%|‰|percent|per cent|(?:st|nd|rd|th)\b|(?:(?!(?:an?|per|each|every)\b)[a-z]+\s)?(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?|turns?|rounds?|units?|pieces|items|users?|seats?|licen[cs]es?|people|customers?|times)\b|[天日周月年件个台套人家位次回轮成])/i;

/** @param {string} text */
function halfwidth(text) {
  return text.replace(/[！-～]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)).replace(/￥/g, "¥");
}

/** A figure's digits with a decimal point and nothing else. @param {string} digits @param {boolean} scaled a magnitude follows */
function plain(digits, scaled) {
  const dotted = DOTTED.test(digits) && !(scaled && /^\d+\.\d+$/.test(digits));
  if (dotted) return digits.replace(/\./g, "").replace(",", ".");
  return DECIMAL_COMMA.test(digits) ? digits.replace(",", ".") : digits.replace(/[,'’ \u00a0\u202f]/g, "");
}

/** @param {string} digits @param {string | undefined} magnitude */
function valueOf(digits, magnitude) {
  const factor = magnitude ? (MAGNITUDES[magnitude.toLowerCase()] ?? 1) : 1;
  return Math.round(Number(plain(digits, !!magnitude)) * factor * 1e6) / 1e6;
}

/**
 * The figure that was typed; null if it is none.
 * @param {string} text
 * @returns {number | null}
 */
export function parseFigure(text) {
  const match = TYPED.exec(halfwidth(text).trim());
  return match ? valueOf(match[1], match[2]) : null;
}

/**
 * The amounts that words name within a range, each once.
 * @param {string} text
 * @param {number} low
 * @param {number} high
 */
export function amountsIn(text, low, high) {
  /** @type {number[]} */
  const found = [];
  const words = halfwidth(text);
  for (const match of words.matchAll(IN_WORDS)) {
    const after = words.slice(match.index + match[0].length);
    const value = valueOf(match[2], match[3]);
    if (COUNTED.test(after) || value < low || value > high || found.includes(value)) continue;
    found.push(value);
  }
  return found;
}

/**
 * The nearest figure that may be offered.
 * @param {import("./types.js").Issue} issue
 * @param {number} value
 */
export function onGrid(issue, value) {
  if (issue.values) return issue.values.reduce((a, b) => (Math.abs(b - value) < Math.abs(a - value) ? b : a));
  const step = issue.step ?? 1;
  const steps = Math.round(Math.min(Math.max(value, issue.low), issue.high) / step);
  return Math.round(steps * step * 100) / 100;
}
