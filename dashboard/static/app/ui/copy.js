/** Copy a text, and say that it is copied; where the browser does not let us, show it to be copied by hand. */
import { html, useEffect, useRef, useState, classes } from "../html.js";
import { t } from "../i18n.js";

/** @param {{text: string, label: string, small?: boolean, primary?: boolean}} props */
export function CopyButton({ text, label, small = false, primary = false }) {
  const [state, setState] = useState(/** @type {"" | "copied" | "byhand"} */ (""));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    if (state === "byhand") field.current?.select();
    if (state !== "copied") return undefined;
    const timer = setTimeout(() => setState(""), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
      () => setState("copied"),
      () => setState("byhand"),
    );
  return html`
    <button type="button" class=${classes("button copy", small && "button--small", primary && "button--primary")} onClick=${copy}>
      <span class=${classes("copy__label", state === "copied" && "copy__label--off")}>${label}</span>
      <span class="copy__done" aria-hidden=${state !== "copied"}>${state === "copied" ? t("copy.done") : ""}</span>
    </button>
    <span class="hidden-visually" role="status">${state === "copied" ? t("copy.done") : ""}</span>
    ${state === "byhand" && html`<input class="input copy__byhand" readonly ref=${field} value=${text} aria-label=${label} />`}
  `;
}
