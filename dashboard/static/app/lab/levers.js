/** Ten levers: who trained alone meets strangers. */
import { html, useMemo, useState } from "../html.js";
import { t } from "../i18n.js";
import { number, percent } from "../format.js";
import { Segments, Slider, Field } from "../ui/field.js";
import { Drawn } from "../ui/chart.js";
import { LEVERS, SEEDS } from "./learn/constants.js";
import { basin, favourites, levers, means, met, scores } from "./learn/levers.js";
import { Experiment, Figures, Verdict } from "./panel.js";
import { Player, useRun } from "./run.js";
import { Matrix } from "./matrix.js";

/** Of first pulls on the odd lever, in shares. */
const MOST = 0.2;
const STEP = 0.01;

const two = (/** @type {number} */ value) => number(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** @param {{game: {facts: Record<string, number>, options: Record<string, number>}}} props */
export function Levers({ game }) {
  const { levers: count, common_pay: common, odd_pay: oddPay } = game.facts;
  const odd = game.options.odd;
  const facts = useMemo(() => ({ pays: Array.from({ length: count }, (_, lever) => (lever === odd ? oddPay : common)), odd }), [game]);
  const [otherPlay, setOtherPlay] = useState(false);
  const [share, setShare] = useState(1 / count);
  const [sorted, setSorted] = useState(false);
  const run = useRun("levers", levers, { facts, seeds: SEEDS, otherPlay, share: otherPlay ? share : 1 / count }, LEVERS.steps);
  const { policies } = run.frame;
  const matrix = met(policies, facts.pays);
  const { own, cross } = means(matrix, SEEDS);
  const found = scores(policies, facts);
  const liked = favourites(policies, count);
  const order = useMemo(() => arranged(run.whole && sorted ? (run.frames.at(-1)?.policies ?? null) : null, facts), [run.whole, run.frames, sorted]);
  const settled = (/** @type {number} */ seed) => (policies[seed * count + liked[seed]] > 0.5 ? liked[seed] + 1 : null);
  const reached = found.filter((score) => score >= oddPay - LEVERS.reached).length;
  const least = basin(facts);

  const verdict =
    run.phase !== "done"
      ? ""
      : otherPlay
        ? t("lab.levers.doneOther", { reached, of: SEEDS, best: two(bestPair(matrix, found)) })
        : t("lab.levers.done", { own: percent(own, 1), cross: percent(cross, 1), chance: percent(1 / (count - 1), 1) });
  return html`<${Experiment} id="levers" mark="1" title=${t("lab.levers.title")}
    words=${[t("lab.levers.what", { count, odd: two(oddPay) }), t("lab.levers.see"), otherPlay ? t("lab.levers.whyOther", { least: percent(least, 1), even: percent(1 / count) }) : t("lab.levers.why")]}
    controls=${html`
      <${Segments} legend=${t("lab.levers.training")} name="training" showLegend value=${otherPlay} onChange=${setOtherPlay}
        options=${[{ value: false, label: t("lab.levers.self") }, { value: true, label: t("lab.levers.other") }]} />
      ${otherPlay && html`
        <${Field} label=${t("lab.levers.share", { share: percent(share) })} hint=${t("lab.levers.shareHint", { least: percent(least, 1) })}>
          ${(/** @type {any} */ bind) => html`<${Slider} id=${bind.id} describedBy=${bind["aria-describedby"]} value=${share} min=${1 / count} max=${MOST} step=${STEP}
            text=${percent(share)} onInput=${setShare} />`}
        <//>`}
      <${Player} run=${run} label=${t("lab.levers.train", { n: SEEDS })} />
      <${Figures} figures=${[
        { name: t("lab.levers.own"), value: two(own), tone: "gold" },
        { name: t("lab.levers.cross"), value: two(cross), tone: "sky" },
        ...(otherPlay ? [{ name: t("lab.levers.found"), value: t("lab.of", { n: reached, of: SEEDS }) }] : []),
      ]} />
      <${Verdict}>${verdict}<//>
    `}
    picture=${html`
      <div class="lab__top">
        <h3 class="lab__caption">${t("lab.levers.caption")}</h3>
        <${Segments} legend=${t("lab.levers.order")} name="order" value=${sorted} onChange=${setSorted} class="lab__order"
          options=${[{ value: false, label: t("lab.levers.bySeed") }, { value: true, label: t("lab.levers.byLever") }]} />
      </div>
      <${Drawn}
        drawing=${html`<${Matrix} matrix=${matrix} order=${order} most=${common} settled=${settled} say=${two} />`}
        table=${html`<${Table} matrix=${matrix} order=${order} settled=${settled} />`} />
    `} />`;
}

/**
 * Learners by the lever that they ended at, those of the odd one first; by seed where that isn't known.
 * @param {Float32Array | null} policies
 * @param {import("./learn/levers.js").LeverFacts} facts
 */
function arranged(policies, { pays, odd }) {
  const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);
  if (!policies) return seeds;
  const liked = favourites(policies, pays.length).map((lever) => (lever === odd ? -1 : lever));
  return seeds.sort((one, other) => liked[one] - liked[other] || one - other);
}

/** What the two earn together whose own scores are best. @param {Float64Array} matrix @param {number[]} found */
function bestPair(matrix, found) {
  const [one, other] = found.map((score, seed) => ({ score, seed })).sort((a, b) => b.score - a.score);
  return matrix[one.seed * SEEDS + other.seed];
}

/** @param {{matrix: Float64Array, order: number[], settled: (seed: number) => number | null}} props */
const Table = ({ matrix, order, settled }) => html`
  <table class="ledger">
    <caption class="hidden-visually">${t("lab.levers.title")}</caption>
    <thead><tr><th scope="col">${t("lab.levers.learner")}</th><th scope="col" class="num">${t("lab.levers.lever")}</th>
      <th scope="col" class="num">${t("lab.levers.own")}</th><th scope="col" class="num">${t("lab.levers.cross")}</th></tr></thead>
    <tbody>
      ${order.map((seed) => {
        const row = matrix.subarray(seed * SEEDS, (seed + 1) * SEEDS);
        const others = (row.reduce((sum, value) => sum + value, 0) - row[seed]) / (SEEDS - 1);
        return html`<tr><th scope="row">${seed + 1}</th><td class="num">${settled(seed) ?? "–"}</td><td class="num">${two(row[seed])}</td><td class="num">${two(others)}</td></tr>`;
      })}
    </tbody>
  </table>
`;
