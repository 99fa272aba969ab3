/** The commons: five fishers, one lake, a year. */
import { html, useEffect, useMemo, useState } from "../html.js";
import { t } from "../i18n.js";
import { number, percent } from "../format.js";
import { still } from "../motion.js";
import { Slider } from "../ui/field.js";
import { Drawn } from "../ui/chart.js";
import { HABIT_T } from "./learn/constants.js";
import { WAYS, gini, year } from "./learn/commons.js";
import { Curves } from "./curves.js";
import { Experiment, Figures, Verdict } from "./panel.js";
import { Lake } from "./lake.js";

/**
 * @typedef {import("./learn/commons.js").LakeFacts} LakeFacts
 * @typedef {import("./learn/commons.js").Plan} Plan
 * @typedef {import("./learn/commons.js").Year} Year
 */

/** How long a month stands while the year is played, in milliseconds. */
const PACE = 700;
/** What a slider goes up to, in tonnes, and what the one who doesn't share takes. */
const MOST = 40;
const SELFISH = 30;
const MODEST = 5;

/** @param {number} fishers @returns {Record<string, Plan[]>} */
const presets = (fishers) => {
  const all = (/** @type {Plan} */ plan) => Array.from({ length: fishers }, () => plan);
  return {
    twelve: all({ way: "fixed", fixed: HABIT_T }),
    greedy: all({ way: "greedy", fixed: HABIT_T }),
    sustainable: all({ way: "sustainable", fixed: HABIT_T }),
    selfish: [{ way: "fixed", fixed: SELFISH }, ...all({ way: "fixed", fixed: MODEST }).slice(1)],
  };
};

/** Tonnes with as many decimals as they have, at most one. @param {number} kg @param {LakeFacts} facts */
const tonnes = (kg, facts) => t("lab.t", { t: number(kg / facts.tonne_kg, { maximumFractionDigits: 1 }) });

/** @param {{game: {facts: Record<string, number>}}} props */
export function Commons({ game }) {
  const facts = /** @type {LakeFacts} */ (/** @type {unknown} */ (game.facts));
  const ready = useMemo(() => presets(facts.fishers), [facts]);
  const [plans, setPlans] = useState(ready.twelve);
  const found = useMemo(() => year(facts, plans), [facts, plans]);
  const last = found.months.length - 1;
  const [at, setAt] = useState(last);
  const [playing, setPlaying] = useState(false);
  const month = Math.min(at, last);
  useEffect(() => {
    setAt(last);
    setPlaying(false);
  }, [plans]);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => (month < last ? setAt(month + 1) : setPlaying(false)), PACE);
    return () => clearTimeout(timer);
  }, [playing, month]);
  const play = () => {
    setAt(still.value ? last : 0);
    setPlaying(!still.value);
  };
  const unequal = gini(found.totals);
  const set = (/** @type {number} */ fisher, /** @type {Partial<Plan>} */ change) => setPlans(plans.map((plan, n) => (n === fisher ? { ...plan, ...change } : plan)));
  const end = found.collapsed
    ? t("lab.commons.dead", { month: found.months.length, total: tonnes(found.total, facts) })
    : t("lab.commons.alive", { months: facts.months, total: tonnes(found.total, facts) });
  return html`<${Experiment} id="commons" mark="2" title=${t("lab.commons.title")}
    words=${[t("lab.commons.what", { capacity: facts.capacity_t, growth: facts.growth, collapse: facts.collapse_t }), t("lab.commons.why"), t("lab.commons.see")]}
    controls=${html`
      <div class="lab__presets" role="group" aria-label=${t("lab.commons.presets")}>
        ${Object.entries(ready).map(([name, chosen]) => html`
          <button type="button" class="button button--small" aria-pressed=${String(same(chosen, plans))} onClick=${() => setPlans(chosen)}>${t(`lab.commons.preset.${name}`)}</button>`)}
      </div>
      <ol class="fishers">
        ${plans.map((plan, n) => html`<${Fisher} key=${n} plan=${plan} n=${n} set=${(/** @type {Partial<Plan>} */ change) => set(n, change)} />`)}
      </ol>
      <${Figures} figures=${[
        { name: t("lab.commons.total"), value: tonnes(found.total, facts), tone: "gold" },
        { name: t("lab.commons.survival"), value: t("lab.of", { n: found.months.length, of: facts.months }), tone: found.collapsed ? "scarlet" : "green" },
        { name: t("lab.commons.gini"), value: unequal === null ? "–" : number(unequal, { minimumFractionDigits: 2, maximumFractionDigits: 2 }) },
      ]} />
      <${Verdict}>${end}<//>
    `}
    picture=${html`
      <${Lake} facts=${facts} month=${found.months[month]} dead=${found.collapsed && month === last} name=${t("lab.commons.month", { month: month + 1, of: facts.months })} say=${(/** @type {number} */ kg) => tonnes(kg, facts)} />
      <div class="lab__player">
        <button type="button" class="button button--small" onClick=${playing ? () => setPlaying(false) : play}>${t(playing ? "lab.pause" : "lab.commons.play")}</button>
        <div class="lab__scrub">
          <${Slider} value=${month} min=${0} max=${Math.max(last, 1)} step=${1} disabled=${last < 1} label=${t("lab.commons.months")} text=${t("lab.commons.month", { month: month + 1, of: facts.months })}
            onInput=${(/** @type {number} */ value) => {
              setPlaying(false);
              setAt(value);
            }} />
          <span class="figure small soft">${t("lab.commons.month", { month: month + 1, of: facts.months })}</span>
        </div>
      </div>
      <${Drawn}
        drawing=${html`
          <div class="lab__pair">
            <div><h3 class="lab__caption">${t("lab.commons.lakeChart")}</h3><${Curves} first=${1} every=${1} last=${facts.months + 1} range=${[0, facts.capacity_t]} axis=${t("lab.commons.axis")} height=${200} say=${(/** @type {number} */ value) => t("lab.t", { t: number(value) })} sayStep=${String}
              levels=${[{ y: facts.collapse_t, name: t("lab.commons.level", { collapse: facts.collapse_t }) }]} at=${month + 1}
              lines=${[{ name: t("lab.commons.lake"), tone: "sky", strong: true, area: true, points: course(found, facts) }]} /></div>
            <div><h3 class="lab__caption">${t("lab.commons.catches")}</h3><${Catches} year=${found} facts=${facts} upto=${month} /></div>
          </div>`}
        table=${html`<${Table} year=${found} facts=${facts} />`} />
    `} />`;
}

