/** The lake that five share, month by month, by the figures that the server tells; whole kilograms, as there. */
import { HABIT_T } from "./constants.js";

/**
 * @typedef {object} LakeFacts
 * @property {number} fishers
 * @property {number} capacity_t
 * @property {number} collapse_t
 * @property {number} growth
 * @property {number} months
 * @property {number} tonne_kg
 *
 * @typedef {"fixed" | "sustainable" | "greedy" | "twelve" | "copycat"} Way
 * @typedef {{way: Way, fixed: number}} Plan `fixed`: the tonnes of who takes the same in every month
 * @typedef {{lake: number, caught: number[], left: number}} Month all in kg
 * @typedef {{months: Month[], end: number, collapsed: boolean, totals: number[], total: number}} Year `end`: what the
 *   lake holds after the last month, in kg; totals in kg
 */

/** @type {Way[]} */
export const WAYS = ["fixed", "sustainable", "twelve", "copycat", "greedy"];

/**
 * What each gets of a lake that is dealt out a kilogram in turn, beginning with place `first` (Sprumont 1991).
 * @param {number} lake kg
 * @param {number[]} asked kg
 * @param {number} [first]
 */
export function sharedOut(lake, asked, first = 0) {
  const got = asked.map(() => 0);
  let short = asked.map((_, n) => (first + n) % asked.length);
  let left = lake;
  for (;;) {
    const content = short.filter((place) => asked[place] * short.length <= left);
    if (!content.length) break;
    for (const place of content) {
      got[place] = asked[place];
      left -= asked[place];
    }
    short = short.filter((place) => !content.includes(place));
  }
  short.forEach((place, turn) => {
    got[place] = Math.floor(left / short.length) + (turn < left % short.length ? 1 : 0);
  });
  return got;
}

/**
 * What each catches in the month with this index, from 0, and what the next month's lake holds, in kg.
 * @param {LakeFacts} facts
 * @param {number} lake kg
 * @param {number[]} asked t
 * @param {number} index
 */
export function fished(facts, lake, asked, index) {
  const caught = sharedOut(lake, asked.map((tonnes) => tonnes * facts.tonne_kg), index % asked.length);
  const left = lake - caught.reduce((sum, kg) => sum + kg, 0);
  const alive = left >= facts.collapse_t * facts.tonne_kg;
  return { caught, left, lake: alive ? Math.min(facts.growth * left, facts.capacity_t * facts.tonne_kg) : 0 };
}

/** An equal share of what keeps the lake full, in whole tonnes. @param {LakeFacts} facts @param {number} lake t */
export const quota = (facts, lake) => Math.floor(Math.max(0, lake - facts.capacity_t / facts.growth) / facts.fishers);

/**
 * What a fisher asks for, in tonnes.
 * @param {LakeFacts} facts
 * @param {Plan} plan
 * @param {number} lake t
 * @param {number[] | undefined} last what each caught last month, in kg
 * @param {number} own
 */
export function asks(facts, { way, fixed }, lake, last, own) {
  if (way === "greedy") return lake;
  if (way === "twelve") return Math.min(HABIT_T, lake);
  if (way === "fixed") return Math.min(fixed, lake);
  if (way === "sustainable" || !last) return quota(facts, lake);
  const others = last.reduce((sum, kg) => sum + kg, 0) - last[own];
  return Math.min(Math.floor(others / facts.tonne_kg / (facts.fishers - 1)), lake);
}

/**
 * A year of these plans.
 * @param {LakeFacts} facts
 * @param {Plan[]} plans
 * @returns {Year}
 */
export function year(facts, plans) {
  /** @type {Month[]} */
  const months = [];
  let lake = facts.capacity_t * facts.tonne_kg;
  while (lake > 0 && months.length < facts.months) {
    const whole = Math.floor(lake / facts.tonne_kg);
    const asked = plans.map((plan, own) => asks(facts, plan, whole, months.at(-1)?.caught, own));
    const after = fished(facts, lake, asked, months.length);
    months.push({ lake, caught: after.caught, left: after.left });
    lake = after.lake;
  }
  const totals = plans.map((_, own) => months.reduce((sum, month) => sum + month.caught[own], 0));
  return { months, end: lake, collapsed: lake === 0, totals, total: totals.reduce((sum, kg) => sum + kg, 0) };
}

/** The Gini coefficient (Gini 1912); of nothing at all: null. @param {number[]} amounts */
export function gini(amounts) {
  const sum = amounts.reduce((all, amount) => all + amount, 0);
  if (!sum) return null;
  const pairs = amounts.reduce((all, one) => all + amounts.reduce((row, other) => row + Math.abs(one - other), 0), 0);
  return pairs / (2 * amounts.length * sum);
}
