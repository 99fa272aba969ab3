/** `/join#CODE`: a room, for who plays in it. */
import { html, useEffect, useRef, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { ApiError, requestId } from "../api.js";
import { date, percent } from "../format.js";
import { me, refreshMe, rename } from "../me.js";
import { address, navigate } from "../router.js";
import { Field } from "../ui/field.js";
import { Empty, Failed, Loading, Notice } from "../ui/panel.js";
import { outcomeText } from "../ui/games.js";
import { rooms } from "../rooms/api.js";

/**
 * @typedef {import("../rooms/types.js").Room} Room
 * @typedef {import("../rooms/types.js").RoomTask} RoomTask
 */

const AGAIN = 4000;

export default function Page() {
  const code = decodeURIComponent(address.value.hash.slice(1));
  const player = me.value?.player ?? null;
  const [room, setRoom] = useState(/** @type {Room | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const wish = useRef(requestId());
  const load = async () => {
    setError(null);
    try {
      if (!me.peek()) await refreshMe();
      if (me.peek()?.player && code) setRoom((await rooms.join(code, wish.current)).room);
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => {
    load();
  }, [code, player?.id]);
  const waiting = room?.tasks.some((task) => task.game?.waiting) ?? false;
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setInterval(() => rooms.join(code, wish.current).then((answer) => setRoom(answer.room), () => {}), AGAIN);
    return () => clearInterval(timer);
  }, [waiting, code]);

  if (error instanceof ApiError && error.code === "NOT_FOUND") {
    return html`<${Empty} title=${t("join.unknown")} action=${html`<a class="button" href="/rooms">${t("room.toRooms")}</a>`}>${t("join.unknown.text")}<//>`;
  }
  if (error) return html`<${Failed} error=${error} retry=${load} />`;
  if (!code) return html`<${Empty} title=${t("join.none")} action=${html`<a class="button" href="/rooms">${t("room.toRooms")}</a>`}>${t("join.none.text")}<//>`;
  if (!me.value) return html`<${Loading} />`;
  if (!player) return html`<${NameFirst} />`;
  if (!room) return html`<${Loading} />`;
  return html`<${Tasks} room=${room} name=${player.name} />`;
}

function NameFirst() {
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await rename(name.trim());
    } catch (failure) {
      setError(failure instanceof ApiError && failure.code === "INVALID_OPTION" ? t("me.name.bad") : failure instanceof ApiError ? failure.words : t("error.unknown"));
    }
  };
  return html`
    <div class="page joining">
      <header class="page__head"><p class="eyebrow">${t("title.join")}</p><h1 class="page__title">${t("join.name")}</h1><p class="page__lead">${t("join.name.text")}</p></header>
      <form class="joining__form" onSubmit=${save}>
        <${Field} label=${t("me.name")} error=${error} hint=${t("stored.what")}>
          ${(/** @type {any} */ bind) => html`<input class="input" ...${bind} autocomplete="nickname" required value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} />`}
        <//>
        <button type="submit" class="button button--primary button--large" disabled=${!name.trim()}>${t("join.go")}</button>
      </form>
    </div>
  `;
}

/** @param {{room: Room, name: string}} props */
const Tasks = ({ room, name }) => html`
  <div class="page joining">
    <header class="page__head">
      <p class="eyebrow">${t("title.room")}</p>
      <h1 class="page__title"><bdi>${room.name}</bdi></h1>
      <p class="page__lead">${t("join.hello", { name })} ${t("join.watched")}</p>
      <div class="chips">
        ${room.closed && html`<span class="chip">${t("room.closed")}</span>`} ${room.same_seed && html`<span class="chip chip--sky">${t("room.same.chip")}</span>`}
        ${room.due_at && html`<span class="chip">${t("room.until", { date: date(room.due_at) })}</span>`}
      </div>
    </header>
    <ol class="jointasks">${room.tasks.map((task) => html`<${TaskCard} key=${task.index} task=${task} room=${room} />`)}</ol>
  </div>
`;

/** @param {{task: RoomTask, room: Room}} props */
function TaskCard({ task, room }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const wish = useRef(requestId());
  const { game } = task;
  const playing = game && game.status !== "over";
  const start = async () => {
    setBusy(true);
    try {
      const answer = await rooms.play(room.id, task.index, wish.current);
      navigate(`/play/${encodeURIComponent(answer.game.id)}`);
    } catch (failure) {
      wish.current = requestId();
      setError(failure instanceof ApiError ? failure.words : t("error.unknown"));
      setBusy(false);
    }
  };
  const path = game && encodeURIComponent(game.id);
  const again = game && !playing && !room.same_seed && !room.closed;
  return html`
    <li class="jointask">
      <div class="jointask__what">
        <h2 class="jointask__title">${tr(task.scenario.title)}</h2>
        <p class="soft">${t("games.against", { seat: t(`seat.${task.seat}`), name: task.persona === "person" ? t("room.person") : t(`persona.${task.persona}.name`) })}</p>
        ${game && html`<p class="small muted">${game.waiting ? "" : outcomeText(game)}${!playing && game.efficiency !== null && game.efficiency !== undefined ? `${t("format.between")}${percent(game.efficiency)}` : ""}</p>`}
        ${game?.waiting && html`<p class="jointask__waits" role="status"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> ${t("join.waits")}</p>`}
        ${error && html`<${Notice} tone="bad" live=${true}>${error}<//>`}
      </div>
      <div class="buttons">
        ${playing
          ? html`<a class="button button--primary" href=${`/play/${path}`}>${t(game.waiting ? "join.toTable" : "me.continue")}</a>`
          : game
            ? html`${game.room && room.same_seed && !room.closed ? html`<span class="small muted">${t("join.later")}</span>` : html`<a class="button" href=${`/games/${path}`}>${t("title.debrief")}</a>`}
                ${again && html`<button type="button" class="button button--primary" disabled=${busy} onClick=${start}>${t("join.again")}</button>`}`
            : html`<button type="button" class="button button--primary" disabled=${busy || room.closed} onClick=${start}>${t("join.start")}</button>`}
      </div>
    </li>
  `;
}