/** @param {Plan[]} one @param {Plan[]} other */
const same = (one, other) => one.every((plan, n) => plan.way === other[n].way && (plan.way !== "fixed" || plan.fixed === other[n].fixed));

/** The lake as it is fished and grows: each month down, and up again. @param {Year} year @param {LakeFacts} facts */
const course = ({ months, end }, facts) => [
  ...months.flatMap((month, n) => [{ x: n + 1, y: month.lake / facts.tonne_kg }, { x: n + 1.5, y: month.left / facts.tonne_kg }]),
  { x: months.length + 1, y: end / facts.tonne_kg },
];

/** @param {{plan: Plan, n: number, set: (change: Partial<Plan>) => void}} props */
function Fisher({ plan, n, set }) {
  const name = t("lab.commons.fisher", { n: n + 1 });
  const catching = t("lab.t", { t: plan.fixed });
  return html`
    <li class="fisher">
      <span class=${`fisher__name tone--fisher${n + 1}`}>${name}</span>
      <select class="input fisher__way" aria-label=${t("lab.commons.wayOf", { name })} value=${plan.way} onChange=${(/** @type {any} */ event) => set({ way: event.target.value })}>
        ${WAYS.map((way) => html`<option key=${way} value=${way} selected=${way === plan.way}>${t(`lab.commons.way.${way}`, { t: HABIT_T })}</option>`)}
      </select>
      ${plan.way === "fixed"
        ? html`<span class="fisher__catch"><${Slider} value=${plan.fixed} min=${0} max=${MOST} step=${1} label=${t("lab.commons.catchOf", { name })} text=${catching} onInput=${(/** @type {number} */ fixed) => set({ fixed })} /><b class="figure small">${catching}</b></span>`
        : html`<span class="fisher__catch small muted">${t(`lab.commons.about.${plan.way}`, { t: HABIT_T })}</span>`}
    </li>
  `;
}

/**
 * What each has caught so far, as bars.
 * @param {{year: Year, facts: LakeFacts, upto: number}} props
 */
function Catches({ year: { months, totals }, facts, upto }) {
  const most = Math.max(...totals, 1);
  return html`
    <ul class="catches" aria-hidden="true">
      ${totals.map((_, n) => {
        const kg = months.slice(0, upto + 1).reduce((sum, month) => sum + month.caught[n], 0);
        return html`<li key=${n}><span class="small soft">${t("lab.commons.fisher", { n: n + 1 })}</span>
          <i class=${`catches__bar tone--fisher${n + 1}`} style=${{ width: `${(kg / most) * 100}%` }}></i><b class="figure small">${tonnes(kg, facts)}</b></li>`;
      })}
    </ul>
  `;
}

/** @param {{year: Year, facts: LakeFacts}} props */
const Table = ({ year: { months, totals }, facts }) => html`
  <table class="ledger">
    <caption class="hidden-visually">${t("lab.commons.title")}</caption>
    <thead><tr><th scope="col">${t("lab.commons.monthName")}</th><th scope="col" class="num">${t("lab.commons.lake")}</th>
      ${totals.map((_, n) => html`<th scope="col" class="num">${t("lab.commons.fisher", { n: n + 1 })}</th>`)}<th scope="col" class="num">${t("lab.commons.left")}</th></tr></thead>
    <tbody>
      ${months.map((month, n) => html`<tr><th scope="row">${n + 1}</th><td class="num">${tonnes(month.lake, facts)}</td>
        ${month.caught.map((kg) => html`<td class="num">${tonnes(kg, facts)}</td>`)}<td class="num">${tonnes(month.left, facts)} (${percent(month.left / month.lake)})</td></tr>`)}
      <tr class="ledger__sum"><th scope="row">${t("lab.commons.year")}</th><td></td>${totals.map((kg) => html`<td class="num">${tonnes(kg, facts)}</td>`)}<td></td></tr>
    </tbody>
  </table>
`;
