/** `/rooms`: the rooms one manages, and opening another. */
import { html, useEffect, useState } from "../html.js";
import { t } from "../i18n.js";
import { date } from "../format.js";
import { me, refreshMe } from "../me.js";
import { navigate } from "../router.js";
import { Field } from "../ui/field.js";
import { Failed, Loading, Notice, Panel } from "../ui/panel.js";
import { rooms } from "../rooms/api.js";
import { RoomForm } from "../rooms/form.js";

/** @typedef {Awaited<ReturnType<typeof rooms.mine>>["rooms"]} Mine */

export default function Page() {
  const [mine, setMine] = useState(/** @type {Mine | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const load = async () => {
    setError(null);
    try {
      await refreshMe();
      setMine((await rooms.mine()).rooms);
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => {
    load();
  }, []);
  if (error) return html`<${Failed} error=${error} retry=${load} />`;
  if (!mine || !me.value) return html`<${Loading} />`;
  const may = /** @type {{open: boolean, key?: boolean}} */ (me.value.rooms);
  return html`
    <div class="page rooms">
      <header class="page__head">
        <h1 class="page__title">${t("title.rooms")}</h1>
        <p class="page__lead">${t("rooms.lead")}</p>
      </header>
      <div class="rooms__grid">
        <${Panel} title=${t("rooms.open")} class="rooms__form">
          ${may.open || may.key ? html`<${RoomForm} needsKey=${Boolean(may.key)} />` : html`<${Notice} tone="sky">${t("rooms.notHere")}<//>`}
        <//>
        <div class="rooms__side">
          ${mine.length > 0 && html`
            <${Panel} title=${t("rooms.mine")}>
              <ul class="roomlist">
                ${mine.map(({ room, games }) => html`
                  <li class="roomlist__item"><a href=${`/rooms/${encodeURIComponent(room.id)}`}><b><bdi>${room.name}</bdi></b>
                    <span class="small soft">${t(room.closed ? "rooms.closed" : "rooms.live", { n: games.length })}${t("format.between")}${date(room.created_at, { dateStyle: "medium" })}</span></a></li>
                `)}
              </ul>
              <p class="small"><a href="/watch">${t("rooms.watchAll")}</a></p>
            <//>
          `}
          <${JoinPanel} />
        </div>
      </div>
    </div>
  `;
}

/** For who has a code and no link. */
function JoinPanel() {
  const [code, setCode] = useState("");
  return html`
    <${Panel} title=${t("rooms.join")}>
      <form class="inline" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        navigate(`/join#${encodeURIComponent(code.trim())}`);
      }}>
        <${Field} label=${t("rooms.code")} class="inline__field">
          ${(/** @type {any} */ bind) => html`<input class="input" autocomplete="off" spellcheck="false" ...${bind} value=${code} required onInput=${(/** @type {any} */ event) => setCode(event.target.value)} />`}
        <//>
        <button type="submit" class="button" disabled=${!code.trim()}>${t("rooms.join.go")}</button>
      </form>
    <//>
  `;
}
