/** Before the first move: who one is, what one may not do, what anybody knows, how it is scored. */
import { html, useEffect, useState } from "../html.js";
import { inText, t, tr } from "../i18n.js";
import { figure, money, percent } from "../format.js";
import { issueTitles, limitRule, offerText, opposite, part, unitOf } from "../worth.js";
import { Opponent, opponentName } from "../ui/opponent.js";

/** @typedef {import("../types.js").Game} Game */

/** @param {string} id */
const key = (id) => `parlay.briefed.${id}`;

/** @param {string} id */
export function briefed(id) {
  try {
    return sessionStorage.getItem(key(id)) === "1";
  } catch {
    return false;
  }
}

/** @param {string} id */
export function markBriefed(id) {
  try {
    sessionStorage.setItem(key(id), "1");
  } catch {
    // Then the briefing comes again after a reload.
  }
}

/** @param {number} urgency */
const hurry = (urgency) => t(`hurry.${urgency < 0.4 ? "none" : urgency < 0.7 ? "some" : "much"}`);

/** @param {{game: Game, onStart?: () => void}} props */
export const Briefing = ({ game, onStart }) => html`
  <div class="page brief">
    <header class="brief__head">
      <div>
        <p class="eyebrow">${tr(game.scenario.title)}</p>
        <h1 class="page__title">${t("brief.role", { role: inText(tr(game.scenario.seats[game.seat].role)) })}</h1>
        <p class="page__lead">${t(game.scenario.several ? "brief.seat.several" : `brief.seat.${game.seat}`, { what: inText(issueTitles(game.scenario.issues)) })}</p>
      </div>
      <div class="brief__opposite">
        <${Opponent} opponent=${game.opponent} class="opponent--medallion" />
        <p class="small"><bdi>${opponentName(game.opponent)}</bdi> <span class="muted">${t("brief.opposite")}</span></p>
      </div>
    </header>
    <${BriefingBody} game=${game} />
    ${onStart &&
    html`<div class="brief__start">
      <${Minute} />
      <button type="button" class="button button--primary button--large" onClick=${onStart}>${t("brief.start")}</button>
    </div>`}
  </div>
`;

/** What can be read again during the game. @param {{game: Game}} props */
export function BriefingBody({ game }) {
  const { observation, scenario, seat } = game;
  const { own, prior } = observation;
  const side = scenario.seats[seat];
  const amount = (/** @type {number} */ value) => money(value, scenario.currency);
  return html`
    <div class="brief__grid">
      <section class="brief__story" aria-label=${t("brief.story")}>
        ${tr(side.briefing).split(/(?<=[.!?。！？])\s*/).filter(Boolean).map((sentence) => html`<p>${sentence}</p>`)}
      </section>
      <section class="brief__limit" aria-labelledby="brief-limit">
        <p class="eyebrow" id="brief-limit">${t("brief.limit")}</p>
        <p class="brief__rule">${limitRule(game)}</p>
        <p class="soft small">${t(own.budget !== null ? "brief.why.budget" : `brief.why.${scenario.several ? "seller" : seat}`)}</p>
        <dl class="facts">
          <div><dt>${t("fact.target")}</dt><dd class="figure">${amount(own.target)}</dd></div>
          ${own.budget !== null && html`<div><dt>${t("fact.walk")}</dt><dd class="figure">${amount(own.walk_away)}</dd></div>`}
          ${own.budget !== null && html`<div><dt>${t("fact.budget")}</dt><dd class="figure">${amount(own.budget)}</dd></div>`}
          <div><dt>${t("fact.alternative")}</dt><dd>${t(own.has_alternative ? "fact.alternative.yes" : "fact.alternative.no")}</dd></div>
          <div><dt>${t("fact.hurry")}</dt><dd>${hurry(own.urgency)}</dd></div>
          <div><dt>${t("fact.deadline")}</dt><dd class="figure">${t("fact.turn", { turn: own.deadline })}</dd></div>
        </dl>
      </section>
      <section class="brief__known" aria-labelledby="brief-known">
        <h2 class="brief__h" id="brief-known">${t("brief.known")}</h2>
        <p>${t(scenario.several ? "brief.prior.several" : `brief.prior.${opposite(seat)}`, {
          mean: amount(prior.walk_away.mean), low: figure(prior.walk_away.low), high: figure(prior.walk_away.high),
        })}</p>
        <p>${t("brief.prior.other", { alternative: percent(prior.has_alternative), none: percent(prior.no_zopa) })}</p>
      </section>
      <section class="brief__score" aria-labelledby="brief-score">
        <h2 class="brief__h" id="brief-score">${t("brief.score")}</h2>
        <ol class="brief__lines">
          <li>${t("brief.score.share")}</li>
          <li>${t("brief.score.cliff")}</li>
          <li>${t("brief.score.belief")}</li>
        </ol>
      </section>
    </div>
    ${scenario.several && html`<${Issues} game=${game} />`}
  `;
}

