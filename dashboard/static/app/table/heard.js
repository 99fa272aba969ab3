/** Figures in the words: what they mean for the offer. */
import { amountsIn, onGrid } from "../figures.js";
import { surplus } from "../worth.js";

/**
 * Take up what the words name and nobody has dealt with yet.
 * @param {import("../types.js").Game} game
 * @param {import("./draft.js").DraftStore} draft
 */
export function hearFigure(game, draft) {
  const { scenario, observation, worth } = game;
  const now = draft.draft.peek();
  if (scenario.several || now.card === "silence") return;
  const [issue] = scenario.issues;
  const named = amountsIn(now.words, issue.low, issue.high);
  if (named.join() === now.heard.join()) return;
  const [value] = named;
  const offer = { [issue.name]: value === undefined ? 0 : onGrid(issue, value) };
  const theirs = observation.opponent_offer?.[issue.name];
  const takes = named.length === 1 && offer[issue.name] !== theirs && surplus(worth, offer) >= 0;
  const same = now.offering && now.offer?.[issue.name] === offer[issue.name];
  if (!takes || same) draft.patch({ heard: named });
  else draft.patch({ heard: named, offer, offering: true, fromWords: { value: offer[issue.name], before: now.offer, wasOffering: now.offering } });
}
