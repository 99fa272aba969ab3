/** They asked something: an answer, true or not, or none. */
import { html } from "../html.js";
import { t, tr } from "../i18n.js";
import { money } from "../format.js";
import { Segments } from "../ui/field.js";
import { FigureField } from "./offer.js";
import { nameInText } from "../ui/opponent.js";

/**
 * @param {{game: import("../types.js").Game, draft: import("./draft.js").DraftStore, topic: string | null}} props
 */
export function Answer({ game, draft, topic }) {
  const { answer, card } = draft.draft.value;
  if (!topic || card === "silence") return null;
  const set = (/** @type {number | null} */ value) => draft.patch({ answer: value });
  const { observation, scenario } = game;
  return html`
    <fieldset class="answer">
      <legend>${t("answer.asked", { name: nameInText(game.opponent), topic: t(`topic.${topic}.short`) })}</legend>
      <div class="answer__row">
        ${topic === "authority"
          ? html`<${FigureField} label=${t("answer.authority")} value=${answer ?? observation.own.limit}
              issue=${{ ...scenario.issues[0], ...(scenario.several ? { low: -1e12, high: 1e12, step: 1, values: null } : {}) }} onValue=${set} />`
          : html`<${Segments} legend=${t(`answer.${topic}`)} name="answer" value=${answer} options=${options(game, topic)} onChange=${set} />`}
        ${answer !== null && html`<button type="button" class="link-button small" onClick=${() => set(null)}>${t("answer.none")}</button>`}
      </div>
      <p class="field__hint">${t("answer.help")} ${t(`answer.truth.${topic}`, {
        turn: observation.own.deadline,
        amount: money(observation.own.limit, scenario.currency),
        alternative: t(observation.own.has_alternative ? "fact.alternative.yes" : "fact.alternative.no"),
      })}</p>
    </fieldset>
  `;
}

/**
 * @param {import("../types.js").Game} game
 * @param {string} topic
 */
function options(game, topic) {
  const { turn, turns_left: left } = game.observation;
  if (topic === "timeline") {
    return Array.from({ length: Math.min(left, 8) }, (_, i) => turn + 1 + i).map((each) => ({ value: each, label: String(each) }));
  }
  if (topic === "alternatives") return [{ value: 1, label: t("answer.have") }, { value: 0, label: t("answer.havenot") }];
  const issues = game.scenario.issues.map((issue, i) => ({ value: i, label: tr(issue.title) }));
  return game.scenario.several ? issues : [...issues, { value: 1, label: t("claim.time") }];
}
