/** An opponent, standing still. */
import { html, useEffect, useRef } from "../html.js";

const MODULE = new URL("../../opponent/stills.js", import.meta.url).href;

/** @param {{id: string, symbol: string}} props */
export function Still({ id, symbol }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (id === "drawn") return undefined;
    let gone = false;
    import(MODULE)
      .then((module) => {
        if (!gone && place.current) place.current.replaceChildren(module.still(id, "idle"));
      })
      .catch(() => {
        // The symbol stays.
      });
    return () => {
      gone = true;
    };
  }, [id]);
  return html`<span class="opponent opponent--still" aria-hidden="true">
    <span class="opponent__symbol">${symbol}</span><span class="opponent__figure" ref=${place}></span>
  </span>`;
}
