/** Questions: the other side answers with a claim, or evades. */
import { html } from "../html.js";
import { t, has } from "../i18n.js";
import { catalogue } from "../me.js";

/**
 * @param {{game: import("../types.js").Game, draft: import("./draft.js").DraftStore}} props
 */
export function Asking({ game, draft }) {
  const found = catalogue.value;
  const topics = (found?.topics ?? []).map((topic) => (typeof topic === "string" ? { id: topic, cost: found?.question_cost } : topic));
  const open = game.observation.available_moves.includes("question");
  const { question, card } = draft.draft.value;
  const cost = topics.find((topic) => topic.cost !== undefined)?.cost;
  return html`
    <div class="ask">
      <label class="field__label" for="ask">${t("ask.label")}${cost !== undefined && html` <span class="muted figure">${t("ask.cost", { n: cost })}</span>`}</label>
      <select id="ask" class="input" disabled=${!open || card === "silence"} value=${question ?? ""}
        title=${open ? t("ask.help") : t("ask.closed")}
        onChange=${(/** @type {any} */ event) => draft.patch({ question: event.target.value || null, ...(event.target.value ? { card: null, item: null, claim: null } : {}) })}>
        <option value="">${t(card && card !== "silence" ? "ask.instead" : "ask.nothing")}</option>
        ${topics.map(({ id }) => html`<option value=${id}>${has(`topic.${id}.ask`) ? t(`topic.${id}.ask`) : id}</option>`)}
      </select>
    </div>
  `;
}
