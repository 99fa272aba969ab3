/** A market headline just broke: how far did it move their limit? Paid at the end, if it was right. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { figure, money } from "../format.js";
import { Slider } from "../ui/field.js";

/** How far the slider goes to either side, as a share of the scenario's width. */
const REACH = 0.3;

/**
 * @param {{game: import("../types.js").Game, draft: import("./draft.js").DraftStore}} props
 */
export function Impact({ game, draft }) {
  const { events, turn } = game.observation;
  if (!events.some((event) => event.market && event.turn === turn)) return null;
  const { impact } = draft.draft.value;
  const { width, currency } = game.scenario;
  const say = (/** @type {number | null} */ value) =>
    value === null ? t("impact.none") : value === 0 ? t("impact.zero") : t(value > 0 ? "impact.tighter" : "impact.looser", { amount: money(Math.round(Math.abs(value) * width), currency) });
  return html`
    <div class="impact">
      <label class="field__label" for="impact">${t("impact.label")}</label>
      <${Slider} id="impact" min=${-REACH} max=${REACH} step=${0.02} value=${impact ?? 0} text=${say(impact)} onInput=${(/** @type {number} */ value) => draft.patch({ impact: value })} />
      <p class="impact__said small"><b>${say(impact)}</b>
        ${impact !== null && html` <button type="button" class="link-button" onClick=${() => draft.patch({ impact: null })}>${t("impact.clear")}</button>`}
        <span class="muted">${t("impact.help", { width: figure(width) })}</span></p>
    </div>
  `;
}
