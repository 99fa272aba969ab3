/** The server's answers. Every failure is an `ApiError` with a code that a page can put in words. */
import { t, has } from "./i18n.js";

/** What went wrong. `status` 0: the server wasn't reached, and nobody knows whether it got the request. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {unknown} [details]
   * @param {number} [retryAfter] seconds
   */
  constructor(status, code, message, details, retryAfter) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /** The same again may succeed, and does no harm where the request has an id. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** What to tell the reader. */
  get words() {
    const key = `error.${this.code}`;
    return has(key) ? t(key) : this.message || t("error.unknown");
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function request(method, path, body) {
  /** @type {RequestInit} */
  const init = { method, headers: { Accept: "application/json" }, credentials: "same-origin", cache: "no-store" };
  if (method !== "GET") {
    init.headers = { ...init.headers, "Content-Type": "application/json" };
    init.body = JSON.stringify(body ?? {});
  }
  let answer;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new ApiError(0, "UNREACHABLE", "");
  }
  if (answer.status === 204) return null;
  let found;
  try {
    found = await answer.json();
  } catch {
    throw new ApiError(answer.ok ? 0 : answer.status, answer.ok ? "UNREACHABLE" : "INTERNAL", "");
  }
  if (answer.ok) return found;
  const error = found.error ?? {};
  const retry = Number(answer.headers.get("Retry-After")) || undefined;
  throw new ApiError(answer.status, error.code ?? "INTERNAL", error.message ?? "", error.details, retry);
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Ask again, a few times and ever later, while the failure is one that passes. Only for what is idempotent.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {number} [tries]
 * @returns {Promise<T>}
 */
export async function persist(ask, tries = 4) {
  for (let turn = 1; ; turn++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.passing || turn >= tries) throw error;
      await pause(Math.min((error.retryAfter ?? 0) * 1000 || 400 * 2 ** turn, 8000));
    }
  }
}

/** A name for one intent: the same request again is answered like the first time. */
export const requestId = () =>
  crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16)).join("");

/** @param {string} id */
const game = (id) => `/api/games/${encodeURIComponent(id)}`;

export const api = {
  me: () => request("GET", "/api/me"),
  /** @param {string} name */
  setName: (name) => request("POST", "/api/me", { name }),
  forgetMe: () => request("DELETE", "/api/me"),
  myGames: () => request("GET", "/api/me/games"),
  deleteMyGames: () => request("DELETE", "/api/me/games"),
  /** @returns {Promise<import("./types.js").Catalogue>} */
  catalogue: () => request("GET", "/api/catalogue"),
  /** @returns {Promise<import("./types.js").Replay>} */
  demo: () => request("GET", "/api/demo"),
  /**
   * @param {{request_id: string, scenario_id: string, seat: string, persona: string, guided: boolean}} options
   * @returns {Promise<{game: import("./types.js").Game}>}
   */
  open: (options) => persist(() => request("POST", "/api/games", options)),
  /**
   * @param {string} id
   * @returns {Promise<{game: import("./types.js").Game}>}
   */
  game: (id) => persist(() => request("GET", game(id))),
  /**
   * @param {string} id
   * @param {number} number
   * @param {import("./types.js").Action} action
   * @returns {Promise<{game: import("./types.js").Game}>}
   */
  move: (id, number, action) => persist(() => request("POST", `${game(id)}/moves`, { number, action })),
  /**
   * @param {string} id
   * @param {string} request_id
   * @returns {Promise<{game: import("./types.js").Game}>}
   */
  rematch: (id, request_id) => persist(() => request("POST", `${game(id)}/rematch`, { request_id })),
  /**
   * @param {string} id
   * @param {boolean} flywheel
   */
  consent: (id, flywheel) => request("POST", `${game(id)}/consent`, { flywheel }),
  /** @param {string} id */
  deleteGame: (id) => request("DELETE", game(id)),
  /** @param {string} id */
  debrief: (id) => request("GET", `${game(id)}/debrief`),
  /** @param {string} id */
  events: (id) => `${game(id)}/events`,
};
