/**
 * The shapes of rooms (docs/pages.md).
 *
 * @typedef {import("../types.js").Offer} Offer
 * @typedef {import("../types.js").Seat} Seat
 * @typedef {{seat: Seat, name: string | null, bot: boolean, present: boolean}} Sitting
 *
 * @typedef {object} RoomTask
 * @property {number} index
 * @property {import("../types.js").Scenario} scenario
 * @property {Seat} seat
 * @property {string} persona a persona's id, or "person"
 * @property {(import("../types.js").Card & {waiting?: boolean}) | null} [game]
 *
 * @typedef {object} Room
 * @property {string} id
 * @property {string} name
 * @property {string} join_code
 * @property {boolean} same_seed
 * @property {boolean} closed
 * @property {string | null} due_at
 * @property {string} created_at
 * @property {RoomTask[]} tasks
 *
 * @typedef {object} WatchCard
 * @property {string} id
 * @property {number | null} task
 * @property {import("../types.js").Text} title
 * @property {Sitting[]} players
 * @property {import("../types.js").Opponent} opponent
 * @property {number} turn
 * @property {number} tension
 * @property {Seat | null} to_move
 * @property {boolean} waiting
 * @property {Record<Seat, Offer | null>} offers
 * @property {string} currency
 * @property {string} words
 * @property {boolean} watched
 * @property {string} moved_at
 *
 * @typedef {object} Result
 * @property {string} game_id
 * @property {string | null} player
 * @property {number | null} task
 * @property {string} scenario_id
 * @property {Seat} seat
 * @property {string} opponent
 * @property {string | null} ended_at
 * @property {number} turn
 * @property {string | null} reason
 * @property {number | null} efficiency
 * @property {number | null} surplus
 * @property {number | null} reward
 * @property {boolean | null} right_exit
 * @property {boolean} watched
 * @property {boolean} helped
 * @property {boolean} bot
 * @property {Record<string, number | null>} rubric
 *
 * @typedef {{room: Room, players: {name: string, joined_at: string}[], games: WatchCard[], results: Result[]}} Whole
 */

export {};
