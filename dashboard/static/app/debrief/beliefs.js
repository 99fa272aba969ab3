/** What was believed of the other side, what could have been known, and what was true. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { figure, percent } from "../format.js";
import { opposite } from "../worth.js";
import { Drawn } from "../ui/chart.js";
import { Plot } from "../ui/plot.js";
import { placeShort } from "./model.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {import("./types.js").Belief} Belief
 * @typedef {import("../ui/plot.js").Spot} Spot
 */

/** Below this share a belief was neither closer to the truth nor further from it. */
const LEVEL = 0.01;

/** @param {Belief[]} beliefs @param {(belief: Belief) => number | null | undefined} read @returns {Spot[]} */
const spots = (beliefs, read) =>
  beliefs.flatMap((belief) => {
    const y = read(belief);
    return y === null || y === undefined ? [] : [{ x: belief.turn, y }];
  });

/** Whether the estimate is still being worked out. @param {Debrief} debrief */
const awaitsEstimate = ({ review }) => review.status === "working";

/** What is said of the player's beliefs as a whole. @param {Debrief} debrief */
function leadOf({ beliefs, game, grade }) {
  const stated = beliefs.some((belief) => belief.stated);
  if (!stated || !grade) return t(game.opponent.kind === "persona" ? "beliefs.none" : "beliefs.none.person");
  const skill = grade.belief_skill;
  if (Math.abs(skill) < LEVEL) return t("beliefs.skill.level");
  return t(skill > 0 ? "beliefs.skill.more" : "beliefs.skill.less", { share: percent(Math.abs(skill)) });
}

/** @param {{debrief: Debrief}} props */
export function Beliefs({ debrief }) {
  const { game, truth } = debrief;
  const theirs = truth[opposite(game.seat)];
  return html`
    <div class="beliefs">
      <p class="soft beliefs__lead">${leadOf(debrief)}</p>
      <div class="beliefs__grid">
        <${Limit} debrief=${debrief} />
        <div class="beliefs__small">
          <${Share} debrief=${debrief} name="urgency" truth=${(/** @type {Belief} */ belief) => belief.truth.urgency} stated=${(/** @type {Belief} */ belief) => belief.stated?.est_urgency} />
          <${Share} debrief=${debrief} name="alternative" truth=${(/** @type {Belief} */ belief) => Number(belief.truth.has_alternative)} stated=${(/** @type {Belief} */ belief) => belief.stated?.est_has_alternative} />
        </div>
      </div>
      <dl class="truths">
        <${Fact} label=${t("facts.limit")} value=${figure(theirs.limit)} />
        <${Fact} label=${t("facts.walk")} value=${figure(theirs.walk_away)} />
        <${Fact} label=${t("facts.budget")} value=${theirs.budget === null ? t("facts.none") : figure(theirs.budget)} />
        <${Fact} label=${t("facts.urgency")} value=${percent(theirs.urgency)} />
        <${Fact} label=${t("facts.alternative")} value=${t(theirs.has_alternative ? "state.yes" : "state.no")} />
        <${Fact} label=${t("facts.deadline")} value=${t("line.turn", { turn: theirs.deadline })} />
      </dl>
    </div>
  `;
}

/** @param {{label: string, value: string}} props */
export const Fact = ({ label, value }) => html`<div><dt>${label}</dt><dd class="figure">${value}</dd></div>`;

