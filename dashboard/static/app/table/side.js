/** One's own side: the limit in plain words, what one has, how one stands. */
import { html, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { money, number, percent } from "../format.js";
import { limitRule } from "../worth.js";
import { Panel } from "../ui/panel.js";
import { Meter } from "../ui/meter.js";
import { Dialog } from "../ui/dialog.js";
import { catalogue } from "../me.js";
import { BriefingBody } from "./briefing.js";

/** @param {{game: import("../types.js").Game}} props */
export function OwnSide({ game }) {
  const [reading, setReading] = useState(false);
  const { observation, scenario, seat } = game;
  const { own, thrown_in: thrown } = observation;
  const full = catalogue.value?.start_points ?? observation.credibility_points;
  return html`
    <${Panel} title=${t("side.title")} note=${tr(scenario.seats[seat].role)} spot="limit" class="side">
      <p class="side__rule">${limitRule(game)}</p>
      <dl class="facts">
        <div><dt>${t("fact.target")}</dt><dd class="figure">${money(own.target, scenario.currency)}</dd></div>
        <div><dt>${t("fact.alternative")}</dt><dd>${t(own.has_alternative ? "fact.alternative.yes" : "fact.alternative.no")}</dd></div>
        <div><dt>${t("fact.hurry")}</dt><dd>${percent(own.urgency)}</dd></div>
        <div><dt>${t("fact.deadline")}</dt><dd class="figure">${t("fact.turn", { turn: own.deadline })}</dd></div>
      </dl>
      <div class="side__meters">
        <${Meter} label=${t("meter.points")} value=${observation.credibility_points} max=${full} shown=${number(observation.credibility_points)} hint=${t("meter.points.help")} />
        <${Meter} label=${t("meter.trust")} value=${observation.trust} shown=${percent(observation.trust)} tone="green" hint=${t("meter.trust.help")} />
        <${Meter} label=${t("meter.credibility")} value=${observation.credibility} shown=${percent(observation.credibility)} tone="sky" hint=${t("meter.credibility.help")} />
      </div>
      ${observation.zopa_erosion_ticks > 0 && html`<p class="small bad">${t("side.eroded", { n: observation.zopa_erosion_ticks })}</p>`}
      ${thrown.length > 0 &&
      html`<div class="side__thrown small">
        <p class="field__label">${t("side.thrown")}</p>
        <ul>${thrown.map((item) => html`<li>${t(item.seat === seat ? "side.thrown.you" : "side.thrown.them", {
          item: tr(scenario.sweeteners.find((each) => each.id === item.id)?.title) || item.title,
          amount: money(Math.abs(Math.round(item.worth)), scenario.currency),
        })}</li>`)}</ul>
      </div>`}
      <button type="button" class="link-button small" onClick=${() => setReading(true)}>${t("side.briefing")}</button>
      <${Dialog} open=${reading} onClose=${() => setReading(false)} wide title=${t("side.briefing")}
        actions=${html`<button type="button" class="button" autofocus onClick=${() => setReading(false)}>${t("state.close")}</button>`}>
        <${BriefingBody} game=${game} />
      <//>
    <//>
  `;
}
