/** A game: the briefing first, then the table. */
import { html, useEffect, useMemo, useState } from "../html.js";
import { loadCatalogue } from "../me.js";
import { openGame } from "../store.js";
import { openDraft } from "../table/draft.js";
import { Briefing, briefed, markBriefed } from "../table/briefing.js";
import { Table } from "../table/table.js";
import { Failed, Loading } from "../ui/panel.js";

/** @param {{params: {id: string}}} props */
export default function TablePage({ params }) {
  const store = useMemo(() => openGame(params.id), [params.id]);
  const draft = useMemo(() => openDraft(params.id), [params.id]);
  const [started, setStarted] = useState(briefed(params.id));

  useEffect(() => {
    store.start();
    loadCatalogue().catch(() => {
      // Cards then show what the texts say of them, without their costs.
    });
    return store.close;
  }, [store]);

  const game = store.game.value;
  if (!game) {
    return store.error.value
      ? html`<${Failed} error=${store.error.value} retry=${store.start} />`
      : html`<${Loading} heights=${["18rem", "6rem", "16rem"]} />`;
  }
  const moved = game.lines.some((line) => line.seat === game.seat);
  if (!started && !moved && game.status !== "over") {
    const start = () => {
      markBriefed(game.id);
      setStarted(true);
      scrollTo(0, 0);
      document.getElementById("main")?.focus({ preventScroll: true });
    };
    return html`<${Briefing} game=${game} onStart=${start} />`;
  }
  return html`<${Table} store=${store} draft=${draft} game=${game} />`;
}
