/** One's move: words, an offer, at most one card or question, and what ends the game. */
import { html, useEffect, useRef, useState, classes } from "../html.js";
import { t } from "../i18n.js";
import { figure, money } from "../format.js";
import { catalogue } from "../me.js";
import { Check } from "../ui/field.js";
import { Dialog } from "../ui/dialog.js";
import { OfferControl } from "./offer.js";
import { Hand } from "./hand.js";
import { Asking } from "./ask.js";
import { Answer } from "./answer.js";
import { Decide } from "./decide.js";
import { Impact } from "./impact.js";
import { goOn } from "./focus.js";
import { hearFigure } from "./heard.js";
import { actionOf, asked, doubts, obstacle, offerOf } from "./action.js";
import { nameInText, opponentName } from "../ui/opponent.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {import("./draft.js").DraftStore} DraftStore
 */

/** How long typing must rest before a figure in the words is taken up, in milliseconds. */
const REST = 450;

/**
 * @param {{store: import("../store.js").GameStore, draft: DraftStore, game: Game}} props
 */
export function Composer({ store, draft, game }) {
  const current = draft.draft.value;
  const [asking, setAsking] = useState(/** @type {import("./action.js").Doubt[]} */ ([]));
  const [hint, setHint] = useState("");
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const busy = !store.myTurn.value;
  const silent = current.card === "silence";
  const offer = offerOf(game, current);

  const send = async () => {
    setAsking([]);
    const sent = draft.draft.peek();
    const outcome = await store.move(actionOf(game, sent));
    if (outcome === "played") draft.clear(sent);
    setHint("");
    goOn();
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (busy) return;
    // Typing may not have rested yet: what is sent holds the figure that the words name now.
    hearFigure(game, draft);
    const meant = draft.draft.peek();
    const blocked = obstacle(game, meant);
    if (blocked) {
      setHint(blocked);
      return;
    }
    const found = doubts(game, meant);
    if (found.length) setAsking(found);
    else send();
  };
  const submitByKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.current?.requestSubmit();
    }
  };

  useFigureInWords(game, draft);

  if (game.status === "their_move" && !store.sending.value) return html`<${Waiting} game=${game} />`;
  return html`
    <form class=${classes("move", busy && "move--busy")} ref=${form} onSubmit=${submit} onKeyDown=${submitByKey}
      aria-labelledby="move-title" data-spot="move">
      <div class="move__head">
        <h2 class="move__title" id="move-title">${t(busy ? "move.wait" : "move.title")}</h2>
        <${Along} draft=${draft} game=${game} />
      </div>
      <${Answer} game=${game} draft=${draft} topic=${asked(game)} />
      <${Impact} game=${game} draft=${draft} />
      <fieldset class="move__body" disabled=${busy}>
        <legend class="hidden-visually">${t("move.title")}</legend>
        <div class=${classes("move__words", silent && "move__off")}>
          <label class="field__label" for="words">${t("move.words", { name: nameInText(game.opponent) })}</label>
          <textarea id="words" class="input" rows="3" maxlength=${catalogue.value?.max_words} disabled=${silent}
            placeholder=${t("move.words.hint")} value=${silent ? "" : current.words} aria-describedby="words-help"
            onInput=${(/** @type {any} */ event) => draft.patch({ words: event.target.value })}></textarea>
          <p class="field__hint" id="words-help" role="status">
            ${current.fromWords && !silent
              ? html`<span class="offer__taken">${t("offer.taken", { amount: figure(current.fromWords.value) })}${" "}
                  <button type="button" class="link-button" onClick=${() => undo(draft)}>${t("offer.undo")}</button></span>`
              : t(silent ? "move.silent" : current.offering && !current.words.trim() ? "move.curt" : "move.words.help")}
          </p>
        </div>
        <${OfferControl} game=${game} draft=${draft} off=${silent} />
      </fieldset>
      <fieldset class="move__extras" disabled=${busy}>
        <legend class="hidden-visually">${t("move.extras")}</legend>
        <${Hand} game=${game} draft=${draft} />
        <div class="move__row">
          <${Asking} game=${game} draft=${draft} />
          <${Challenge} game=${game} draft=${draft} />
        </div>
      </fieldset>
      <div class="move__foot" data-spot="decide">
        <button type="submit" class="button button--primary button--large move__send" disabled=${busy}>
          ${t(sendKey(game, current), { amount: money(offer[game.scenario.issues[0].name], game.scenario.currency) })}
        </button>
        <${Decide} store=${store} draft=${draft} game=${game} />
        <p class="move__hint small" role="status">${hint}</p>
      </div>
      <${Dialog} open=${asking.length > 0} onClose=${() => setAsking([])} title=${t(asking.some((d) => d.kind === "limit") ? "doubt.title.limit" : "doubt.title")}
        actions=${html`
          <button type="button" class="button" autofocus onClick=${() => setAsking([])}>${t("doubt.back")}</button>
          <button type="button" class=${classes("button", asking.some((d) => d.kind === "limit") ? "button--danger" : "button--primary")} onClick=${send}>${t("doubt.send")}</button>
        `}>
        <ul class="doubts">
          ${asking.map((doubt) => html`<li class=${doubt.kind === "limit" ? "bad" : undefined}>${doubt.words}
            ${doubt.kind === "noise" && html`<span class="muted"> ${t("doubt.noise")}</span>`}</li>`)}
        </ul>
      <//>
    </form>
  `;
}

