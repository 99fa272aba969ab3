/** `/watch#TOKEN`: one game on a second screen. Without a token: the live games of the rooms one manages. */
import { html, useEffect, useState } from "../html.js";
import { t } from "../i18n.js";
import { ApiError, persist, request } from "../api.js";
import { listen } from "../stream.js";
import { address, navigate, query } from "../router.js";
import { Empty, Failed, Loading } from "../ui/panel.js";
import { rooms } from "../rooms/api.js";
import { LiveGames } from "../rooms/live.js";
import { Screen } from "../watch/screen.js";

/** @typedef {import("../watch/types.js").Watched} Watched */

const REFRESH = 3000;

export default function Page() {
  const token = decodeURIComponent(address.value.hash.slice(1));
  const id = query.value.get("game");
  if (token) return html`<${Exchange} key=${token} token=${token} />`;
  return id ? html`<${Game} key=${id} id=${id} />` : html`<${Overview} />`;
}

/** The token becomes a cookie, and goes from the address. @param {{token: string}} props */
function Exchange({ token }) {
  const [error, setError] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    request("POST", "/api/watch", { token }).then(
      (answer) => navigate(`/watch?game=${encodeURIComponent(answer.game_id)}`, { replace: true }),
      (failure) => {
        history.replaceState(null, "", "/watch");
        setError(failure);
      },
    );
  }, [token]);
  return error ? html`<${NotYours} error=${error} />` : html`<${Loading} />`;
}

/** @param {{error: unknown, retry?: () => void}} props */
const NotYours = ({ error, retry }) =>
  error instanceof ApiError && ["NOT_FOUND", "UNAUTHORIZED"].includes(error.code)
    ? html`<${Empty} mark="◈" title=${t("watch.closed")} action=${html`<a class="button" href="/watch">${t("watch.all")}</a>`}>${t("watch.closed.text")}<//>`
    : html`<${Failed} error=${error} retry=${retry} />`;

/** @param {{id: string}} props */
function Game({ id }) {
  const path = `/api/watch/${encodeURIComponent(id)}`;
  const [game, setGame] = useState(/** @type {Watched | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [link, setLink] = useState("connecting");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    /** @type {() => void} */
    let stop = () => {};
    let wanted = true;
    setError(null);
    persist(() => request("GET", path)).then(
      (answer) => {
        if (!wanted) return;
        setGame(answer.game);
        stop = listen(`${path}/events`, { events: { game: setGame }, onLink: setLink });
      },
      (failure) => wanted && setError(failure),
    );
    return () => {
      wanted = false;
      stop();
    };
  }, [id, tries]);
  if (error) return html`<${NotYours} error=${error} retry=${() => setTries(tries + 1)} />`;
  if (link === "gone") return html`<${Empty} mark="◈" title=${t("watch.gone")} action=${html`<a class="button" href="/watch">${t("watch.all")}</a>`}>${t("watch.gone.text")}<//>`;
  if (!game) return html`<${Loading} />`;
  return html`<${Screen} game=${game} lost=${link === "lost"} onGame=${setGame} />`;
}

/** All live games of the rooms whose key this browser has. */
function Overview() {
  const [mine, setMine] = useState(/** @type {Awaited<ReturnType<typeof rooms.mine>>["rooms"] | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let wanted = true;
    const ask = () => rooms.mine().then((answer) => wanted && (setError(null), setMine(answer.rooms)), (failure) => wanted && setError(failure));
    ask();
    const timer = setInterval(ask, REFRESH);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [tries]);
  if (error && !mine) return html`<${Failed} error=${error} retry=${() => setTries(tries + 1)} />`;
  if (!mine) return html`<${Loading} />`;
  const open = mine.filter(({ room, games }) => !room.closed || games.length);
  return html`
    <div class="page room">
      <header class="page__head"><h1 class="page__title">${t("live.title")}</h1><p class="page__lead">${t("watch.lead")}</p></header>
      ${open.length === 0 && html`<${Empty} title=${t("watch.norooms")} action=${html`<a class="button button--primary" href="/rooms">${t("room.toRooms")}</a>`}>${t("watch.norooms.text")}<//>`}
      ${open.map(({ room, games }) => html`
        <section aria-label=${room.name}>
          <div class="section__head"><h2 class="section__title"><a class="watch__roomname" href=${`/rooms/${encodeURIComponent(room.id)}`}><bdi>${room.name}</bdi></a></h2></div>
          <${LiveGames} cards=${games} room=${room.id} />
        </section>
      `)}
    </div>
  `;
}
