/** A game between two programs, playing itself: who speaks, what is offered, how the offers close in. */
import { html, useEffect, useMemo, useRef, useState, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { figure } from "../format.js";
import { api, persist } from "../api.js";
import { Headline } from "../news.js";
import { still } from "../motion.js";
import { offerText } from "../worth.js";
import { tensionWord } from "../scale.js";
import { Opponent, opponentName } from "../ui/opponent.js";
import { Deeds, wordless } from "../ui/line.js";
import { Skeleton } from "../ui/panel.js";

/** @typedef {import("../types.js").Replay} Replay */

/** How long a line stands, in milliseconds: to be read, and no longer than that. @param {string} words */
const standing = (words) => Math.min(2200 + words.length * 28, 5600);
/** How long the end stands before it begins anew. */
const END = 7000;

export function Demo() {
  const [replay, setReplay] = useState(/** @type {Replay | null} */ (null));
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    persist(api.demo).then(setReplay, () => setFailed(true));
  }, []);
  if (failed) return html`<div class="demo demo--none"><p class="muted">${t("home.demo.none")}</p></div>`;
  if (!replay) return html`<div class="demo demo--none" aria-busy="true"><${Skeleton} height="100%" /></div>`;
  return html`<${Player} replay=${replay} />`;
}

/** @param {{replay: Replay}} props */
function Player({ replay }) {
  const lines = useMemo(() => replay.lines.filter((line) => !line.invalid), [replay]);
  const [at, setAt] = useState(still.value ? lines.length - 1 : 0);
  const [running, setRunning] = useState(!still.value);
  const [inSight, setInSight] = useState(true);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const line = lines[at];
  const last = at >= lines.length - 1;

  useEffect(() => {
    if (!box.current || !("IntersectionObserver" in globalThis)) return undefined;
    const watch = new IntersectionObserver((seen) => setInSight(seen.some((entry) => entry.isIntersecting)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!running || !inSight) return undefined;
    const timer = setTimeout(() => setAt(last ? 0 : at + 1), last ? END : standing(line?.words ?? ""));
    return () => clearTimeout(timer);
  }, [at, running, inSight]);

  if (!line) return null;
  const seen = lines.slice(0, at + 1);
  const theirs = line.seat !== replay.seat;
  const point = replay.trail.filter((each) => each.turn <= line.turn).at(-1);
  const news = replay.news.filter((each) => each.turn <= line.turn).at(-1);
  const fresh = news && line.turn - news.turn < 1;
  return html`
    <section class="demo" ref=${box} aria-labelledby="demo-title">
      <div class="demo__felt">
        <${Opponent} opponent=${replay.opponent} state=${theirs ? line.face : line.reaction} tension=${point?.tension ?? 25}
          said=${theirs ? line.n : null} words=${theirs ? line.words : ""} />
        <p class="demo__who"><span class="gold" aria-hidden="true">${replay.opponent.symbol}</span> <bdi>${opponentName(replay.opponent)}</bdi>
          <span class="demo__mood">${t(`tension.${tensionWord(point?.tension ?? 25)}`)}</span></p>
        ${fresh && html`<p class="demo__news"><b>${t("news.label")}</b> <${Headline} text=${news.headline} /></p>`}
        <div class=${classes("demo__bubble", theirs ? "demo__bubble--theirs" : "demo__bubble--mine", !still.value && "bubble--fresh")} key=${at}>
          <p class="demo__speaker small">${opponentName(theirs ? replay.opponent : replay.player)}</p>
          <p class=${classes("demo__words", !line.words && (line.offer || line.accept) && "demo__words--figure")}>
            ${line.words ? html`<bdi lang="en">${line.words}</bdi>` : line.offer ? offerText(replay.scenario, line.offer) : line.accept ? t("deed.accept") : wordless(line)}
          </p>
          <${Deeds} line=${{ ...line, surplus: null, offer: line.words ? line.offer : null, accept: line.accept && Boolean(line.words) }} scenario=${replay.scenario} />
        </div>
        <${Closing} replay=${replay} seen=${seen} />
      </div>
      <div class="demo__foot">
        <div>
          <h2 class="demo__title" id="demo-title">${last ? end(replay, line.turn) : tr(replay.scenario.title)}</h2>
          <p class="small muted">${t("home.demo.note")} <span class="figure">${t("home.demo.progress", { at: at + 1, of: lines.length })}</span></p>
        </div>
        <div class="buttons">
          <button type="button" class="button button--small" onClick=${() => setRunning(!running)}>${t(running ? "home.demo.pause" : "home.demo.play")}</button>
          <button type="button" class="button button--small" onClick=${() => setAt(last ? 0 : at + 1)}>${t(last ? "home.demo.again" : "home.demo.next")}</button>
        </div>
      </div>
    </section>
  `;
}

/** @param {Replay} replay @param {number} turn */
const end = (replay, turn) =>
  replay.final_offer
    ? t("home.demo.deal", { offer: offerText(replay.scenario, replay.final_offer), turn })
    : t("home.demo.nodeal", { reason: t(`reason.${replay.reason}`), turn });

/**
 * Both sides' offers on one line, closing in.
 * @param {{replay: Replay, seen: import("../types.js").Line[]}} props
 */
function Closing({ replay, seen }) {
  const [issue] = replay.scenario.issues;
  const all = replay.lines.flatMap((line) => (line.offer ? [line.offer[issue.name]] : []));
  if (!all.length) return null;
  const low = Math.min(...all);
  const high = Math.max(...all);
  const at = (/** @type {number} */ value) => ((value - low) / (high - low || 1)) * 100;
  const newest = (/** @type {boolean} */ mine) => seen.filter((line) => line.offer && (line.seat === replay.seat) === mine).at(-1)?.offer?.[issue.name];
  const mine = newest(true);
  const theirs = newest(false);
  const from = Math.min(mine ?? high, theirs ?? low);
  const to = Math.max(mine ?? high, theirs ?? low);
  return html`
    <div class="closing" aria-hidden="true">
      <div class="closing__track">
        <i class="closing__gap" style=${{ left: `${at(from)}%`, width: `${at(to) - at(from)}%` }}></i>
        ${theirs !== undefined && html`<i class="closing__mark closing__mark--theirs" style=${{ left: `${at(theirs)}%` }}></i>`}
        ${mine !== undefined && html`<i class="closing__mark closing__mark--mine" style=${{ left: `${at(mine)}%` }}></i>`}
      </div>
      <p class="closing__figures figure">
        <span class="closing__theirs">${theirs === undefined ? "–" : figure(replay.seat === "seller" ? theirs : (mine ?? theirs))}</span>
        <span class="closing__mine">${mine === undefined ? "–" : figure(replay.seat === "seller" ? mine : theirs ?? mine)}</span>
      </p>
    </div>
  `;
}
