/** Which page an address is, and going there without loading the shell again. */
import { signal, computed } from "./html.js";

/**
 * @typedef {object} Route
 * @property {string} name
 * @property {RegExp} pattern
 * @property {() => Promise<{default: any}>} load
 */

/** The routes of the house, told once at the start: who goes somewhere need not know every page. */
const routes = signal(/** @type {Route[]} */ ([]));

const here = () => ({ path: location.pathname.replace(/(.)\/+$/, "$1"), query: location.search, hash: location.hash });

export const address = signal(here());

/** The page of the address: its route and what stands in its pattern's places. */
export const current = computed(() => {
  for (const route of routes.value) {
    const match = route.pattern.exec(address.value.path);
    if (match) return { route, params: /** @type {Record<string, string>} */ ({ ...match.groups }) };
  }
  return null;
});

/** What the address asks for after the question mark. */
export const query = computed(() => new URLSearchParams(address.value.query));

/**
 * @param {string} to
 * @param {{replace?: boolean}} [how]
 */
export function navigate(to, { replace = false } = {}) {
  const before = location.pathname;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  address.value = here();
  if (location.pathname !== before) scrollTo(0, 0);
}

/** Is this a link that a page of ours answers? @param {HTMLAnchorElement} link */
function isOurs(link) {
  if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return false;
  const path = link.pathname.replace(/(.)\/+$/, "$1");
  return routes.value.some((route) => route.pattern.test(path));
}

/** Follow links and the browser's buttons from now on. @param {Route[]} table */
export function startRouter(table) {
  routes.value = table;
  addEventListener("popstate", () => {
    address.value = here();
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!(link instanceof HTMLAnchorElement) || !isOurs(link)) return;
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}
