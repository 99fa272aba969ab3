/** From the draft to a move, and what to ask the player before it is sent. */
import { t } from "../i18n.js";
import { money } from "../format.js";
import { amountsIn } from "../figures.js";
import { catalogue } from "../me.js";
import { isWorseForThem, offerText, surplus, surplusText } from "../worth.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("../types.js").Action} Action
 * @typedef {import("./draft.js").Draft} Draft
 */

/**
 * The claim that a card makes: what kind of figure it wants beside it.
 * @param {string | null} card
 */
const claimOf = (card) => catalogue.value?.cards.find((each) => each.id === card)?.claim ?? null;

/**
 * The topic that the other side has just asked about; null if it asked nothing.
 * @param {Game} game
 */
export function asked(game) {
  const theirs = game.lines.filter((line) => line.seat !== game.seat && !line.invalid).at(-1);
  return theirs?.question ?? null;
}

/**
 * The offer that the control shows before anybody touched it: one's last, or what to aim at.
 * @param {Game} game
 */
export function firstOffer(game) {
  const last = game.observation.offers.filter((made) => made.seat === game.seat).at(-1);
  if (last) return last.offer;
  const { issues, several } = game.scenario;
  if (!several) return { [issues[0].name]: game.observation.own.target };
  return Object.fromEntries(
    issues.map((issue) => [issue.name, issue.better[game.seat] === "higher" ? issue.high : issue.low]),
  );
}

/**
 * @param {Game} game
 * @param {Draft} draft
 */
export const offerOf = (game, draft) => draft.offer ?? firstOffer(game);

/**
 * What goes along with whatever is done: beliefs and the estimate of the news.
 * @param {Draft} draft
 * @returns {Action}
 */
function notes(draft) {
  /** @type {Action} */
  const action = {};
  if (Object.values(draft.belief).some((value) => value !== null && value !== undefined)) action.belief = draft.belief;
  if (draft.impact !== null) action.event_impact = draft.impact;
  return action;
}

/**
 * The drafted move.
 * @param {Game} game
 * @param {Draft} draft
 * @returns {Action}
 */
export function actionOf(game, draft) {
  const action = notes(draft);
  if (draft.card === "silence") return { ...action, tactical_move: "silence" };
  const words = draft.words.trim();
  if (words) action.utterance = words;
  if (draft.offering) {
    const offer = offerOf(game, draft);
    if (game.scenario.several) action.offer = offer;
    else action.offer_amount = offer[game.scenario.issues[0].name];
  }
  if (draft.card) action.tactical_move = draft.card;
  if (draft.card === "sweetener" && draft.item) action.sweetener = draft.item;
  if (claimOf(draft.card) && draft.claim !== null) action.claim_value = draft.claim;
  else if (asked(game) && draft.answer !== null) action.claim_value = draft.answer;
  if (draft.question) action.question = draft.question;
  if (draft.challenge) action.challenge = true;
  return action;
}

/**
 * Taking their offer, or leaving. Cards and questions can't go with it. Leaving takes the words along; taking an offer
 * does not, as words that were meant for another move could name another amount.
 * @param {Draft} draft
 * @param {"accept_deal" | "walk_away"} decision
 * @returns {Action}
 */
export function ending(draft, decision) {
  const words = draft.card === "silence" ? "" : draft.words.trim();
  return { ...notes(draft), ...(decision === "walk_away" && words && { utterance: words }), [decision]: true };
}

/**
 * Why this draft can't be sent yet; null if it can.
 * @param {Game} game
 * @param {Draft} draft
 * @returns {string | null}
 */
export function obstacle(game, draft) {
  if (draft.card === "silence") return null;
  if (draft.card === "sweetener" && !draft.item) return t("move.need.item");
  const claim = claimOf(draft.card);
  if (claim && draft.claim === null) return t(`move.need.${claim}`);
  if (draft.card === "anchor_high" && !draft.offering) return t("move.need.anchor");
  const action = actionOf(game, draft);
  const told = action.utterance || action.offer || action.offer_amount !== undefined || action.tactical_move;
  if (!told && !action.question && !action.challenge && action.claim_value === undefined) return t("move.need.any");
  return null;
}

/** @typedef {{kind: "limit" | "noise" | "better" | "anchor", words: string}} Doubt */

/**
 * What the player may not have meant. Each is asked about before the move is sent.
 * @param {Game} game
 * @param {Draft} draft
 * @returns {Doubt[]}
 */
export function doubts(game, draft) {
  /** @type {Doubt[]} */
  const found = [];
  const { scenario, observation, worth } = game;
  if (draft.card === "silence") return found;
  const words = draft.words.trim();
  const offer = draft.offering ? offerOf(game, draft) : null;
  const mine = game.lines.filter((line) => line.seat === game.seat && !line.invalid);
  if (words && mine.at(-1)?.words === words) found.push({ kind: "noise", words: t("doubt.same") });
  found.push(...namedOtherwise(game, draft, words, offer));
  if (!offer) return found;

  const last = observation.offers.filter((made) => made.seat === game.seat).at(-1);
  const stillThere = last && !observation.events.some((event) => event.turn > last.turn);
  if (last && stillThere && draft.card !== "anchor_high" && isWorseForThem(game, offer, last.offer)) {
    found.push({ kind: "noise", words: t("doubt.worse", { offer: offerText(scenario, last.offer) }) });
  }
  const value = surplus(worth, offer);
  const shown = offerText(scenario, offer);
  if (value < 0) {
    found.push({ kind: "limit", words: t("doubt.limit", { offer: shown, worth: surplusText(value, scenario.currency) }) });
  } else if (observation.opponent_offer && surplus(worth, observation.opponent_offer) > value) {
    found.push({ kind: "better", words: t("doubt.better", { offer: offerText(scenario, observation.opponent_offer) }) });
  }
  return found;
}

/**
 * Words that name an amount, and none of them is what is offered or claimed.
 * @param {Game} game
 * @param {Draft} draft
 * @param {string} words
 * @param {import("../types.js").Offer | null} offer
 * @returns {Doubt[]}
 */
function namedOtherwise(game, draft, words, offer) {
  const [issue] = game.scenario.issues;
  const named = amountsIn(words, issue.low, issue.high);
  const slack = (issue.step ?? 0) / 2;
  const meant = [offer?.[issue.name], draft.card ? draft.claim : draft.answer];
  if (!offer || !named.length || named.some((value) => meant.some((it) => Math.abs((it ?? Infinity) - value) <= slack))) return [];
  const amount = named.map((value) => money(value, game.scenario.currency)).join(", ");
  return [{ kind: "noise", words: t("doubt.named", { amount, offer: offerText(game.scenario, offer) }) }];
}