/** Let the offer be what it was before a figure in the words filled it. @param {DraftStore} draft */
function undo(draft) {
  const taken = draft.draft.peek().fromWords;
  if (taken) draft.patch({ offer: taken.before, offering: taken.wasOffering, fromWords: null });
}

/** @param {Game} game @param {import("./draft.js").Draft} draft */
function sendKey(game, draft) {
  if (draft.card === "silence") return "move.send.silence";
  if (draft.offering) return game.scenario.several ? "move.send.package" : "move.send.offer";
  if (draft.question && !draft.words.trim()) return "move.send.question";
  return "move.send.words";
}

/** What goes along with the next move. @param {{draft: DraftStore, game: Game}} props */
function Along({ draft, game }) {
  const { belief, impact } = draft.draft.value;
  const found = [];
  if (belief.est_walk_away !== undefined && belief.est_walk_away !== null) found.push(t("along.limit", { amount: money(belief.est_walk_away, game.scenario.currency) }));
  else if (Object.keys(belief).length) found.push(t("along.belief"));
  if (impact !== null) found.push(t("along.impact"));
  return found.length
    ? html`<ul class="chips" aria-label=${t("along.label")}>${found.map((text) => html`<li class="chip chip--sky">${text}</li>`)}</ul>`
    : null;
}

/** @param {{game: Game, draft: DraftStore}} props */
function Challenge({ game, draft }) {
  const open = game.observation.available_moves.includes("challenge") && draft.draft.value.card !== "silence";
  if (!open) return html`<span class="muted small">${t("challenge.none")}</span>`;
  return html`<${Check} checked=${draft.draft.value.challenge} onChange=${(/** @type {boolean} */ challenge) => draft.patch({ challenge })}>
    <b>${t("challenge.label")}</b> <span class="muted small">${t("challenge.help")}</span>
  <//>`;
}

/** @param {{game: Game}} props */
const Waiting = ({ game }) => html`
  <section class="move move--waiting" aria-live="polite">
    <h2 class="move__title">${t(game.waiting ? "wait.seat" : "wait.title", { name: opponentName(game.opponent) })}</h2>
    <p class="soft">${t(game.waiting ? "wait.seat.help" : "wait.help")}</p>
  </section>
`;

/**
 * A figure in the words fills the offer control, where it can be seen, and undone.
 * @param {Game} game
 * @param {DraftStore} draft
 */
function useFigureInWords(game, draft) {
  const { words } = draft.draft.value;
  useEffect(() => {
    const timer = setTimeout(() => hearFigure(game, draft), REST);
    return () => clearTimeout(timer);
  }, [words]);
}
