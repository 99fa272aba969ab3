/** What offers are, and what they are worth to a seat: by the server's figures, never by rules of our own. */
import { t, tr } from "./i18n.js";
import { figure, list, money, unit } from "./format.js";

/**
 * @typedef {import("./types.js").Game} Game
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Scenario} Scenario
 * @typedef {import("./types.js").Issue} Issue
 * @typedef {import("./types.js").Worth} Worth
 * @typedef {import("./types.js").Seat} Seat
 */

/** @param {Seat} seat @returns {Seat} */
export const opposite = (seat) => (seat === "seller" ? "buyer" : "seller");

/**
 * What one issue adds to an offer's worth, in money.
 * @param {Worth} worth
 * @param {string} name
 * @param {number} value
 */
export function part(worth, name, value) {
  const issue = worth.issues.find((found) => found.name === name);
  if (!issue) return 0;
  if (issue.per_unit !== undefined && issue.per_unit !== null) return issue.per_unit * value;
  const place = issue.values?.indexOf(value) ?? -1;
  return issue.worth?.[place] ?? 0;
}

/**
 * What a deal at these terms is worth to the seat beyond its limit, in money.
 * @param {Worth} worth
 * @param {Offer} offer
 */
export const surplus = (worth, offer) =>
  Math.round((worth.constant + Object.entries(offer).reduce((sum, [name, value]) => sum + part(worth, name, value), 0)) * 100) / 100;

/**
 * The price at which the seat has this surplus; null where there are several issues.
 * @param {Game} game
 * @param {number} wanted
 */
export function priceAt(game, wanted) {
  const [issue] = game.worth.issues;
  return game.scenario.several || !issue.per_unit ? null : (wanted - game.worth.constant) / issue.per_unit;
}

/**
 * A figure of the seat's own (limit, target) as a surplus.
 * @param {Game} game
 * @param {number} value a price; with several issues a worth in money
 */
export const ownSurplus = (game, value) =>
  game.scenario.several
    ? value - game.observation.own.limit
    : surplus(game.worth, { [game.scenario.issues[0].name]: value });

/** @param {Issue} issue */
export const unitOf = (issue) => unit(tr(issue.unit));

/**
 * One issue's value with its unit.
 * @param {Issue} issue
 * @param {number} value
 */
export const valueText = (issue, value) => t("format.money", { amount: figure(value), currency: unitOf(issue) });

/**
 * `148,000 USD`, or every issue's value in the issues' order.
 * @param {Scenario} scenario
 * @param {Offer} offer
 */
export function offerText(scenario, offer) {
  if (!scenario.several) return money(offer[scenario.issues[0].name], scenario.currency);
  return scenario.issues.map((issue) => valueText(issue, offer[issue.name])).join(t("format.between"));
}

/**
 * `12,300 over your limit`.
 * @param {number} value
 * @param {string} currency
 */
export function surplusText(value, currency) {
  if (!value) return t("worth.exact");
  return t(value > 0 ? "worth.inside" : "worth.beyond", { amount: money(Math.abs(value), currency) });
}

/**
 * The own limit as a rule: `Do not sell under 125,000 USD.`
 * @param {Game} game
 */
export function limitRule(game) {
  const amount = money(game.observation.own.limit, game.scenario.currency);
  return t(game.scenario.several ? "limit.several" : `limit.${game.seat}`, { amount });
}

/**
 * Is this offer worse for the other side than that one, by the weights that anybody knows?
 * @param {Game} game
 * @param {Offer} offer
 * @param {Offer} before
 */
export function isWorseForThem(game, offer, before) {
  const weights = game.observation.prior.weights;
  const theirs = opposite(game.seat);
  let change = 0;
  for (const issue of game.scenario.issues) {
    const span = issue.high - issue.low || 1;
    const toward = issue.better[theirs] === "higher" ? 1 : -1;
    change += (weights?.[issue.name] ?? 1) * toward * ((offer[issue.name] - before[issue.name]) / span);
  }
  return change < -1e-9;
}

/**
 * A claim in words.
 * @param {Scenario} scenario
 * @param {{kind: string, value: number | string | boolean}} claim
 */
export function claimText(scenario, { kind, value }) {
  if (kind === "alternative") return t(value ? "claim.alternative.yes" : "claim.alternative.no");
  if (kind === "priority") {
    const issue = scenario.issues.find((found) => found.name === value);
    return t("claim.priority", { what: issue ? tr(issue.title) : t("claim.time") });
  }
  if (kind === "deadline") return t("claim.deadline", { turn: Number(value) });
  return t(`claim.${kind}`, { amount: money(Number(value), scenario.currency) });
}

/**
 * The titles of these issues in one line.
 * @param {Issue[]} issues
 */
export const issueTitles = (issues) => list(issues.map((issue) => tr(issue.title)));
