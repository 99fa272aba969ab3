/** Who this browser is, and the catalogue: what every page may want, fetched once. */
import { signal } from "./html.js";
import { api, persist } from "./api.js";

/** @typedef {import("./types.js").Me} Me */

/** @type {import("./html.js").Signal<Me | null>} */
export const me = signal(/** @type {Me | null} */ (null));

/** Fetch it anew. @returns {Promise<Me>} */
export async function refreshMe() {
  const found = await persist(api.me);
  me.value = found;
  return found;
}

/** @param {string} name */
export async function rename(name) {
  me.value = await api.setName(name);
}

/** @type {Promise<import("./types.js").Catalogue> | null} */
let asked = null;

/** @type {import("./html.js").Signal<import("./types.js").Catalogue | null>} */
export const catalogue = signal(/** @type {import("./types.js").Catalogue | null} */ (null));

/** The scenarios, personas and cards that there are. */
export function loadCatalogue() {
  asked ??= persist(api.catalogue).then(
    (found) => (catalogue.value = found),
    (error) => {
      asked = null;
      throw error;
    },
  );
  return asked;
}
