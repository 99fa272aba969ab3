/** What whoever sits opposite is called: also a person who has left no name behind. */
import { t } from "../i18n.js";
import { opponentName } from "./opponent.js";

/** @param {import("../types.js").Opponent} opponent @returns {string} */
export const nameOf = (opponent) => opponentName(opponent) || t(opponent.kind === "bot" ? "who.bot" : "who.person");
