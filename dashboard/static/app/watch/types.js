/**
 * A game as a watcher sees it (docs/pages.md).
 *
 * @typedef {import("../types.js").Seat} Seat
 * @typedef {import("../debrief/types.js").LedgerRow} LedgerRow
 *
 * @typedef {object} Watched
 * @property {string} id
 * @property {"playing" | "waiting" | "over"} status
 * @property {Seat} seat
 * @property {import("../types.js").Scenario} scenario
 * @property {import("../types.js").Opponent} opponent
 * @property {import("../types.js").Line[]} lines
 * @property {import("../types.js").Point[]} trail
 * @property {{turn: number, headline: string, market: boolean}[]} news
 * @property {string | null} reason
 * @property {Seat | null} by
 * @property {number} turn
 * @property {import("../types.js").Offer | null} final_offer
 * @property {Seat | null} to_move
 * @property {{own: any, prior: any, own_offer: import("../types.js").Offer | null, opponent_offer: import("../types.js").Offer | null,
 *   claims: any[], belief: import("../types.js").BeliefReport | null, credibility_points: number, turns_left: number}} own
 * @property {import("../debrief/types.js").Truth} truth
 * @property {Record<Seat, LedgerRow[]>} ledger
 * @property {import("../types.js").Estimate[]} estimates
 * @property {string} estimating
 * @property {(import("../debrief/types.js").Note & {id: string})[]} notes
 * @property {string[]} marks
 * @property {import("../rooms/types.js").Sitting[]} players
 * @property {number} tension
 * @property {{id: string, name: string} | null} room
 */

export {};
