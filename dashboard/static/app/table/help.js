/** The keyboard, and the words of the game. */
import { html, useEffect } from "../html.js";
import { t } from "../i18n.js";
import { Dialog } from "../ui/dialog.js";

/** @type {{key: string, does: string, target?: string, tab?: "table" | "talk" | "read"}[]} */
const KEYS = [
  { key: "w", does: "help.key.words", target: "words", tab: "table" },
  { key: "o", does: "help.key.offer", target: "offer-figure", tab: "table" },
  { key: "a", does: "help.key.ask", target: "ask", tab: "table" },
  { key: "b", does: "help.key.belief", target: "belief-limit", tab: "read" },
];
const WORDS = ["limit", "room", "tension", "trust", "credibility", "points", "score"];

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement && (target.matches("textarea, select, input:not([type=range], [type=radio], [type=checkbox])") || target.isContentEditable);

/**
 * Keys that work while nothing is being typed.
 * @param {{openHelp: () => void, show: (tab: "table" | "talk" | "read") => void}} does
 */
export function useShortcuts({ openHelp, show }) {
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
      if (event.key === "?") {
        event.preventDefault();
        openHelp();
        return;
      }
      const found = KEYS.find(({ key }) => key === event.key);
      if (!found) return;
      event.preventDefault();
      if (found.tab) show(found.tab);
      requestAnimationFrame(() => {
        const place = document.getElementById(found.target ?? "") ?? document.querySelector(".offer__rows input");
        if (place instanceof HTMLElement) place.focus();
      });
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** @param {{open: boolean, onClose: () => void, game: import("../types.js").Game}} props */
export const Help = ({ open, onClose }) => html`
  <${Dialog} open=${open} onClose=${onClose} wide title=${t("help.title")}
    actions=${html`<button type="button" class="button" autofocus onClick=${onClose}>${t("state.close")}</button>`}>
    <dl class="keys">
      <div><dt><kbd class="key">?</kbd></dt><dd>${t("help.key.help")}</dd></div>
      ${KEYS.map(({ key, does }) => html`<div><dt><kbd class="key">${key}</kbd></dt><dd>${t(does)}</dd></div>`)}
      <div><dt><kbd class="key">Ctrl</kbd> <kbd class="key">Enter</kbd></dt><dd>${t("help.key.send")}</dd></div>
      <div><dt><kbd class="key">Esc</kbd></dt><dd>${t("help.key.escape")}</dd></div>
    </dl>
    <h3>${t("help.words")}</h3>
    <dl class="glossary small">
      ${WORDS.map((word) => html`<div><dt>${t(`help.word.${word}`)}</dt><dd class="soft">${t(`help.word.${word}.is`)}</dd></div>`)}
    </dl>
  <//>
`;
