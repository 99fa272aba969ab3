/** The deal line: where both offers lie between one's own limit and what may be had, by what they are worth. */
import { html, classes } from "../html.js";
import { t } from "../i18n.js";
import { figure, percent, signed, whole } from "../format.js";
import { widthTone } from "../scale.js";
import { ownSurplus, priceAt, surplus } from "../worth.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("../types.js").Offer} Offer
 */

/**
 * The newest estimate; null where there is none.
 * @param {Game} game
 */
export const newestEstimate = (game) => game.estimates.at(-1) ?? null;

/**
 * Where the estimate comes from, said alike wherever it is shown.
 * @param {Game} game
 * @returns {"none" | "prior" | "known" | "working" | "tracker"} `known`: common knowledge still, after moves
 */
export function estimateFrom(game) {
  const estimate = newestEstimate(game);
  if (!estimate) return "none";
  const moved = game.lines.some((line) => line.seat !== game.seat);
  if (moved && game.estimating === "working") return "working";
  if (estimate.source === "tracker") return "tracker";
  return moved ? "known" : "prior";
}

/**
 * The stretch of worth that the line shows: all offers so far, the limit, what one aims at, what may be had.
 * @param {Game} game
 */
export function reach(game) {
  const estimate = newestEstimate(game);
  const { width } = game.scenario;
  const points = [-0.1 * width, 0.3 * width, ownSurplus(game, game.observation.own.target)];
  for (const made of game.observation.offers) points.push(surplus(game.worth, made.offer));
  if (estimate) points.push(estimate.surplus.high);
  const low = Math.max(Math.min(...points), -1.6 * width);
  const high = Math.min(Math.max(...points), 2.2 * width);
  const pad = (high - low) * 0.07;
  return { low: low - pad, high: high + pad };
}

/**
 * A worth as the reader thinks of it: a price, or with several issues what it comes to in money.
 * @param {Game} game
 * @param {number} value
 */
export function placeText(game, value) {
  const price = priceAt(game, value);
  return figure(whole(price ?? game.observation.own.limit + value));
}

/** @param {{at: number, label: any, sub?: any, class: string, shift?: number}} props */
const Peg = ({ at, label, sub, class: name, shift }) => html`
  <div class=${classes("peg", name)} style=${{ left: `${at}%` }}>
    <span class="peg__label" style=${{ transform: `translateX(${-(shift ?? at)}%)` }}>
      ${label} ${sub && html`<b class="figure">${sub}</b>`}
    </span>
  </div>
`;

/**
 * @param {{game: Game, draft?: Offer | null}} props `draft`: an offer that is being prepared
 */
export function DealLine({ game, draft = null }) {
  const { low, high } = reach(game);
  const at = (/** @type {number} */ value) => Math.min(Math.max(((value - low) / (high - low)) * 100, 0), 100);
  const { observation, worth } = game;
  const theirs = observation.opponent_offer && surplus(worth, observation.opponent_offer);
  const mine = observation.own_offer && surplus(worth, observation.own_offer);
  const planned = draft && surplus(worth, draft);
  const goal = ownSurplus(game, observation.own.target);
  const estimate = newestEstimate(game);
  const tone = widthTone(observation.zopa_width_pct_remaining);
  const close = theirs !== null && mine !== null && Math.abs(at(theirs) - at(mine)) < 26;
  const leftIsTheirs = (theirs ?? 0) <= (mine ?? 0);

  return html`
    <section class="deal" data-spot="line" aria-label=${t("deal.title")}>
      <div class="deal__head">
        <span class="deal__caption" title=${t("deal.help")}>${t(`deal.${estimateFrom(game)}`)}</span>
        ${estimate && html`<span class="deal__chance figure">${t("deal.chance", { chance: percent(estimate.has_zopa) })}</span>`}
        <span class=${`deal__room deal__room--${tone} figure`}>
          ${t("deal.room", { share: percent(observation.zopa_width_pct_remaining) })}
        </span>
      </div>
      <div class="deal__stage" aria-hidden="true">
        <div class="deal__track">
          <div class="deal__beyond" style=${{ width: `${at(0)}%` }}></div>
          ${estimate && estimate.surplus.high > 0 && html`<${Band} at=${at} estimate=${estimate} tone=${tone} />`}
        </div>
        ${theirs !== null &&
        html`<${Peg} class="peg--theirs" at=${at(theirs)} label=${t("deal.theirs")} sub=${placeText(game, theirs)}
          shift=${close ? (leftIsTheirs ? 100 : 0) : undefined} />`}
        ${mine !== null &&
        html`<${Peg} class="peg--mine" at=${at(mine)} label=${t("deal.mine")} sub=${placeText(game, mine)}
          shift=${close ? (leftIsTheirs ? 0 : 100) : undefined} />`}
        ${planned !== null && planned !== mine && html`<div class="deal__ghost" style=${{ left: `${at(planned)}%` }}></div>`}
        <${Peg} class="peg--limit" at=${at(0)} label=${t("deal.limit")} sub=${placeText(game, 0)}
          shift=${Math.min(at(0) * 2.5, 100)} />
        <${Peg} class="peg--goal" at=${at(goal)} label=${t("deal.goal")} sub=${placeText(game, goal)}
          shift=${at(goal) < 60 ? 0 : undefined} />
      </div>
      <p class="hidden-visually">${spokenLine(game, theirs, mine)}</p>
    </section>
  `;
}

/**
 * What may be had, as far as one can know: sure up to the low end, ever less so up to the high one.
 * @param {{at: (value: number) => number, estimate: import("../types.js").Estimate, tone: string}} props
 */
function Band({ at, estimate, tone }) {
  const { low, median, high } = estimate.surplus;
  const from = at(0);
  const sure = Math.max(at(low) - from, 0);
  const end = at(high) - from;
  const share = (/** @type {number} */ part) => `${end > 0 ? Math.round((part / end) * 100) : 0}%`;
  const middle = estimate.middle;
  return html`
    <div
      class=${`band band--${tone}`}
      style=${{ left: `${from}%`, width: `${end}%`, "--sure": share(sure), "--likely": share(Math.max(at(median) - from, 0)) }}
    ></div>
    ${middle &&
    html`
      <div class="band__spread" style=${{ left: `${at(middle.low)}%`, width: `${at(middle.high) - at(middle.low)}%` }}></div>
      <div class=${`band__middle band__middle--${tone}`} style=${{ left: `${at(middle.median)}%` }}>◆</div>
    `}
  `;
}

/**
 * The line in words.
 * @param {Game} game
 * @param {number | null} theirs
 * @param {number | null} mine
 */
function spokenLine(game, theirs, mine) {
  const estimate = newestEstimate(game);
  const parts = [
    theirs === null ? t("deal.say.notheirs") : t("deal.say.theirs", { place: placeText(game, theirs), worth: signed(theirs) }),
    mine === null ? t("deal.say.nomine") : t("deal.say.mine", { place: placeText(game, mine), worth: signed(mine) }),
  ];
  if (estimate) {
    const { low, high } = estimate.surplus;
    parts.push(t("deal.say.band", { low: signed(low), high: signed(high), chance: percent(estimate.has_zopa) }));
    if (estimate.middle) parts.push(t("deal.say.middle", { place: placeText(game, estimate.middle.median) }));
  }
  return parts.join(" ");
}
