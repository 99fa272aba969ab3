/** Figures, shares and times as the reader's language writes them. */
import { t, tag } from "./i18n.js";

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export function number(value, options = {}) {
  const key = tag.value + JSON.stringify(options);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.NumberFormat(tag.value, options)));
  return format.format(value);
}

/**
 * A figure of money or of an issue: as many decimals as it has, at most two.
 * @param {number} value
 */
export function figure(value) {
  const decimals = Number.isInteger(Math.round(value * 1e6) / 1e6) ? 0 : 2;
  return number(value, { minimumFractionDigits: decimals, maximumFractionDigits: 2 });
}

/**
 * `125,000 USD`.
 * @param {number} value
 * @param {string} currency
 */
export const money = (value, currency) => t("format.money", { amount: figure(whole(value)), currency: unit(currency) });

/**
 * A currency, or the unit of an issue, in words.
 * @param {string} code
 */
export function unit(code) {
  const known = t(`unit.${code}`);
  return known === `unit.${code}` ? code : known;
}

/**
 * `+12,300` or `−4,000`.
 * @param {number} value
 */
export const signed = (value) => `${value < 0 ? "−" : "+"}${figure(whole(Math.abs(value)))}`;

/**
 * What something is worth, as precisely as anybody reads it.
 * @param {number} value
 */
export const whole = (value) => (Math.abs(value) >= 100 ? Math.round(value) : value);

/**
 * `150k`, `1.2M`; in Chinese `15万`.
 * @param {number} value
 */
export const short = (value) => number(value, { notation: "compact", maximumSignificantDigits: 4 });

/**
 * @param {number} share 0…1
 * @param {number} [decimals]
 */
export const percent = (share, decimals = 0) =>
  number(share, { style: "percent", minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/**
 * @param {string} iso
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function date(iso, options = { dateStyle: "medium", timeStyle: "short" }) {
  return new Intl.DateTimeFormat(tag.value, options).format(new Date(iso));
}

/**
 * `3 hours ago`.
 * @param {string} iso
 */
export function ago(iso) {
  const seconds = (new Date(iso).getTime() - Date.now()) / 1000;
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const format = new Intl.RelativeTimeFormat(tag.value, { numeric: "auto" });
  for (const [unit, size] of units) if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  return t("format.now");
}

/**
 * `a, b and c`.
 * @param {string[]} parts
 */
export const list = (parts) => new Intl.ListFormat(tag.value, { type: "conjunction" }).format(parts);
