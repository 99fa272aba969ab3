/** The offer: a figure to type and a slider, for several issues a row each, and always what it is worth to oneself. */
import { html, useEffect, useId, useState, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { figure, money, signed, unit } from "../format.js";
import { onGrid, parseFigure } from "../figures.js";
import { part, surplus, surplusText, unitOf, valueText } from "../worth.js";
import { Segments, Slider } from "../ui/field.js";
import { offerOf } from "./action.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("../types.js").Issue} Issue
 * @typedef {import("./draft.js").DraftStore} DraftStore
 */

/**
 * A stretch that is sensible to slide over; the field takes the whole range.
 * @param {Game} game
 * @param {Issue} issue
 */
function stretch(game, issue) {
  if (game.scenario.several) return { min: issue.low, max: issue.high };
  const { own, prior, offers } = game.observation;
  const figures = [own.limit, own.target, prior.walk_away.low, prior.walk_away.high, ...offers.map((made) => made.offer[issue.name])];
  for (const side of Object.values(game.scenario.seats)) {
    const anchor = typeof side.anchor === "number" ? side.anchor : side.anchor?.[issue.name];
    if (Number.isFinite(anchor)) figures.push(Number(anchor));
  }
  const pad = (Math.max(...figures) - Math.min(...figures)) * 0.08;
  return { min: onGrid(issue, Math.min(...figures) - pad), max: onGrid(issue, Math.max(...figures) + pad) };
}

/** @param {{game: Game, draft: DraftStore, off: boolean}} props */
export function OfferControl({ game, draft, off }) {
  const current = draft.draft.value;
  const offer = offerOf(game, current);
  const { several, issues, currency } = game.scenario;
  const set = (/** @type {string} */ name, /** @type {number} */ value) =>
    draft.patch({ offer: { ...offer, [name]: value }, offering: true, fromWords: null });
  const worth = surplus(game.worth, offer);
  return html`
    <div class=${classes("offer", (off || !current.offering) && "offer--off", current.fromWords && "offer--taken", several && "offer--several")} data-spot="offer">
      <${Segments}
        legend=${t("offer.toggle")}
        name="offering"
        value=${current.offering && !off}
        disabled=${off}
        onChange=${(/** @type {boolean} */ offering) => draft.patch({ offering, fromWords: null })}
        options=${[
          { value: true, label: t("offer.with") },
          { value: false, label: t("offer.without") },
        ]}
      />
      ${several
        ? html`<div class="offer__rows">${issues.map((issue) => html`<${Row} key=${issue.name} game=${game} issue=${issue} value=${offer[issue.name]} set=${set} off=${off} />`)}</div>`
        : html`<${Price} game=${game} issue=${issues[0]} value=${offer[issues[0].name]} set=${set} off=${off} />`}
      <p class=${classes("offer__worth", worth < 0 ? "offer__worth--bad" : "offer__worth--good")} aria-live="polite">
        <span class="muted">${t("offer.worth")}</span> <b class="figure">${signed(worth)}</b> <span>${unit(currency)}, ${t(worth < 0 ? "offer.beyond" : "offer.inside")}</span>
      </p>
    </div>
  `;
}

/**
 * A field that takes 150k, 1.2M, 150,000, 15万. It shows the figure again when it is left.
 * @param {{id?: string, issue: Issue, value: number, onValue: (value: number) => void, label: string, disabled?: boolean, describedBy?: string, class?: string}} props
 */
export function FigureField({ id, issue, value, onValue, label, disabled, describedBy, class: name }) {
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const parsed = typed === null ? value : parseFigure(typed);
  const wrong = typed !== null && (parsed === null || parsed < issue.low || parsed > issue.high);
  const own = useId();
  useEffect(() => {
    if (typed !== null && parseFigure(typed) !== value && document.activeElement?.id !== (id ?? own)) setTyped(null);
  }, [value]);
  return html`
    <input class=${classes("input figure", name)} id=${id ?? own} type="text" inputmode="decimal" autocomplete="off"
      value=${typed ?? figure(value)} aria-label=${label} disabled=${disabled}
      aria-invalid=${wrong ? "true" : undefined} aria-describedby=${describedBy}
      title=${wrong ? t("offer.range", { low: figure(issue.low), high: figure(issue.high) }) : undefined}
      onFocus=${(/** @type {any} */ event) => event.target.select()}
      onInput=${(/** @type {any} */ event) => {
        setTyped(event.target.value);
        const found = parseFigure(event.target.value);
        if (found !== null && found >= issue.low && found <= issue.high) onValue(onGrid(issue, found));
      }}
      onBlur=${() => setTyped(null)}
    />
  `;
}

/** @param {{game: Game, issue: Issue, value: number, set: (name: string, value: number) => void, off: boolean}} props */
function Price({ game, issue, value, set, off }) {
  const { min, max } = stretch(game, issue);
  const step = issue.step ?? 1;
  const coarse = Math.max(step, onGrid({ ...issue, low: 0 }, (max - min) / 400) || step);
  return html`
    <div class="offer__price">
      <div class="offer__field">
        <button type="button" class="offer__nudge" aria-label=${t("offer.less")} disabled=${off}
          onClick=${() => set(issue.name, onGrid(issue, value - nudge(max - min, step)))}>−</button>
        <${FigureField} id="offer-figure" issue=${issue} value=${value} label=${tr(issue.title)} disabled=${off} class="offer__input"
          onValue=${(/** @type {number} */ found) => set(issue.name, found)} />
        <button type="button" class="offer__nudge" aria-label=${t("offer.more")} disabled=${off}
          onClick=${() => set(issue.name, onGrid(issue, value + nudge(max - min, step)))}>+</button>
      </div>
      <${Slider} label=${t("offer.slider", { issue: tr(issue.title) })} min=${min} max=${max} step=${coarse} value=${value} disabled=${off}
        text=${`${valueText(issue, value)}, ${surplusText(surplus(game.worth, { [issue.name]: value }), game.scenario.currency)}`}
        onInput=${(/** @type {number} */ found) => set(issue.name, onGrid(issue, found))} />
      <div class="offer__ends figure small muted" aria-hidden="true"><span>${figure(min)}</span><span>${unitOf(issue)}</span><span>${figure(max)}</span></div>
    </div>
  `;
}

/** A round step of about one percent of the stretch. @param {number} span @param {number} step */
function nudge(span, step) {
  const raw = span / 80;
  const power = 10 ** Math.floor(Math.log10(raw));
  const round = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw;
  return Math.max(round, step);
}

/** @param {{game: Game, issue: Issue, value: number, set: (name: string, value: number) => void, off: boolean}} props */
function Row({ game, issue, value, set, off }) {
  const ends = [part(game.worth, issue.name, issue.low), part(game.worth, issue.name, issue.high)];
  const worth = part(game.worth, issue.name, value) - Math.min(...ends);
  const most = Math.max(...ends) - Math.min(...ends);
  return html`
    <div class="offer__row" role="group" aria-label=${tr(issue.title)}>
      <div class="offer__rowhead">
        <span class="field__label">${tr(issue.title)} <span class="muted">${unitOf(issue)}</span></span>
        <span class="small figure soft" title=${t("offer.part.help")}>${t("offer.part", { amount: money(Math.round(worth), game.scenario.currency) })}</span>
      </div>
      ${issue.values
        ? html`<${Segments} legend=${tr(issue.title)} name=${issue.name} value=${value} disabled=${off} class="offer__values"
            options=${issue.values.map((each) => ({ value: each, label: figure(each) }))}
            onChange=${(/** @type {number} */ found) => set(issue.name, found)} />`
        : html`<div class="offer__slide">
            <${FigureField} issue=${issue} value=${value} label=${tr(issue.title)} disabled=${off} onValue=${(/** @type {number} */ found) => set(issue.name, found)} />
            <${Slider} label=${t("offer.slider", { issue: tr(issue.title) })} min=${issue.low} max=${issue.high} step=${issue.step ?? 1} value=${value}
              disabled=${off} text=${valueText(issue, value)} onInput=${(/** @type {number} */ found) => set(issue.name, onGrid(issue, found))} />
          </div>`}
      <div class="offer__share" aria-hidden="true"><i style=${{ width: `${most ? (worth / most) * 100 : 0}%` }}></i></div>
    </div>
  `;
}
