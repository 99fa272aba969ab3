/** The pages begin here. */
import { html, render, useEffect, useRef, useState } from "./html.js";
import { locale, t } from "./i18n.js";
import { address, current, startRouter } from "./router.js";
import { ROUTES } from "./routes.js";
import { refreshMe } from "./me.js";
import { Shell } from "./ui/shell.js";
import { Empty, Failed, Loading } from "./ui/panel.js";

const BARE = new Set(["table"]);

/** The page of the address, fetched when it is first wanted. */
function Page() {
  const place = current.value;
  const [loaded, setLoaded] = useState(/** @type {{name: string, View: any} | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  const name = place?.route.name ?? "";

  useEffect(() => {
    let wanted = true;
    setError(null);
    place?.route.load().then(
      (module) => wanted && setLoaded({ name, View: module.default }),
      (failure) => wanted && setError(failure),
    );
    return () => {
      wanted = false;
    };
  }, [name, tries]);

  useEffect(() => {
    const title = t(`title.${name || "missing"}`);
    document.title = name === "home" ? `Parlay · ${title}` : `${title} · Parlay`;
  }, [name, locale.value]);

  const path = address.value.path;
  const came = useRef(path);
  useEffect(() => {
    if (came.current === path) return;
    came.current = path;
    // The link that was followed may be gone: who reads by keyboard or ear goes on at the new page.
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);

  if (!place) {
    return html`<${Shell}>
      <${Empty} title=${t("state.missing")} action=${html`<a class="button" href="/">${t("state.home")}</a>`} />
    <//>`;
  }
  const key = place.params.id ?? name;
  return html`<${Shell} bare=${BARE.has(name)}>
    ${error
      ? html`<${Failed} error=${error} retry=${() => setTries(tries + 1)} />`
      : loaded?.name === name
        ? html`<${loaded.View} key=${key} params=${place.params} />`
        : html`<${Loading} />`}
  <//>`;
}

startRouter(ROUTES);
refreshMe().catch(() => {
  // A page that needs it asks again, and says what is wrong.
});
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.replaceChildren();
render(html`<${Page} />`, root);
