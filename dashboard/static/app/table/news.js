/** A headline that just broke. It stays in the conversation after it is put away. */
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { Headline } from "../news.js";

/** @param {{game: import("../types.js").Game}} props */
export function News({ game }) {
  const [seen, setSeen] = useState(/** @type {string[]} */ ([]));
  const { events, turn } = game.observation;
  const fresh = events.filter((event) => event.turn === turn && !seen.includes(event.turn + event.headline));
  if (game.status === "over") return null;
  return html`${fresh.map(
    (event) => html`
      <aside class="news" key=${event.turn + event.headline} aria-label=${t("news.label")}>
        <p class="news__tag">${t("news.label")}</p>
        <div class="news__text">
          <p class="news__headline"><${Headline} text=${event.headline} /></p>
          <p class="small">${t(event.market ? "news.market" : "news.void")}</p>
        </div>
        <button type="button" class="news__close" aria-label=${t("state.dismiss")}
          onClick=${() => setSeen([...seen, event.turn + event.headline])}>×</button>
      </aside>
    `,
  )}`;
}
