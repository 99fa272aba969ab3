/** Ten levers: learners who train with a copy of themselves, and meet each other (Hu et al. 2020). */
import { LEVERS } from "./constants.js";
import { Draws } from "./draws.js";
import { Tables } from "./tables.js";

/**
 * @typedef {object} LeverFacts
 * @property {number[]} pays what each lever pays if both pull it
 * @property {number} odd the lever that pays less
 *
 * @typedef {object} LeverOptions
 * @property {LeverFacts} facts
 * @property {number} seeds how many learners
 * @property {boolean} otherPlay are the levers that pay alike named anew for each player, in every episode?
 * @property {number} [share] how often a learner pulls the odd lever before it learns; left out: as often as any
 *
 * @typedef {{step: number, policies: Float32Array}} LeverFrame `policies`: a row of chances for each learner
 */

/** How far apart frames are: close at first, where everything happens. @param {number} step */
const shown = (step) => step % (step < 400 ? 10 : step < 1200 ? 40 : 200) === 0;

/**
 * @param {LeverOptions} options
 * @returns {Generator<LeverFrame>}
 */
export function* levers({ facts: { pays, odd }, seeds, otherPlay, share = 1 / pays.length }) {
  const alike = pays.flatMap((_, lever) => (lever === odd ? [] : [lever]));
  const start = pays.map((_, lever) => Math.log(lever === odd ? share : (1 - share) / alike.length));
  const learners = Array.from({ length: seeds }, (_, seed) => ({
    draws: new Draws(seed, otherPlay ? 2 : 1),
    tables: new Tables(1, pays.length, LEVERS, start),
  }));
  const place = pays.map((_, lever) => alike.indexOf(lever));
  const read = (/** @type {number} */ lever, /** @type {Draws} */ draws) =>
    otherPlay && lever !== odd ? alike[(place[lever] + draws.below(alike.length)) % alike.length] : lever;
  for (let step = 0; step <= LEVERS.steps; step++) {
    if (shown(step) || step === LEVERS.steps) yield { step, policies: Float32Array.from(learners.flatMap(({ tables }) => [...tables.policy])) };
    if (step === LEVERS.steps) return;
    for (const { tables, draws } of learners) {
      for (let episode = 0; episode < LEVERS.episodes; episode++) {
        const [one, other] = [tables.pick(0, draws), tables.pick(0, draws)];
        const pulled = read(one, draws);
        const reward = pulled === read(other, draws) ? pays[pulled] : 0;
        tables.paid(0, one, reward);
        tables.paid(0, other, reward);
      }
      tables.step();
    }
  }
}

/**
 * What each learner earns with each, row by row.
 * @param {Float32Array} policies
 * @param {number[]} pays
 */
export function met(policies, pays) {
  const seeds = policies.length / pays.length;
  const found = new Float64Array(seeds * seeds);
  for (let one = 0; one < seeds; one++) {
    for (let other = one; other < seeds; other++) {
      let sum = 0;
      for (let lever = 0; lever < pays.length; lever++) {
        sum += policies[one * pays.length + lever] * policies[other * pays.length + lever] * pays[lever];
      }
      found[one * seeds + other] = found[other * seeds + one] = sum;
    }
  }
  return found;
}

/** The means on and off the diagonal. @param {Float64Array} matrix @param {number} seeds */
export function means(matrix, seeds) {
  let own = 0;
  let all = 0;
  for (let one = 0; one < seeds; one++) own += matrix[one * seeds + one];
  for (const value of matrix) all += value;
  return { own: own / seeds, cross: (all - own) / (seeds * (seeds - 1)) };
}

/**
 * Each learner's score by itself, as Other-Play counts: what it earns with itself where the levers that pay alike are
 * named anew.
 * @param {Float32Array} policies
 * @param {LeverFacts} facts
 */
export function scores(policies, { pays, odd }) {
  const seeds = policies.length / pays.length;
  const alike = pays.length - 1;
  return Array.from({ length: seeds }, (_, seed) => {
    const chance = policies[seed * pays.length + odd];
    const pay = pays[(odd + 1) % pays.length];
    return pays[odd] * chance ** 2 + (pay * (1 - chance) ** 2) / alike;
  });
}

/** The lever that each learner pulls most. @param {Float32Array} policies @param {number} levers */
export const favourites = (policies, levers) =>
  Array.from({ length: policies.length / levers }, (_, seed) => {
    const row = policies.subarray(seed * levers, (seed + 1) * levers);
    return row.indexOf(Math.max(...row));
  });

/**
 * How often a learner must pull the odd lever at first to climb to it under Other-Play, 1 − q*: where its score,
 * ODD·(1 − q)² + COMMON·q²/9 with a share q of pulls on the others, is least.
 * @param {LeverFacts} facts
 */
export function basin({ pays, odd }) {
  const common = pays[(odd + 1) % pays.length] / (pays.length - 1);
  return common / (pays[odd] + common);
}
