/** An opponent, standing still. */
import { html, useEffect, useRef } from "../html.js";
import { t } from "../i18n.js";

const MODULE = new URL("../../opponent/opponent.js", import.meta.url).href;

/** @param {{id: string, symbol: string}} props */
export function Still({ id, symbol }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (id === "drawn") return undefined;
    let gone = false;
    /** @type {{dispose: () => void} | null} */
    let figure = null;
    import(MODULE)
      .then((module) => {
        if (gone || !place.current) return;
        const label = t(`persona.${id}.name`);
        figure = module.mountStill ? module.mountStill(place.current, { persona: id, label }) : null;
      })
      .catch(() => {
        // The symbol stays.
      });
    return () => {
      gone = true;
      figure?.dispose();
    };
  }, [id]);
  return html`<span class="opponent opponent--still" aria-hidden="true">
    <span class="opponent__symbol">${symbol}</span><span class="opponent__figure" ref=${place}></span>
  </span>`;
}
