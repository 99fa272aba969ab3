/** Offers over time, with both limits as they truly were: the picture that nobody had at the table. */
import { html } from "../html.js";
import { t } from "../i18n.js";
import { figure, signed } from "../format.js";
import { marks } from "../news.js";
import { offerText, opposite } from "../worth.js";
import { Drawn } from "../ui/chart.js";
import { Plot } from "../ui/plot.js";
import { nameOf } from "../ui/who.js";
import { ending, limits, offersOf, placeShort, room } from "./model.js";

/**
 * @param {{debrief: import("./types.js").Debrief, at?: number | null, onPick?: (turn: number) => void}} props
 */
export function Offers({ debrief, at = null, onPick }) {
  const { game, turn, lines, news } = debrief;
  const { scenario, seat } = game;
  const opponent = nameOf(game.opponent);
  const bounds = limits(debrief);
  const { nash, deal } = ending(debrief);
  /** @type {import("../ui/plot.js").Curve[]} */
  const curves = [
    { name: t("offers.limit.mine"), tone: "limit", points: bounds.mine, stairs: true, dashed: true },
    { name: t("offers.limit.theirs"), tone: "theirlimit", points: bounds.theirs, stairs: true, dashed: true },
    { name: t("who.you"), tone: "mine", points: offersOf(debrief, seat), dots: true },
    { name: opponent, tone: "theirs", points: offersOf(debrief, opposite(seat)), dots: true },
  ];
  const drawing = html`
    <${Plot} last=${turn} curves=${curves} at=${at} onPick=${onPick} axis=${t("offers.turn")} height=${320}
      ribbons=${[{ tone: "room", points: room(debrief), stairs: true }]}
      levels=${nash === null ? [] : [{ y: nash, name: `◆ ${t("axis.nash")}` }]}
      events=${marks(news)}
      deal=${deal === null ? null : { x: turn, y: deal, name: t("axis.deal") }}
      say=${(/** @type {number} */ value) => placeShort(scenario, value)} />
  `;
  const limitAt = (/** @type {{x: number, y: number}[]} */ spots, /** @type {number} */ when) =>
    spots.filter((spot) => spot.x <= when).at(-1)?.y ?? null;
  const cell = (/** @type {number | null} */ value) => (value === null ? "" : scenario.several ? signed(value) : figure(Math.round(value)));
  const table = html`
    <table class="ledger">
      <caption class="hidden-visually">${t("offers.title")}</caption>
      <thead><tr><th scope="col">${t("table.turn")}</th><th scope="col">${t("table.who")}</th><th scope="col">${t("table.offer")}</th>
        <th scope="col" class="num">${t("table.worth")}</th><th scope="col" class="num">${t("offers.limit.mine")}</th><th scope="col" class="num">${t("offers.limit.theirs")}</th></tr></thead>
      <tbody>
        ${lines.filter((line) => line.offer && !line.invalid).map((line) => html`
          <tr><td class="num">${line.turn}</td><td>${line.seat === seat ? t("who.you") : opponent}</td><td>${offerText(scenario, line.offer ?? {})}</td>
            <td class="num">${line.surplus === null ? "" : signed(line.surplus)}</td>
            <td class="num">${cell(limitAt(bounds.mine, line.turn))}</td><td class="num">${cell(limitAt(bounds.theirs, line.turn))}</td></tr>
        `)}
      </tbody>
    </table>
  `;
  return html`
    <figure class="picture">
      <figcaption class="picture__title">${t(scenario.several ? "offers.title.several" : "offers.title")}
        <span class="muted small">${t("offers.note")}</span></figcaption>
      <${Drawn} drawing=${drawing} table=${table} class="drawn" />
    </figure>
  `;
}
