/** Games in lists: what each was, how it stands or ended. */
import { html } from "../html.js";
import { t, tr } from "../i18n.js";
import { ago, percent, signed, unit } from "../format.js";
import { nameOf } from "./who.js";

/** @typedef {import("../types.js").Card} Card */

/** Where a game in a list leads. @param {Card} card */
export const linkOf = (card) => (card.status === "over" ? `/games/${encodeURIComponent(card.id)}` : `/play/${encodeURIComponent(card.id)}`);

/** What came of a game, in a few words. @param {Card & {right_exit?: boolean}} card */
export function outcomeText(card) {
  if (card.status !== "over") return t("line.turn", { turn: card.turn });
  if (card.right_exit) return t("games.right");
  return t(`reason.${card.reason}`);
}

/** @param {{card: Card & {right_exit?: boolean}, children?: any}} props */
export const GameRow = ({ card, children }) => html`
  <li class="gamerow">
    <a class="gamerow__link" href=${linkOf(card)}>
      <span class="gamerow__symbol" aria-hidden="true">${card.opponent.symbol || "●"}</span>
      <span class="gamerow__what">
        <b>${tr(card.title)}</b>
        <span class="small soft">${t("games.against", { seat: t(`seat.${card.seat}`), name: nameOf(card.opponent) })}${t("format.between")}${ago(card.moved_at)}</span>
        ${(card.marks.length > 0 || card.room) && html`<span class="chips">
          ${card.room && html`<span class="chip chip--sky"><bdi>${card.room.name}</bdi></span>`}
          ${card.marks.map((mark) => html`<span class="chip">${t(`mark.${mark}`)}</span>`)}
        </span>`}
      </span>
      <span class="gamerow__end">
        ${card.efficiency !== null && card.efficiency !== undefined && !card.right_exit
          ? html`<b class="gamerow__share figure">${percent(card.efficiency)}</b>`
          : ""}
        <span class="small soft">${outcomeText(card)}</span>
        ${card.reason === "deal" && card.surplus !== null && card.surplus !== undefined && html`<span class="small muted figure">${signed(card.surplus)} ${unit(card.currency)}</span>`}
      </span>
    </a>
    ${children}
  </li>
`;
