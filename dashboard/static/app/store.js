/** One game as its player may see it: fed by one event stream and by the answers to moves. */
import { signal, computed } from "./html.js";
import { api, ApiError } from "./api.js";
import { listen } from "./stream.js";
import { still } from "./motion.js";

/**
 * @typedef {import("./types.js").Game} Game
 * @typedef {import("./types.js").Action} Action
 */

/** An answer that comes at once looks as if nobody had thought about it. In milliseconds. */
const THINKING = 650;

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Which of two states is later. @param {Game} game */
const age = (game) => game.number * 1e4 + game.lines.length * 10 + (game.status === "over" ? 5 : 0);

/** @param {string} id */
export function openGame(id) {
  /** @type {import("./html.js").Signal<Game | null>} */
  const game = signal(/** @type {Game | null} */ (null));
  const error = signal(/** @type {unknown} */ (null));
  /** @type {import("./html.js").Signal<import("./stream.js").Link>} */
  const link = signal(/** @type {import("./stream.js").Link} */ ("connecting"));
  const sending = signal(false);
  /** What came of the last try to move, if it wasn't played. */
  const trouble = signal(/** @type {ApiError | null} */ (null));

  /** @param {Game} found */
  const take = (found) => {
    const known = game.peek();
    if (!known || age(found) >= age(known)) game.value = found;
  };

  /** @type {() => void} */
  let stop = () => {};
  const start = async () => {
    error.value = null;
    try {
      take((await api.game(id)).game);
      stop();
      stop = listen(api.events(id), { events: { game: take }, onLink: (state) => (link.value = state) });
    } catch (failure) {
      error.value = failure;
    }
  };

  /**
   * Make a move. The same number is sent again while the answer is lost on the way: it is played once.
   * @param {Action} action
   * @returns {Promise<"played" | "refused" | "lost">}
   */
  const move = async (action) => {
    const before = game.peek();
    if (!before || sending.peek()) return "lost";
    sending.value = true;
    trouble.value = null;
    try {
      const least = pause(still.peek() ? 0 : THINKING);
      const { game: after } = await api.move(id, before.number, action);
      await least;
      take(after);
      return after.observation.invalid ? "refused" : "played";
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      trouble.value = failure;
      if (failure.status === 409) await api.game(id).then((answer) => take(answer.game), () => {});
      return "lost";
    } finally {
      sending.value = false;
    }
  };

  return {
    id,
    game,
    error,
    link,
    sending,
    trouble,
    start,
    move,
    close: () => stop(),
    /** @param {Game} found */
    take,
    myTurn: computed(() => game.value?.status === "your_move" && !sending.value),
  };
}

/** @typedef {ReturnType<typeof openGame>} GameStore */
