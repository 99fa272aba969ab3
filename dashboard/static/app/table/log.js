/** The conversation so far: lines, news, whispers, in the order in which they came. */
import { html, useEffect, useRef } from "../html.js";
import { t } from "../i18n.js";
import { Headline } from "../news.js";
import { opponentName } from "../ui/opponent.js";
import { ConversationLine } from "../ui/line.js";
import { claimText } from "../worth.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("../types.js").Line} Line
 */

/**
 * Who said a line, in words.
 * @param {Game} game
 * @param {Line} line
 */
export function speaker(game, line) {
  if (line.by === "clock") return t("who.clock");
  if (line.seat === game.seat) return line.by === "bot" ? t("who.botForYou") : t("who.you");
  return line.by === "bot" ? t("who.bot") : opponentName(game.opponent);
}

/** @param {Game} game */
function entries(game) {
  const lines = game.lines.map((line) => ({ turn: line.turn, order: 1, line }));
  const news = game.observation.events.map((event) => ({ turn: event.turn, order: 0, news: event.headline }));
  const whispers = game.whispers.map((whisper) => ({ turn: whisper.turn, order: 0.5, whisper }));
  return [...lines, ...news, ...whispers].sort((a, b) => a.turn - b.turn || a.order - b.order);
}

/** @param {{game: Game, sending: boolean}} props */
export function Log({ game, sending }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const found = entries(game);
  useEffect(() => {
    const box = list.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [found.length]);
  return html`
    <section class="panel log" aria-labelledby="log-title" data-spot="log">
      <div class="panel__head">
        <h2 class="panel__title" id="log-title">${t("log.title")}</h2>
        ${game.voice !== "scripted" && html`<span class="small muted">${t(`voice.${game.voice}.note`)}</span>`}
      </div>
      <div class="log__scroll" ref=${list} tabindex="0" role="group" aria-labelledby="log-title">
        <ol class="log__list">
          ${found.length === 0 && html`<li class="muted small">${t("log.empty")}</li>`}
          ${found.map((entry) =>
            "line" in entry
              ? html`<${ConversationLine} key=${`l${entry.line.n}`} line=${entry.line} scenario=${game.scenario} mine=${entry.line.seat === game.seat}
                  who=${speaker(game, entry.line)}><${ClaimStatus} game=${game} line=${entry.line} /><${OwnWords} game=${game} line=${entry.line} /><//>`
              : "news" in entry
                ? html`<li class="log__news" key=${`n${entry.turn}${entry.news}`}>
                    <p class="eyebrow">${t("news.label")}<span class="line__turn figure">${t("line.turn", { turn: entry.turn })}</span></p>
                    <p><${Headline} text=${entry.news} /></p>
                  </li>`
                : html`<li class="log__whisper" key=${`w${entry.whisper.id}`}>
                    <p class="eyebrow">${t("whisper.label")}</p>
                    <p><bdi>${entry.whisper.words}</bdi></p>
                  </li>`,
          )}
          ${sending && html`<li class="line line--mine muted small">${t("log.sending")}</li>`}
        </ol>
      </div>
    </section>
  `;
}

/** Where a language model speaks for the opponent: a line that it did not word. @param {{game: Game, line: Line}} props */
const OwnWords = ({ game, line }) =>
  game.voice !== "scripted" && line.by === "persona" && line.words ? html`<p class="small muted">${t("voice.own")}</p>` : null;

/** What has become of the claim that this line made. @param {{game: Game, line: Line}} props */
function ClaimStatus({ game, line }) {
  if (!line.claim) return null;
  const { kind } = line.claim;
  const made = game.observation.claims.find((claim) => claim.seat === line.seat && claim.kind === kind && claim.turn === line.turn);
  if (!made || made.status === "open") return null;
  return html`<p class="small muted">${claimText(game.scenario, made)}: ${t(`claim.status.${made.status}`)}</p>`;
}
