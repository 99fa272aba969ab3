/** How both offers moved, and how the mood did. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { number, percent, signed } from "../format.js";
import { marks } from "../news.js";
import { offerText, surplus } from "../worth.js";
import { Panel } from "../ui/panel.js";
import { Drawn, Spark, TurnChart } from "../ui/chart.js";
import { placeText } from "../ui/dealline.js";
import { opponentName } from "../ui/opponent.js";

/** @typedef {import("../types.js").Game} Game */

/** @param {{game: Game}} props */
export function Trails({ game }) {
  const { observation, trail } = game;
  const { offers, turn, turns_left: left } = observation;
  const of = (/** @type {boolean} */ mine) =>
    offers.filter((made) => (made.seat === game.seat) === mine).map((made) => ({ x: made.turn, y: surplus(game.worth, made.offer) }));
  const names = { mine: t("who.you"), theirs: opponentName(game.opponent) };
  const ribbon = game.estimates
    .filter((estimate) => estimate.source === "tracker")
    .map((estimate) => ({ x: estimate.turn, low: Math.max(estimate.surplus.low, 0), high: Math.max(estimate.surplus.high, 0) }));
  return html`
    <${Panel} title=${t("trail.title")} class="trails">
      ${offers.length === 0
        ? html`<p class="muted small">${t("trail.none")}</p>`
        : html`
            <${Drawn}
              class="trails__offers"
              drawing=${html`
                <${TurnChart} turns=${turn + left} say=${(/** @type {number} */ value) => placeText(game, value)} ribbon=${ribbon}
                  marks=${marks(observation.events)}
                  levels=${[{ y: 0, name: t("deal.limit") }]}
                  series=${[{ name: names.mine, tone: "mine", points: of(true) }, { name: names.theirs, tone: "theirs", points: of(false) }]} />
                <ul class="legend small" aria-hidden="true">
                  <li class="legend__mine">${names.mine}</li>
                  <li class="legend__theirs"><bdi>${names.theirs}</bdi></li>
                  ${observation.events.length > 0 && html`<li class="legend__mark">${t("trail.news")}</li>`}
                  ${ribbon.length > 1 && html`<li class="legend__ribbon">${t("trail.ribbon")}</li>`}
                </ul>
              `}
              table=${html`<${Offers} game=${game} names=${names} />`}
            />
          `}
      ${trail.length > 1 &&
      html`<dl class="moods">
        ${[
          { key: "tension.label", values: trail.map((p) => p.tension), high: 100, shown: number(Math.round(observation.tension_score)), tone: "amber" },
          { key: "meter.trust", values: trail.map((p) => p.trust), high: 1, shown: percent(observation.trust), tone: "green" },
          { key: "meter.theirCredibility", values: trail.map((p) => p.opponent_credibility), high: 1, shown: percent(observation.opponent_credibility), tone: "sky" },
        ].map(({ key, values, high, shown, tone }) => html`
          <div>
            <dt>${t(key)}</dt>
            <dd><${Spark} values=${values} low=${0} high=${high} tone=${tone} label=${t("read.moved", { name: t(key) })} /> <span class="figure">${shown}</span></dd>
          </div>`)}
      </dl>`}
    <//>
  `;
}

/** @param {{game: Game, names: {mine: string, theirs: string}}} props */
const Offers = ({ game, names }) => html`
  <table class="ledger">
    <caption class="hidden-visually">${t("trail.caption")}</caption>
    <thead>
      <tr><th scope="col">${t("trail.turn")}</th><th scope="col">${t("trail.who")}</th><th scope="col">${t("trail.offer")}</th><th scope="col" class="num">${t("trail.worth")}</th></tr>
    </thead>
    <tbody>
      ${game.observation.offers.map((made) => html`<tr>
        <td>${number(made.turn)}</td>
        <th scope="row"><bdi>${made.seat === game.seat ? names.mine : names.theirs}</bdi></th>
        <td class="figure">${offerText(game.scenario, made.offer)}</td>
        <td class="num">${signed(surplus(game.worth, made.offer))}</td>
      </tr>`)}
    </tbody>
  </table>
`;
