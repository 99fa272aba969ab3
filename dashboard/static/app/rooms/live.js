/** Live games as cards: where they stand, at a glance; and the results of those that are over. */
import { html, useState, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { ago, date, figure, number, percent } from "../format.js";
import { ApiError } from "../api.js";
import { navigate } from "../router.js";
import { scoreGrade, tensionTone, tensionWord } from "../scale.js";
import { nameOf } from "../ui/who.js";
import { rooms } from "./api.js";
import { pointsText } from "../debrief/model.js";

/**
 * @typedef {import("./types.js").WatchCard} WatchCard
 * @typedef {import("./types.js").Result} Result
 */

/** @param {import("../types.js").Offer | null} offer */
const inShort = (offer) => (offer ? Object.values(offer).map((value) => figure(value)).join(" / ") : "–");

/** @param {{card: WatchCard, room: string}} props */
export function LiveCard({ card, room }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const [revoked, setRevoked] = useState(false);
  const word = tensionWord(card.tension);
  const watch = async () => {
    setBusy(true);
    try {
      const { token } = await rooms.watch(room, card.id);
      navigate(`/watch#${encodeURIComponent(token)}`);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.words : t("error.unknown"));
      setBusy(false);
    }
  };
  const revoke = async () => {
    setBusy(true);
    setError("");
    try {
      await rooms.unwatch(room, card.id);
      setRevoked(true);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.words : t("error.unknown"));
    } finally {
      setBusy(false);
    }
  };
  const players = card.players.filter((player) => player.name || !card.waiting);
  const names = players.map((player) => player.name ?? t("live.nobody"));
  return html`
    <li class="live">
      <div class="live__head">
        <p class="live__who">${players.map((player) => html`<span class="live__player"><i class=${classes("dot", player.present && "dot--on")} role="img" aria-label=${t(player.present ? "live.present" : "live.absent")}></i><bdi>${player.name ?? t("live.nobody")}</bdi>${player.bot && html` <span class="chip">${t("live.bot")}</span>`}</span>`)}</p>
        <span class="figure small soft">${t("line.turn", { turn: card.turn })}</span>
      </div>
      <p class="small soft">${tr(card.title)}${card.opponent.kind === "persona" && html` · <span aria-hidden="true">${card.opponent.symbol}</span> ${nameOf(card.opponent)}`}</p>
      ${card.waiting
        ? html`<p class="live__waits">${t("live.waits")}</p>`
        : html`
            <dl class="live__offers">
              <div><dt>${t("seat.seller")}</dt><dd class="figure">${inShort(card.offers.seller)}</dd></div>
              <div><dt>${t("seat.buyer")}</dt><dd class="figure">${inShort(card.offers.buyer)}</dd></div>
            </dl>
            <div class=${`tension tension--${word} live__tension`}>
              <div class="meter__track"><div class=${`meter__fill meter__fill--${tensionTone(card.tension)}`} style=${{ width: `${card.tension}%` }}></div></div>
              <span class="small">${t(`tension.${word}`)} <span class="figure muted">${number(Math.round(card.tension))}</span></span>
            </div>
            ${card.words && html`<p class="live__words small"><bdi>${card.words}</bdi></p>`}
          `}
      <div class="live__foot">
        <span class="small muted" aria-live="polite">${revoked ? t("live.revoked") : ago(card.moved_at)}</span>
        ${card.watched && !revoked && html`<button type="button" class="button button--small button--ghost" disabled=${busy} onClick=${revoke} aria-label=${t("live.revokeGame", { names: names.join(", ") })}>${t("live.revoke")}</button>`}
        <button type="button" class="button button--small button--primary" disabled=${busy || card.waiting} onClick=${watch} aria-label=${t("live.watchGame", { names: names.join(", ") })}>${t("live.watch")}</button>
      </div>
      ${error && html`<p class="field__error" role="alert">${error}</p>`}
    </li>
  `;
}

