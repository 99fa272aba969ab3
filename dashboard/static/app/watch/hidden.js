/** What the player can't see: both sides' facts, the room between them, who bluffs, what news did. */
import { html, classes } from "../html.js";
import { t, tr } from "../i18n.js";
import { figure, percent, short, signed, whole } from "../format.js";
import { Headline, marks } from "../news.js";
import { opposite } from "../worth.js";
import { Axis } from "../ui/axis.js";
import { Plot } from "../ui/plot.js";
import { placeShort } from "../debrief/model.js";

/**
 * @typedef {import("./types.js").Watched} Watched
 * @typedef {import("../types.js").Seat} Seat
 */

/** Says of what follows that the player does not see it. */
export const Veil = () => html`
  <span class="veil"><svg viewBox="0 0 24 24" width="14" height="14" aria-hidden="true"><path d="M3 3l18 18M10.600 6.200A9.600 9.600 0 0 1 12 6c5 0 8.500 4 9.500 6a14 14 0 0 1-2.600 3.400M6.300 7.700A14 14 0 0 0 2.500 12c1 2 4.500 6 9.500 6 1.500 0 2.900-.4 4.100-1M9.900 10a3 3 0 0 0 4.100 4.200" /></svg>${t("watch.veil")}</span>
`;

/**
 * Where an offer lies: its price; with several issues what it was worth to the player when it was made.
 * @param {Watched} game
 * @param {import("../types.js").Line} line
 */
const placeOf = (game, line) => (game.scenario.several ? (line.surplus ?? 0) : (line.offer?.[game.scenario.issues[0].name] ?? 0));

/** The newest offer of a seat that stands, as a place. @param {Watched} game @param {Seat} seat */
function standing(game, seat) {
  const stands = seat === game.seat ? game.own.own_offer : game.own.opponent_offer;
  const line = game.lines.filter((each) => each.seat === seat && each.offer && !each.invalid).at(-1);
  return stands && line ? placeOf(game, line) : null;
}

/** Both limits and the Nash point as places. @param {Watched} game */
export function bounds(game) {
  const { truth, seat, scenario } = game;
  const mine = truth[seat];
  const theirs = truth[opposite(seat)];
  const issue = scenario.issues[0].name;
  if (!scenario.several) return { mine: mine.limit, theirs: theirs.limit, nash: truth.nash ? truth.nash[issue] : null };
  return { mine: 0, theirs: mine.at_other_limit === null ? null : mine.at_other_limit - mine.limit, nash: null };
}

/** @param {{game: Watched, player: string, opponent: string}} props */
export function TrueRoom({ game, player, opponent }) {
  const { scenario, truth, seat } = game;
  const { mine, theirs, nash } = bounds(game);
  const say = (/** @type {number} */ place) => (scenario.several ? signed(place) : figure(Math.round(place)));
  const offers = [
    { at: standing(game, seat), label: t("watch.offerOf", { name: player }), tone: /** @type {"mine"} */ ("mine") },
    { at: standing(game, opposite(seat)), label: t("watch.offerOf", { name: opponent }), tone: /** @type {"theirs"} */ ("theirs") },
  ];
  /** @type {import("../ui/axis.js").Peg[]} */
  const pegs = [{ at: mine, label: t("watch.limitOf", { name: player }), value: scenario.several ? "0" : say(mine), tone: "mine", side: "bottom", mark: "bar" }];
  if (theirs !== null) pegs.push({ at: theirs, label: t("watch.limitOf", { name: opponent }), value: say(theirs), tone: "theirs", side: "bottom", mark: "bar" });
  if (nash !== null) pegs.push({ at: nash, label: t("axis.nash"), value: say(nash), tone: "truth", side: "bottom", mark: "diamond" });
  for (const { at, label, tone } of offers) if (at !== null) pegs.push({ at, label, value: say(at), tone, side: "top", mark: "dot" });
  const stretches = theirs === null ? [] : [{ from: mine, to: theirs, tone: truth.zopa ? "room" : "gap", label: t(truth.zopa ? "axis.room" : "axis.gap", { amount: figure(whole(Math.abs(theirs - mine))) }) }];
  const label = [...pegs.map((peg) => `${peg.label}: ${peg.value}`), ...stretches.map((each) => each.label)].join("; ");
  return html`<${Axis} pegs=${pegs} stretches=${stretches} label=${label} />`;
}

/** Offers so far, with the limits as they are now. @param {{game: Watched, player: string, opponent: string}} props */
export function OffersSoFar({ game, player, opponent }) {
  const { scenario, seat, lines, turn, news } = game;
  const { mine, theirs } = bounds(game);
  const of = (/** @type {Seat} */ who) => lines.filter((line) => line.seat === who && line.offer && !line.invalid).map((line) => ({ x: line.turn, y: placeOf(game, line) }));
  const level = (/** @type {number | null} */ y) => (y === null ? [] : [{ x: 0, y }, { x: Math.max(turn, 4), y }]);
  return html`
    <${Plot} last=${Math.max(turn, 4)} height=${220} axis=${t("offers.turn")} at=${turn} ends=${true}
      ribbons=${theirs !== null && game.truth.zopa ? [{ tone: "room", points: [{ x: 0, low: Math.min(mine, theirs), high: Math.max(mine, theirs) }, { x: Math.max(turn, 4), low: Math.min(mine, theirs), high: Math.max(mine, theirs) }] }] : []}
      curves=${[
        { name: player, tone: "mine", points: of(seat), dots: true },
        { name: opponent, tone: "theirs", points: of(opposite(seat)), dots: true },
        { name: "", tone: "limit", points: level(mine), dashed: true, unnamed: true },
        { name: "", tone: "theirlimit", points: level(theirs), dashed: true, unnamed: true },
      ]}
      events=${marks(news)}
      say=${(/** @type {number} */ value) => placeShort(scenario, value)} />
  `;
}

