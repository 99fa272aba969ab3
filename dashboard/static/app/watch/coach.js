/** What the coach says: notes pinned to turns, for the debrief; whispers that the player reads at once. */
import { html, useEffect, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { ApiError, persist, request, requestId } from "../api.js";
import { catalogue, loadCatalogue } from "../me.js";
import { Field, Segments } from "../ui/field.js";
import { Notice } from "../ui/panel.js";
import { Select } from "../ui/select.js";
import { PinnedNote } from "../debrief/moves.js";

/** @typedef {import("./types.js").Watched} Watched */

/** @param {{game: Watched, player: string, onGame: (game: Watched) => void}} props */
export function Coach({ game, player, onGame }) {
  const over = game.status === "over";
  const [kind, setKind] = useState(/** @type {"note" | "whisper"} */ ("note"));
  const [pinned, setPinned] = useState("");
  const [words, setWords] = useState("");
  const [to, setTo] = useState(game.players[0]?.seat ?? game.seat);
  const pair = game.players.length > 1;
  const name = pair ? (game.players.find((each) => each.seat === to)?.name ?? player) : player;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const wish = useRef(requestId());
  useEffect(() => {
    loadCatalogue().catch(() => {}); // only how long a note may be: the server says so, too
  }, []);
  const now = Math.max(game.turn, 1);
  const turn = kind === "whisper" || !pinned ? now : Number(pinned);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!words.trim() || busy) return;
    setBusy(true);
    setError("");
    try {
      const answer = await persist(() => request("POST", `/api/watch/${encodeURIComponent(game.id)}/notes`, { request_id: wish.current, kind: over ? "note" : kind, ...(pair ? { seat: to } : {}), turn, words: words.trim() }));
      onGame(answer.game);
      setWords("");
      wish.current = requestId();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.words : t("error.unknown"));
    } finally {
      setBusy(false);
    }
  };
  const whisper = kind === "whisper" && !over;
  return html`
    <form class="adviser" onSubmit=${submit}>
      <div class="adviser__row">
        <${Segments} legend=${t("coach.kind")} name="kind" value=${over ? "note" : kind} onChange=${setKind} options=${[
          { value: "note", label: t("coach.note") },
          { value: "whisper", label: t("coach.whisper"), disabled: over },
        ]} />
        ${pair && html`<${Select} label=${t("coach.to")} value=${to} onChange=${setTo} class="adviser__turn"
          options=${game.players.map((each) => ({ value: each.seat, label: each.name ?? t(`seat.${each.seat}`) }))} />`}
        ${!whisper && html`<${Select} label=${t("coach.turn")} value=${pinned} onChange=${setPinned} class="adviser__turn"
          options=${[{ value: "", label: t("coach.now", { turn: now }) }, ...Array.from({ length: now - 1 }, (_, k) => ({ value: String(now - 1 - k), label: t("line.turn", { turn: now - 1 - k }) }))]} />`}
      </div>
      <${Field} label=${t(whisper ? "coach.words.whisper" : "coach.words.note", { name })} hint=${whisper ? html`<b class="adviser__warning">${t("coach.counts")}</b>` : t("coach.note.hint")}>
        ${(/** @type {any} */ bind) => html`<textarea class="input" rows="3" maxlength=${catalogue.value?.max_words} ...${bind} value=${words} onInput=${(/** @type {any} */ event) => setWords(event.target.value)}
          onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && submit(event)}></textarea>`}
      <//>
      ${error && html`<${Notice} tone="bad" live=${true}>${error}<//>`}
      <button type="submit" class="button button--small button--primary" disabled=${busy || !words.trim()}>${t(whisper ? "coach.send" : "coach.pin")}</button>
    </form>
    ${game.notes.length > 0 && html`
      <ul class="adviser__notes" aria-label=${t("coach.said")}>
        ${[...game.notes].reverse().map((note) => html`<li key=${note.id}><span class="figure small muted">${t("line.turn", { turn: note.turn })}</span><${PinnedNote} note=${note} area="coach.notes" /></li>`)}
      </ul>
    `}
  `;
}
