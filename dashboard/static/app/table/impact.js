/** A market headline just broke: how far did it move their limit? Paid at the end, if it was right. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { figure, money } from "../format.js";
import { catalogue } from "../me.js";
import { Slider } from "../ui/field.js";

/**
 * @param {{game: import("../types.js").Game, draft: import("./draft.js").DraftStore}} props
 */
export function Impact({ game, draft }) {
  const { events, turn } = game.observation;
  const most = catalogue.value?.impact_most; // to either side, as a share of the scenario's width
  if (most === undefined || !events.some((event) => event.market && event.turn === turn)) return null;
  const { impact } = draft.draft.value;
  const { width, currency } = game.scenario;
  const say = (/** @type {number | null} */ value) =>
    value === null ? t("impact.none") : value === 0 ? t("impact.zero") : t(value > 0 ? "impact.tighter" : "impact.looser", { amount: money(Math.round(Math.abs(value) * width), currency) });
  return html`
    <div class="impact">
      <label class="field__label" for="impact">${t("impact.label")}</label>
      <${Slider} id="impact" min=${-most} max=${most} step=${0.02} value=${impact ?? 0} text=${say(impact)} onInput=${(/** @type {number} */ value) => draft.patch({ impact: value })} />
      <p class="impact__said small"><b>${say(impact)}</b>
        ${impact !== null && html` <button type="button" class="link-button" onClick=${() => draft.patch({ impact: null })}>${t("impact.clear")}</button>`}
        <span class="muted">${t("impact.help", { width: figure(width) })}</span></p>
    </div>
  `;
}
