/**
 * The shapes of the API (docs/pages.md).
 *
 * @typedef {{en: string, zh: string}} Text
 * @typedef {"seller" | "buyer"} Seat
 * @typedef {Record<string, number>} Offer
 *
 * @typedef {object} Opponent
 * @property {"persona" | "person" | "bot"} kind
 * @property {string} id
 * @property {string | null} name of a person: as soon as somebody sits there
 * @property {string} symbol
 *
 * @typedef {object} Issue
 * @property {string} name
 * @property {Text} title
 * @property {string | Text} unit
 * @property {number} low
 * @property {number} high
 * @property {number | null} step
 * @property {number[] | null} values
 * @property {Record<Seat, "higher" | "lower">} better
 *
 * @typedef {object} Side
 * @property {Text} role
 * @property {Text} briefing
 * @property {Offer | number} anchor
 * @property {number} limit
 *
 * @typedef {object} Scenario
 * @property {string} id
 * @property {Text} title
 * @property {string | Text} unit
 * @property {string} currency
 * @property {number} width
 * @property {boolean} several
 * @property {Record<Seat, Side>} seats
 * @property {Issue[]} issues
 * @property {{id: string, by: Seat, title: Text, cost: number}[]} sweeteners
 *
 * @typedef {{name: string, per_unit?: number, values?: number[], worth?: number[]}} IssueWorth
 * @typedef {{constant: number, issues: IssueWorth[]}} Worth
 *
 * @typedef {{kind: string, value: number | string | boolean}} Claim
 *
 * @typedef {"idle" | "aggressive" | "pleased" | "shocked"} Face
 *
 * @typedef {object} Line
 * @property {number} n
 * @property {number} turn
 * @property {Seat} seat
 * @property {"player" | "persona" | "bot" | "clock"} by
 * @property {string} words
 * @property {Offer | null} offer
 * @property {number | null} surplus
 * @property {string | null} card
 * @property {string | null} item
 * @property {string | null} question
 * @property {Claim | null} claim
 * @property {"stands" | "withdrawn" | null} challenge
 * @property {boolean} accept
 * @property {boolean} walk
 * @property {boolean} final
 * @property {{code: string, message: string} | null} invalid
 * @property {Face} face
 * @property {Face} reaction
 *
 * @typedef {object} Point
 * @property {number} turn
 * @property {number} tension
 * @property {number} trust
 * @property {number} credibility
 * @property {number} opponent_credibility
 * @property {number} points
 * @property {number} opponent_points
 * @property {number} width
 *
 * @typedef {{low: number, median: number, high: number}} Range
 * @typedef {"cooperative" | "competitive" | "reserved" | "flexible"} BarName
 * @typedef {Record<BarName, {value: number, confidence: number}>} Bars
 *
 * @typedef {object} Estimate
 * @property {number} turn
 * @property {"prior" | "tracker"} source
 * @property {Range} limit
 * @property {Range} surplus
 * @property {number} has_zopa
 * @property {Range | null} middle
 * @property {Offer | null} middle_offer
 * @property {Bars | null} bars
 *
 * @typedef {{mean: number, low: number, high: number}} Prior
 *
 * @typedef {object} BeliefReport
 * @property {number | null} [est_walk_away]
 * @property {number | null} [est_budget]
 * @property {number | null} [est_urgency]
 * @property {number | null} [est_has_alternative]
 *
 * @typedef {object} Observation
 * @property {number} turn
 * @property {number} turns_left
 * @property {Seat} seat
 * @property {any} scenario
 * @property {string} persona
 * @property {{walk_away: number, budget: number | null, limit: number, target: number, urgency: number,
 *   has_alternative: boolean, deadline: number, weights: Record<string, number> | null}} own
 * @property {{walk_away: Prior, budget: Prior, urgency: Prior, has_alternative: number, no_zopa: number,
 *   weights: Record<string, number> | null}} prior
 * @property {Offer | null} own_offer
 * @property {Offer | null} opponent_offer
 * @property {{turn: number, seat: Seat, offer: Offer}[]} offers
 * @property {string} opponent_utterance
 * @property {string} opponent_move
 * @property {{kind: string, value: number | string | boolean, status: string, turn: number} | null} opponent_claim
 * @property {{turn: number, seat: Seat, kind: string, value: number | string | boolean, status: string}[]} claims
 * @property {{seat: Seat, id: string, title: string, worth: number}[]} thrown_in
 * @property {{turn: number, headline: string, market: boolean}[]} events
 * @property {number} tension_score
 * @property {number} trust
 * @property {number} credibility
 * @property {number} opponent_credibility
 * @property {number} credibility_points
 * @property {number} opponent_credibility_points
 * @property {string[]} available_moves
 * @property {number} zopa_width_pct_remaining
 * @property {number} zopa_erosion_ticks
 * @property {BeliefReport | null} belief
 * @property {{code: string, message: string} | null} invalid
 * @property {string | null} termination_reason
 * @property {Offer | null} final_offer
 * @property {any} grade
 * @property {any} truth
 *
 * @typedef {object} Game
 * @property {string} id
 * @property {Seat} seat
 * @property {Opponent} opponent
 * @property {"your_move" | "their_move" | "over"} status
 * @property {number} number
 * @property {boolean} guided
 * @property {"scripted" | "narrated" | "llm"} voice who speaks for the persona
 * @property {boolean} ranked
 * @property {string[]} marks
 * @property {boolean} [waiting] nobody sits opposite yet
 * @property {boolean} watched
 * @property {boolean} [watching] somebody does just now
 * @property {boolean} [bot] one of the seats is a bot's by now
 * @property {{flywheel: boolean, offered: boolean}} consent
 * @property {{id: string, name: string, debrief_open: boolean} | null} [room]
 * @property {Scenario} scenario
 * @property {Observation} observation
 * @property {Worth} worth
 * @property {Line[]} lines
 * @property {Point[]} trail
 * @property {Estimate[]} estimates
 * @property {"ready" | "working" | "prior" | "unavailable"} estimating
 * @property {{id: string, turn: number, words: string, at: string}[]} whispers
 * @property {string | null} [debrief]
 *
 * @typedef {object} Action
 * @property {string} [utterance]
 * @property {number} [offer_amount]
 * @property {Offer} [offer]
 * @property {string} [tactical_move]
 * @property {number} [claim_value]
 * @property {string} [sweetener]
 * @property {string} [question]
 * @property {boolean} [challenge]
 * @property {boolean} [accept_deal]
 * @property {boolean} [walk_away]
 * @property {BeliefReport} [belief]
 * @property {number} [event_impact]
 *
 * @typedef {object} Replay
 * @property {Scenario} scenario
 * @property {Seat} seat
 * @property {Opponent} opponent
 * @property {Opponent} player the other side of it
 * @property {Line[]} lines
 * @property {Point[]} trail
 * @property {{turn: number, headline: string}[]} news
 * @property {string} reason
 * @property {Offer | null} final_offer
 *
 * @typedef {object} Card one of one's own games
 * @property {string} id
 * @property {string} scenario_id
 * @property {Text} title
 * @property {Seat} seat
 * @property {Opponent} opponent
 * @property {number} turn
 * @property {"playing" | "over"} status
 * @property {string} [reason]
 * @property {number} [efficiency]
 * @property {number} [surplus]
 * @property {Offer} [final_offer]
 * @property {string} currency
 * @property {string} started_at
 * @property {string} moved_at
 * @property {boolean} ranked
 * @property {string[]} marks
 * @property {{id: string, name: string}} [room]
 *
 * @typedef {object} Me
 * @property {{id: string, name: string} | null} player
 * @property {Card[]} unfinished
 * @property {{ok: boolean, message: string}} store
 * @property {{open: boolean, key: boolean}} rooms
 * @property {{name: string | null, open: boolean, key: boolean}} models a language model can speak for opponents
 *
 * @typedef {{id: string, title: string, cost: number, uses: number, effect: string, source: string, claim: "limit" | "deadline" | null}} CardInfo
 * @typedef {{id: string, name: string, symbol: string}} Persona
 *
 * @typedef {object} Catalogue
 * @property {Scenario[]} scenarios
 * @property {Persona[]} personas
 * @property {CardInfo[]} cards
 * @property {(string | {id: string, cost?: number})[]} topics
 * @property {number} max_turns
 * @property {number} max_words
 * @property {number} max_name
 * @property {number} question_cost
 * @property {number} start_points
 * @property {number} impact_most
 * @property {{breach: number, noise: number, efficiency: number}} points
 */

export {};
