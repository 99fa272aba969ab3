/** `/rooms/{id}`: a room, for its manager. A key in the address is exchanged for a cookie, and goes from the address. */
import { html, useEffect, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { date } from "../format.js";
import { ApiError } from "../api.js";
import { listen } from "../stream.js";
import { address } from "../router.js";
import { Confirm } from "../ui/dialog.js";
import { CopyButton } from "../ui/copy.js";
import { Empty, Failed, Loading, Notice, Panel } from "../ui/panel.js";
import { keys, rooms } from "../rooms/api.js";
import { LiveGames, Results } from "../rooms/live.js";

/** @typedef {import("../rooms/types.js").Whole} Whole */

/** @param {{params: {id: string}}} props */
export default function Page({ params }) {
  const { id } = params;
  const [whole, setWhole] = useState(/** @type {Whole | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [link, setLink] = useState("connecting");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    /** @type {() => void} */
    let stop = () => {};
    let wanted = true;
    const begin = async () => {
      setError(null);
      const key = decodeURIComponent(address.peek().hash.slice(1));
      if (key) {
        history.replaceState(null, "", location.pathname);
        keys.set(id, key);
        await rooms.enter(id, key);
      }
      const found = await rooms.look(id);
      if (!wanted) return;
      setWhole(found);
      stop = listen(rooms.events(id), { events: { room: setWhole }, onLink: setLink });
    };
    begin().catch((failure) => wanted && setError(failure));
    return () => {
      wanted = false;
      stop();
    };
  }, [id, tries]);
  if (error instanceof ApiError && error.code === "NOT_FOUND") {
    return html`<${Empty} title=${t("room.locked")} action=${html`<a class="button" href="/rooms">${t("room.toRooms")}</a>`}>${t("room.locked.text")}<//>`;
  }
  if (error) return html`<${Failed} error=${error} retry=${() => setTries(tries + 1)} />`;
  if (!whole) return html`<${Loading} />`;
  return html`<${View} whole=${whole} lost=${link === "lost"} onWhole=${setWhole} />`;
}

/** @param {{whole: Whole, lost: boolean, onWhole: (whole: Whole) => void}} props */
function View({ whole, lost, onWhole }) {
  const { room, players, games, results } = whole;
  const [closing, setClosing] = useState(false);
  const [error, setError] = useState("");
  const key = keys.get(room.id);
  const join = `${location.origin}/join#${encodeURIComponent(room.join_code)}`;
  const manager = key && `${location.origin}/rooms/${encodeURIComponent(room.id)}#${encodeURIComponent(key)}`;
  const close = () =>
    rooms.close(room.id).then(onWhole, (failure) => setError(failure instanceof ApiError ? failure.words : t("error.unknown")));
  return html`
    <div class="page room">
      <header class="page__head room__head">
        <p class="eyebrow">${t("title.room")}</p>
        <h1 class="page__title"><bdi>${room.name}</bdi></h1>
        <div class="chips">
          <span class=${`chip ${room.closed ? "" : "chip--good"}`}>${t(room.closed ? "room.closed" : "room.isOpen")}</span>
          ${room.same_seed && html`<span class="chip chip--sky">${t("room.same.chip")}</span>`}
          ${room.due_at && html`<span class="chip">${t("room.until", { date: date(room.due_at) })}</span>`}
          ${lost && html`<span class="chip chip--bad" role="status">${t("live.lost")}</span>`}
        </div>
      </header>
      ${manager && html`<${Notice} tone="gold" action=${html`<${CopyButton} text=${manager} label=${t("room.manager.copy")} small=${true} />`}><b>${t("room.manager.title")}</b> ${t("room.manager.text")}<//>`}
      ${error && html`<${Notice} tone="bad" live=${true}>${error}<//>`}
      <div class="room__top">
        <${Panel} title=${t("room.invite")} class="room__invite">
          ${room.closed
            ? html`<p class="small soft">${t("room.invite.closed")}</p>`
            : html`
                <p class="small soft">${t("room.invite.text")}</p>
                <p class="room__code figure">${room.join_code}</p>
                <div class="buttons"><${CopyButton} text=${join} label=${t("room.invite.copy")} primary=${true} /></div>
              `}
        <//>
        <${Panel} title=${t("room.tasks")}>
          <ol class="roomtasks">
            ${room.tasks.map((task) => html`<li><b>${tr(task.scenario.title)}</b> <span class="small soft">${t("games.against", { seat: t(`seat.${task.seat}`), name: task.persona === "person" ? t("room.person") : t(`persona.${task.persona}.name`) })}</span></li>`)}
          </ol>
        <//>
        <${Panel} title=${t("room.people")} note=${t("room.people.count", { n: players.length })}>
          ${players.length ? html`<ul class="chips">${players.map((player) => html`<li class="chip"><bdi>${player.name}</bdi></li>`)}</ul>` : html`<p class="small soft">${t("room.people.none")}</p>`}
        <//>
      </div>
      <section class="room__section" aria-labelledby="live-title">
        <div class="section__head"><h2 class="section__title" id="live-title">${t("live.title")}</h2></div>
        <${LiveGames} cards=${games} room=${room.id} />
      </section>
      <section class="room__section" aria-labelledby="results-title">
        <div class="section__head"><h2 class="section__title" id="results-title">${t("results.title")}</h2>
          ${results.length > 0 && html`<a class="button button--small" href=${rooms.csv(room.id)} download>${t("results.csv")}</a>`}</div>
        <${Results} results=${results} tasks=${room.tasks} />
      </section>
      ${!room.closed && html`
        <div class="room__close"><button type="button" class="button button--danger" onClick=${() => setClosing(true)}>${t("room.close")}</button><p class="small muted">${t("room.close.hint")}</p></div>
        <${Confirm} open=${closing} onClose=${() => setClosing(false)} onYes=${close} danger=${true} title=${t("room.close.title")} yes=${t("room.close.yes")} no=${t("state.cancel")}><p class="soft">${t("room.close.text")}</p><//>
      `}
    </div>
  `;
}
