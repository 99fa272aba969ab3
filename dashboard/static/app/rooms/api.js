/** What rooms ask of the server. */
import { persist, request } from "../api.js";

const at = (/** @type {string} */ id) => `/api/rooms/${encodeURIComponent(id)}`;

/** Keys of rooms opened in this tab: told once, and kept nowhere else. @type {Map<string, string>} */
export const keys = new Map();

export const rooms = {
  /** @returns {Promise<{rooms: {room: import("./types.js").Room, games: import("./types.js").WatchCard[]}[]}>} */
  mine: () => persist(() => request("GET", "/api/rooms")),
  /** @param {any} wish @returns {Promise<{room: import("./types.js").Room, manager_key: string, join_code: string}>} */
  open: (wish) => persist(() => request("POST", "/api/rooms", wish)),
  /** @param {string} id @param {string} manager_key */
  enter: (id, manager_key) => persist(() => request("POST", `${at(id)}/enter`, { manager_key })),
  /** @param {string} id @returns {Promise<import("./types.js").Whole>} */
  look: (id) => persist(() => request("GET", at(id))),
  /** @param {string} id @returns {Promise<import("./types.js").Whole>} */
  close: (id) => request("POST", `${at(id)}/close`),
  /** @param {string} id */
  events: (id) => `${at(id)}/events`,
  /** @param {string} id */
  csv: (id) => `${at(id)}/results.csv`,
  /** @param {string} id @param {string} game @returns {Promise<{token: string}>} */
  watch: (id, game) => request("POST", `${at(id)}/games/${encodeURIComponent(game)}/watch`),
  /** Take every watcher's link back. @param {string} id @param {string} game */
  unwatch: (id, game) => request("DELETE", `${at(id)}/games/${encodeURIComponent(game)}/watch`),
  /** @param {string} yaml @returns {Promise<{scenario: import("../types.js").Scenario}>} */
  check: (yaml) => request("POST", "/api/scenarios/check", { yaml }),
  /** @param {string} join_code @param {string} request_id @returns {Promise<{room: import("./types.js").Room}>} */
  join: (join_code, request_id) => persist(() => request("POST", "/api/join", { join_code, request_id })),
  /** @param {string} id @param {number} task @param {string} request_id @returns {Promise<{game: import("../types.js").Game}>} */
  play: (id, task, request_id) => persist(() => request("POST", `${at(id)}/games`, { request_id, task })),
};
