/** The move that is being prepared. It survives a reload of the page, and a failed try to send it. */
import { signal } from "../html.js";

/**
 * @typedef {object} Draft
 * @property {string} words
 * @property {boolean} offering
 * @property {import("../types.js").Offer | null} offer what the control shows; null: nobody touched it yet
 * @property {{value: number, before: import("../types.js").Offer | null, wasOffering: boolean} | null} fromWords
 * @property {number[]} heard amounts of the words that were dealt with
 * @property {string | null} card
 * @property {string | null} item
 * @property {number | null} claim
 * @property {string | null} question
 * @property {boolean} challenge
 * @property {number | null} answer
 * @property {import("../types.js").BeliefReport} belief
 * @property {number | null} impact
 */

/** @type {Draft} */
const BLANK = {
  words: "", offering: true, offer: null, fromWords: null, heard: [], card: null, item: null, claim: null,
  question: null, challenge: false, answer: null, belief: {}, impact: null,
};

/** @param {string} id */
export function openDraft(id) {
  const key = `parlay.draft.${id}`;
  /** @type {Draft} */
  let kept = { ...BLANK };
  try {
    kept = { ...BLANK, ...JSON.parse(sessionStorage.getItem(key) ?? "{}") };
  } catch {
    // A draft that can't be read is none.
  }
  const draft = signal(kept);

  const keep = () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(draft.peek()));
    } catch {
      // It lives as long as the page.
    }
  };

  return {
    draft,
    /** @param {Partial<Draft>} change */
    patch(change) {
      draft.value = { ...draft.peek(), ...change };
      keep();
    },
    /**
     * After a move was played: the offer stays where it was, what was sent begins anew, and what was changed meanwhile
     * stays for the next move.
     * @param {Draft} sent
     */
    clear(sent) {
      const now = draft.peek();
      const since = Object.entries(now).filter(([name, value]) => value !== sent[/** @type {keyof Draft} */ (name)]);
      draft.value = { ...BLANK, ...Object.fromEntries(since), offer: now.offer };
      keep();
    },
  };
}

/** @typedef {ReturnType<typeof openDraft>} DraftStore */