/** @param {{debrief: Debrief}} props */
function Limit({ debrief }) {
  const { beliefs, turn, game } = debrief;
  const working = awaitsEstimate(debrief);
  // Between two people nothing is estimated but what anybody would guess, and what is not worked out yet is that too.
  const estimates = game.opponent.kind === "persona" && (debrief.review.status !== "failed" || beliefs.some((belief) => belief.estimate?.source === "tracker"));
  const shown = estimates && !working;
  const tracked = beliefs.filter((belief) => shown && belief.estimate);
  const say = (/** @type {number} */ value) => placeShort({ ...game.scenario, several: false }, value);
  const drawing = html`
    <${Plot} last=${turn} axis=${t("offers.turn")} height=${300} say=${say}
      ribbons=${!shown ? [] : [{ tone: "guess", points: tracked.map(({ turn: x, estimate }) => ({ x, low: estimate?.limit.low ?? 0, high: estimate?.limit.high ?? 0 })) }]}
      curves=${[
        { name: t("beliefs.truth"), tone: "truth", points: spots(beliefs, (belief) => belief.truth.limit), stairs: true },
        ...(shown ? [{ name: t("beliefs.tracker"), tone: /** @type {const} */ ("guess"), points: spots(tracked, (belief) => belief.estimate?.limit.median) }] : []),
        { name: t("beliefs.stated"), tone: "stated", points: spots(beliefs, (belief) => belief.stated?.est_walk_away), dots: true },
      ]} />
  `;
  const table = html`
    <table class="ledger">
      <caption class="hidden-visually">${t("beliefs.limit")}</caption>
      <thead><tr><th scope="col">${t("table.turn")}</th><th scope="col" class="num">${t("beliefs.stated")}</th>${estimates && html`<th scope="col" class="num">${t("beliefs.tracker")}</th><th scope="col" class="num">${t("beliefs.interval")}</th>`}<th scope="col" class="num">${t("beliefs.truth")}</th></tr></thead>
      <tbody>${beliefs.map(({ turn: when, stated, estimate, truth }) => html`
        <tr><td class="num">${when}</td><td class="num">${stated?.est_walk_away ? figure(stated.est_walk_away) : "–"}</td>
          ${estimates && (working
            ? html`<td class="num" colspan="2">${t("beliefs.working")}</td>`
            : html`<td class="num">${estimate ? figure(Math.round(estimate.limit.median)) : "–"}</td>
              <td class="num">${estimate ? `${figure(Math.round(estimate.limit.low))} … ${figure(Math.round(estimate.limit.high))}` : "–"}</td>`)}
          <td class="num">${figure(truth.limit)}</td></tr>`)}</tbody>
    </table>
  `;
  return html`
    <figure class="picture">
      <figcaption class="picture__title">${t("beliefs.limit")} ${estimates && html`<span class="muted small" role="status">${t(working ? "beliefs.estimate.working" : "beliefs.limit.note")}</span>`}</figcaption>
      <${Drawn} drawing=${drawing} table=${table} class="drawn" />
    </figure>
  `;
}

/**
 * @param {{debrief: Debrief, name: string, truth: (belief: Belief) => number, stated: (belief: Belief) => number | null | undefined}} props
 */
function Share({ debrief, name, truth, stated }) {
  const { beliefs, turn } = debrief;
  const say = (/** @type {number} */ value) => percent(value);
  const drawing = html`
    <${Plot} last=${turn} axis="" height=${150} ends=${false} range=${[0, 1]} say=${say}
      curves=${[
        { name: t("beliefs.truth"), tone: "truth", points: spots(beliefs, truth), stairs: true },
        { name: t("beliefs.stated"), tone: "stated", points: spots(beliefs, stated), dots: true },
      ]} />
  `;
  const table = html`
    <table class="ledger">
      <caption class="hidden-visually">${t(`beliefs.${name}`)}</caption>
      <thead><tr><th scope="col">${t("table.turn")}</th><th scope="col" class="num">${t("beliefs.stated")}</th><th scope="col" class="num">${t("beliefs.truth")}</th></tr></thead>
      <tbody>${beliefs.map((belief) => {
        const said = stated(belief);
        return html`<tr><td class="num">${belief.turn}</td><td class="num">${said === null || said === undefined ? "–" : percent(said)}</td><td class="num">${percent(truth(belief))}</td></tr>`;
      })}</tbody>
    </table>
  `;
  return html`
    <figure class="picture">
      <figcaption class="picture__title">${t(`beliefs.${name}`)}</figcaption>
      <${Drawn} drawing=${drawing} table=${table} class="drawn" />
    </figure>
  `;
}
