/** What one makes of them: the tracker's bars, and one's own belief, which goes with the next move. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { figure, money, percent } from "../format.js";
import { Panel } from "../ui/panel.js";
import { Slider } from "../ui/field.js";
import { estimateFrom, newestEstimate } from "../ui/dealline.js";
import { Spark } from "../ui/chart.js";
import { nameInText } from "../ui/opponent.js";
import { opposite } from "../worth.js";
import { onGrid } from "../figures.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("./draft.js").DraftStore} DraftStore
 */

const BARS = /** @type {import("../types.js").BarName[]} */ (["cooperative", "competitive", "reserved", "flexible"]);

/** @param {{game: Game, draft: DraftStore, open: boolean}} props */
export const Reading = ({ game, draft, open }) => html`
  <${Panel} title=${t("read.title", { name: nameInText(game.opponent) })} note=${t(`read.${estimateFrom(game)}`)} class="reading" spot="read">
    <${Bars} game=${game} />
    ${open && html`<${Belief} game=${game} draft=${draft} />`}
  <//>
`;

/** @param {{game: Game}} props */
function Bars({ game }) {
  const bars = newestEstimate(game)?.bars;
  if (!bars) return html`<p class="muted small">${t("read.nobars")}</p>`;
  return html`
    <ul class="bars">
      ${BARS.map((name) => {
        const { value, confidence } = bars[name];
        const values = game.estimates.flatMap((estimate) => (estimate.bars ? [estimate.bars[name].value] : []));
        const sure = t(`read.sure.${confidence > 0.66 ? "much" : confidence > 0.33 ? "some" : "little"}`);
        return html`
          <li class="bar">
            <span class="bar__name">${t(`bar.${name}`)}</span>
            <div class="bar__track" role="img" aria-label=${`${percent(value)}, ${sure}`}>
              <i style=${{ width: `${value * 100}%`, opacity: String(0.35 + 0.65 * confidence) }}></i>
            </div>
            <${Spark} values=${values} low=${0} high=${1} label=${t("read.moved", { name: t(`bar.${name}`) })} />
            <span class="bar__sure small muted">${sure}</span>
          </li>
        `;
      })}
    </ul>
  `;
}

/** @param {{game: Game, draft: DraftStore}} props */
function Belief({ game, draft }) {
  const { belief: said, prior } = game.observation;
  const reported = said && Object.values(said).some((value) => value !== null) ? said : null;
  const { belief } = draft.draft.value;
  const { scenario } = game;
  const [issue] = scenario.issues;
  const grid = scenario.several ? { ...issue, low: -1e12, high: 1e12, values: null, step: 1000 } : issue;
  const span = prior.walk_away.high - prior.walk_away.low || scenario.width;
  const low = onGrid(grid, prior.walk_away.low - span * 0.4);
  const high = onGrid(grid, prior.walk_away.high + span * 0.4);
  const value = (/** @type {keyof import("../types.js").BeliefReport} */ name, /** @type {number} */ guess) => belief[name] ?? reported?.[name] ?? guess;
  const set = (/** @type {import("../types.js").BeliefReport} */ change) => draft.patch({ belief: { ...belief, ...change } });
  const limit = value("est_walk_away", prior.walk_away.mean);
  const urgency = value("est_urgency", prior.urgency.mean);
  const alternative = value("est_has_alternative", prior.has_alternative);
  const stated = Object.keys(belief).length > 0;
  return html`
    <div class="belief" role="group" aria-labelledby="belief-title">
      <h3 class="belief__title" id="belief-title">${t("belief.title")}</h3>
      <p class="small muted">${t("belief.help")}</p>
      <div class="belief__row">
        <label for="belief-limit">${t(scenario.several ? "belief.limit.several" : `belief.limit.${opposite(game.seat)}`)}</label>
        <output class="figure">${money(Math.round(limit), scenario.currency)}</output>
        <${Slider} id="belief-limit" min=${low} max=${high} step=${grid.step ?? 1} value=${limit} text=${figure(limit)}
          onInput=${(/** @type {number} */ found) => set({ est_walk_away: onGrid(grid, found) })} />
      </div>
      <div class="belief__row">
        <label for="belief-urgency">${t("belief.urgency")}</label>
        <output class="figure">${percent(urgency)}</output>
        <${Slider} id="belief-urgency" min=${0} max=${1} step=${0.05} value=${urgency} text=${percent(urgency)}
          onInput=${(/** @type {number} */ found) => set({ est_urgency: Math.round(found * 100) / 100 })} />
      </div>
      <div class="belief__row">
        <label for="belief-alternative">${t("belief.alternative")}</label>
        <output class="figure">${percent(alternative)}</output>
        <${Slider} id="belief-alternative" min=${0} max=${1} step=${0.05} value=${alternative} text=${percent(alternative)}
          onInput=${(/** @type {number} */ found) => set({ est_has_alternative: Math.round(found * 100) / 100 })} />
      </div>
      <p class="belief__state small">
        ${stated
          ? html`<span class="chip chip--sky">${t("belief.goes")}</span> <button type="button" class="link-button" onClick=${() => draft.patch({ belief: {} })}>${t("belief.undo")}</button>`
          : html`<span class="muted">${t(reported ? "belief.last" : "belief.prior")}</span>`}
      </p>
    </div>
  `;
}
