/** A proposer sets tasks, a solver practises them: five ways of choosing what to practise. */
import { CURRICULUM } from "./constants.js";
import { Draws } from "./draws.js";
import { Tables } from "./tables.js";

/**
 * @typedef {"easiest" | "oracle" | "random" | "learnability" | "adversarial"} Proposer
 * @typedef {{skill: number, proposes: Float32Array}} Pupil the mean skill over the seeds, and how often each difficulty
 *   is proposed
 * @typedef {{step: number, of: Record<Proposer, Pupil>}} CurriculumFrame
 */

/** @type {Proposer[]} */
export const PROPOSERS = ["oracle", "learnability", "random", "easiest", "adversarial"];

const { difficulties, attempts, eta, steps, rate, pull } = CURRICULUM;

/** How likely a task is solved. @param {number} difficulty @param {number} skill */
export const chance = (difficulty, skill) => 1 / (1 + Math.exp(difficulty - skill));

class Pair {
  /** @param {Proposer} proposer @param {number} seed */
  constructor(proposer, seed) {
    const learns = proposer === "learnability" || proposer === "adversarial";
    this.proposer = proposer;
    this.draws = new Draws(seed, 5 + PROPOSERS.indexOf(proposer));
    this.tables = new Tables(1, difficulties, { rate: learns ? rate : 0, pull });
    this.skill = 0;
  }

  /** The difficulty that is always proposed now; null where it is drawn. */
  get fixed() {
    if (this.proposer === "easiest") return 0;
    return this.proposer === "oracle" ? Math.min(Math.max(Math.round(this.skill), 0), difficulties - 1) : null;
  }

  /** A task is proposed, and attempted; both learn. */
  step() {
    const task = this.fixed ?? this.tables.pick(0, this.draws);
    const expected = chance(task, this.skill);
    let solved = 0;
    let learned = 0;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const success = this.draws.uniform() < expected ? 1 : 0;
      solved += success;
      learned += (success - expected) ** 2;
    }
    this.skill += eta * learned;
    const share = solved / attempts;
    this.tables.paid(0, task, this.proposer === "adversarial" ? 1 - share : share * (1 - share));
    this.tables.step();
  }

  /** How often each difficulty is proposed now. */
  get proposes() {
    const fixed = this.fixed;
    return fixed === null ? this.tables.policy : Float64Array.from({ length: difficulties }, (_, task) => Number(task === fixed));
  }
}

/**
 * @param {{seeds: number}} options
 * @returns {Generator<CurriculumFrame>}
 */
export function* curriculum({ seeds }) {
  const pairs = PROPOSERS.map((proposer) => Array.from({ length: seeds }, (_, seed) => new Pair(proposer, seed)));
  for (let step = 0; step <= steps; step++) {
    if (step % 5 === 0) yield { step, of: /** @type {any} */ (Object.fromEntries(pairs.map((all, n) => [PROPOSERS[n], look(all)]))) };
    if (step === steps) return;
    for (const all of pairs) for (const pair of all) pair.step();
  }
}

/** @param {Pair[]} pairs @returns {Pupil} */
function look(pairs) {
  const proposes = new Float32Array(difficulties);
  for (const pair of pairs) pair.proposes.forEach((share, task) => (proposes[task] += share / pairs.length));
  return { skill: pairs.reduce((sum, pair) => sum + pair.skill, 0) / pairs.length, proposes };
}
