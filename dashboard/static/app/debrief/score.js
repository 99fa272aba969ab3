/** The numbers at a glance, and where the money went. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { figure, number, percent, signed, unit, whole } from "../format.js";
import { Axis } from "../ui/axis.js";
import { ending, placeText, pointsText } from "./model.js";
import { fromNash } from "./words.js";

/** @typedef {import("./types.js").Debrief} Debrief */

/** @param {{label: string, value: string, note?: string, tone?: string}} props */
const Figure = ({ label, value, note, tone = "" }) => html`
  <div class="score__item">
    <dt>${label}</dt>
    <dd class=${`score__value figure ${tone}`}>${value}</dd>
    ${note && html`<dd class="score__note">${note}</dd>`}
  </div>
`;

/** @param {{debrief: Debrief}} props */
export function Score({ debrief }) {
  const { grade, numbers, game } = debrief;
  const { currency } = game.scenario;
  if (!grade) return null;
  const { percentile } = numbers;
  return html`
    <section class="score" aria-label=${t("score.title")}>
      <dl class="score__row">
        <${Figure} label=${t("score.share")} value=${grade.zopa_existed ? percent(grade.efficiency) : "–"} note=${t("score.share.note")} tone="score__value--gold" />
        ${grade.deal &&
        html`<${Figure} label=${t("score.surplus")} value=${signed(grade.surplus)} note=${t("score.surplus.note", { currency: unit(currency) })}
          tone=${grade.surplus < 0 ? "bad" : ""} />`}
        ${grade.zopa_existed &&
        html`<${Figure} label=${t(grade.deal ? "score.left" : "score.could")} value=${figure(whole(grade.left_on_table))} note=${unit(currency)} />`}
        <${Figure} label=${t("score.points")} value=${pointsText(grade.reward)} note=${t("score.points.note")} />
        ${percentile &&
        html`<${Figure} label=${t("score.percentile")} value=${percent(percentile.value)}
          note=${t("score.percentile.note", { n: percentile.games, games: number(percentile.games) })} />`}
      </dl>
      <${Money} debrief=${debrief} />
      <p class="score__nash">${fromNash(debrief)}</p>
    </section>
  `;
}

/** The line from one's own limit to theirs, and who got which part of it. @param {{debrief: Debrief}} props */
function Money({ debrief }) {
  const { game, grade } = debrief;
  const { currency, several } = game.scenario;
  const { mine, theirs, nash, deal } = ending(debrief);
  const say = (/** @type {number} */ place) => placeText(debrief, place);
  /** @type {import("../ui/axis.js").Peg[]} */
  const pegs = [{ at: mine, label: t("axis.mine"), value: several ? t("axis.zero") : say(mine), tone: "mine", side: "bottom", mark: "bar" }];
  /** @type {import("../ui/axis.js").Stretch[]} */
  const stretches = [];
  if (theirs !== null) pegs.push({ at: theirs, label: t("axis.theirs"), value: say(theirs), tone: "theirs", side: "bottom", mark: "bar" });
  if (nash !== null) pegs.push({ at: nash, label: t("axis.nash"), value: say(nash), tone: "truth", side: "top", mark: "diamond" });
  if (deal !== null) pegs.push({ at: deal, label: t("axis.deal"), value: say(deal), tone: "deal", side: "top", mark: "deal" });
  const open = theirs !== null && grade?.zopa_existed;
  if (deal !== null && open && !grade?.breach) {
    const beyond = (deal - theirs) * (theirs - mine) > 0;
    stretches.push({ from: mine, to: beyond ? theirs : deal, tone: "mine", label: t("axis.yours", { amount: figure(whole(grade?.surplus ?? 0)) }) });
    if (beyond) stretches.push({ from: theirs, to: deal, tone: "gap" });
    else stretches.push({ from: deal, to: theirs, tone: "theirs", label: t("axis.others", { amount: figure(whole(grade?.left_on_table ?? 0)) }) });
  } else if (open) {
    stretches.push({ from: mine, to: theirs, tone: "room", label: t("axis.room", { amount: figure(whole(Math.abs(theirs - mine))) }) });
  } else if (theirs !== null) {
    stretches.push({ from: mine, to: theirs, tone: "gap", label: t("axis.gap", { amount: figure(whole(Math.abs(theirs - mine))) }) });
  }
  const said = [
    ...pegs.map((peg) => `${peg.label}: ${peg.value}`),
    ...stretches.flatMap((each) => each.label ?? []),
  ].join("; ");
  return html`
    <figure class="money">
      <figcaption class="money__title">${t(several ? "axis.title.several" : "axis.title", { currency: unit(currency) })}</figcaption>
      <${Axis} pegs=${pegs} stretches=${stretches} label=${said} />
    </figure>
  `;
}
