/** The game played again: the figure, the words, the offers, step by step or by itself. */
import { html, useEffect, useRef, classes } from "../html.js";
import { t } from "../i18n.js";
import { figure, number, signed } from "../format.js";
import { Headline } from "../news.js";
import { tensionWord } from "../scale.js";
import { offerText } from "../worth.js";
import { Deeds } from "../ui/line.js";
import { Opponent } from "../ui/opponent.js";
import { nameOf } from "../ui/who.js";
import { Offers } from "./offers.js";
import { whoOf } from "./model.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 *
 * @typedef {object} Playback
 * @property {number} at how many lines have been said, 1 at least
 * @property {boolean} playing
 * @property {(at: number) => void} go
 * @property {(playing: boolean) => void} setPlaying
 */

/** How long a line stands before the next one, in milliseconds. @param {string} words */
const reading = (words) => Math.min(1400 + words.length * 28, 5200);

/** The browser's own arrows move these. */
const OWN_ARROWS = "input, select, textarea, [role=slider], dialog";

/**
 * Go on by itself while it plays, and by the arrow keys.
 * @param {Debrief} debrief
 * @param {Playback} playback
 */
function usePlayback({ lines }, { at, playing, go, setPlaying }) {
  const latest = useRef({ at, go });
  latest.current = { at, go };
  useEffect(() => {
    if (!playing) return undefined;
    if (at >= lines.length) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => go(at + 1), reading(lines[at - 1]?.words ?? ""));
    return () => clearTimeout(timer);
  }, [playing, at, lines.length]);
  useEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || (event.target instanceof Element && event.target.closest(OWN_ARROWS))) return;
      event.preventDefault();
      setPlaying(false);
      latest.current.go(latest.current.at + step);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** @param {{debrief: Debrief, playback: Playback}} props */
export function Board({ debrief, playback }) {
  const { game, lines, trail, news } = debrief;
  usePlayback(debrief, playback);
  const line = lines[playback.at - 1];
  if (!line) return null;
  const theirs = line.seat !== game.seat;
  const opponent = nameOf(game.opponent);
  const point = trail.filter((each) => each.turn <= Math.max(line.turn, 1)).at(-1) ?? trail[0];
  const fresh = news.filter((each) => each.turn === line.turn);
  const go = (/** @type {number} */ at) => {
    playback.setPlaying(false);
    playback.go(at);
  };
  const goToTurn = (/** @type {number} */ turn) => {
    const first = lines.findIndex((each) => each.turn >= turn);
    go(first < 0 ? lines.length : first + 1);
  };
  return html`
    <div class="board" id="board">
      <div class="board__felt">
        <${Opponent} class="board__figure" opponent=${game.opponent} state=${theirs ? line.face : line.reaction} tension=${point.tension}
          said=${theirs ? line.n : null} words=${theirs ? line.words : ""} />
        <div class="board__said" aria-live=${playback.playing ? "off" : "polite"}>
          <p class="board__who">
            <b>${whoOf(debrief, line.seat, opponent)}</b>
            <span class="figure">${line.turn > 0 ? t("line.turn", { turn: line.turn }) : t("line.opening")}</span>
          </p>
          <blockquote class=${classes("board__words", theirs ? "board__words--theirs" : "board__words--mine")}>
            ${line.words ? html`<bdi lang=${line.by === "persona" ? "en" : undefined}>${line.words}</bdi>` : html`<span class="muted">${t("line.nothing")}</span>`}
          </blockquote>
          <${Deeds} line=${line} scenario=${game.scenario} />
          ${fresh.map((each) => html`<p class="board__news"><b>${t("replay.news")}</b> <${Headline} text=${each.headline} /></p>`)}
        </div>
        <dl class="board__state">
          <div><dt>${t("tension.label")}</dt><dd class="figure">${number(Math.round(point.tension))} <small>${t(`tension.${tensionWord(point.tension)}`)}</small></dd></div>
          <div><dt>${t("replay.points")}</dt><dd class="figure">${point.points}</dd></div>
          <div><dt>${t("replay.trust")}</dt><dd class="figure">${number(Math.round(point.trust * 100))}</dd></div>
        </dl>
      </div>
      <${Transport} debrief=${debrief} playback=${playback} go=${go} />
      <${Offers} debrief=${debrief} at=${line.turn} onPick=${goToTurn} />
    </div>
  `;
}

/** @type {Record<string, string>} */
const ICONS = {
  first: "M6 5v14M19 5 9 12l10 7Z",
  back: "M16 5 6 12l10 7Z",
  play: "M7 5v14l12-7Z",
  pause: "M7 5v14M17 5v14",
  next: "M8 5l10 7-10 7Z",
  last: "M18 5v14M5 5l10 7-10 7Z",
};

/** @param {{name: string, label: string, onClick: () => void, disabled?: boolean, class?: string}} props */
const Control = ({ name, label, onClick, disabled, class: extra }) => html`
  <button type="button" class=${classes("transport__button", extra)} aria-label=${label} title=${label} disabled=${disabled} onClick=${onClick}>
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d=${ICONS[name]} /></svg>
  </button>
`;

/** @param {{debrief: Debrief, playback: Playback, go: (at: number) => void}} props */
function Transport({ debrief, playback, go }) {
  const { at, playing, setPlaying } = playback;
  const { lines, game } = debrief;
  const count = lines.length;
  const line = lines[at - 1];
  const toggle = () => {
    if (!playing && at >= count) playback.go(1);
    setPlaying(!playing);
  };
  return html`
    <div class="transport" role="group" aria-label=${t("replay.controls")}>
      <${Control} name="first" label=${t("replay.first")} onClick=${() => go(1)} disabled=${at <= 1} class="transport__end" />
      <${Control} name="back" label=${t("replay.back")} onClick=${() => go(at - 1)} disabled=${at <= 1} />
      <${Control} name=${playing ? "pause" : "play"} label=${t(playing ? "replay.pause" : "replay.play")} onClick=${toggle} class="transport__play" />
      <${Control} name="next" label=${t("replay.next")} onClick=${() => go(at + 1)} disabled=${at >= count} />
      <${Control} name="last" label=${t("replay.last")} onClick=${() => go(count)} disabled=${at >= count} class="transport__end" />
      <input class="slider transport__scrub" type="range" min="1" max=${count} step="1" value=${at} aria-label=${t("replay.scrub")}
        aria-valuetext=${`${t("line.turn", { turn: line.turn })}: ${line.offer ? offerText(game.scenario, line.offer) : line.words}`}
        style=${{ "--at": `${count > 1 ? ((at - 1) / (count - 1)) * 100 : 0}%` }}
        onInput=${(/** @type {any} */ event) => go(Number(event.target.value))} />
      <span class="transport__count figure muted">${t("replay.of", { at: figure(at), all: figure(count) })}</span>
    </div>
  `;
}

/** What an offer was worth, for a table. @param {number | null} surplus */
export const worthCell = (surplus) => (surplus === null ? "" : signed(surplus));
