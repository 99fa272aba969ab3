/** Who did the work? A team paid together beside a team whose members are paid for the difference they make. */
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { number, percent } from "../format.js";
import { Field, Slider } from "../ui/field.js";
import { Drawn } from "../ui/chart.js";
import { CREDIT, SEEDS } from "./learn/constants.js";
import { credit } from "./learn/credit.js";
import { Curves } from "./curves.js";
import { Experiment, Figures, Verdict } from "./panel.js";
import { Player, useRun } from "./run.js";

/** Of a team's size, in powers of two. */
const [SMALLEST, LARGEST, USUAL] = [1, 7, 5];

/** @param {{game: {options: Record<string, number>}}} props */
export function Credit({ game }) {
  const [power, setPower] = useState(USUAL);
  const agents = 2 ** power;
  const noise = game.options.noise;
  const run = useRun("credit", credit, { agents, noise, seeds: SEEDS }, CREDIT.steps);
  const seen = run.phase === "idle" ? [run.frame] : run.frames.slice(0, run.at + 1);
  const points = (/** @type {"team" | "difference"} */ way) => seen.map((frame) => ({ x: frame.step, y: frame[way].works }));
  const learned = (/** @type {"team" | "difference"} */ way) => run.frames.find((frame) => frame[way].works >= CREDIT.learned)?.step;
  const came = (/** @type {"team" | "difference"} */ way) => {
    const step = learned(way);
    return step === undefined
      ? t("lab.credit.never", { share: percent(run.frames.at(-1)?.[way].works ?? 0), steps: number(CREDIT.steps) })
      : t("lab.credit.learned", { share: percent(CREDIT.learned), step: number(step) });
  };
  const verdict = run.phase === "done" ? t("lab.credit.done", { n: agents, difference: came("difference"), team: came("team") }) : "";
  return html`<${Experiment} id="credit" mark="3" title=${t("lab.credit.title")}
    words=${[t("lab.credit.what"), t("lab.credit.why", { n: agents }), t("lab.credit.cure")]}
    controls=${html`
      <${Field} label=${t("lab.credit.agents", { n: agents })}>
        ${(/** @type {any} */ bind) => html`<${Slider} id=${bind.id} value=${power} min=${SMALLEST} max=${LARGEST} step=${1} text=${String(agents)} onInput=${setPower} />`}
      <//>
      <${Player} run=${run} label=${t("lab.credit.train")} />
      <${Figures} figures=${[
        { name: t("lab.credit.ofTeam"), value: percent(run.frame.team.works), tone: "sky" },
        { name: t("lab.credit.ofDifference"), value: percent(run.frame.difference.works), tone: "gold" },
      ]} />
      <${Verdict}>${verdict}<//>
    `}
    picture=${html`
      <div class="crowds">
        <${Crowd} name=${t("lab.credit.byTeam")} agents=${run.frame.team.agents} tone="sky" />
        <${Crowd} name=${t("lab.credit.byDifference")} agents=${run.frame.difference.agents} tone="gold" />
      </div>
      <h3 class="lab__caption">${t("lab.credit.chart")}</h3>
      <${Drawn}
        drawing=${html`<${Curves} last=${CREDIT.steps} range=${[0.4, 1]} axis=${t("lab.steps")} say=${(/** @type {number} */ value) => percent(value)} sayStep=${number}
          at=${run.phase === "idle" ? null : run.frame.step}
          lines=${[
            { name: t("lab.credit.byTeam"), tone: "sky", points: points("team"), strong: true },
            { name: t("lab.credit.byDifference"), tone: "gold", points: points("difference"), strong: true },
          ]} />`}
        table=${html`<${Table} frames=${seen} />`} />
      <p class="small muted">${t("lab.credit.picture", { n: SEEDS })}</p>
    `} />`;
}

/**
 * Everybody in a team: the brighter, the likelier they work.
 * @param {{name: string, agents: Float32Array, tone: string}} props
 */
function Crowd({ name, agents, tone }) {
  const columns = Math.ceil(Math.sqrt(agents.length * 2));
  const rows = Math.ceil(agents.length / columns);
  const wide = Math.max(columns, 4);
  const from = (wide - columns) / 2;
  return html`
    <figure class="crowd">
      <svg viewBox=${`0 0 ${wide * 10} ${Math.max(rows, wide / 2) * 10}`} role="img" aria-label=${name}>
        ${[...agents].map((works, n) => html`
          <circle key=${n} class=${`tone--${tone}`} cx=${(from + (n % columns)) * 10 + 5} cy=${Math.floor(n / columns) * 10 + 5} r="3.6" fill="currentColor" fill-opacity=${(0.06 + 0.94 * works ** 2).toFixed(3)} stroke="currentColor" stroke-opacity="0.35" stroke-width="0.5" />`)}
      </svg>
      <figcaption class="small soft">${name}</figcaption>
    </figure>
  `;
}

/** @param {{frames: import("./learn/credit.js").CreditFrame[]}} props */
const Table = ({ frames }) => html`
  <table class="ledger">
    <caption class="hidden-visually">${t("lab.credit.title")}</caption>
    <thead><tr><th scope="col">${t("lab.step.name")}</th><th scope="col" class="num">${t("lab.credit.byTeam")}</th><th scope="col" class="num">${t("lab.credit.byDifference")}</th></tr></thead>
    <tbody>
      ${frames.filter((frame, n) => frame.step % 30 === 0 || n === frames.length - 1).map((frame) => html`
        <tr><th scope="row">${number(frame.step)}</th><td class="num">${percent(frame.team.works)}</td><td class="num">${percent(frame.difference.works)}</td></tr>`)}
    </tbody>
  </table>
`;
