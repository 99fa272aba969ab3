/** A team whose members learn to work: from the team's reward, and from the difference that each one makes. */
import { CREDIT } from "./constants.js";
import { Draws } from "./draws.js";
import { Tables } from "./tables.js";

/**
 * @typedef {{agents: number, noise: number, seeds: number}} CreditOptions
 * @typedef {{works: number, agents: Float32Array}} Team `works`: the share that works, over all seeds; `agents`: how
 *   likely each works, of the first seed
 * @typedef {{step: number, team: Team, difference: Team}} CreditFrame
 */

const WORK = 1;

/**
 * @param {CreditOptions} options
 * @returns {Generator<CreditFrame>}
 */
export function* credit({ agents, noise, seeds }) {
  const { rate } = CREDIT;
  const of = (/** @type {number} */ stream, /** @type {import("./tables.js").How} */ how) =>
    Array.from({ length: seeds }, (_, seed) => ({ draws: new Draws(seed, stream), tables: new Tables(agents, 2, how) }));
  const team = of(3, { rate });
  // In units of one's own share: 1 for work, 0 for none.
  const difference = of(4, { rate: rate * agents, baseline: false });
  for (let step = 0; step <= CREDIT.steps; step++) {
    if (step < 60 || step % 3 === 0) yield { step, team: look(team), difference: look(difference) };
    if (step === CREDIT.steps) return;
    for (const { tables, draws } of team) {
      const worked = choices(tables, draws);
      const reward = worked.reduce((sum, work) => sum + work, 0) / agents + noise * draws.normal();
      worked.forEach((work, agent) => tables.paid(agent, work, reward));
      tables.step();
    }
    for (const { tables, draws } of difference) {
      // What is paid less what would have been paid without one: the noise and the others cancel out.
      choices(tables, draws).forEach((work, agent) => tables.paid(agent, work, work / agents));
      tables.step();
    }
  }
}

/** @param {Tables} tables @param {Draws} draws */
const choices = (tables, draws) => Array.from({ length: tables.tables }, (_, agent) => tables.pick(agent, draws));

/** @param {{tables: Tables}[]} teams @returns {Team} */
function look(teams) {
  let sum = 0;
  for (const { tables } of teams) for (let agent = 0; agent < tables.tables; agent++) sum += tables.policy[2 * agent + WORK];
  const [{ tables }] = teams;
  const agents = Float32Array.from({ length: tables.tables }, (_, agent) => tables.policy[2 * agent + WORK]);
  return { works: sum / (teams.length * tables.tables), agents };
}
