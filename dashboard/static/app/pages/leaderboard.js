/** `/leaderboard`: who keeps the most of what can be had. */
import { html, useEffect, useState, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { ago, number, percent } from "../format.js";
import { request, persist } from "../api.js";
import { address, navigate, query } from "../router.js";
import { catalogue, loadCatalogue } from "../me.js";
import { Empty, Failed, Skeleton } from "../ui/panel.js";
import { Spark } from "../ui/chart.js";
import { Select } from "../ui/select.js";

/**
 * @typedef {{rank?: number, name: string, you: boolean, games: number, mean: number | null, best: number | null, trend: number[],
 *   last_at: string, missing?: number, unranked: number}} Row
 * @typedef {{rows: Row[], unranked: Row[], last: number, least: number}} Board
 */

const FILTERS = ["scenario", "seat", "persona"];

export default function Page() {
  const asked = FILTERS.map((name) => [name, query.value.get(name) ?? ""]);
  const filter = Object.fromEntries(asked);
  const wanted = new URLSearchParams(asked.filter(([, value]) => value)).toString();
  const [found, setFound] = useState(/** @type {Board | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let stale = false;
    setError(null);
    persist(() => request("GET", `/api/leaderboard${wanted && "?"}${wanted}`)).then(
      (board) => stale || setFound(board),
      (failure) => stale || setError(failure),
    );
    return () => {
      stale = true;
    };
  }, [wanted, tries]);
  useEffect(() => {
    loadCatalogue().catch(() => {});
  }, []);

  const set = (/** @type {string} */ name, /** @type {string} */ value) => {
    const next = new URLSearchParams(asked.map(([key, old]) => [key, key === name ? value : old]).filter(([, chosen]) => chosen)).toString();
    navigate(`${address.value.path}${next && "?"}${next}`, { replace: true });
  };
  const any = { value: "", label: t("board.any") };
  return html`
    <div class="page leaders">
      <header class="page__head">
        <h1 class="page__title">${t("title.leaderboard")}</h1>
        <p class="page__lead">${found ? t("board.rule", { last: found.last, least: found.least }) : "\u00a0"}</p>
      </header>
      <div class="filters" role="group" aria-label=${t("board.filters")}>
        <${Select} label=${t("board.scenario")} value=${filter.scenario} onChange=${(/** @type {string} */ value) => set("scenario", value)}
          options=${[any, ...(catalogue.value?.scenarios ?? []).map((scenario) => ({ value: scenario.id, label: tr(scenario.title) }))]} />
        <${Select} label=${t("board.seat")} value=${filter.seat} onChange=${(/** @type {string} */ value) => set("seat", value)}
          options=${[any, ...["seller", "buyer"].map((seat) => ({ value: seat, label: t(`seat.${seat}`) }))]} />
        <${Select} label=${t("board.persona")} value=${filter.persona} onChange=${(/** @type {string} */ value) => set("persona", value)}
          options=${[any, ...(catalogue.value?.personas ?? []).map((persona) => ({ value: persona.id, label: `${persona.symbol} ${t(`persona.${persona.id}.name`)}` }))]} />
      </div>
      ${error ? html`<${Failed} error=${error} retry=${() => setTries(tries + 1)} />` : found ? html`<${Ranks} board=${found} />` : html`<${Skeleton} height="20rem" />`}
    </div>
  `;
}

/** @param {{board: Board}} props */
function Ranks({ board }) {
  const nobody = !board.rows.length && !board.unranked.length;
  if (nobody) {
    return html`<${Empty} mark="♔" title=${t("board.empty")} action=${html`<a class="button button--primary" href="/play">${t("board.play")}</a>`}>${t("board.empty.text", { least: board.least })}<//>`;
  }
  return html`
    ${board.rows.length > 0
      ? html`
          <table class="ranks">
            <caption class="hidden-visually">${t("title.leaderboard")}</caption>
            <thead><tr><th scope="col" class="num">${t("board.rank")}</th><th scope="col">${t("board.name")}</th><th scope="col" class="num">${t("board.mean", { last: board.last })}</th>
              <th scope="col" class="num wide">${t("board.best")}</th><th scope="col" class="num wide">${t("board.games")}</th><th scope="col" class="wide">${t("board.trend")}</th><th scope="col" class="wide">${t("board.lastAt")}</th></tr></thead>
            <tbody>
              ${board.rows.map((row) => html`
                <tr class=${classes(row.you && "ranks__you", (row.rank ?? 9) <= 3 && `ranks__top ranks__top--${row.rank}`)}>
                  <td class="num ranks__rank">${row.rank}</td>
                  <td class="ranks__name"><bdi>${row.name}</bdi>${row.you && html` <span class="chip chip--gold">${t("board.you")}</span>`}</td>
                  <td class="num ranks__mean">${percent(row.mean ?? 0, 1)}</td>
                  <td class="num wide">${percent(row.best ?? 0)}</td>
                  <td class="num wide">${number(row.games)}</td>
                  <td class="wide"><${Spark} values=${row.trend} low=${0} high=${1} label=${t("board.trendOf", { values: row.trend.map((value) => percent(value)).join(", ") })} /></td>
                  <td class="small muted wide">${ago(row.last_at)}</td>
                </tr>
              `)}
            </tbody>
          </table>
        `
      : html`<p class="soft ranks__none">${t("board.nobody", { least: board.least })}</p>`}
    ${board.unranked.length > 0 &&
    html`
      <section class="waiting" aria-labelledby="waiting-title">
        <h2 class="section__title waiting__title" id="waiting-title">${t("board.unranked")}</h2>
        <ul class="waiting__list">
          ${board.unranked.map((row) => html`
            <li class=${classes("waiting__item", row.you && "waiting__item--you")}>
              <span class="ranks__name"><bdi>${row.name}</bdi>${row.you && html` <span class="chip chip--gold">${t("board.you")}</span>`}</span>
              <span class="small soft">${t("board.missing", { n: row.missing ?? 0 })}</span>
              ${row.mean !== null && html`<span class="figure small muted">${percent(row.mean)}</span>`}
            </li>
          `)}
        </ul>
      </section>
    `}
  `;
}
