/** Another move in place of one's own, and how it would have gone on. */
import { html, useEffect, useState } from "../html.js";
import { t, tr, has } from "../i18n.js";
import { figure, money, percent, signed } from "../format.js";
import { request, ApiError } from "../api.js";
import { catalogue, loadCatalogue } from "../me.js";
import { parseFigure } from "../figures.js";
import { offerText, unitOf } from "../worth.js";
import { Dialog } from "../ui/dialog.js";
import { Field, Segments } from "../ui/field.js";
import { Notice } from "../ui/panel.js";
import { nameOf } from "../ui/who.js";
import { lineText } from "./words.js";
import { pointsText, standingBefore } from "./model.js";

/**
 * @typedef {import("./types.js").Debrief} Debrief
 * @typedef {import("./moves.js").Own} Own
 * @typedef {import("../types.js").Action} Action
 * @typedef {{lines: import("../types.js").Line[], outcome: Outcome}} Answer
 */

/**
 * @param {{debrief: Debrief, own: Own | null, onClose: () => void}} props
 */
export function WhatIf({ debrief, own, onClose }) {
  const [answer, setAnswer] = useState(/** @type {Answer | null} */ (null));
  useEffect(() => setAnswer(null), [own?.number]);
  return html`
    <${Dialog} open=${Boolean(own)} onClose=${onClose} wide=${true} title=${own ? t("whatif.title", { turn: own.line.turn }) : ""}
      actions=${html`<button type="button" class="button" onClick=${onClose}>${t("state.close")}</button>`}>
      ${own && html`
        <p class="soft small">${t("whatif.played")} <b>${lineText(own.line, debrief.game.scenario)}</b></p>
        <${Form} key=${own.number} debrief=${debrief} own=${own} onAnswer=${setAnswer} />
        ${answer && html`<${Comparison} debrief=${debrief} answer=${answer} />`}
      `}
    <//>
  `;
}

const PLAIN_CARDS = ["anchor_high", "reframe"];

/** What a move does besides its decision, as the list below has it. @param {Action} action */
function tacticOf(action) {
  if (action.challenge) return "challenge";
  if (action.question) return `question:${action.question}`;
  if (action.sweetener) return `item:${action.sweetener}`;
  return action.tactical_move && PLAIN_CARDS.includes(action.tactical_move) ? `card:${action.tactical_move}` : "";
}

