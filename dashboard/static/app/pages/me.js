/** `/me`: one's name, one's games, how they went, and what is stored. */
import { html, useEffect, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { api, ApiError, persist } from "../api.js";
import { number, percent } from "../format.js";
import { catalogue, loadCatalogue, me, refreshMe, rename } from "../me.js";
import { navigate } from "../router.js";
import { Confirm } from "../ui/dialog.js";
import { Field } from "../ui/field.js";
import { Empty, Failed, Loading, Notice, Panel } from "../ui/panel.js";
import { Spark } from "../ui/chart.js";
import { Select } from "../ui/select.js";
import { GameRow } from "../ui/games.js";

/**
 * @typedef {import("../types.js").Card} Card
 * @typedef {{scenario_id: string, seat: string, persona: string, games: number, mean: number, best: number, trend: number[]}} Cell
 * @typedef {{games: Card[], summary: Cell[]}} Mine
 */

const PAGE = 12;

export default function Page() {
  const [mine, setMine] = useState(/** @type {Mine | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const player = me.value?.player ?? null;
  const load = async () => {
    setError(null);
    try {
      const who = await refreshMe();
      if (who.player) setMine(await persist(api.myGames));
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => {
    load();
    loadCatalogue().catch(() => {});
  }, []);
  if (error) return html`<${Failed} error=${error} retry=${load} />`;
  if (!me.value || (player && !mine)) return html`<${Loading} />`;
  return html`
    <div class="page mine">
      <header class="page__head"><h1 class="page__title">${t("title.me")}</h1></header>
      <div class="mine__grid">
        <div class="mine__main">
          ${player && mine ? html`<${Games} mine=${mine} reload=${load} />` : html`<${Empty} title=${t("me.nobody")} action=${html`<a class="button button--primary" href="/play">${t("board.play")}</a>`}>${t("me.nobody.text")}<//>`}
        </div>
        <aside class="mine__side">
          ${player && html`<${Name} name=${player.name} />`}
          ${mine && mine.summary.length > 0 && html`<${Cells} cells=${mine.summary} />`}
          <${Stored} some=${Boolean(mine?.games.length)} known=${Boolean(player)} reload=${load} />
        </aside>
      </div>
    </div>
  `;
}

/** @param {{name: string}} props */
function Name({ name }) {
  const [value, setValue] = useState(name);
  const [state, setState] = useState("");
  const [error, setError] = useState("");
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setError("");
    try {
      await rename(value.trim());
      setState("saved");
    } catch (failure) {
      setError(failure instanceof ApiError && failure.code === "INVALID_OPTION" ? t("me.name.bad") : failure instanceof ApiError ? failure.words : t("error.unknown"));
    }
  };
  return html`
    <${Panel} title=${t("me.name.title")}>
      <form class="inline" onSubmit=${save}>
        <${Field} label=${t("me.name")} error=${error} class="inline__field">
          ${(/** @type {any} */ bind) => html`<input class="input" ...${bind} value=${value} maxlength=${catalogue.value?.max_name} autocomplete="nickname" required
            onInput=${(/** @type {any} */ event) => {
              setState("");
              setValue(event.target.value);
            }} />`}
        <//>
        <button type="submit" class="button" disabled=${!value.trim() || value.trim() === name}>${t("me.name.save")}</button>
      </form>
      <p class="small good" role="status">${state === "saved" ? t("me.name.saved") : ""}</p>
    <//>
  `;
}

/** @param {{mine: Mine, reload: () => void}} props */
function Games({ mine, reload }) {
  const [scenario, setScenario] = useState("");
  const [result, setResult] = useState("");
  const [shown, setShown] = useState(PAGE);
  const [asked, setAsked] = useState(/** @type {Card | null} */ (null));
  const [error, setError] = useState("");
  const unfinished = mine.games.filter((card) => card.status !== "over");
  const titles = new Map(mine.games.map((card) => [card.scenario_id, tr(card.title)]));
  const over = mine.games.filter(
    (card) => card.status === "over" && (!scenario || card.scenario_id === scenario) && (!result || (result === "deal") === (card.reason === "deal")),
  );
  const remove = async (/** @type {Card} */ card) => {
    try {
      await api.deleteGame(card.id);
      reload();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.words : t("error.unknown"));
    }
  };
  if (!mine.games.length) return html`<${Empty} title=${t("me.none")} action=${html`<a class="button button--primary" href="/play">${t("board.play")}</a>`}>${t("me.none.text")}<//>`;
  return html`
    ${unfinished.length > 0 && html`
      <section class="mine__section" aria-labelledby="open-title">
        <h2 class="section__title" id="open-title">${t("me.unfinished")}</h2>
        <ul class="gamelist gamelist--open">${unfinished.map((card) => html`<${GameRow} key=${card.id} card=${card}><a class="button button--small button--primary" href=${`/play/${encodeURIComponent(card.id)}`}>${t("me.continue")}</a><//>`)}</ul>
      </section>
    `}
    <section class="mine__section" aria-labelledby="history-title">
      <div class="section__head">
        <h2 class="section__title" id="history-title">${t("me.history")}</h2>
        <p class="section__note figure">${t("me.count", { n: over.length, games: number(over.length) })}</p>
      </div>
      <div class="filters" role="group" aria-label=${t("board.filters")}>
        <${Select} label=${t("board.scenario")} value=${scenario} onChange=${setScenario} options=${[{ value: "", label: t("board.any") }, ...[...titles].map(([value, label]) => ({ value, label }))]} />
        <${Select} label=${t("me.result")} value=${result} onChange=${setResult} options=${["", "deal", "none"].map((value) => ({ value, label: t(value ? `me.result.${value}` : "board.any") }))} />
      </div>
      ${error && html`<${Notice} tone="bad" live=${true}>${error}<//>`}
      ${over.length === 0 ? html`<p class="soft">${t("me.nothing")}</p>` : html`<ul class="gamelist">${over.slice(0, shown).map((card) => html`
        <${GameRow} key=${card.id} card=${card}><button type="button" class="gamerow__remove" aria-label=${t("me.delete.one")} title=${t("me.delete.one")} onClick=${() => setAsked(card)}>×</button><//>`)}</ul>`}
      ${over.length > shown && html`<button type="button" class="button" onClick=${() => setShown(shown + PAGE * 2)}>${t("me.more", { n: over.length - shown })}</button>`}
    </section>
    <${Confirm} open=${Boolean(asked)} onClose=${() => setAsked(null)} onYes=${() => asked && remove(asked)} danger=${true} title=${t("keep.delete.title")} yes=${t("keep.delete.yes")} no=${t("state.cancel")}>
      <p class="soft">${asked && t("me.delete.named", { title: tr(asked.title) })}${t("keep.delete.text")}</p>
    <//>
  `;
}

/** Results by scenario, seat and opponent. @param {{cells: Cell[]}} props */
function Cells({ cells }) {
  const title = (/** @type {string} */ id) => tr(catalogue.value?.scenarios.find((scenario) => scenario.id === id)?.title) || id;
  return html`
    <${Panel} title=${t("me.cells")} note=${t("me.cells.note")}>
      <ul class="cells">
        ${cells.map((cell) => html`
          <li class="cells__item">
            <p class="cells__what"><b>${title(cell.scenario_id)}</b> <span class="small soft">${t("games.against", { seat: t(`seat.${cell.seat}`), name: cell.persona === "person" ? t("who.person") : t(`persona.${cell.persona}.name`) })}</span></p>
            <p class="cells__mean figure">${percent(cell.mean)}<span class="small muted">${t("me.cells.games", { n: cell.games, best: percent(cell.best) })}</span></p>
            ${cell.trend.length > 1 && html`<${Spark} values=${cell.trend} low=${0} high=${1} label=${t("board.trendOf", { values: cell.trend.map((value) => percent(value)).join(", ") })} />`}
          </li>
        `)}
      </ul>
    <//>
  `;
}

/** What is stored, who sees it, and how to be rid of it. @param {{some: boolean, known: boolean, reload: () => void}} props */
function Stored({ some, known, reload }) {
  const [asking, setAsking] = useState(/** @type {"" | "games" | "all"} */ (""));
  const [error, setError] = useState("");
  const act = async (/** @type {"games" | "all"} */ what) => {
    try {
      if (what === "games") {
        await api.deleteMyGames();
        reload();
      } else {
        await api.forgetMe();
        await refreshMe();
        navigate("/", { replace: true });
      }
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.words : t("error.unknown"));
    }
  };
  return html`
    <${Panel} title=${t("stored.title")}>
      <div class="stored">
        <p class="small soft">${t("stored.what")}</p>
        <p class="small soft">${t("stored.who")}</p>
        ${error && html`<${Notice} tone="bad" live=${true}>${error}<//>`}
        <div class="buttons">
          ${some && html`<button type="button" class="button button--small" onClick=${() => setAsking("games")}>${t("stored.games")}</button>`}
          ${known && html`<button type="button" class="button button--small button--danger" onClick=${() => setAsking("all")}>${t("stored.forget")}</button>`}
        </div>
      </div>
    <//>
    <${Confirm} open=${asking === "games"} onClose=${() => setAsking("")} onYes=${() => act("games")} danger=${true} title=${t("stored.games.title")} yes=${t("stored.games.yes")} no=${t("state.cancel")}><p class="soft">${t("stored.games.text")}</p><//>
    <${Confirm} open=${asking === "all"} onClose=${() => setAsking("")} onYes=${() => act("all")} danger=${true} title=${t("stored.forget.title")} yes=${t("stored.forget.yes")} no=${t("state.cancel")}><p class="soft">${t("stored.forget.text")}</p><//>
  `;
}
