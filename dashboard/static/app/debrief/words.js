/** The debrief's sentences: how it ended, what a move was, what a move could have been. */
import { t, tr, has } from "../i18n.js";
import { figure, money, percent } from "../format.js";
import { claimText, offerText } from "../worth.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {import("../types.js").Scenario} Scenario
 * @typedef {import("../types.js").Action} Action
 */

/**
 * How it ended: a headline, what it meant, and in what light.
 * @param {Debrief} debrief
 * @param {string} opponent
 * @returns {{title: string, lead: string, tone: "good" | "bad" | "even"}}
 */
export function verdict(debrief, opponent) {
  const { title, lead, tone } = told(debrief, opponent);
  return { title: title.replace(/(\d) (?=\p{L})/gu, "$1\u00a0"), lead, tone };
}

/**
 * @param {Debrief} debrief
 * @param {string} opponent
 * @returns {{title: string, lead: string, tone: "good" | "bad" | "even"}}
 */
function told(debrief, opponent) {
  const { game, grade, reason, by, turn, final_offer: final } = debrief;
  const { scenario, seat } = game;
  const mine = by === seat;
  const share = grade ? percent(grade.efficiency) : "";
  const left = grade ? money(grade.left_on_table, scenario.currency) : "";
  if (reason === "deal" && final) {
    const values = { offer: offerText(scenario, final), turn, name: opponent, share, left };
    const title = t(mine ? "verdict.took" : "verdict.taken", values);
    if (!grade) return { title, lead: "", tone: "even" };
    if (grade.breach) return { title, lead: t("verdict.breach", { amount: money(Math.abs(grade.surplus), scenario.currency) }), tone: "bad" };
    if (!grade.zopa_existed) return { title, lead: t("verdict.nothing"), tone: "even" };
    const lead = grade.left_on_table > 0 ? t("verdict.share", values) : t("verdict.all", values);
    return { title, lead, tone: grade.efficiency >= 0.5 ? "good" : "even" };
  }
  const lost = grade?.walk_was_right
    ? t(grade.zopa_existed ? "verdict.eaten" : "verdict.nothing")
    : t(grade && !grade.zopa_existed ? "verdict.nothing" : "verdict.something", { left });
  if (reason === "walk_away" && mine) {
    const right = Boolean(grade?.walk_was_right);
    return { title: t("verdict.youLeft", { turn }), lead: t(right ? "verdict.right" : "verdict.wrong", { why: lost }), tone: right ? "good" : "bad" };
  }
  if (reason === "walk_away") {
    const deadline = debrief.truth[seat === "seller" ? "buyer" : "seller"].deadline;
    const why = turn >= deadline ? ` ${t("verdict.deadline", { turn: deadline })}` : "";
    return { title: t("verdict.theyLeft", { name: opponent, turn }), lead: lost + why, tone: grade?.walk_was_right ? "even" : "bad" };
  }
  const key = has(`verdict.${reason}`) ? `verdict.${reason}` : "verdict.other";
  return { title: t(key, { turn, name: opponent }), lead: reason === "zopa_collapsed" ? t("verdict.collapsedWhy") : lost, tone: "bad" };
}

/**
 * How far the deal is from the Nash point, in words.
 * @param {Debrief} debrief
 */
export function fromNash({ numbers, game }) {
  const { from_nash: gap, nash_offer: nash } = numbers;
  if (!nash) return t("score.nash.none");
  const where = offerText(game.scenario, nash);
  if (gap === null) return t("score.nash.at", { offer: where });
  const amount = money(Math.abs(gap), game.scenario.currency);
  return t(gap > 0 ? "score.nash.better" : gap < 0 ? "score.nash.worse" : "score.nash.even", { amount, offer: where });
}

/**
 * An action as something to do: `offer 150,000 USD and ask about the deadline`.
 * @param {Action} action
 * @param {Scenario} scenario
 * @param {import("../types.js").Offer | null} [standing] what accepting would take
 */
export function actionText(action, scenario, standing = null) {
  const parts = [];
  if (action.accept_deal) parts.push(standing ? t("act.acceptThis", { offer: offerText(scenario, standing) }) : t("act.accept"));
  if (action.walk_away) parts.push(t("act.walk"));
  const offer = action.offer ?? (action.offer_amount === undefined ? null : { [scenario.issues[0].name]: action.offer_amount });
  if (offer) parts.push(t("act.offer", { offer: offerText(scenario, offer) }));
  const item = scenario.sweeteners.find((each) => each.id === action.sweetener);
  if (item) parts.push(t("act.item", { item: tr(item.title) }));
  else if (action.tactical_move) {
    const claim = action.claim_value === undefined ? "" : figure(action.claim_value);
    const card = t(`card.${action.tactical_move}.title`);
    parts.push(claim ? t("act.cardClaim", { card, claim }) : t("act.card", { card }));
  }
  if (action.question) parts.push(t("act.question", { topic: t(`topic.${action.question}.short`) }));
  if (action.challenge) parts.push(t("act.challenge"));
  const last = parts.pop();
  if (!last) return t("act.talk");
  return parts.length ? parts.join(t("act.comma")) + t("act.and") + last : last;
}

/**
 * A move that was made, in a few words.
 * @param {import("../types.js").Line} line
 * @param {Scenario} scenario
 */
export function lineText(line, scenario) {
  if (line.invalid) return t("did.invalid");
  const parts = [];
  if (line.accept) parts.push(t("did.accept"));
  if (line.walk) parts.push(t("did.walk"));
  if (line.offer) parts.push(t("did.offer", { offer: offerText(scenario, line.offer) }));
  if (line.item) parts.push(t("did.item", { item: tr(scenario.sweeteners.find((each) => each.id === line.item)?.title) }));
  else if (line.card) parts.push(t("did.card", { card: t(`card.${line.card}.title`) }));
  if (line.claim) parts.push(t("did.claim", { claim: claimText(scenario, line.claim) }));
  if (line.question) parts.push(t("did.question", { topic: t(`topic.${line.question}.short`) }));
  if (line.challenge) parts.push(t(`did.challenge.${line.challenge}`));
  return parts.length ? parts.join(t("format.between")) : t("did.talk");
}
