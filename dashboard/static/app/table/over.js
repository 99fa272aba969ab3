/** The end: what it came to, and where to go from here. */
import { html, useState, useRef, classes } from "../html.js";
import { t } from "../i18n.js";
import { money, percent, signed, unit } from "../format.js";
import { api, ApiError, requestId } from "../api.js";
import { navigate } from "../router.js";
import { offerText } from "../worth.js";
import { Notice } from "../ui/panel.js";
import { Check } from "../ui/field.js";

/**
 * @param {{game: import("../types.js").Game, store: import("../store.js").GameStore}} props
 */
export function Over({ game, store }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {ApiError | null} */ (null));
  const intent = useRef(requestId());
  const { observation, scenario } = game;
  const { grade, final_offer: final, termination_reason: reason } = observation;
  const again = async () => {
    setBusy(true);
    setError(null);
    try {
      const { game: next } = await api.rematch(game.id, intent.current);
      navigate(`/play/${next.id}`);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, "INTERNAL", ""));
      setBusy(false);
    }
  };
  const consent = async (/** @type {boolean} */ flywheel) => {
    try {
      store.take((await api.consent(game.id, flywheel)).game);
    } catch (failure) {
      if (failure instanceof ApiError) setError(failure);
    }
  };
  const breach = Boolean(grade?.breach);
  const outcome = reason === "walk_away" && game.lines.at(-1)?.seat !== game.seat ? "theyWalked" : (reason ?? "deal");
  return html`
    <section class=${classes("over", reason === "deal" && !breach && "over--deal", breach && "over--breach")} aria-labelledby="over-title">
      <p class="eyebrow">${t("over.label")}</p>
      <h2 class="over__title" id="over-title" tabindex="-1">${final ? t("over.dealAt", { offer: offerText(scenario, final) }) : t(`over.${outcome}`)}</h2>
      ${breach && html`<p class="bad">${t("over.breach")}</p>`}
      ${grade &&
      html`<dl class="over__figures">
        <div><dt>${t("over.share")}</dt><dd class="figure">${!final && !grade.zopa_existed ? "–" : percent(grade.efficiency ?? 0, 1)}</dd></div>
        ${final && html`<div><dt>${t("over.surplus")}</dt><dd class="figure">${t("format.money", { amount: signed(grade.surplus), currency: unit(scenario.currency) })}</dd></div>`}
        ${final && grade.left_on_table !== null && html`<div><dt>${t("over.left")}</dt><dd class="figure">${money(grade.left_on_table, scenario.currency)}</dd></div>`}
      </dl>
      ${!final && html`<p class="soft">${t(grade.walk_was_right ? "over.walkRight" : grade.zopa_existed ? "over.wasRoom" : "over.noRoom")}</p>`}`}
      <div class="buttons">
        ${game.debrief && (!game.room || game.room.debrief_open)
          ? html`<a class="button button--primary button--large" href=${game.debrief}>${t("over.debrief")}</a>`
          : game.room && html`<p class="soft">${t("over.roomWaits", { room: game.room.name })}</p>`}
        ${!game.room && html`<button type="button" class="button button--large" disabled=${busy} onClick=${again}>${t("over.rematch")}</button>`}
        <a class="button button--ghost" href="/play">${t("over.other")}</a>
      </div>
      ${game.consent.offered &&
      html`<div class="over__consent">
        <p class="small soft">${t("stored.what")} ${t("stored.who")}</p>
        <${Check} checked=${game.consent.flywheel} onChange=${consent}>${t("over.consent")}<//>
      </div>`}
      ${error && html`<${Notice} tone="bad" live>${error.words}<//>`}
    </section>
  `;
}
