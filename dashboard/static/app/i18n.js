/** Texts in the reader's language, and the language itself. */
import { signal, computed, effect } from "./html.js";
import { en } from "../i18n/en.js";
import { zh } from "../i18n/zh.js";

/** @typedef {"en" | "zh"} Locale */

const KEY = "parlay.locale";
/** @type {Record<Locale, Record<string, string>>} */
const DICTIONARIES = { en, zh };

/** @returns {Locale} */
function preferred() {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "en" || kept === "zh") return kept;
  } catch {
    // A browser that keeps nothing asks again every time.
  }
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** @type {import("./html.js").Signal<Locale>} */
export const locale = signal(preferred());

/** The tag that figures and dates are formatted by. */
export const tag = computed(() => (locale.value === "zh" ? "zh-CN" : "en-US"));

effect(() => {
  document.documentElement.lang = tag.value;
});

/** @param {Locale} chosen */
export function setLocale(chosen) {
  locale.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // It holds for this page.
  }
}

/**
 * The text of this key with its figures put in; `key.one` is taken for `n` = 1 where there is one.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const texts = DICTIONARIES[locale.value];
  const text = (values.n === 1 && texts[`${key}.one`]) || texts[key] || DICTIONARIES.en[key] || key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * Is there a text of this key?
 * @param {string} key
 */
export const has = (key) => key in DICTIONARIES.en;

/**
 * A text that the server has in both languages.
 * @param {{en: string, zh: string} | string | null | undefined} text
 */
export function tr(text) {
  if (!text) return "";
  return typeof text === "string" ? text : text[locale.value] || text.en;
}

/** A title as it stands within a sentence. @param {string} text */
export const inText = (text) => (locale.value === "en" ? text.charAt(0).toLowerCase() + text.slice(1) : text);
