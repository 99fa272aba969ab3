/** `/games/{id}`: how it came out, what was hidden, what each move cost, and what else could have been done. */
import { html, useEffect, useRef, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { ApiError, persist, request } from "../api.js";
import { date } from "../format.js";
import { query } from "../router.js";
import { Empty, Failed, Loading, Panel } from "../ui/panel.js";
import { nameOf } from "../ui/who.js";
import { Board } from "../debrief/board.js";
import { Beliefs } from "../debrief/beliefs.js";
import { Claims, Ledger, News, Rubric, TurnLink } from "../debrief/claims.js";
import { Actions, Keep, pageOf } from "../debrief/keep.js";
import { Moves, PinnedNote, ReviewState, Tally } from "../debrief/moves.js";
import { Score } from "../debrief/score.js";
import { WhatIf } from "../debrief/whatif.js";
import { verdict } from "../debrief/words.js";
import { ownMoves, whoOf } from "../debrief/model.js";

/** @typedef {import("../debrief/types.js").Debrief} Debrief */

const POLL = 1500;

/**
 * The debrief, asked for again while its review is being worked out.
 * @param {string} id
 */
function useDebrief(id) {
  const [debrief, setDebrief] = useState(/** @type {Debrief | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  const seat = query.value.get("seat") ?? "";
  useEffect(() => {
    let wanted = true;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const ask = async () => {
      try {
        const found = await persist(() => request("GET", `/api/games/${encodeURIComponent(id)}/debrief${seat && `?seat=${encodeURIComponent(seat)}`}`));
        if (!wanted) return;
        setDebrief({ ...found, game: { ...found.game, scenario: found.scenario } });
        setError(null);
        if (found.review.status === "working") timer = setTimeout(ask, POLL);
      } catch (failure) {
        if (wanted) setError(failure);
      }
    };
    ask();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [id, seat, tries]);
  return { debrief, error, retry: () => setTries(tries + 1) };
}

/** @param {{params: {id: string}}} props */
export default function Page({ params }) {
  const { debrief, error, retry } = useDebrief(params.id);
  if (!debrief && error) return html`<${Closed} id=${params.id} error=${error} retry=${retry} />`;
  if (!debrief) return html`<${Loading} heights=${["2rem", "7rem", "10rem", "26rem"]} />`;
  return html`<${View} debrief=${debrief} />`;
}

/** Why there is no debrief. @param {{id: string, error: unknown, retry: () => void}} props */
function Closed({ id, error, retry }) {
  const code = error instanceof ApiError ? error.code : "";
  if (code === "ROOM_OPEN") {
    return html`<${Empty} mark="◈" title=${t("closed.room")} action=${html`<a class="button" href="/me">${t("closed.back")}</a>`}>${t("closed.room.text")}<//>`;
  }
  if (code === "NOT_OVER") {
    return html`<${Empty} title=${t("closed.playing")} action=${html`<a class="button button--primary" href=${`/play/${encodeURIComponent(id)}`}>${t("closed.goOn")}</a>`}>${t("closed.playing.text")}<//>`;
  }
  if (code === "NOT_FOUND") return html`<${Empty} title=${t("closed.missing")} action=${html`<a class="button" href="/">${t("state.home")}</a>`}>${t("closed.missing.text")}<//>`;
  return html`<${Failed} error=${error} retry=${retry} />`;
}

/** @param {{debrief: Debrief}} props */
function View({ debrief }) {
  const { game, lines, claims, grade, notes } = debrief;
  const count = Math.max(lines.length, 1);
  const [at, setAt] = useState(count);
  const [playing, setPlaying] = useState(false);
  const [trying, setTrying] = useState(/** @type {import("../debrief/moves.js").Own | null} */ (null));
  const touched = useRef(false);
  const review = useRef(/** @type {HTMLElement | null} */ (null));
  const opponent = nameOf(game.opponent);
  const { title, lead, tone } = verdict(debrief, opponent);
  const mine = game.mine === true;
  useEffect(() => {
    // The costliest move is where there is most to learn.
    const worst = ownMoves(debrief).reduce((found, own) => ((own.review?.hindsight.cost ?? 0) > (found?.review?.hindsight.cost ?? 1) ? own : found), /** @type {import("../debrief/moves.js").Own | null} */ (null));
    if (worst && !touched.current) setAt(lines.indexOf(worst.line) + 1);
  }, [debrief.review.status]);
  const go = (/** @type {number} */ line) => {
    touched.current = true;
    setAt(Math.min(Math.max(line, 1), count));
  };
  const show = (/** @type {number} */ turn) => {
    const first = lines.findIndex((line) => line.turn >= turn);
    setPlaying(false);
    go(first < 0 ? count : first + 1);
    review.current?.scrollIntoView({ block: "start" });
  };
  const canTry = game.opponent.kind === "persona" && debrief.review.status !== "failed";

  useEffect(() => {
    document.title = `${title} · Parlay`;
  }, [title]);
  useEffect(() => {
    // On paper nothing can be unfolded.
    const unfold = () => document.querySelectorAll("details.fold").forEach((fold) => fold.setAttribute("open", ""));
    addEventListener("beforeprint", unfold);
    return () => removeEventListener("beforeprint", unfold);
  }, []);

  return html`
    <article class="page debrief">
      <header class="debrief__head">
        <p class="eyebrow">${t("debrief.eyebrow")} · ${tr(game.scenario.title)}</p>
        <h1 class="debrief__title">${title}</h1>
        <p class=${`debrief__lead debrief__lead--${tone}`}>${lead}</p>
        <p class="debrief__facts small soft">
          ${t("debrief.facts", { seat: t(`seat.${game.seat}`), name: opponent, date: date(game.ended_at) })}
          ${game.marks.map((mark) => html` <span class="chip">${t(`mark.${mark}`)}</span>`)}
        </p>
        ${!mine && game.name && html`<p class="small muted">${t("debrief.reader", { name: game.name })}</p>`}
        <${Actions} debrief=${debrief} mine=${mine} />
        <p class="onlyprint small">${pageOf(debrief)}</p>
      </header>

      <${Score} debrief=${debrief} />

      <section class="reviewed" ref=${review} aria-labelledby="reviewed-title">
        <div class="section__head">
          <h2 class="section__title" id="reviewed-title">${t("review.heading")}</h2>
          <p class="section__note noprint">${t("review.note")}</p>
        </div>
        <div class="reviewed__state"><${ReviewState} debrief=${debrief} /><${Tally} debrief=${debrief} /></div>
        <div class="reviewed__grid">
          <${Board} debrief=${debrief} playback=${{ at: Math.min(at, count), playing, go, setPlaying }} />
          <${Moves} debrief=${debrief} at=${at} go=${(/** @type {number} */ line) => {
            setPlaying(false);
            go(line);
          }} onTry=${canTry ? setTrying : null} />
        </div>
      </section>

      <section class="section" aria-labelledby="beliefs-title">
        <div class="section__head"><h2 class="section__title" id="beliefs-title">${t("beliefs.heading", { name: opponent })}</h2></div>
        <${Beliefs} debrief=${debrief} />
      </section>

      <div class="halves">
        <${Panel} title=${t("claims.heading")}><${Claims} claims=${claims} scenario=${game.scenario} who=${(/** @type {any} */ seat) => whoOf(debrief, seat, opponent)} go=${show} /><//>
        <${Panel} title=${t("news.heading")}><${News} debrief=${debrief} go=${show} /><//>
      </div>

      <section class="section" aria-labelledby="rubric-title">
        <div class="section__head"><h2 class="section__title" id="rubric-title">${t("rubric.heading")}</h2><p class="section__note">${t("rubric.note")}</p></div>
        <${Rubric} debrief=${debrief} go=${show} />
      </section>

      ${notes.length > 0 && html`
        <section class="section" aria-labelledby="notes-title">
          <div class="section__head"><h2 class="section__title" id="notes-title">${t("notes.heading")}</h2></div>
          <ul class="notes">${notes.map((note) => html`<li><${TurnLink} turn=${note.turn} go=${show} /><${PinnedNote} note=${note} /></li>`)}</ul>
        </section>
      `}

      ${grade && html`
        <details class="fold fold--panel">
          <summary>${t("ledger.heading")}</summary>
          <p class="small soft">${t("ledger.note")}</p>
          <${Ledger} ledger=${grade.ledger} terminal=${grade.terminal} reward=${grade.reward} />
        </details>
      `}
      <${Keep} debrief=${debrief} mine=${mine} consent=${game.consent ?? null} />
      <${WhatIf} debrief=${debrief} own=${trying} onClose=${() => setTrying(null)} />
    </article>
  `;
}
