/**
 * The shapes of a debrief (docs/pages.md).
 *
 * @typedef {import("../types.js").Seat} Seat
 * @typedef {import("../types.js").Offer} Offer
 * @typedef {import("../types.js").Action} Action
 * @typedef {import("../types.js").Line} Line
 * @typedef {import("../types.js").Text} Text
 * @typedef {import("../types.js").Estimate} Estimate
 *
 * @typedef {object} Facts what one side had
 * @property {number} walk_away
 * @property {number | null} budget
 * @property {number} limit
 * @property {number} urgency
 * @property {boolean} has_alternative
 * @property {number} deadline
 * @property {Record<string, number> | null} weights
 * @property {number | null} at_other_limit
 * @property {Record<string, number>} sweeteners
 *
 * @typedef {object} Truth
 * @property {Facts} seller
 * @property {Facts} buyer
 * @property {boolean} zopa
 * @property {Offer | null} nash
 * @property {TrueClaim[]} claims
 * @property {{turn: number, market: boolean, effect: Record<Seat, number>}[]} events
 *
 * @typedef {{turn: number, seat: Seat, kind: string, value: number | string | boolean, bluff: boolean, status: string}} TrueClaim
 *
 * @typedef {Record<"turn" | "delta_v" | "concession" | "noise" | "tom" | "bluff" | "mev", number>} LedgerRow
 *
 * @typedef {object} Grade
 * @property {number} reward
 * @property {number} efficiency
 * @property {Record<string, number>} terminal
 * @property {LedgerRow[]} ledger
 * @property {number} belief_skill
 * @property {boolean} deal
 * @property {boolean} breach
 * @property {boolean} zopa_existed
 * @property {boolean} walk_was_right
 * @property {number} surplus
 * @property {number} left_on_table
 *
 * @typedef {"best" | "good" | "inaccuracy" | "mistake" | "blunder"} VerdictName
 * @typedef {{cost: number, best: Action, best_value: number}} Judged
 *
 * @typedef {object} MoveReview
 * @property {number} number
 * @property {number} turn
 * @property {number} reward
 * @property {Judged} hindsight
 * @property {Judged | null} fair
 * @property {VerdictName} verdict
 *
 * @typedef {object} Belief
 * @property {number} turn
 * @property {import("../types.js").BeliefReport | null} stated
 * @property {Estimate | null} estimate
 * @property {{limit: number, walk_away: number, budget: number | null, urgency: number, has_alternative: boolean}} truth
 *
 * @typedef {{turn: number, kind: "note" | "whisper", words: string, author?: string | null, at: string}} Note
 *
 * @typedef {object} Debrief `game.scenario` is put there by the page
 * @property {{id: string, scenario: import("../types.js").Scenario, seat: Seat, opponent: import("../types.js").Opponent,
 *   name: string | null, mine?: boolean, marks: string[], consent?: {flywheel: boolean, offered: boolean},
 *   started_at: string, ended_at: string, seed: number, version: string}} game
 * @property {string} reason
 * @property {Seat | null} by
 * @property {number} turn
 * @property {Offer | null} final_offer
 * @property {Grade | null} grade
 * @property {Truth} truth
 * @property {{efficiency: number | null, surplus: number | null, left_on_table: number | null,
 *   limits: Record<Seat, number>, nash_offer: Offer | null,
 *   from_nash: number | null, reward: number | null, percentile: {value: number, games: number} | null}} numbers
 * @property {Line[]} lines
 * @property {import("../types.js").Point[]} trail
 * @property {{turn: number, headline: string, market: boolean, effect: Record<Seat, number>}[]} news
 * @property {{turn: number, seller: number, buyer: number}[]} limits
 * @property {import("../types.js").Worth} worth
 * @property {Belief[]} beliefs
 * @property {TrueClaim[]} claims
 * @property {{status: "ready" | "working" | "failed", progress: number, moves: MoveReview[], why?: string, message?: string}} review
 * @property {{item: string, score: number | null, evidence: {turn: number, text: Text}[]}[]} rubric
 * @property {Note[]} notes
 */

export {};
