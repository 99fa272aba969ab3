/** Every English text. One file an area; the Chinese ones have the same keys. */
import common from "./en/common.js";
import home from "./en/home.js";
import setup from "./en/setup.js";
import play from "./en/play.js";
import table from "./en/table.js";

/** @type {Record<string, string>} */
export const en = { ...common, ...home, ...setup, ...play, ...table };
