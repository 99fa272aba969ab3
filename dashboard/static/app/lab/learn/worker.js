/** Runs one experiment apart from the page, and sends its frames as they come; then, that it is over. */
import { credit } from "./credit.js";
import { curriculum } from "./curriculum.js";
import { levers } from "./levers.js";

/** @type {Record<string, (options: any) => Generator<object>>} */
const EXPERIMENTS = { levers, credit, curriculum };

addEventListener("message", ({ data }) => {
  for (const frame of EXPERIMENTS[data.experiment](data.options)) postMessage({ frame });
  postMessage({ over: true });
});
