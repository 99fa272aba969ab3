/** Headlines in the reader's language. The server tells them in English; the Chinese ones are fetched when first wanted. */
import { html, effect, signal } from "./html.js";
import { locale, tag } from "./i18n.js";

/** @type {import("./html.js").Signal<Map<string, string>>} */
const chinese = signal(new Map());
let asked = false;

effect(() => {
  if (locale.value !== "zh" || asked) return;
  asked = true;
  import("../i18n/zh/headlines.js").then(
    (module) => {
      chinese.value = new Map(Object.entries(module.headlines));
    },
    () => {
      // Until the next switch to Chinese they are read in English.
      asked = false;
    },
  );
});

/**
 * The words of a headline, and their language.
 * @param {string} text as the server tells it
 */
export function headline(text) {
  const words = locale.value === "zh" ? chinese.value.get(text) : undefined;
  return words === undefined ? { words: text, lang: "en" } : { words, lang: tag.value };
}

/** @param {{text: string}} props */
export function Headline({ text }) {
  const { words, lang } = headline(text);
  return html`<bdi class="headline" lang=${lang}>${words}</bdi>`;
}

/**
 * Headlines as marks over the turns of a chart.
 * @param {{turn: number, headline: string}[]} news
 */
export const marks = (news) =>
  news.map((each) => {
    const { words, lang } = headline(each.headline);
    return { x: each.turn, name: words, lang };
  });
