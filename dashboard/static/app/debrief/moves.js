/** The review: what each move cost, what would have been better, and what the coach said of it. */
import { html, useEffect, useRef, classes } from "../html.js";
import { t } from "../i18n.js";
import { money, percent } from "../format.js";
import { Notice } from "../ui/panel.js";
import { nameOf } from "../ui/who.js";
import { actionText, lineText } from "./words.js";
import { ownMoves, pointsText, standingBefore } from "./model.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {import("./types.js").VerdictName} VerdictName
 * @typedef {ReturnType<typeof ownMoves>[number]} Own
 */

/** As chess players write it. @type {Record<VerdictName, string>} */
export const SIGNS = { best: "★", good: "✓", inaccuracy: "?!", mistake: "?", blunder: "??" };
/** @type {VerdictName[]} */
const ORDER = ["best", "good", "inaccuracy", "mistake", "blunder"];
/** Below this a cost in points reads as none. */
const NOTHING = 0.05;

/** @param {{verdict: VerdictName, words?: boolean}} props */
export const Badge = ({ verdict, words = false }) => html`
  <span class=${`badge badge--${verdict}`}>
    <span class="badge__sign" aria-hidden="true">${SIGNS[verdict]}</span>
    <span class=${words ? "badge__word" : "hidden-visually"}>${t(`review.${verdict}`)}</span>
  </span>
`;

/** @param {{debrief: Debrief}} props */
export function Tally({ debrief }) {
  const { moves } = debrief.review;
  if (!moves.length) return null;
  const count = (/** @type {VerdictName} */ name) => moves.filter((move) => move.verdict === name).length;
  const hindsight = moves.reduce((sum, move) => sum + move.hindsight.cost, 0).toFixed(1);
  const known = moves.every((move) => move.fair);
  const fair = moves.reduce((sum, move) => sum + (move.fair?.cost ?? 0), 0).toFixed(1);
  return html`
    <div class="tally">
      <ul class="tally__row">
        ${ORDER.filter(count).map((name) => html`<li class="tally__item"><${Badge} verdict=${name} words=${true} /><b class="figure">${count(name)}</b></li>`)}
      </ul>
      <p class="tally__sum small soft">
        ${known ? t("review.sum", { fair, hindsight }) : t("review.sum.hindsight", { hindsight })}
      </p>
    </div>
  `;
}

/** How far the review is. @param {{debrief: Debrief}} props */
export function ReviewState({ debrief }) {
  const { status, progress, why, message } = debrief.review;
  if (status === "ready") return null;
  if (status === "failed") return html`<${Notice} tone="sky">${t(`review.failed.${why}`) === `review.failed.${why}` ? message || t("review.failed") : t(`review.failed.${why}`)}<//>`;
  return html`
    <div class="progress" role="progressbar" aria-label=${t("review.working")} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(progress * 100)}
      title=${t("review.working.note")}>
      <span class="progress__what">${t("review.working")}</span>
      <div class="meter__track progress__track"><div class="meter__fill" style=${{ width: `${Math.max(progress * 100, 2)}%` }}></div></div>
      <span class="figure progress__share">${percent(progress)}</span>
    </div>
  `;
}

/**
 * @param {{debrief: Debrief, at: number, go: (line: number) => void, onTry: ((own: Own) => void) | null}} props
 */
export function Moves({ debrief, at, go, onTry }) {
  const moves = ownMoves(debrief);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const place = (/** @type {Own} */ own) => debrief.lines.indexOf(own.line) + 1;
  const chosen = moves.filter((own) => place(own) <= at).at(-1) ?? moves[0];
  useEffect(() => {
    const box = list.current;
    const item = box?.querySelector("[data-open=true]");
    if (!box || !(item instanceof HTMLElement) || box.scrollHeight <= box.clientHeight) return;
    const top = item.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (top < 0 || top + item.offsetHeight > box.clientHeight) box.scrollTop += top - 24;
  }, [chosen?.number, debrief.review.status]);
  const opening = debrief.lines[0]?.seat !== debrief.game.seat ? debrief.lines.slice(0, debrief.lines.indexOf(moves[0]?.line)) : [];
  return html`
    <ol class="moves" ref=${list} tabindex="0" aria-label=${t("review.title")}>
      ${opening.map((line) => html`<li class="moves__answer">${nameOf(debrief.game.opponent)}: ${lineText(line, debrief.game.scenario)}</li>`)}
      ${moves.map((own) => html`<${Move} key=${own.number} debrief=${debrief} own=${own} open=${own === chosen} onOpen=${() => go(place(own))} onTry=${onTry} />`)}
    </ol>
  `;
}

