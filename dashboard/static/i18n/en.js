/** Every English text. One file an area; the Chinese ones have the same keys. */
import common from "./en/common.js";
import home from "./en/home.js";
import setup from "./en/setup.js";
import play from "./en/play.js";
import table from "./en/table.js";
import debrief from "./en/debrief.js";
import people from "./en/people.js";
import rooms from "./en/rooms.js";
import watch from "./en/watch.js";
import lab from "./en/lab.js";

/** @type {Record<string, string>} */
export const en = { ...common, ...home, ...setup, ...play, ...table, ...debrief, ...people, ...rooms, ...watch, ...lab };