/** @param {{cards: WatchCard[], room: string}} props */
export const LiveGames = ({ cards, room }) =>
  cards.length === 0 ? html`<p class="soft room__none">${t("live.none")}</p>` : html`<ul class="lives">${cards.map((card) => html`<${LiveCard} key=${card.id} card=${card} room=${room} />`)}</ul>`;

/** @param {Result[]} results @param {string} item */
function meanOf(results, item) {
  const scores = results.map((result) => result.rubric[item]).filter((score) => score !== null && score !== undefined);
  return scores.length ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null;
}

/** @param {{score: number | null | undefined}} props */
const Heat = ({ score }) => html`<td class=${classes("heat figure", score !== null && score !== undefined && `heat--${scoreGrade(score)}`)}>${score === null || score === undefined ? "–" : number(Math.round(score * 100))}</td>`;

/**
 * A row a game, oldest first: down a column one sees how a habit grows.
 * @param {{results: Result[], tasks: import("./types.js").RoomTask[]}} props
 */
export function Results({ results, tasks }) {
  const [who, setWho] = useState("");
  const people = [...new Set(results.map((result) => result.player ?? ""))].sort();
  const rows = results.filter((result) => !who || result.player === who);
  const items = [...new Set(results.flatMap((result) => Object.keys(result.rubric)))];
  if (!results.length) return html`<p class="soft room__none">${t("results.none")}</p>`;
  const mean = rows.filter((row) => row.efficiency !== null && !row.right_exit);
  return html`
    ${people.length > 1 && html`
      <div class="results__people" role="group" aria-label=${t("results.people")}>
        ${["", ...people].map((name) => html`<button type="button" class=${classes("chip results__person", who === name && "chip--gold")} aria-pressed=${who === name} onClick=${() => setWho(name)}>${name ? html`<bdi>${name}</bdi>` : t("results.all")}</button>`)}
      </div>
    `}
    <div class="scroll-x results" tabindex="0" role="group" aria-label=${t("results.title")}>
      <table class="ledger">
        <caption class="hidden-visually">${t("results.caption")}</caption>
        <thead><tr><th scope="col">${t("results.player")}</th><th scope="col">${t("results.task")}</th><th scope="col">${t("results.ended")}</th><th scope="col">${t("results.how")}</th><th scope="col" class="num">${t("results.share")}</th><th scope="col" class="num">${t("score.points")}</th>
          ${items.map((item) => html`<th scope="col" class="heat__head">${t(`rubric.${item}`)}</th>`)}</tr></thead>
        <tbody>
          ${rows.map((row) => html`
            <tr>
              <th scope="row"><a href=${`/games/${encodeURIComponent(row.game_id)}?seat=${row.seat}`}><bdi>${row.player ?? t("live.nobody")}</bdi></a></th>
              <td>${tr(tasks[row.task ?? -1]?.scenario.title) || row.scenario_id}</td>
              <td class="results__when">${row.ended_at ? date(row.ended_at, { dateStyle: "short", timeStyle: "short" }) : ""}</td>
              <td>${row.right_exit ? t("games.right") : t(`reason.${row.reason}`)}${row.helped ? html` <span class="chip chip--sky">${t("mark.helped")}</span>` : row.watched ? html` <span class="chip">${t("mark.watched")}</span>` : ""}</td>
              <td class="num">${row.efficiency === null || row.right_exit ? "–" : percent(row.efficiency)}</td>
              <td class="num">${row.reward === null ? "–" : pointsText(row.reward)}</td>
              ${items.map((item) => html`<${Heat} score=${row.rubric[item]} />`)}
            </tr>
          `)}
          <tr class="ledger__sum">
            <th scope="row" colspan="4">${t("results.mean")}</th>
            <td class="num">${mean.length ? percent(mean.reduce((sum, row) => sum + (row.efficiency ?? 0), 0) / mean.length) : "–"}</td><td></td>
            ${items.map((item) => html`<${Heat} score=${meanOf(rows, item)} />`)}
          </tr>
        </tbody>
      </table>
    </div>
  `;
}
