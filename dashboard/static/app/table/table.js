/** The table: who sits opposite, where the offers stand, one's move, and what there is to know. */
import { html, useEffect, useMemo, useRef, useState, classes } from "../html.js";
import { t } from "../i18n.js";
import { surplus } from "../worth.js";
import { DealLine } from "../ui/dealline.js";
import { Stage } from "./stage.js";
import { Log } from "./log.js";
import { Composer } from "./composer.js";
import { offerOf } from "./action.js";
import { OwnSide } from "./side.js";
import { Reading } from "./reading.js";
import { Trails } from "./trails.js";
import { Over } from "./over.js";
import { News } from "./news.js";
import { Coach } from "./coach.js";
import { Help, useShortcuts } from "./help.js";
import { Notices } from "./notices.js";
import { Announcer } from "./announcer.js";
import { useFocusInSight } from "./focus.js";

/**
 * @typedef {import("../types.js").Game} Game
 * @typedef {"table" | "talk" | "read"} Tab
 */

/**
 * @param {{store: import("../store.js").GameStore, draft: import("./draft.js").DraftStore, game: Game}} props
 */
export function Table({ store, draft, game }) {
  const [tab, setTab] = useState(/** @type {Tab} */ ("table"));
  const [help, setHelp] = useState(false);
  const [read, setRead] = useState(game.lines.length);
  useShortcuts({ openHelp: () => setHelp(true), show: setTab });
  useEffect(() => {
    if (tab === "talk") setRead(game.lines.length);
  }, [tab, game.lines.length]);

  const over = game.status === "over";
  const centre = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (over) centre.current?.scrollTo(0, 0);
  }, [over]);
  useFocusInSight(centre);
  const planned = useMemo(() => {
    if (over || !draft.draft.value.offering || draft.draft.value.card === "silence") return null;
    const offer = offerOf(game, draft.draft.value);
    return Number.isFinite(surplus(game.worth, offer)) ? offer : null;
  }, [game, draft.draft.value, over]);

  return html`
    <div class="table" data-tab=${tab}>
      <h1 class="hidden-visually">${t("title.table")}</h1>
      <${Announcer} game=${game} store=${store} />
      <div class="table__talk" data-pane="talk">
        <${Log} game=${game} sending=${store.sending.value} />
      </div>
      <div class="table__centre" data-pane="table" ref=${centre}>
        <${Notices} store=${store} game=${game} />
        <${News} game=${game} />
        <div class="felt">
          <${Stage} game=${game} store=${store} onHelp=${() => setHelp(true)} />
          <${DealLine} game=${game} draft=${planned} />
        </div>
        ${over
          ? html`<${Over} game=${game} store=${store} />`
          : html`<${Composer} store=${store} draft=${draft} game=${game} />`}
      </div>
      <div class="table__side" data-pane="read">
        <${OwnSide} game=${game} />
        <${Reading} game=${game} draft=${draft} open=${!over} />
        <${Trails} game=${game} />
      </div>
      <nav class="tabs" aria-label=${t("tabs.label")}>
        ${/** @type {Tab[]} */ (["table", "talk", "read"]).map(
          (name) => html`
            <button type="button" class=${classes("tabs__tab", tab === name && "tabs__tab--on")} aria-pressed=${tab === name}
              onClick=${() => setTab(name)}>
              ${t(`tabs.${name}`)}
              ${name === "talk" && tab !== "talk" && game.lines.length > read &&
              html`<span class="tabs__badge figure">${game.lines.length - read}<span class="hidden-visually"> ${t("tabs.new")}</span></span>`}
            </button>
          `,
        )}
      </nav>
      ${game.guided && !over && html`<${Coach} game=${game} show=${setTab} />`}
      <${Help} open=${help} onClose=${() => setHelp(false)} game=${game} />
    </div>
  `;
}