/** Both sides' facts, side by side. @param {{game: Watched, player: string, opponent: string}} props */
export function Facts({ game, player, opponent }) {
  const { truth, seat, scenario, own, estimates } = game;
  const [mine, theirs] = [truth[seat], truth[opposite(seat)]];
  const estimate = estimates.at(-1);
  const yes = (/** @type {boolean} */ value) => t(value ? "state.yes" : "state.no");
  const believed = own.belief ?? {};
  const said = (/** @type {number | null | undefined} */ value, /** @type {(value: number) => string} */ form) => (value === null || value === undefined ? "–" : form(value));
  const rows = [
    [t("watch.limit"), figure(mine.limit), figure(theirs.limit), estimate ? `${short(estimate.limit.low)}–${short(estimate.limit.high)}` : "–"],
    [t("watch.walk"), figure(mine.walk_away), figure(theirs.walk_away), said(believed.est_walk_away, figure)],
    [t("watch.budget"), mine.budget === null ? t("facts.none") : figure(mine.budget), theirs.budget === null ? t("facts.none") : figure(theirs.budget), said(believed.est_budget, figure)],
    [t("watch.urgency"), percent(mine.urgency), percent(theirs.urgency), said(believed.est_urgency, percent)],
    [t("facts.alternative"), yes(mine.has_alternative), yes(theirs.has_alternative), said(believed.est_has_alternative, percent)],
    [t("watch.deadline"), t("line.turn", { turn: mine.deadline }), t("line.turn", { turn: theirs.deadline }), ""],
    ...Object.keys(theirs.weights ?? {}).map((name) => [
      t("watch.weight", { issue: tr(scenario.issues.find((issue) => issue.name === name)?.title) }),
      percent(mine.weights?.[name] ?? 0),
      percent(theirs.weights?.[name] ?? 0),
      "",
    ]),
  ];
  return html`
    <table class="ledger watchfacts">
      <caption class="hidden-visually">${t("watch.facts")}</caption>
      <thead><tr><td></td><th scope="col" class="num"><bdi>${player}</bdi></th><th scope="col" class="num watchfacts__hidden">${opponent}</th><th scope="col" class="num">${t("watch.believed")}</th></tr></thead>
      <tbody>${rows.map(([name, one, two, three]) => html`<tr><th scope="row">${name}</th><td class="num">${one}</td><td class="num watchfacts__hidden"><b>${two}</b></td><td class="num muted">${three}</td></tr>`)}</tbody>
    </table>
    ${estimate && html`<p class="small muted">${t("watch.estimate", { chance: percent(estimate.has_zopa) })}</p>`}
  `;
}

/** What a headline did to both limits. @param {{game: Watched, player: string, opponent: string}} props */
export function NewsEffects({ game, player, opponent }) {
  if (!game.news.length) return html`<p class="small soft">${t("watch.nonews")}</p>`;
  const effectOf = (/** @type {number} */ at, /** @type {Seat} */ seat) => game.truth.events[at]?.effect[seat] ?? 0;
  const text = (/** @type {number} */ effect) => {
    const amount = game.scenario.several ? percent(Math.abs(effect), 1) : figure(Math.abs(Math.round(effect * game.scenario.width)));
    return t(Math.abs(effect) < 5e-4 ? "news.still" : effect > 0 ? "news.tighter" : "news.looser", { amount });
  };
  return html`
    <ul class="newslist">
      ${game.news.map((each, at) => html`
        <li class="newslist__item">
          <p class="newslist__words"><span class="figure small muted">${t("line.turn", { turn: each.turn })}</span> <${Headline} text=${each.headline} /></p>
          <p class="newslist__effect"><span class="muted"><bdi>${player}</bdi></span><span class="figure">${text(effectOf(at, game.seat))}</span></p>
          <p class="newslist__effect"><span class="muted">${opponent}</span><span class="figure">${text(effectOf(at, opposite(game.seat)))}</span></p>
        </li>
      `)}
    </ul>
  `;
}

/** @param {{title: string, children: any, veiled?: boolean, class?: string}} props */
export const Card = ({ title, children, veiled = false, class: name }) => html`
  <section class=${classes("wcard", veiled && "wcard--veiled", name)} aria-label=${title}>
    <div class="wcard__head"><h2 class="wcard__title">${title}</h2>${veiled && html`<${Veil} />`}</div>
    ${children}
  </section>
`;
