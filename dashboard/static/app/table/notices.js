/** What is out of the ordinary: the line is lost, somebody watches, a move was not allowed, somebody whispers. */
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { Notice } from "../ui/panel.js";
import { refusalText } from "../ui/line.js";

/** @param {{store: import("../store.js").GameStore, game: import("../types.js").Game}} props */
export function Notices({ store, game }) {
  const [heard, setHeard] = useState(/** @type {string[]} */ ([]));
  const [toldOfBot, setToldOfBot] = useState(false);
  const trouble = store.trouble.value;
  const { invalid } = game.observation;
  const over = game.status === "over";
  const whispers = game.whispers.filter((whisper) => whisper.turn >= game.observation.turn - 1 && !heard.includes(whisper.id));
  const bot = Boolean(game.bot) || game.opponent.kind === "bot";
  return html`
    <div class="notices">
      ${store.link.value === "lost" && !over && html`<${Notice} live>${t("notice.lost")}<//>`}
      ${store.link.value === "gone" && html`<${Notice} tone="bad" live>${t("notice.gone")}<//>`}
      ${trouble &&
      html`<${Notice} tone="warn" live action=${html`<button type="button" class="link-button" onClick=${() => (store.trouble.value = null)}>${t("state.dismiss")}</button>`}>
        ${trouble.words}${trouble.status === 0 && ` ${t("notice.kept")}`}
      <//>`}
      ${invalid && !over && html`<${Notice} tone="bad" live>${t("notice.invalid", { why: refusalText(invalid) })}<//>`}
      ${game.watched && !over && html`<${Notice} tone="sky"><span class="eye" aria-hidden="true">◉</span> ${t("notice.watched")}<//>`}
      ${bot && !over && !toldOfBot &&
      html`<${Notice} live action=${html`<button type="button" class="link-button" onClick=${() => setToldOfBot(true)}>${t("state.dismiss")}</button>`}>${t("notice.bot")}<//>`}
      ${!over && whispers.map(
        (whisper) => html`
          <${Notice} key=${whisper.id} tone="sky"
            action=${html`<button type="button" class="link-button" onClick=${() => setHeard([...heard, whisper.id])}>${t("state.dismiss")}</button>`}>
            <b>${t("whisper.label")}</b> <bdi>${whisper.words}</bdi>
          <//>
        `,
      )}
    </div>
  `;
}
