/** Claims and what became of them; news and what they did; the rubric; every point. */
import { html, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { figure, percent } from "../format.js";
import { scoreGrade } from "../scale.js";
import { Headline } from "../news.js";
import { claimText, opposite } from "../worth.js";
import { nameOf } from "../ui/who.js";
import { pointsText } from "./model.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {(turn: number) => void} Go
 */

/** A turn that can be looked at. @param {{turn: number, go: Go}} props */
export const TurnLink = ({ turn, go }) => html`
  <button type="button" class="turnlink figure" onClick=${() => go(turn)}>${turn > 0 ? t("line.turn", { turn }) : t("line.opening")}</button>
`;

/**
 * True or bluff, and what became of it.
 * @param {{claims: import("./types.js").TrueClaim[], scenario: import("../types.js").Scenario, who: (seat: string) => string,
 *   go: Go | null}} props without `go` turns can't be looked at, and the game is still on
 */
export const Claims = ({ claims, scenario, who, go }) =>
  claims.length === 0
    ? html`<p class="soft">${t("claims.none")}</p>`
    : html`
        <ul class="claims">
          ${claims.map((claim) => html`
            <li class="claims__item">
              <span class=${classes("claims__truth", claim.bluff ? "claims__truth--bluff" : "claims__truth--true")}>${t(claim.bluff ? "claims.bluff" : "claims.true")}</span>
              <div>
                <p><b>${who(claim.seat)}</b>: ${claimText(scenario, claim)}</p>
                <p class="small muted">${go ? html`<${TurnLink} turn=${claim.turn} go=${go} />` : html`<span class="figure">${t("line.turn", { turn: claim.turn })}</span>`}${t("format.between")}${t(`${go ? "claims" : "claim"}.status.${claim.status}`)}</p>
              </div>
            </li>
          `)}
        </ul>
      `;

/** @param {{debrief: Debrief, go: Go}} props */
export function News({ debrief, go }) {
  const { news, game } = debrief;
  if (!news.length) return html`<p class="soft">${t("news.none")}</p>`;
  return html`
    <ul class="newslist">
      ${news.map((each) => html`
        <li class="newslist__item">
          <p class="small"><${TurnLink} turn=${each.turn} go=${go} /></p>
          <p class="newslist__words"><${Headline} text=${each.headline} /></p>
          <${Effect} scenario=${game.scenario} name=${t("news.mine")} effect=${each.effect[game.seat]} />
          <${Effect} scenario=${game.scenario} name=${t("news.theirs", { name: nameOf(game.opponent) })} effect=${each.effect[opposite(game.seat)]} />
        </li>
      `)}
    </ul>
  `;
}

/**
 * How far a headline moved a limit: as money where there is one price, else as a share of the room at the declared limits.
 * @param {{scenario: import("../types.js").Scenario, name: string, effect: number}} props
 */
export function Effect({ scenario, name, effect }) {
  const amount = scenario.several ? percent(Math.abs(effect), 1) : figure(Math.abs(Math.round(effect * scenario.width)));
  const key = Math.abs(effect) < 5e-4 ? "news.still" : effect > 0 ? "news.tighter" : "news.looser";
  return html`<p class="newslist__effect"><span class="muted">${name}</span> <span class=${classes("figure", key === "news.tighter" && "bad", key === "news.looser" && "good")}>${t(key, { amount })}</span></p>`;
}

const SCORE_TONES = { good: "green", fair: "amber", poor: "scarlet" };

/** @param {{debrief: Debrief, go: Go}} props */
export const Rubric = ({ debrief, go }) => html`
  <ul class="rubric">
    ${debrief.rubric.map(({ item, score, evidence }) => html`
      <li class="rubric__item">
        <div class="rubric__head">
          <h3 class="rubric__name">${t(`rubric.${item}`)}</h3>
          <span class="figure">${score === null ? t("rubric.none") : percent(score)}</span>
        </div>
        <div class="meter__track" aria-hidden="true">
          ${score !== null && html`<div class=${`meter__fill meter__fill--${SCORE_TONES[scoreGrade(score)]}`} style=${{ width: `${Math.max(score * 100, 1.5)}%` }}></div>`}
        </div>
        ${evidence.map((each) => html`<p class="rubric__why small"><${TurnLink} turn=${each.turn} go=${go} /> <span class="soft">${tr(each.text)}</span></p>`)}
      </li>
    `)}
  </ul>
`;

/** @type {("delta_v" | "concession" | "noise" | "tom" | "bluff" | "mev")[]} */
const TERMS = ["delta_v", "concession", "noise", "tom", "bluff", "mev"];
const cell = (/** @type {number} */ value) => (Math.abs(value) < 0.005 ? "·" : pointsText(value, 2));

/**
 * Every term of every turn, and what the end paid.
 * @param {{ledger: import("./types.js").LedgerRow[], terminal?: Record<string, number>, reward?: number | null}} props
 */
export function Ledger({ ledger, terminal = {}, reward = null }) {
  const sum = (/** @type {(row: import("./types.js").LedgerRow) => number} */ read) => ledger.reduce((total, row) => total + read(row), 0);
  const rowSum = (/** @type {import("./types.js").LedgerRow} */ row) => TERMS.reduce((total, term) => total + row[term], 0);
  return html`
    <div class="scroll-x" tabindex="0" role="group" aria-label=${t("ledger.title")}>
      <table class="ledger">
        <caption class="hidden-visually">${t("ledger.title")}</caption>
        <thead><tr><th scope="col" class="num">${t("table.turn")}</th>${TERMS.map((term) => html`<th scope="col" class="num">${t(`ledger.${term}`)}</th>`)}<th scope="col" class="num">${t("ledger.sum")}</th></tr></thead>
        <tbody>
          ${ledger.map((row) => html`<tr><th scope="row" class="num">${row.turn}</th>${TERMS.map((term) => html`<td class="num">${cell(row[term])}</td>`)}<td class="num">${cell(rowSum(row))}</td></tr>`)}
          <tr class="ledger__sum"><th scope="row">${t("ledger.turns")}</th>${TERMS.map((term) => html`<td class="num">${cell(sum((row) => row[term]))}</td>`)}<td class="num">${cell(sum(rowSum))}</td></tr>
          ${Object.entries(terminal).map(([term, value]) => html`<tr><th scope="row" colspan=${TERMS.length + 1}>${t(`ledger.${term}`)}</th><td class="num">${cell(value)}</td></tr>`)}
          ${reward !== null && html`<tr class="ledger__sum"><th scope="row" colspan=${TERMS.length + 1}>${t("ledger.all")}</th><td class="num">${cell(reward)}</td></tr>`}
        </tbody>
      </table>
    </div>
  `;
}
