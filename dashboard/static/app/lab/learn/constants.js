/**
 * What the learners of this page are trained with: the settings of the published experiments as they are run again on
 * the command line (`parlay reproduce`). The rules of the games aren't here: the server tells them.
 */

/** Of the running mean that rewards are held against, a step. */
export const DECAY = 0.95;

/** Of the levers: the rate of the logits, and the episodes of a step. */
export const LEVERS = { steps: 4000, rate: 0.5, episodes: 16, reached: 0.05 };

/** Of the team: `learned` is the share that works when a team has learned to. */
export const CREDIT = { steps: 300, rate: 0.5, learned: 0.95 };

/** Of proposer and solver: `attempts` at each task; `eta` is the solver's rate, `rate` and `pull` are the proposer's. */
export const CURRICULUM = { difficulties: 13, attempts: 8, eta: 0.02, steps: 600, rate: 1, pull: 0.1 };

/** Of the commons: what a fisher of habit takes, in tonnes. */
export const HABIT_T = 12;

/** How many learners there are of each kind; their seeds count from 0. */
export const SEEDS = 20;
