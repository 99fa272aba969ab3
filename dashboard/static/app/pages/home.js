/** The first page: what this is, a game that plays itself, and the way in. */
import { html, useEffect } from "../html.js";
import { t, tr } from "../i18n.js";
import { ago } from "../format.js";
import { me, refreshMe } from "../me.js";
import { opponentName } from "../ui/opponent.js";
import { Demo } from "../home/demo.js";

export default function HomePage() {
  useEffect(() => {
    refreshMe().catch(() => {
      // The page is worth reading without it.
    });
  }, []);
  const known = me.value;
  const newcomer = !known?.player;
  const unfinished = known?.unfinished ?? [];
  return html`
    <div class="home">
      <section class="hero">
        <div class="hero__text">
          <h1 class="hero__title">${t("home.title")}</h1>
          <p class="hero__lead">${t("home.lead")}</p>
          <div class="buttons">
            <a class="button button--primary button--large" href=${newcomer ? "/play?guided" : "/play"}>${t(newcomer ? "home.start" : "home.again")}</a>
            <a class="button button--large" href="/play?scenario=saas_enterprise">${t("home.choose")}</a>
          </div>
          <p class="muted small">${t("home.how")}</p>
          ${unfinished.length > 0 && html`<${Unfinished} cards=${unfinished} />`}
        </div>
        <${Demo} />
      </section>
      <section class="home__points" aria-label=${t("home.cards")}>
        ${["opponents", "fair", "debrief"].map(
          (name, i) => html`
            <article class="point">
              <p class="point__mark" aria-hidden="true">${["◈", "◎", "◆"][i]}</p>
              <h2>${t(`home.cards.${name}`)}</h2>
              <p class="soft">${t(`home.cards.${name}.text`)}</p>
            </article>
          `,
        )}
      </section>
      <nav class="home__more" aria-label=${t("home.more")}>
        ${[["leaderboard", "/leaderboard"], ["rooms", "/rooms"], ["lab", "/lab"], ["agents", "/agents"]].map(
          ([name, to]) => html`<a class="more" href=${to}><b>${t(`home.more.${name}`)}</b><span>${t(`home.more.${name}.text`)}</span></a>`,
        )}
      </nav>
    </div>
  `;
}

/** @param {{cards: import("../types.js").Card[]}} props */
const Unfinished = ({ cards }) => html`
  <section class="unfinished" aria-labelledby="unfinished">
    <h2 class="field__label" id="unfinished">${t("home.unfinished")}</h2>
    <ul>
      ${cards.slice(0, 3).map(
        (card) => html`
          <li key=${card.id}>
            <a href=${`/play/${card.id}`}>
              <span class="gold" aria-hidden="true">${card.opponent.symbol || "◇"}</span>
              <span class="unfinished__title">${tr(card.title)} <span class="muted"><bdi>${opponentName(card.opponent)}</bdi></span></span>
              <span class="muted small figure">${t("home.turn", { turn: card.turn })} · ${ago(card.moved_at)}</span>
            </a>
          </li>
        `,
      )}
    </ul>
  </section>
`;
