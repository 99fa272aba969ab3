/** Accepting and leaving: both end the game, so both are asked about. */
import { html, useState, classes } from "../html.js";
import { t } from "../i18n.js";
import { offerText, surplus, surplusText } from "../worth.js";
import { Confirm } from "../ui/dialog.js";
import { ending } from "./action.js";
import { goOn } from "./focus.js";
import { hearFigure } from "./heard.js";
import { nameInText } from "../ui/opponent.js";

/**
 * @param {{store: import("../store.js").GameStore, draft: import("./draft.js").DraftStore, game: import("../types.js").Game}} props
 */
export function Decide({ store, draft, game }) {
  const [asking, setAsking] = useState(/** @type {"accept_deal" | "walk_away" | null} */ (null));
  const busy = !store.myTurn.value;
  const { scenario, observation, worth } = game;
  const theirs = observation.opponent_offer;
  const value = theirs ? surplus(worth, theirs) : 0;
  const shown = theirs ? offerText(scenario, theirs) : "";
  const lost = draft.draft.value.card || draft.draft.value.question;
  const unsaid = draft.draft.value.card !== "silence" && draft.draft.value.words.trim();
  const ask = (/** @type {"accept_deal" | "walk_away"} */ decision) => {
    hearFigure(game, draft);
    setAsking(decision);
  };
  const play = async (/** @type {"accept_deal" | "walk_away"} */ decision) => {
    const sent = draft.draft.peek();
    if ((await store.move(ending(sent, decision))) === "played") draft.clear(sent);
    goOn();
  };
  return html`
    <button type="button" class=${classes("button move__accept", value < 0 ? "button--beyond" : "button--accept")} disabled=${busy || !theirs}
      title=${theirs ? surplusText(value, scenario.currency) : t("accept.none")} onClick=${() => ask("accept_deal")}>
      ${theirs && value < 0 && html`<span class="move__warn" aria-hidden="true">▲</span>`}
      ${theirs ? t(scenario.several ? "accept.several" : "accept.offer", { offer: shown }) : t("accept.nothing")}
    </button>
    <button type="button" class="button button--ghost move__walk" disabled=${busy} onClick=${() => ask("walk_away")}>${t("walk.button")}</button>
    <${Confirm} open=${asking === "accept_deal"} onClose=${() => setAsking(null)} onYes=${() => play("accept_deal")} danger=${value < 0}
      title=${t("accept.title")} yes=${t(value < 0 ? "accept.anyway" : "accept.yes")} no=${t("state.cancel")}>
      <p class="terms figure">${shown}</p>
      <p class=${value < 0 ? "bad" : "good"}>${surplusText(value, scenario.currency)}</p>
      <p class="soft">${t(value < 0 ? "accept.cliff" : "accept.help", { name: nameInText(game.opponent) })}</p>
      ${unsaid && html`<p class="small">${t("accept.unsaid")}</p>`}
      ${lost && html`<p class="muted small">${t("accept.lost")}</p>`}
    <//>
    <${Confirm} open=${asking === "walk_away"} onClose=${() => setAsking(null)} onYes=${() => play("walk_away")} danger
      title=${t("walk.title")} yes=${t("walk.yes")} no=${t("walk.no")}>
      <p class="soft">${t("walk.help")}</p>
      ${theirs && html`<p class="small">${t("walk.theirs", { offer: shown, worth: surplusText(value, scenario.currency) })}</p>`}
      ${unsaid && html`<p class="small">${t("walk.said")}</p>`}
    <//>
  `;
}
