/** What a screen reader is told when something happens. */
import { html, useEffect, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { headline } from "../news.js";
import { spoken } from "../ui/line.js";
import { speaker } from "./log.js";

/** @param {{game: import("../types.js").Game, store: import("../store.js").GameStore}} props */
export function Announcer({ game, store }) {
  const [words, setWords] = useState("");
  const known = useRef({ lines: game.lines.length, news: game.observation.events.length, whispers: game.whispers.length });
  useEffect(() => {
    const before = known.current;
    const { events } = game.observation;
    known.current = { lines: game.lines.length, news: events.length, whispers: game.whispers.length };
    const told = [
      ...events.slice(before.news).map((event) => `${t("news.label")}: ${headline(event.headline).words}`),
      ...game.lines
        .slice(before.lines)
        .filter((line) => line.seat !== game.seat)
        .map((line) => spoken(line, game.scenario, speaker(game, line))),
      ...game.whispers.slice(before.whispers).map((whisper) => `${t("whisper.label")}: ${whisper.words}`),
    ];
    if (game.status === "over") told.push(t(`over.${game.observation.termination_reason ?? "deal"}`));
    if (told.length) setWords(told.join(". "));
  }, [game]);
  return html`<p class="hidden-visually" role="status" aria-live="polite">
    ${store.sending.value ? t("log.sending") : words}
  </p>`;
}
