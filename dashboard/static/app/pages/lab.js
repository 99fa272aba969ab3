/** `/lab`: four small experiments, each run by the browser that shows it. */
import { html, useEffect, useState } from "../html.js";
import { t } from "../i18n.js";
import { request, persist } from "../api.js";
import { Failed, Skeleton } from "../ui/panel.js";
import { Levers } from "../lab/levers.js";
import { Commons } from "../lab/commons.js";
import { Credit } from "../lab/credit.js";
import { Curriculum } from "../lab/curriculum.js";

/** @typedef {{id: string, facts: Record<string, number>, options: Record<string, number>}} Game */

const EXPERIMENTS = ["levers", "commons", "credit", "curriculum"];

export default function Page() {
  const [games, setGames] = useState(/** @type {Record<string, Game> | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let stale = false;
    setError(null);
    persist(() => request("GET", "/games")).then(
      (answer) => stale || setGames(Object.fromEntries(answer.games.map((/** @type {Game} */ game) => [game.id, game]))),
      (failure) => stale || setError(failure),
    );
    return () => {
      stale = true;
    };
  }, [tries]);
  return html`
    <div class="page lab">
      <header class="page__head">
        <h1 class="page__title">${t("title.lab")}</h1>
        <p class="page__lead">${t("lab.lead")}</p>
        <nav class="lab__nav" aria-label=${t("lab.experiments")}>
          ${EXPERIMENTS.map((name) => html`<a class="chip" href=${`#${name}`}>${t(`lab.${name}.short`)}</a>`)}
        </nav>
      </header>
      ${error
        ? html`<${Failed} error=${error} retry=${() => setTries(tries + 1)} />`
        : games
          ? html`
              <${Levers} game=${games.levers} />
              <${Commons} game=${games.commons} />
              <${Credit} game=${games.teamwork} />
              <${Curriculum} />
              <p class="small muted lab__source">${t("lab.source")}</p>
            `
          : html`<div aria-busy="true"><${Skeleton} height="36rem" /></div>`}
    </div>
  `;
}
