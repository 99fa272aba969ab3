/** The opposite side of the table: the figure, its newest words, how tense it is, which turn it is. */
import { html, useEffect, useState, classes } from "../html.js";
import { t } from "../i18n.js";
import { number } from "../format.js";
import { TENSION_MARKS, tensionWord } from "../scale.js";
import { still } from "../motion.js";
import { Opponent, opponentName } from "../ui/opponent.js";
import { Deeds, wordless } from "../ui/line.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("../types.js").Line} Line
 * @typedef {import("../ui/opponent.js").State} State
 */

/** How long a reaction to one's move is seen, and then how long the face of the answer, in milliseconds. */
const REACTION = 900;
const FACE = 5200;

/** The other side's newest line. @param {Game} game */
export const newestOf = (game) => game.lines.filter((line) => line.seat !== game.seat && !line.invalid).at(-1) ?? null;

/**
 * What the figure shows now: thinking while it moves, its reaction, the face of its move, then at rest.
 * @param {Game} game
 * @param {boolean} sending
 * @returns {State}
 */
function useFace(game, sending) {
  const theirs = newestOf(game);
  const mine = game.lines.filter((line) => line.seat === game.seat && !line.invalid).at(-1);
  const [face, setFace] = useState(/** @type {State} */ (theirs?.face ?? "idle"));
  const key = game.lines.length;
  useEffect(() => {
    if (game.status === "over") {
      setFace(theirs?.face ?? mine?.reaction ?? "idle");
      return;
    }
    const reaction = mine && theirs && mine.n < theirs.n ? mine.reaction : null;
    const delay = reaction && reaction !== "idle" ? REACTION : 0;
    if (reaction) setFace(reaction);
    const first = setTimeout(() => setFace(theirs?.face ?? "idle"), delay);
    const second = setTimeout(() => setFace("idle"), delay + FACE);
    return () => {
      clearTimeout(first);
      clearTimeout(second);
    };
  }, [key, game.status]);
  return sending || (game.status === "their_move" && !game.waiting) ? "thinking" : face;
}

/**
 * @param {{game: Game, store: import("../store.js").GameStore, onHelp: () => void}} props
 */
export function Stage({ game, store, onHelp }) {
  const sending = store.sending.value;
  const face = useFace(game, sending);
  const theirs = newestOf(game);
  const { turn, turns_left: left, tension_score: tension } = game.observation;
  const waiting = game.status === "their_move" && !game.waiting;
  return html`
    <section class="stage" data-spot="stage" aria-label=${t("stage.label")}>
      <div class="stage__figure">
        <${Opponent} opponent=${game.opponent} state=${face} tension=${tension} said=${theirs?.n ?? null} words=${theirs?.words ?? ""} />
        <p class="stage__state">${t(`face.${face}`)}</p>
      </div>
      <div class="stage__text">
        <div class="stage__top">
          <p class="stage__name">
            <span class="gold" aria-hidden="true">${game.opponent.symbol}</span> <bdi>${opponentName(game.opponent)}</bdi>
          </p>
          <p class="stage__turn figure">
            <b>${turn > 0 ? t("stage.turn", { turn, of: turn + left }) : t("line.opening")}</b>
            ${game.status !== "over" && html`<span class="muted">${left > 0 ? t("stage.left", { n: left }) : t("stage.last")}</span>`}
            <button type="button" class="stage__help" onClick=${onHelp} aria-label=${t("help.open")} title=${t("help.open")}>?</button>
          </p>
        </div>
        <${Bubble} game=${game} line=${theirs} thinking=${sending || waiting} />
        <${Tension} tension=${tension} before=${game.trail.at(-2)?.tension ?? null} />
      </div>
    </section>
  `;
}

/** @param {{game: Game, line: Line | null, thinking: boolean}} props */
function Bubble({ game, line, thinking }) {
  const name = opponentName(game.opponent);
  if (thinking) {
    return html`<div class="bubble bubble--thinking" key="thinking"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>
      <span class="hidden-visually">${t("stage.thinking", { name })}</span></div>`;
  }
  if (!line) return html`<div class="bubble"><p class="muted">${t(game.waiting ? "wait.seat" : "stage.waits", { name })}</p></div>`;
  const isVoid = game.status !== "over" && line.offer && !game.observation.opponent_offer;
  return html`
    <div class=${classes("bubble", !still.value && "bubble--fresh")} key=${line.n} tabindex="0" role="group" aria-label=${t("stage.words")}>
      <p class=${classes("bubble__words", line.words.length > 100 && "bubble__words--long", !line.words && "muted")}>
        ${line.words ? html`<bdi lang=${line.by === "persona" ? "en" : undefined}>${line.words}</bdi>` : wordless(line)}
      </p>
      <${Deeds} line=${line} scenario=${game.scenario} />
      ${isVoid && html`<p class="small muted">${t("stage.void")}</p>`}
    </div>
  `;
}

/** @param {{tension: number, before: number | null}} props */
function Tension({ tension, before }) {
  const word = tensionWord(tension);
  const change = before === null ? 0 : Math.round(tension - before);
  return html`
    <div class=${`tension tension--${word}`} data-spot="tension">
      <span class="tension__label" id="tension-label">${t("tension.label")}</span>
      <div class="tension__track" role="meter" aria-labelledby="tension-label" aria-valuemin="0" aria-valuemax="100"
        aria-valuenow=${Math.round(tension)} aria-valuetext=${`${number(Math.round(tension))}, ${t(`tension.${word}`)}`}>
        <div class="tension__fill" style=${{ width: `${tension}%` }}></div>
        ${TENSION_MARKS.map((mark) => html`<i class="tension__mark" style=${{ left: `${mark}%` }}></i>`)}
      </div>
      <span class="tension__word">
        ${t(`tension.${word}`)} <span class="figure muted">${number(Math.round(tension))}${change !== 0 && ` (${change > 0 ? "+" : "−"}${Math.abs(change)})`}</span>
      </span>
    </div>
  `;
}