/** What each value is worth to this seat. @param {{game: Game}} props */
function Issues({ game }) {
  const { scenario, worth, seat } = game;
  return html`
    <section class="brief__issues">
      <h2 class="brief__h">${t("brief.issues")}</h2>
      <div class="scroll-x" tabindex="0" role="group" aria-label=${t("brief.issues")}>
        <table class="ledger">
          <thead>
            <tr>
              <th scope="col">${t("brief.issue")}</th>
              <th scope="col">${t("brief.span")}</th>
              <th scope="col">${t("brief.want")}</th>
              <th scope="col" class="num">${t("brief.stake")}</th>
            </tr>
          </thead>
          <tbody>
            ${scenario.issues.map((issue) => {
              const span = Math.abs(part(worth, issue.name, issue.high) - part(worth, issue.name, issue.low));
              return html`<tr>
                <th scope="row">${tr(issue.title)} <span class="muted">${unitOf(issue)}</span></th>
                <td class="figure">${issue.values ? issue.values.map(figure).join(", ") : `${figure(issue.low)} – ${figure(issue.high)}`}</td>
                <td>${t(issue.better[seat] === "higher" ? "brief.high" : "brief.low")}</td>
                <td class="num">${money(Math.round(span), scenario.currency)}</td>
              </tr>`;
            })}
          </tbody>
        </table>
      </div>
      ${game.observation.prior.weights &&
      html`<p class="soft small">${t("brief.theirs", {
        weights: scenario.issues.map((issue) => `${tr(issue.title)} ${percent(game.observation.prior.weights?.[issue.name] ?? 0)}`).join(t("format.between")),
      })}</p>`}
      ${worth.issues.length > 0 && html`<p class="soft small">${t("brief.best", { offer: offerText(scenario, best(game)) })}</p>`}
    </section>
  `;
}

/** @param {Game} game */
const best = (game) =>
  Object.fromEntries(game.scenario.issues.map((issue) => [issue.name, issue.better[game.seat] === "higher" ? issue.high : issue.low]));

const MINUTE = 60;

/** A ring that empties in a minute. It forces nothing: the button beside it works at once. */
function Minute() {
  const [left, setLeft] = useState(MINUTE);
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(seconds - 1, 0)), 1000);
    return () => clearInterval(timer);
  }, []);
  const round = 2 * Math.PI * 16;
  return html`
    <p class="minute">
      <svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
        <circle cx="20" cy="20" r="16" class="minute__back" />
        <circle
          cx="20" cy="20" r="16" class="minute__ring" transform="rotate(-90 20 20)"
          stroke-dasharray=${round} stroke-dashoffset=${round * (1 - left / MINUTE)}
        />
      </svg>
      <span class="small soft">${t(left > 0 ? "brief.minute" : "brief.ready")}</span>
    </p>
  `;
}
