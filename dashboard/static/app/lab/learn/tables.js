/**
 * REINFORCE on tables of softmax policies (Williams 1992). Every decision moves the logits of its table by
 * rate · (reward − baseline) · (chosen − policy), summed over a step's decisions and divided by its episodes.
 */
import { DECAY } from "./constants.js";

/** A chance whose logarithm is still a number. */
const TINY = 1e-300;

/**
 * @typedef {object} How
 * @property {number} rate of the logits
 * @property {number} [episodes] of a step
 * @property {boolean} [baseline] is a reward held against the running mean of those before?
 * @property {number} [pull] the weight of KL(policy‖uniform)
 */

export class Tables {
  /**
   * @param {number} tables
   * @param {number} actions
   * @param {How} how
   * @param {number[]} [start] the first logits of every table; left out: all 0
   */
  constructor(tables, actions, { rate, episodes = 1, baseline = true, pull = 0 }, start) {
    this.tables = tables;
    this.actions = actions;
    this.how = { rate, episodes, baseline, pull };
    this.logits = Float64Array.from({ length: tables * actions }, (_, place) => start?.[place % actions] ?? 0);
    this.policy = new Float64Array(tables * actions);
    /** The running mean of each table; none before its first step. */
    this.running = new Float64Array(tables).fill(NaN);
    /** @type {number[]} */
    this.places = [];
    /** @type {number[]} */
    this.rewards = [];
    this.renew();
  }

  /** Policies from logits. */
  renew() {
    const { actions, logits, policy } = this;
    for (let first = 0; first < logits.length; first += actions) {
      let most = -Infinity;
      for (let at = first; at < first + actions; at++) most = Math.max(most, logits[at]);
      let sum = 0;
      for (let at = first; at < first + actions; at++) sum += policy[at] = Math.exp(logits[at] - most);
      for (let at = first; at < first + actions; at++) policy[at] /= sum;
    }
  }

  /**
   * An action of this table.
   * @param {number} table
   * @param {import("./draws.js").Draws} draws
   */
  pick(table, draws) {
    const first = table * this.actions;
    let left = draws.uniform();
    for (let action = 0; action < this.actions - 1; action++) {
      left -= this.policy[first + action];
      if (left < 0) return action;
    }
    return this.actions - 1;
  }

  /**
   * What an action was paid.
   * @param {number} table
   * @param {number} action
   * @param {number} reward
   */
  paid(table, action, reward) {
    this.places.push(table * this.actions + action);
    this.rewards.push(reward);
  }

  /** Learn from what was paid since the last step. */
  step() {
    const { actions, logits, policy, places, rewards, how } = this;
    const before = this.#baselines();
    const pushed = new Float64Array(logits.length);
    const sums = new Float64Array(this.tables);
    for (let n = 0; n < places.length; n++) {
      const table = Math.floor(places[n] / actions);
      const advantage = rewards[n] - before[table];
      pushed[places[n]] += advantage;
      sums[table] += advantage;
    }
    for (let table = 0; table < this.tables; table++) {
      const first = table * actions;
      const pulled = how.pull ? this.#pull(first) : null;
      for (let at = first; at < first + actions; at++) {
        const found = (pushed[at] - policy[at] * sums[table]) / how.episodes;
        logits[at] += how.rate * (found - (pulled ? how.pull * pulled[at - first] : 0));
      }
    }
    places.length = 0;
    rewards.length = 0;
    this.renew();
  }

  /** What rewards are held against; a table's first step is its own. */
  #baselines() {
    const { actions, places, rewards, running } = this;
    const before = new Float64Array(this.tables);
    if (!this.how.baseline) return before;
    const times = new Float64Array(this.tables);
    const sums = new Float64Array(this.tables);
    for (let n = 0; n < places.length; n++) {
      const table = Math.floor(places[n] / actions);
      times[table]++;
      sums[table] += rewards[n];
    }
    for (let table = 0; table < this.tables; table++) {
      if (!times[table]) continue;
      const mean = sums[table] / times[table];
      before[table] = Number.isNaN(running[table]) ? mean : running[table];
      running[table] = DECAY * before[table] + (1 - DECAY) * mean;
    }
    return before;
  }

  /** The gradient of KL(policy‖uniform) by the logits of the table that begins here. @param {number} first */
  #pull(first) {
    const row = this.policy.subarray(first, first + this.actions);
    const distance = row.map((chance) => Math.log(Math.max(chance, TINY) * this.actions));
    const divergence = row.reduce((sum, chance, n) => sum + chance * distance[n], 0);
    return row.map((chance, n) => chance * (distance[n] - divergence));
  }
}
