/** One line of a conversation: the words, and beneath them what was done, in the reader's language. */
import { html, classes } from "../html.js";
import { t, tr, has } from "../i18n.js";
import { signed, figure, whole } from "../format.js";
import { claimText, offerText } from "../worth.js";

/**
 * @typedef {import("../types.js").Line} Line
 * @typedef {import("../types.js").Scenario} Scenario
 */

/**
 * What a move did besides its words, as `{tone, text}`, in the order in which it matters.
 * @param {Line} line
 * @param {Scenario} scenario
 * @returns {{tone: string, text: string}[]}
 */
export function deeds(line, scenario) {
  /** @type {{tone: string, text: string}[]} */
  const found = [];
  const add = (/** @type {string} */ tone, /** @type {string} */ text) => found.push({ tone, text });
  if (line.invalid) add("bad", t("deed.invalid", { why: refusalText(line.invalid) }));
  if (line.accept) add("good", t("deed.accept"));
  if (line.walk) add("bad", t("deed.walk"));
  if (line.offer) add("gold", t("deed.offer", { offer: offerText(scenario, line.offer) }));
  if (line.offer && line.surplus !== null) {
    const key = line.surplus < 0 ? "deed.beyond" : "deed.worth";
    add(line.surplus < 0 ? "bad" : "good", t(key, { amount: signed(line.surplus), plain: figure(whole(Math.abs(line.surplus))) }));
  }
  if (line.final) add("bad", t("deed.final"));
  if (line.challenge) add(line.challenge === "withdrawn" ? "good" : "", t(`deed.challenge.${line.challenge}`));
  if (line.claim) add("sky", t("deed.claim", { claim: claimText(scenario, line.claim) }));
  if (line.item) {
    const item = scenario.sweeteners.find((each) => each.id === line.item);
    add("gold", t("deed.item", { item: tr(item?.title) || line.item }));
  } else if (line.card) add("", t("deed.card", { card: t(`card.${line.card}.title`) }));
  if (line.question) add("sky", t("deed.question", { topic: t(`topic.${line.question}.short`) }));
  return found;
}

/** What stands in the place of words that were not said. @param {Line} line */
export const wordless = (line) => t(line.offer || line.accept ? "line.figure" : "line.nothing");

/** Why a move was not allowed, in words. @param {{code: string, message: string}} invalid */
export const refusalText = ({ code, message }) => (has(`invalid.${code}`) ? t(`invalid.${code}`) : message);

/** @param {{line: Line, scenario: Scenario, without?: boolean}} props */
export const Deeds = ({ line, scenario }) => {
  const found = deeds(line, scenario);
  if (!found.length) return null;
  return html`<ul class="chips">
    ${found.map(({ tone, text }) => html`<li class=${classes("chip figure-in", tone && `chip--${tone}`)}>${text}</li>`)}
  </ul>`;
};

/**
 * What was done, as one sentence to be read aloud.
 * @param {Line} line
 * @param {Scenario} scenario
 * @param {string} who
 */
export const spoken = (line, scenario, who) =>
  [`${who}: ${line.words || wordless(line)}`, ...deeds(line, scenario).map(({ text }) => text)].join(". ");

/**
 * @param {{line: Line, scenario: Scenario, who: string, mine: boolean, fresh?: boolean, children?: any}} props
 */
export const ConversationLine = ({ line, scenario, who, mine, fresh = false, children }) => html`
  <li class=${classes("line", mine ? "line--mine" : "line--theirs", fresh && "line--fresh")} id=${`line-${line.n}`}>
    <p class="line__who">
      <bdi>${who}</bdi>
      <span class="line__turn figure">${line.turn > 0 ? t("line.turn", { turn: line.turn }) : t("line.opening")}</span>
    </p>
    <p class=${classes("line__words", !line.words && "muted")}>
      ${line.words ? html`<bdi lang=${line.by === "persona" ? "en" : undefined}>${line.words}</bdi>` : wordless(line)}
    </p>
    <${Deeds} line=${line} scenario=${scenario} />
    ${children}
  </li>
`;