/**
 * @param {{debrief: Debrief, own: Own, open: boolean, onOpen: () => void, onTry: ((own: Own) => void) | null}} props
 */
function Move({ debrief, own, open, onOpen, onTry }) {
  const { line, review, answers } = own;
  const { scenario } = debrief.game;
  const notes = debrief.notes.filter((note) => note.turn === line.turn && isFirstOfTurn(debrief, line));
  const opponent = nameOf(debrief.game.opponent);
  const cost = review ? (review.fair ?? review.hindsight).cost : 0;
  return html`
    <li class=${classes("ply", open && "ply--open")} data-open=${open}>
      <button type="button" class="ply__head" aria-expanded=${open} onClick=${onOpen}>
        <span class="ply__turn figure">${line.turn}</span>
        ${review && html`<${Badge} verdict=${review.verdict} />`}
        <span class="ply__what">${lineText(line, scenario)}</span>
        ${review && html`<span class=${classes("ply__cost figure", cost >= NOTHING && `ply__cost--${review.verdict}`)}>${cost < NOTHING ? "·" : pointsText(-cost)}</span>`}
      </button>
      <div class="ply__body">
        ${line.words && html`<p class="ply__words">“<bdi>${line.words}</bdi>”</p>`}
        ${line.invalid && html`<p class="small bad">${line.invalid.message}</p>`}
        ${review && html`<${Costs} debrief=${debrief} own=${own} />`}
        ${notes.map((note) => html`<${PinnedNote} note=${note} />`)}
        ${onTry && debrief.review.status !== "working" && html`<button type="button" class="button button--small ply__try" onClick=${() => onTry(own)}>${t("whatif.open")}</button>`}
      </div>
      ${answers.map((answer) => html`<p class="moves__answer"><span class="muted">${opponent}:</span> ${lineText(answer, scenario)}</p>`)}
    </li>
  `;
}

/** @param {Debrief} debrief @param {import("./types.js").Line} line */
const isFirstOfTurn = (debrief, line) => debrief.lines.find((each) => each.seat === line.seat && each.turn === line.turn) === line;

/** @param {{note: import("./types.js").Note, area?: "notes" | "coach.notes"}} props */
export const PinnedNote = ({ note, area = "notes" }) => html`
  <div class=${classes("pinned", note.kind === "whisper" && "pinned--whisper")}>
    <p class="pinned__kind">${t(`${area}.${note.kind}`)}${note.author && html` · <bdi>${note.author}</bdi>`}</p>
    <p><bdi>${note.words}</bdi></p>
  </div>
`;

/** What a move cost, with hindsight and in fairness, and what was best. @param {{debrief: Debrief, own: Own}} props */
function Costs({ debrief, own }) {
  const { line, review } = own;
  if (!review) return null;
  const { scenario } = debrief.game;
  const before = standingBefore(debrief, line);
  const row = (/** @type {string} */ name, /** @type {import("./types.js").Judged} */ judged) => {
    const fine = judged.cost < NOTHING;
    return html`
      <div class="cost">
        <p class="cost__head"><span>${t(`review.${name}`)}</span><b class="figure">${fine ? t("review.nothing") : t("review.points", { points: pointsText(-judged.cost) })}</b></p>
        <p class="cost__best">${fine ? t(`review.${name}.fine`) : html`${t("review.better")} <b>${actionText(judged.best, scenario, before?.offer)}</b>`}</p>
      </div>
    `;
  };
  return html`
    <div class="costs">
      <p class="costs__verdict"><${Badge} verdict=${review.verdict} words=${true} /></p>
      ${review.fair && row("fair", review.fair)} ${row("hindsight", review.hindsight)} <${Missed} debrief=${debrief} own=${own} />
    </div>
  `;
}

/** In money, where that is clear: an offer of theirs that was worth more than what came of the game. */
const Missed = (/** @type {{debrief: Debrief, own: Own}} */ { debrief, own }) => {
  const standing = standingBefore(debrief, own.line);
  const best = own.review?.hindsight;
  if (!best || best.cost < NOTHING || !best.best.accept_deal || !standing || standing.surplus === null) return null;
  const had = debrief.grade?.deal ? debrief.grade.surplus : 0;
  const more = standing.surplus - had;
  if (more <= 0) return null;
  return html`<p class="small soft">${t("review.missed", { amount: money(more, debrief.game.scenario.currency) })}</p>`;
};
