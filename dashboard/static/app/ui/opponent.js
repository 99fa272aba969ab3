/** Who sits opposite, drawn: the moving figure where the device can, else a still one. */
import { html, useEffect, useRef, useState, classes } from "../html.js";
import { inText, t, has } from "../i18n.js";
import { still } from "../motion.js";

const MODULE = new URL("../../opponent/opponent.js", import.meta.url).href;

/**
 * @typedef {"idle" | "thinking" | "aggressive" | "pleased" | "shocked"} State
 * @typedef {{setState: (state: State) => void, speak: (ms: number) => void, setTension: (tension: number) => void,
 *   dispose: () => void}} Figure
 */

/**
 * The same name as it stands within a sentence.
 * @param {import("../types.js").Opponent} opponent
 */
export const nameInText = (opponent) => (opponent.kind === "persona" ? opponentName(opponent).replace(/^The /, "the ") : opponent.name || inText(opponentName(opponent)));

/**
 * Whose figure it is: a persona's own, or a person's.
 * @param {import("../types.js").Opponent} opponent
 */
export const portrayed = (opponent) => (opponent.kind === "persona" ? opponent.id : "person");

/**
 * @param {import("../types.js").Opponent} opponent
 */
export function opponentName(opponent) {
  const key = `persona.${opponent.id}.name`;
  if (opponent.kind === "persona" && has(key)) return t(key);
  return opponent.name || t(`opponent.${opponent.kind}`);
}

/**
 * @param {{opponent: import("../types.js").Opponent, state?: State, tension?: number, said?: string | number | null,
 *   words?: string, class?: string}} props `said` changes with everything that is said: the figure speaks then
 */
export function Opponent({ opponent, state = "idle", tension = 25, said = null, words = "", class: name }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const figure = useRef(/** @type {Figure | null} */ (null));
  const label = t("opponent.label", { name: opponentName(opponent) });
  const wanted = useRef({ state, tension, label });
  wanted.current = { state, tension, label };
  const reduced = still.value;
  const [shown, setShown] = useState(false);

  useEffect(() => {
    let gone = false;
    const container = place.current;
    import(MODULE)
      .then((module) => {
        if (gone || !container) return;
        figure.current = module.mountOpponent(container, { persona: portrayed(opponent), reducedMotion: reduced, label: wanted.current.label });
        setShown(true);
        figure.current?.setState(wanted.current.state);
        figure.current?.setTension(wanted.current.tension);
      })
      .catch(() => {
        // The symbol beneath stays.
      });
    return () => {
      gone = true;
      figure.current?.dispose();
      figure.current = null;
    };
  }, [opponent.id, reduced]);

  useEffect(() => figure.current?.setState(state), [state]);
  useEffect(() => figure.current?.setTension(tension), [tension]);
  useEffect(() => {
    if (said !== null && words) figure.current?.speak(Math.min(900 + words.length * 45, 6000));
  }, [said]);

  return html`
    <div class=${classes("opponent", name)}>
      ${!shown && html`<span class="opponent__symbol" aria-hidden="true">${opponent.symbol || "◇"}</span>`}
      <div class="opponent__figure" role="img" aria-label=${label} ref=${place}></div>
    </div>
  `;
}
