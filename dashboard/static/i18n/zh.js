/** Every Chinese text. One file an area; the English ones have the same keys. */
import common from "./zh/common.js";
import home from "./zh/home.js";
import setup from "./zh/setup.js";
import play from "./zh/play.js";
import table from "./zh/table.js";
import debrief from "./zh/debrief.js";
import people from "./zh/people.js";
import rooms from "./zh/rooms.js";
import watch from "./zh/watch.js";
import lab from "./zh/lab.js";

/** @type {Record<string, string>} */
export const zh = { ...common, ...home, ...setup, ...play, ...table, ...debrief, ...people, ...rooms, ...watch, ...lab };
