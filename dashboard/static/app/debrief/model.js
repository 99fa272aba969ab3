/** What the pages make of a debrief's figures: where an offer lies, how the limits moved, whose move is whose. */
import { t } from "../i18n.js";
import { figure, short, signed } from "../format.js";
import { opposite, surplus } from "../worth.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {import("./types.js").Line} Line
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("../ui/plot.js").Spot} Spot
 */

/**
 * Where an offer lies in the pictures: its price; with several issues what it is worth to the player beyond its limit.
 * @param {Pick<Debrief, "game" | "worth">} debrief
 * @param {import("./types.js").Offer} offer
 */
export function placeOf({ game, worth }, offer) {
  return game.scenario.several ? surplus(worth, offer) : offer[game.scenario.issues[0].name];
}

/** A place in words. @param {Debrief} debrief @param {number} place */
export const placeText = (debrief, place) => (debrief.game.scenario.several ? signed(place) : figure(Math.round(place)));

/** A place on a scale. @param {import("../types.js").Scenario} scenario @param {number} place */
export const placeShort = (scenario, place) =>
  scenario.several ? `${place < 0 ? "−" : place > 0 ? "+" : ""}${short(Math.abs(place))}` : short(place);

/**
 * The end's picture: both limits, the Nash point and the deal as places.
 * @param {Debrief} debrief
 */
export function ending(debrief) {
  const { game, numbers, final_offer: final } = debrief;
  const { several } = game.scenario;
  return {
    mine: several ? 0 : numbers.limits[game.seat],
    theirs: several ? mostOf(debrief) : numbers.limits[opposite(game.seat)],
    nash: numbers.nash_offer && placeOf(debrief, numbers.nash_offer),
    deal: final && placeOf(debrief, final),
  };
}

/**
 * With several issues: the most that could be had, beyond one's own limit; null where no outcome reaches their limit.
 * @param {Debrief} debrief
 */
function mostOf({ game, truth, grade }) {
  if (grade?.zopa_existed) return (grade.deal ? grade.surplus : 0) + grade.left_on_table;
  const { at_other_limit: most, limit } = truth[game.seat];
  return most === null ? null : most - limit;
}

/**
 * Both limits turn by turn, as they truly were. One's own follows from what each offer was worth then.
 * @param {Debrief} debrief
 * @returns {{mine: Spot[], theirs: Spot[]}}
 */
export function limits(debrief) {
  const { game, turn } = debrief;
  const end = ending(debrief);
  if (game.scenario.several) {
    const level = (/** @type {number | null} */ y) => (y === null ? [] : [{ x: 0, y }, { x: turn, y }]);
    return { mine: level(0), theirs: level(end.theirs) };
  }
  const by = (/** @type {Seat} */ seat) => {
    const found = debrief.limits.map((each) => ({ x: each.turn, y: each[seat] }));
    return found.length ? [{ x: 0, y: found[0].y }, ...found] : [];
  };
  return { mine: by(game.seat), theirs: by(opposite(game.seat)) };
}

/**
 * The room between the limits, turn by turn, while there is one.
 * @param {Debrief} debrief
 */
export function room(debrief) {
  const { mine, theirs } = limits(debrief);
  if (!mine.length || !theirs.length) return [];
  const at = (/** @type {Spot[]} */ spots, /** @type {number} */ turn) => spots.filter((spot) => spot.x <= turn).at(-1)?.y ?? spots[0].y;
  const toward = debrief.game.scenario.several || debrief.game.seat === "seller" ? 1 : -1;
  return [...new Set([...mine, ...theirs].map((spot) => spot.x))]
    .sort((a, b) => a - b)
    .map((x) => {
      const [a, b] = [at(mine, x), at(theirs, x)];
      const open = (b - a) * toward > 0;
      return { x, low: open ? Math.min(a, b) : a, high: open ? Math.max(a, b) : a };
    });
}

/** The offers of one seat as places. @param {Debrief} debrief @param {Seat} seat */
export const offersOf = (debrief, seat) =>
  debrief.lines
    .filter((line) => line.seat === seat && line.offer && !line.invalid)
    .map((line) => ({ x: line.turn, y: debrief.game.scenario.several ? (line.surplus ?? 0) : placeOf(debrief, line.offer ?? {}) }));

/**
 * One's own moves with their review, in order: the k-th review is of the k-th own line.
 * @param {Debrief} debrief
 */
export function ownMoves(debrief) {
  const { game, lines, review } = debrief;
  return lines
    .filter((line) => line.seat === game.seat)
    .map((line, k) => ({ line, number: k + 1, review: review.moves[k] ?? null, answers: answersTo(lines, line) }));
}

/** What the other side said until one's next move. @param {Line[]} lines @param {Line} line */
function answersTo(lines, line) {
  const from = lines.indexOf(line) + 1;
  const found = [];
  for (let i = from; i < lines.length && lines[i].seat !== line.seat; i++) found.push(lines[i]);
  return found;
}

/**
 * The other side's standing offer when a line was said: a headline voids it.
 * @param {Debrief} debrief
 * @param {Line} line
 */
export function standingBefore({ lines, news }, line) {
  const before = lines.slice(0, lines.indexOf(line)).filter((each) => each.seat !== line.seat && each.offer).at(-1);
  if (!before || news.some((each) => each.turn > before.turn && each.turn <= line.turn)) return null;
  return before;
}

/** Who speaks, for a debrief. @param {Debrief} debrief @param {Seat} seat @param {string} opponent */
export const whoOf = ({ game }, seat, opponent) => (seat === game.seat ? t("who.you") : opponent);

/** Points with their sign. @param {number} points @param {number} [decimals] */
export function pointsText(points, decimals = 1) {
  const rounded = Number(points.toFixed(decimals));
  return `${rounded < 0 ? "−" : rounded > 0 ? "+" : ""}${Math.abs(rounded).toFixed(decimals)}`;
}