/** @param {{debrief: Debrief, own: Own, onAnswer: (answer: Answer | null) => void}} props */
function Form({ debrief, own, onAnswer }) {
  const { scenario, seat, id } = debrief.game;
  const standing = standingBefore(debrief, own.line);
  const best = own.review?.hindsight.best;
  const suggested = best && (best.offer ?? (best.offer_amount === undefined ? null : { [scenario.issues[0].name]: best.offer_amount }));
  const first = suggested ?? own.line.offer ?? standing?.offer ?? {};
  const [kind, setKind] = useState(best?.accept_deal && standing ? "accept" : best?.walk_away ? "walk" : best && !suggested ? "talk" : "offer");
  /** @type {[Record<string, string>, (values: Record<string, string>) => void]} */
  const [values, setValues] = useState(Object.fromEntries(scenario.issues.map((issue) => [issue.name, first[issue.name] === undefined ? "" : figure(first[issue.name])])));
  const [tactic, setTactic] = useState(best ? tacticOf(best) : "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  useEffect(() => {
    loadCatalogue().catch(() => {});
  }, []);

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setError("");
    onAnswer(null);
    /** @type {Action} */
    const action = { utterance: t(`whatif.say.${kind}`) };
    if (kind === "accept") action.accept_deal = true;
    if (kind === "walk") action.walk_away = true;
    if (kind === "offer") {
      /** @type {Record<string, number>} */
      const offer = {};
      for (const issue of scenario.issues) {
        const value = parseFigure(values[issue.name]);
        if (value === null) return setError(t("whatif.figure", { issue: tr(issue.title) }));
        offer[issue.name] = value;
      }
      if (scenario.several) action.offer = offer;
      else action.offer_amount = offer[scenario.issues[0].name];
    }
    const [what, name] = tactic.split(":");
    if (kind === "offer" || kind === "talk") {
      if (what === "card") action.tactical_move = name;
      if (what === "question") action.question = name;
      if (what === "challenge") action.challenge = true;
      if (what === "item") Object.assign(action, { tactical_move: "sweetener", sweetener: name });
    }
    setBusy(true);
    try {
      const number = own.review?.number ?? own.number;
      onAnswer(await request("POST", `/api/games/${encodeURIComponent(id)}/what-if`, { number, action }));
    } catch (failure) {
      setError(failure instanceof ApiError ? (failure.code === "INVALID_ACTION" && failure.message) || failure.words : t("error.unknown"));
    } finally {
      setBusy(false);
    }
    return undefined;
  };

  // A claim needs a figure, silence forbids words: those stay at the table.
  const cards = (catalogue.value?.cards ?? []).filter((card) => PLAIN_CARDS.includes(card.id));
  const topics = (catalogue.value?.topics ?? []).map((topic) => (typeof topic === "string" ? topic : topic.id));
  const items = scenario.sweeteners.filter((item) => item.by === seat);
  return html`
    <form class="whatif" onSubmit=${submit}>
      <${Segments} legend=${t("whatif.kind")} name="whatif" value=${kind} onChange=${setKind} options=${[
        { value: "offer", label: t("whatif.offer") },
        { value: "accept", label: t("whatif.accept"), disabled: !standing },
        { value: "walk", label: t("whatif.walk") },
        { value: "talk", label: t("whatif.talk") },
      ]} />
      ${kind === "accept" && standing?.offer && html`<p>${t("whatif.standing", { offer: offerText(scenario, standing.offer) })}</p>`}
      <div class="whatif__fields">
        ${kind === "offer" && scenario.issues.map((issue) => html`
          <${Field} key=${issue.name} label=${`${tr(issue.title)} (${unitOf(issue)})`}>
            ${(/** @type {any} */ bind) =>
              issue.values
                ? html`<select class="input" ...${bind} value=${values[issue.name]} onChange=${(/** @type {any} */ event) => setValues({ ...values, [issue.name]: event.target.value })}>
                    ${issue.values.map((value) => html`<option value=${figure(value)}>${figure(value)}</option>`)}</select>`
                : html`<input class="input figure" inputmode="decimal" autocomplete="off" ...${bind} value=${values[issue.name]}
                    onInput=${(/** @type {any} */ event) => setValues({ ...values, [issue.name]: event.target.value })} />`}
          <//>
        `)}
        ${(kind === "offer" || kind === "talk") && html`
          <${Field} label=${t("whatif.tactic")}>
            ${(/** @type {any} */ bind) => html`
              <select class="input" ...${bind} value=${tactic} onChange=${(/** @type {any} */ event) => setTactic(event.target.value)}>
                <option value="">${t("whatif.notactic")}</option>
                <option value="challenge">${t("act.challenge")}</option>
                <optgroup label=${t("whatif.questions")}>${topics.map((topic) => html`<option value=${`question:${topic}`}>${has(`topic.${topic}.title`) ? t(`topic.${topic}.title`) : topic}</option>`)}</optgroup>
                <optgroup label=${t("whatif.cards")}>${cards.map((card) => html`<option value=${`card:${card.id}`}>${t(`card.${card.id}.title`)}</option>`)}</optgroup>
                <optgroup label=${t("whatif.items")}>${items.map((item) => html`<option value=${`item:${item.id}`}>${tr(item.title)}</option>`)}</optgroup>
              </select>`}
          <//>
        `}
      </div>
      ${error && html`<${Notice} tone="bad" live=${true}>${error}<//>`}
      <div class="buttons"><button type="submit" class="button button--primary" disabled=${busy}>${t(busy ? "whatif.busy" : "whatif.go")}</button>
        <p class="small muted whatif__note">${t("whatif.note")}</p></div>
    </form>
  `;
}

/**
 * @typedef {{reason: string, by: string | null, turn: number, final_offer: import("../types.js").Offer | null,
 *   efficiency: number | null, surplus: number | null, reward: number | null}} Outcome
 */

/** The game as it was played, in the form of an outcome. @param {Debrief} debrief @returns {Outcome} */
const asPlayed = ({ reason, by, turn, final_offer, numbers }) => ({
  reason,
  by,
  turn,
  final_offer,
  efficiency: numbers.efficiency,
  surplus: numbers.surplus,
  reward: numbers.reward,
});

/** @param {{debrief: Debrief, answer: Answer}} props */
function Comparison({ debrief, answer }) {
  const { scenario } = debrief.game;
  const opponent = nameOf(debrief.game.opponent);
  const played = asPlayed(debrief);
  const other = answer.outcome;
  const ended = (/** @type {Outcome} */ one) =>
    one.final_offer ? offerText(scenario, one.final_offer) : `${t(`reason.${one.reason}`)}${one.by ? ` (${one.by === debrief.game.seat ? t("who.you") : opponent})` : ""}`;
  const share = (/** @type {number | null} */ value) => (value === null ? "–" : percent(value));
  const rows = [
    [t("whatif.end"), ended(played), ended(other)],
    [t("table.turn"), figure(played.turn), figure(other.turn)],
    [t("score.share"), share(played.efficiency), share(other.efficiency)],
    [t("score.surplus"), played.final_offer && played.surplus !== null ? signed(played.surplus) : "–", other.final_offer && other.surplus !== null ? signed(other.surplus) : "–"],
    [t("score.points"), played.reward === null ? "–" : pointsText(played.reward), other.reward === null ? "–" : pointsText(other.reward)],
  ];
  const gain = (other.final_offer ? (other.surplus ?? 0) : 0) - (played.final_offer ? (played.surplus ?? 0) : 0);
  const better = (other.reward ?? 0) - (played.reward ?? 0);
  return html`
    <section class="comparison" aria-live="polite">
      <p class=${`comparison__verdict ${better > 0 ? "good" : better < 0 ? "bad" : ""}`}>
        ${t(better > 0 ? "whatif.better" : better < 0 ? "whatif.worse" : "whatif.same", { points: pointsText(Math.abs(better)).replace("+", "") })}
        ${gain !== 0 && (other.final_offer || played.final_offer) ? ` ${t(gain > 0 ? "whatif.more" : "whatif.less", { amount: money(Math.abs(gain), scenario.currency) })}` : ""}
      </p>
      <div class="scroll-x">
        <table class="ledger">
          <thead><tr><td></td><th scope="col" class="num">${t("whatif.asPlayed")}</th><th scope="col" class="num">${t("whatif.instead")}</th></tr></thead>
          <tbody>${rows.map(([name, one, two]) => html`<tr><th scope="row">${name}</th><td class="num">${one}</td><td class="num"><b>${two}</b></td></tr>`)}</tbody>
        </table>
      </div>
      <details class="fold"><summary>${t("whatif.lines")}</summary>
        <ol class="whatif__lines">${answer.lines.map((line) => html`
          <li><b>${line.seat === debrief.game.seat ? t("who.you") : opponent}</b> <span class="muted figure small">${t("line.turn", { turn: line.turn })}</span> ${lineText(line, scenario)}</li>`)}</ol>
      </details>
    </section>
  `;
}
