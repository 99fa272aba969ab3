/** One game on the second screen: who plays, what is said, and all that the player can't see. */
import { html, useEffect, useRef, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { number } from "../format.js";
import { tensionTone, tensionWord } from "../scale.js";
import { offerText, opposite } from "../worth.js";
import { ConversationLine } from "../ui/line.js";
import { Opponent } from "../ui/opponent.js";
import { nameOf } from "../ui/who.js";
import { Claims, Ledger } from "../debrief/claims.js";
import { Card, Facts, NewsEffects, OffersSoFar, TrueRoom } from "./hidden.js";
import { Coach } from "./coach.js";

/** @typedef {import("./types.js").Watched} Watched */

/** The conversation, its newest line in sight. @param {{game: Watched, player: string, opponent: string}} props */
function Talk({ game, player, opponent }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [game.lines.length]);
  return html`
    <ol class="watchtalk" ref=${list} tabindex="0" aria-label=${t("watch.talk")} aria-live="polite">
      ${game.lines.length === 0 && html`<li class="soft small">${t("watch.silence")}</li>`}
      ${game.lines.map((line) => html`<${ConversationLine} key=${line.n} line=${{ ...line, surplus: null }} scenario=${game.scenario} who=${line.seat === game.seat ? player : opponent} mine=${line.seat === game.seat} fresh=${line === game.lines.at(-1)} />`)}
    </ol>
  `;
}

/** @param {{game: Watched, player: string, opponent: string}} props */
function Stage({ game, player, opponent }) {
  const last = game.lines.at(-1);
  const theirs = last && last.seat !== game.seat;
  const face = game.status === "over" || !last ? (last?.face ?? "idle") : theirs ? last.face : "thinking";
  const word = tensionWord(game.tension);
  const sitting = game.players.find((each) => each.seat === game.seat);
  const point = game.trail.at(-1);
  return html`
    <section class="watchstage" aria-label=${t("watch.stage")}>
      <${Opponent} class="watchstage__figure" opponent=${game.opponent} state=${face} tension=${game.tension} said=${theirs ? last.n : null} words=${theirs ? last.words : ""} />
      <div class="watchstage__text">
        <p class="watchstage__name">${game.opponent.symbol && html`<span class="gold" aria-hidden="true">${game.opponent.symbol} </span>`}${opponent}</p>
        <p class="small soft">${t(`seat.${opposite(game.seat)}`)} · ${game.status === "over" ? t(`reason.${game.reason}`) : t("watch.toMove", { name: game.to_move === game.seat ? player : opponent })}</p>
        <div class="watchstage__player">
          <i class=${classes("dot", sitting?.present && "dot--on")} aria-hidden="true"></i>
          <span><bdi>${player}</bdi> <span class="small soft">${t(sitting?.present ? "live.present" : "live.absent")}</span></span>
        </div>
        <div class="watchstage__meter">
          <p class="meter__head"><span>${t("tension.label")}: ${t(`tension.${word}`)}</span><span class="figure">${number(Math.round(game.tension))}</span></p>
          <div class="meter__track" role="meter" aria-label=${t("tension.label")} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(game.tension)} aria-valuetext=${t(`tension.${word}`)}>
            <div class=${`meter__fill meter__fill--${tensionTone(game.tension)}`} style=${{ width: `${game.tension}%` }}></div></div>
        </div>
        ${point && html`<p class="small soft figure watchstage__points">${t("watch.points", { mine: point.points, theirs: point.opponent_points })}</p>`}
      </div>
    </section>
  `;
}

/**
 * @param {{game: Watched, lost: boolean, onGame: (game: Watched) => void}} props
 */
export function Screen({ game, lost, onGame }) {
  const opponent = nameOf(game.opponent);
  const player = game.players.find((each) => each.seat === game.seat)?.name ?? t("live.nobody");
  const who = (/** @type {string} */ seat) => (seat === game.seat ? player : opponent);
  const over = game.status === "over";
  return html`
    <div class="watch">
      <header class="watch__head">
        <div>
          <p class="eyebrow">${t("watch.eyebrow")}${game.room && html` · <bdi>${game.room.name}</bdi>`}</p>
          <h1 class="watch__title">${tr(game.scenario.title)}</h1>
        </div>
        <div class="watch__state">
          <p class="watch__turn figure"><b>${t("line.turn", { turn: game.turn })}</b> <span class="soft">${over ? "" : t("watch.left", { n: game.own.turns_left })}</span></p>
          <span class=${classes("chip", over ? "" : lost ? "chip--bad" : "chip--good")} role="status">${t(over ? "watch.over" : lost ? "live.lost" : "watch.live")}</span>
        </div>
      </header>
      ${over && html`<p class="watch__end">${t(`reason.${game.reason}`)}${game.final_offer ? `: ${offerText(game.scenario, game.final_offer)}` : ""} <a href=${`/games/${encodeURIComponent(game.id)}?seat=${game.seat}`}>${t("title.debrief")}</a></p>`}
      <div class="watch__grid">
        <div class="watch__talk">
          <${Stage} game=${game} player=${player} opponent=${opponent} />
          <${Talk} game=${game} player=${player} opponent=${opponent} />
        </div>
        <div class="watch__centre">
          <${Card} title=${t(game.scenario.several ? "watch.room.several" : "watch.room")} veiled=${true}><${TrueRoom} game=${game} player=${player} opponent=${opponent} /><//>
          <${Card} title=${t("offers.title")}><${OffersSoFar} game=${game} player=${player} opponent=${opponent} /><//>
          <div class="watch__pair">
            <${Card} title=${t("claims.heading")} veiled=${true}><${Claims} claims=${game.truth.claims} scenario=${game.scenario} who=${who} go=${null} /><//>
            <${Card} title=${t("news.heading")} veiled=${true}><${NewsEffects} game=${game} player=${player} opponent=${opponent} /><//>
          </div>
          <details class="fold fold--panel"><summary>${t("watch.ledger")}</summary><${Ledger} ledger=${game.ledger[game.seat] ?? []} /></details>
        </div>
        <div class="watch__side">
          <${Card} title=${t("watch.facts")} veiled=${true}><${Facts} game=${game} player=${player} opponent=${opponent} /><//>
          <${Card} title=${t("coach.title")}><${Coach} game=${game} player=${player} onGame=${onGame} /><//>
        </div>
      </div>
    </div>
  `;
}
