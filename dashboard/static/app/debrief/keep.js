/** What one may do with the game: share it, take it home, play again, give it for training, delete it. */
import { html, useEffect, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { api, ApiError, requestId } from "../api.js";
import { navigate } from "../router.js";
import { Check } from "../ui/field.js";
import { Confirm } from "../ui/dialog.js";
import { Notice } from "../ui/panel.js";
import { CopyButton } from "../ui/copy.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {{flywheel: boolean, offered: boolean}} Consent
 */

/** The page's address; of two people each has a debrief of its own. @param {Debrief} debrief */
export const pageOf = ({ game }) =>
  `${location.origin}/games/${encodeURIComponent(game.id)}${game.opponent.kind === "persona" ? "" : `?seat=${game.seat}`}`;

/** The line of buttons under the verdict. @param {{debrief: Debrief, mine: boolean}} props */
export function Actions({ debrief, mine }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const wish = useRef(requestId());
  const { id, marks } = debrief.game;
  const again = async () => {
    setBusy(true);
    try {
      const { game } = await api.rematch(id, wish.current);
      navigate(`/play/${encodeURIComponent(game.id)}`);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const solo = debrief.game.opponent.kind === "persona" && !marks.includes("room_seed");
  return html`
    <div class="buttons noprint">
      ${mine && solo && html`<button type="button" class="button button--primary" disabled=${busy} onClick=${again}>${t("keep.rematch")}</button>`}
      <${CopyButton} text=${pageOf(debrief)} label=${t("keep.share")} />
      <button type="button" class="button button--ghost keep__print" onClick=${() => print()}>${t("keep.print")}</button>
    </div>
    ${error && html`<${Notice} tone="bad" live=${true}>${error instanceof ApiError ? error.words : t("error.unknown")}<//>`}
  `;
}

/** @param {{debrief: Debrief, mine: boolean, consent: Consent | null}} props */
export function Keep({ debrief, mine, consent }) {
  const { id, seed, version } = debrief.game;
  const path = `/api/games/${encodeURIComponent(id)}`;
  return html`
    <section class="keep" aria-label=${t("keep.title")}>
      <div class="keep__column noprint">
        <h2 class="keep__title">${t("keep.title")}</h2>
        <p class="small soft">${t("keep.link")}</p>
        <div class="buttons">
          <a class="button button--small" href=${`${path}/transcript`} download=${`parlay-${id}.txt`}>${t("keep.transcript")}</a>
          <a class="button button--small" href=${`${path}/log`} download=${`parlay-${id}.jsonl`}>${t("keep.log")}</a>
          ${mine && html`<${Delete} id=${id} />`}
        </div>
        <p class="small muted figure keep__seed">${t("keep.seed", { seed: String(seed), version })}</p>
      </div>
      ${mine && consent?.offered && html`<${Give} id=${id} consent=${consent} />`}
    </section>
  `;
}

/** @param {{id: string}} props */
function Delete({ id }) {
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState("");
  const remove = () =>
    api.deleteGame(id).then(
      () => navigate("/me", { replace: true }),
      (failure) => setError(failure instanceof ApiError ? failure.words : t("error.unknown")),
    );
  return html`
    <button type="button" class="button button--small button--ghost" onClick=${() => setAsking(true)}>${t("keep.delete")}</button>
    ${error && html`<p class="field__error" role="alert">${error}</p>`}
    <${Confirm} open=${asking} onClose=${() => setAsking(false)} onYes=${remove} danger=${true} title=${t("keep.delete.title")} yes=${t("keep.delete.yes")} no=${t("state.cancel")}>
      <p class="soft">${t("keep.delete.text")}</p>
    <//>
  `;
}

/** The game for training, if its player wishes. @param {{id: string, consent: Consent}} props */
function Give({ id, consent }) {
  const [given, setGiven] = useState(consent.flywheel);
  const [state, setState] = useState(/** @type {"" | "busy" | "saved" | "failed"} */ (""));
  useEffect(() => setGiven(consent.flywheel), [consent.flywheel]);
  const change = async (/** @type {boolean} */ wanted) => {
    setGiven(wanted);
    setState("busy");
    try {
      await api.consent(id, wanted);
      setState("saved");
    } catch {
      setGiven(!wanted);
      setState("failed");
    }
  };
  return html`
    <div class="keep__column noprint">
      <h2 class="keep__title">${t("consent.title")}</h2>
      <${Check} checked=${given} disabled=${state === "busy"} onChange=${change}>${t("consent.give")}<//>
      <p class="small soft">${t("consent.what")}</p>
      <p class="small soft">${t("consent.who")}</p>
      <p class="small" role="status">${state === "saved" ? t(given ? "consent.given" : "consent.taken") : state === "failed" ? t("state.failed") : ""}</p>
    </div>
  `;
}
