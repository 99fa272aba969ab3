/** A scenario of one's own: as YAML, checked on the spot, or made by a small form. */
import { html, useEffect, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { figure } from "../format.js";
import { ApiError } from "../api.js";
import { parseFigure } from "../figures.js";
import { Dialog } from "../ui/dialog.js";
import { Field, Segments } from "../ui/field.js";
import { Notice } from "../ui/panel.js";
import { rooms } from "./api.js";

/** @typedef {import("../types.js").Scenario} Scenario */

const CHECK_AFTER = 500;
const FIGURES = ["seller_limit", "seller_anchor", "buyer_limit", "buyer_anchor", "step"];
const BLANK = {
  title: "",
  currency: "USD",
  seller_role: "",
  buyer_role: "",
  seller_briefing: "",
  buyer_briefing: "",
  seller_limit: "",
  seller_anchor: "",
  buyer_limit: "",
  buyer_anchor: "",
  step: "",
};

/**
 * The form's scenario as YAML: what JSON can say is YAML, too.
 * @param {typeof BLANK} form
 */
function toYaml(form) {
  const text = (/** @type {string} */ words) => ({ en: words.trim() || "–" });
  const side = (/** @type {"seller" | "buyer"} */ seat) => ({
    role: text(form[`${seat}_role`]),
    briefing: text(form[`${seat}_briefing`]),
    limit: parseFigure(form[`${seat}_limit`]) ?? 0,
    anchor: parseFigure(form[`${seat}_anchor`]) ?? 0,
  });
  const price = { name: "price", title: { en: "Price", zh: "价格" }, step: parseFigure(form.step) ?? 1 };
  return JSON.stringify({
    id: "own_price",
    title: text(form.title),
    unit: "price",
    currency: form.currency.trim() || "USD",
    issues: [price],
    seller: side("seller"),
    buyer: side("buyer"),
  });
}

/** What is wrong with a scenario, a line each. @param {unknown} failure @returns {string[]} */
function problemsOf(failure) {
  if (!(failure instanceof ApiError)) return [t("error.unknown")];
  const found = Array.isArray(failure.details) ? failure.details.map((each) => each?.message ?? each?.msg).filter(Boolean) : [];
  return found.length ? found : [failure.words];
}

/**
 * @param {{open: boolean, onClose: () => void, onChosen: (yaml: string, scenario: Scenario) => void}} props
 */
export function OwnScenario({ open, onClose, onChosen }) {
  const [way, setWay] = useState("form");
  const [yaml, setYaml] = useState("");
  const [form, setForm] = useState(BLANK);
  const [checked, setChecked] = useState(/** @type {{yaml: string, scenario: Scenario | null, problems: string[]} | null} */ (null));
  const complete = form.title.trim() && FIGURES.every((name) => parseFigure(form[/** @type {keyof typeof BLANK} */ (name)]) !== null);
  const text = way === "yaml" ? yaml : complete ? toYaml(form) : "";

  useEffect(() => {
    if (!open || !text.trim()) {
      setChecked(null);
      return undefined;
    }
    let stale = false;
    const timer = setTimeout(() => {
      rooms.check(text).then(
        ({ scenario }) => stale || setChecked({ yaml: text, scenario, problems: [] }),
        (failure) => stale || setChecked({ yaml: text, scenario: null, problems: problemsOf(failure) }),
      );
    }, CHECK_AFTER);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [text, open]);

  const current = checked && checked.yaml === text ? checked : null;
  const upload = async (/** @type {any} */ event) => {
    const file = event.target.files?.[0];
    if (file) setYaml(await file.text());
    event.target.value = "";
  };
  return html`
    <${Dialog} open=${open} onClose=${onClose} wide=${true} title=${t("own.title")} actions=${html`
      <button type="button" class="button" onClick=${onClose}>${t("state.cancel")}</button>
      <button type="button" class="button button--primary" disabled=${!current?.scenario} onClick=${() => current?.scenario && onChosen(text, current.scenario)}>${t("own.use")}</button>
    `}>
      <${Segments} legend=${t("own.title")} name="way" value=${way} onChange=${setWay} options=${[{ value: "form", label: t("own.form") }, { value: "yaml", label: t("own.yaml") }]} />
      ${way === "yaml"
        ? html`
            <${Field} label=${t("own.file")} hint=${t("own.file.hint")}>
              ${(/** @type {any} */ bind) => html`<input type="file" class="input" accept=".yaml,.yml,text/yaml,text/plain" ...${bind} onChange=${upload} />`}
            <//>
            <${Field} label=${t("own.paste")}>
              ${(/** @type {any} */ bind) => html`<textarea class="input own__yaml" rows="10" spellcheck="false" ...${bind} value=${yaml} onInput=${(/** @type {any} */ event) => setYaml(event.target.value)}></textarea>`}
            <//>
          `
        : html`<${PriceForm} form=${form} onChange=${setForm} />`}
      <div class="own__state" aria-live="polite">
        ${!text.trim() && html`<p class="small muted">${t(way === "yaml" ? "own.empty.yaml" : "own.empty.form")}</p>`}
        ${text.trim() && !current && html`<p class="small muted">${t("own.checking")}</p>`}
        ${current?.problems.length ? html`<${Notice} tone="bad"><b>${t("own.problems")}</b><ul class="own__problems">${current.problems.map((problem) => html`<li>${problem}</li>`)}</ul><//>` : ""}
        ${current?.scenario && html`<${Notice} tone="gold"><b>${t("own.fine", { title: tr(current.scenario.title) })}</b> ${t("own.width", { width: figure(current.scenario.width), currency: current.scenario.currency })}<//>`}
      </div>
    <//>
  `;
}

/** @param {{form: typeof BLANK, onChange: (form: typeof BLANK) => void}} props */
function PriceForm({ form, onChange }) {
  const input = (/** @type {keyof typeof BLANK} */ name, /** @type {string} */ label, /** @type {string} */ hint = "", figures = false) => html`
    <${Field} label=${label} hint=${hint || undefined} error=${figures && form[name] && parseFigure(form[name]) === null ? t("own.figure") : undefined}>
      ${(/** @type {any} */ bind) => html`<input class="input" ...${bind} value=${form[name]} inputmode=${figures ? "decimal" : undefined} autocomplete="off"
        onInput=${(/** @type {any} */ event) => onChange({ ...form, [name]: event.target.value })} />`}
    <//>
  `;
  const side = (/** @type {"seller" | "buyer"} */ seat) => html`
    <fieldset class="own__side">
      <legend class="own__legend">${t(`own.${seat}`)}</legend>
      ${input(`${seat}_role`, t("own.role"))} ${input(`${seat}_limit`, t("own.limit"), t(`own.limit.${seat}`), true)}
      ${input(`${seat}_anchor`, t("own.anchor"), t(`own.anchor.${seat}`), true)}
      <${Field} label=${t("own.briefing")}>
        ${(/** @type {any} */ bind) => html`<textarea class="input" rows="3" ...${bind} value=${form[`${seat}_briefing`]} onInput=${(/** @type {any} */ event) => onChange({ ...form, [`${seat}_briefing`]: event.target.value })}></textarea>`}
      <//>
    </fieldset>
  `;
  return html`
    <div class="own__top">${input("title", t("own.name"))} ${input("currency", t("own.currency"))} ${input("step", t("own.step"), t("own.step.hint"), true)}</div>
    <div class="own__sides">${side("seller")} ${side("buyer")}</div>
  `;
}
