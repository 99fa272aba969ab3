/** An experiment that runs beside the page: its frames come as fast as they are found, and are shown at a pace one can follow. */
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { number } from "../format.js";
import { still } from "../motion.js";
import { Slider } from "../ui/field.js";

/** How long a frame stands, in milliseconds. */
const PACE = 60;

/** @typedef {"idle" | "running" | "paused" | "done" | "failed"} Phase */

/**
 * @template {{step: number}} F
 * @typedef {object} Run
 * @property {F} frame the one that is shown
 * @property {F[]} frames all that are known
 * @property {number} at
 * @property {number} steps
 * @property {Phase} phase
 * @property {boolean} whole have all frames come?
 * @property {() => void} start
 * @property {() => void} pause
 * @property {() => void} go on with it
 * @property {(at: number) => void} show
 */

/**
 * @template {{step: number}} F
 * @template {object} O
 * @param {string} experiment its name in the worker
 * @param {(options: O) => Generator<F>} play the same here, of which only the first frame is taken
 * @param {O} options other ones begin anew, at once if this had begun
 * @param {number} steps
 * @returns {Run<F>}
 */
export function useRun(experiment, play, options, steps) {
  const key = JSON.stringify(options);
  const first = useMemo(() => /** @type {F} */ (play(options).next().value), [key]);
  const kept = useRef({ frames: /** @type {F[]} */ ([]), over: false, worker: /** @type {Worker | null} */ (null) });
  const [{ phase, at }, set] = useState({ phase: /** @type {Phase} */ ("idle"), at: 0 });

  const start = () => {
    kept.current.worker?.terminate();
    const worker = new Worker(new URL("./learn/worker.js", import.meta.url), { type: "module" });
    const mine = { frames: /** @type {F[]} */ ([]), over: false, worker };
    kept.current = mine;
    worker.onmessage = ({ data }) => {
      if (data.over) mine.over = true;
      else mine.frames.push(data.frame);
    };
    worker.onerror = () => set({ phase: "failed", at: 0 });
    worker.postMessage({ experiment, options });
    set({ phase: "running", at: 0 });
  };

  const begun = useRef(false);
  useEffect(() => {
    if (begun.current && phase !== "idle") start();
    begun.current = true;
  }, [key]);
  useEffect(() => () => kept.current.worker?.terminate(), []);
  useEffect(() => {
    if (phase !== "running") return undefined;
    const timer = setInterval(() => {
      const { frames, over } = kept.current;
      const last = frames.length - 1;
      set((now) => {
        const next = still.value ? (over ? last : now.at) : Math.min(now.at + 1, Math.max(last, 0));
        return over && next >= last ? { phase: "done", at: next } : { phase: now.phase, at: next };
      });
    }, PACE);
    return () => clearInterval(timer);
  }, [phase]);

  const { frames, over } = kept.current;
  return {
    frame: phase === "idle" ? first : (frames[at] ?? first),
    frames,
    at,
    steps,
    phase,
    whole: over,
    start,
    pause: () => set({ phase: "paused", at }),
    go: () => set({ phase: "running", at }),
    show: (place) => set({ phase: phase === "done" ? "done" : "paused", at: place }),
  };
}

/**
 * Start, stop, go back to any step.
 * @param {{run: Run<any>, label: string}} props `label`: what is started
 */
export function Player({ run, label }) {
  const { phase, frames, at, frame, steps } = run;
  const [act, words] =
    phase === "running" ? [run.pause, t("lab.pause")] : phase === "paused" ? [run.go, t("lab.go")] : [run.start, phase === "idle" ? label : t("lab.again")];
  const step = t("lab.step", { step: number(frame.step), of: number(steps) });
  return html`
    <div class="lab__player">
      <button type="button" class=${phase === "idle" ? "button button--primary" : "button"} onClick=${act}>${words}</button>
      <div class="lab__scrub">
        <${Slider} value=${at} min=${0} max=${Math.max(frames.length - 1, 1)} step=${1} disabled=${phase === "idle" || frames.length < 2}
          label=${t("lab.scrub")} text=${step} onInput=${run.show} />
        <span class="figure small soft">${step}</span>
      </div>
    </div>
    ${phase === "failed" && html`<p class="bad" role="alert">${t("lab.failed")}</p>`}
  `;
}
