/** The hand of cards: what each costs, does, and where that is known from. */
import { html, classes } from "../html.js";
import { t, tr, has } from "../i18n.js";
import { money } from "../format.js";
import { catalogue } from "../me.js";
import { Segments } from "../ui/field.js";
import { FigureField } from "./offer.js";
import { Drawing } from "./drawings.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("./draft.js").DraftStore} DraftStore
 */

/**
 * @param {string} id
 * @param {"title" | "effect" | "source" | "short"} what
 * @param {string} [fallback]
 */
const words = (id, what, fallback = "") => (has(`card.${id}.${what}`) ? t(`card.${id}.${what}`) : fallback);

/** @param {{game: Game, draft: DraftStore}} props */
export function Hand({ game, draft }) {
  const cards = catalogue.value?.cards ?? [];
  const { card } = draft.draft.value;
  const { available_moves: open, credibility_points: points } = game.observation;
  const mine = game.lines.filter((line) => line.seat === game.seat && line.card && !line.invalid);
  const choose = (/** @type {string} */ id) =>
    draft.patch({ card: card === id ? null : id, item: null, claim: null, question: card === id ? draft.draft.value.question : null });
  const chosen = cards.find((each) => each.id === card);
  return html`
    <div class="hand" data-spot="cards">
      <div class="hand__head">
        <h3 class="field__label" id="hand-title">${t("hand.title")}</h3>
        <span class="small muted figure">${t("hand.points", { points })}</span>
      </div>
      <ul class="hand__cards" aria-labelledby="hand-title">
        ${cards.map((each) => {
          const available = open.includes(each.id);
          const used = mine.filter((line) => line.card === each.id).length;
          return html`
            <li key=${each.id}>
              <button type="button" class=${classes("card", card === each.id && "card--chosen")} aria-pressed=${card === each.id} disabled=${!available}
                title=${[available ? words(each.id, "effect", each.effect) : why(each, points), used > 0 && usedText(used)].filter(Boolean).join(" ")} onClick=${() => choose(each.id)}>
                <span class="card__top"><span class="figure">${each.cost}<small> ${t("unit.points")}</small></span>${used > 0 && html`<span class="card__used" title=${usedText(used)}><span aria-hidden="true">✓${used > 1 && html`<small class="figure"> ${used}</small>`}</span><span class="hidden-visually">${usedText(used)}</span></span>`}</span>
                <${Drawing} card=${each.id} />
                <span class="card__title">${words(each.id, "title", each.title)}</span>
              </button>
            </li>
          `;
        })}
      </ul>
      ${chosen && html`<${Chosen} game=${game} draft=${draft} card=${chosen} />`}
    </div>
  `;
}

/** How often a card was played. @param {number} used */
const usedText = (used) => (used === 2 ? t("hand.used.twice") : t("hand.used", { n: used }));

/**
 * Why a card can't be played now.
 * @param {import("../types.js").CardInfo} card
 * @param {number} points
 */
function why(card, points) {
  if (points < card.cost) return t("hand.why.points", { points: card.cost });
  return t(card.id === "anchor_high" ? "hand.why.anchor" : card.id === "sweetener" ? "hand.why.sweetener" : "hand.why.other");
}

/** @param {{game: Game, draft: DraftStore, card: import("../types.js").CardInfo}} props */
function Chosen({ game, draft, card }) {
  const { item, claim } = draft.draft.value;
  const { scenario, observation, seat } = game;
  const given = new Set(observation.thrown_in.map((each) => each.id));
  const items = scenario.sweeteners.filter((each) => each.by === seat && !given.has(each.id));
  const turns = observation.turn + observation.turns_left;
  return html`
    <div class="hand__detail">
      <p>${words(card.id, "effect", card.effect)} <span class="muted small">${words(card.id, "source", card.source)}</span></p>
      ${card.id === "sweetener" &&
      html`<fieldset class="hand__items">
        <legend class="field__label">${t("hand.item")}</legend>
        ${items.map((each) => html`
          <label class="choice" key=${each.id}>
            <input type="radio" name="item" checked=${item === each.id} onChange=${() => draft.patch({ item: each.id })} />
            <span>${tr(each.title)} <span class="muted small figure">${t("hand.item.cost", { amount: money(Math.round(each.cost), scenario.currency) })}</span></span>
          </label>`)}
      </fieldset>`}
      ${card.claim === "limit" &&
      html`<div class="hand__claim">
        <label class="field__label" for="claim">${t(`hand.claim.limit${scenario.several ? ".several" : ""}`)}</label>
        <${FigureField} id="claim" issue=${{ ...scenario.issues[0], ...(scenario.several ? { low: -1e12, high: 1e12, step: 1, values: null } : {}) }}
          value=${claim ?? observation.own.limit} label=${t("hand.claim.limit")} onValue=${(/** @type {number} */ value) => draft.patch({ claim: value })} />
        <p class="small muted">${t("hand.claim.true", { amount: money(observation.own.limit, scenario.currency) })}
          ${claim === null && html` <button type="button" class="link-button" onClick=${() => draft.patch({ claim: observation.own.limit })}>${t("hand.claim.useTrue")}</button>`}</p>
      </div>`}
      ${card.claim === "deadline" &&
      html`<${Segments} legend=${t("hand.claim.deadline")} showLegend name="deadline" value=${claim} class="hand__turns"
        options=${Array.from({ length: Math.min(turns - observation.turn, 8) }, (_, i) => observation.turn + 1 + i).map((turn) => ({ value: turn, label: String(turn) }))}
        onChange=${(/** @type {number} */ turn) => draft.patch({ claim: turn })} />`}
    </div>
  `;
}
