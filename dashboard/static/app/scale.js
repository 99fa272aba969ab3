/** Words and colours for what is measured from 0 to 100. */

/** @type {[number, "critical" | "intense" | "heated" | "warming"][]} */
const TENSIONS = [[85, "critical"], [70, "intense"], [55, "heated"], [35, "warming"]];

/** The word for a tension of 0…100, as a key of the texts. @param {number} tension */
export const tensionWord = (tension) => TENSIONS.find(([least]) => tension >= least)?.[1] ?? "calm";

/**
 * The colour of a tension of 0…100.
 * @param {number} tension
 * @returns {"gold" | "amber" | "scarlet"}
 */
export function tensionTone(tension) {
  const word = tensionWord(tension);
  return word === "critical" || word === "intense" ? "scarlet" : word === "heated" ? "amber" : "gold";
}

/** Where the words change, for marks on the meter. */
export const TENSION_MARKS = TENSIONS.map(([least]) => least).reverse();

/**
 * The colour of the room that is left.
 * @param {number} width 0…1
 * @returns {"gold" | "amber" | "scarlet"}
 */
export const widthTone = (width) => (width > 0.7 ? "gold" : width > 0.4 ? "amber" : "scarlet");

/**
 * How good a habit's score is.
 * @param {number} score 0…1
 * @returns {"good" | "fair" | "poor"}
 */
export const scoreGrade = (score) => (score >= 0.7 ? "good" : score >= 0.4 ? "fair" : "poor");
