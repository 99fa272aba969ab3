/** What to practise? Five who choose a solver's next task. */
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { number, percent } from "../format.js";
import { Select } from "../ui/select.js";
import { Drawn } from "../ui/chart.js";
import { useWidth } from "../ui/width.js";
import { CURRICULUM, SEEDS } from "./learn/constants.js";
import { PROPOSERS, chance, curriculum } from "./learn/curriculum.js";
import { Curves } from "./curves.js";
import { Experiment, Verdict } from "./panel.js";
import { Player, useRun } from "./run.js";

/** @typedef {import("./learn/curriculum.js").Proposer} Proposer */

/** @type {Record<Proposer, string>} */
const TONES = { oracle: "ivory", learnability: "gold", random: "sky", easiest: "green", adversarial: "scarlet" };
const HIGHEST = 16;
const one = (/** @type {number} */ value) => number(value, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function Curriculum() {
  const [looked, setLooked] = useState(/** @type {Proposer} */ ("learnability"));
  const run = useRun("curriculum", curriculum, { seeds: SEEDS }, CURRICULUM.steps);
  const seen = run.phase === "idle" ? [run.frame] : run.frames.slice(0, run.at + 1);
  const name = (/** @type {Proposer} */ proposer) => t(`lab.curriculum.${proposer}`);
  const skill = (/** @type {Proposer} */ proposer) => run.frame.of[proposer].skill;
  const verdict =
    run.phase === "done"
      ? t("lab.curriculum.done", Object.fromEntries(PROPOSERS.map((proposer) => [proposer, one(run.frames.at(-1)?.of[proposer].skill ?? 0)])))
      : "";
  return html`<${Experiment} id="curriculum" mark="4" title=${t("lab.curriculum.title")}
    words=${[t("lab.curriculum.what", { difficulties: CURRICULUM.difficulties, attempts: CURRICULUM.attempts }), t("lab.curriculum.why"), t("lab.curriculum.see")]}
    controls=${html`
      <${Player} run=${run} label=${t("lab.curriculum.train")} />
      <dl class="lab__skills">
        ${PROPOSERS.map((proposer) => html`
          <div><dt><i class=${`curves__key tone--${TONES[proposer]}`} aria-hidden="true"></i>${name(proposer)}</dt><dd class="figure">${one(skill(proposer))}</dd></div>`)}
      </dl>
      <${Verdict}>${verdict}<//>
    `}
    picture=${html`
      <h3 class="lab__caption">${t("lab.curriculum.chart")}</h3>
      <${Drawn}
        drawing=${html`<${Curves} last=${CURRICULUM.steps} range=${[0, HIGHEST]} axis=${t("lab.steps")} say=${number} sayStep=${number} height=${280}
          at=${run.phase === "idle" ? null : run.frame.step}
          lines=${PROPOSERS.map((proposer) => ({ name: name(proposer), tone: TONES[proposer], strong: proposer === looked, points: seen.map((frame) => ({ x: frame.step, y: frame.of[proposer].skill })) }))} />`}
        table=${html`<${Table} frames=${seen} name=${name} />`} />
      <div class="practice">
        <${Select} label=${t("lab.curriculum.look")} value=${looked} onChange=${(/** @type {any} */ value) => setLooked(value)}
          options=${PROPOSERS.map((proposer) => ({ value: proposer, label: name(proposer) }))} />
        <${Bars} pupil=${run.frame.of[looked]} name=${name(looked)} tone=${TONES[looked]} />
      </div>
    `} />`;
}

/**
 * How often each difficulty is proposed, and how likely the solver solves it.
 * @param {{pupil: import("./learn/curriculum.js").Pupil, name: string, tone: string}} props
 */
function Bars({ pupil: { skill, proposes }, name, tone }) {
  const [place, width] = useWidth();
  const height = 170;
  const [top, bottom] = [20, 40];
  const cell = width / proposes.length;
  const scale = Math.max(Math.max(...proposes), 0.25);
  const y = (/** @type {number} */ share) => top + (1 - share) * (height - top - bottom);
  const middle = (/** @type {number} */ task) => (task + 0.5) * cell;
  const most = proposes.indexOf(Math.max(...proposes));
  const line = Array.from(proposes, (_, task) => `${middle(task).toFixed(1)},${y(chance(task, skill)).toFixed(1)}`).join(" ");
  return html`
    <figure class="proposed" ref=${place}>
      <svg viewBox=${`0 0 ${width} ${height}`} role="img"
        aria-label=${t("lab.curriculum.bars", { name, most, share: percent(proposes[most]), chance: percent(chance(most, skill)) })}>
        <line class="curves__grid" x1="0" x2=${width} y1=${y(0.5)} y2=${y(0.5)} />
        ${Array.from(proposes, (share, task) => html`
          <rect key=${task} class=${`proposed__bar tone--${tone}`} x=${task * cell + 3} width=${Math.max(cell - 6, 2)} y=${y(share / scale)} height=${Math.max(height - bottom - y(share / scale), 1.5)} rx="3" />
          <text x=${middle(task)} y=${height - bottom + 16} text-anchor="middle">${task}</text>`)}
        ${proposes[most] > 0 && html`<text class="proposed__most" x=${middle(most)} y=${y(proposes[most] / scale) - 6} text-anchor="middle">${percent(proposes[most])}</text>`}
        <polyline class="proposed__chance" points=${line} />
        <text x=${width / 2} y=${height - 6} text-anchor="middle">${t("lab.curriculum.difficulty")}</text>
      </svg>
      <figcaption class="curves__legend">
        <span><i class=${`curves__key tone--${tone}`}></i>${t("lab.curriculum.proposed")}</span><span><i class="curves__key curves__key--chance"></i>${t("lab.curriculum.solved")}</span>
      </figcaption>
    </figure>
  `;
}

/** @param {{frames: import("./learn/curriculum.js").CurriculumFrame[], name: (proposer: Proposer) => string}} props */
const Table = ({ frames, name }) => html`
  <table class="ledger">
    <caption class="hidden-visually">${t("lab.curriculum.title")}</caption>
    <thead><tr><th scope="col">${t("lab.step.name")}</th>${PROPOSERS.map((proposer) => html`<th scope="col" class="num">${name(proposer)}</th>`)}</tr></thead>
    <tbody>
      ${frames.filter((frame, n) => frame.step % 100 === 0 || n === frames.length - 1).map((frame) => html`
        <tr><th scope="row">${number(frame.step)}</th>${PROPOSERS.map((proposer) => html`<td class="num">${one(frame.of[proposer].skill)}</td>`)}</tr>`)}
    </tbody>
  </table>
`;
