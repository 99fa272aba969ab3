/** An opponent, standing still. */
import { html, useEffect, useRef, useState } from "../html.js";

const MODULE = new URL("../../opponent/stills.js", import.meta.url).href;

/** @param {{id: string, symbol: string}} props */
export function Still({ id, symbol }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (id === "drawn") return undefined;
    let gone = false;
    import(MODULE)
      .then((module) => {
        if (gone || !place.current) return;
        place.current.replaceChildren(module.still(id, "idle"));
        setShown(true);
      })
      .catch(() => {
        // The symbol stays.
      });
    return () => {
      gone = true;
    };
  }, [id]);
  return html`<span class="opponent opponent--still" aria-hidden="true">
    ${!shown && html`<span class="opponent__symbol">${symbol}</span>`}<span class="opponent__figure" ref=${place}></span>
  </span>`;
}
