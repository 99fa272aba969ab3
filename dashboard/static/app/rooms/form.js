/** Opening a room: its name, its games, until when. */
import { html, useEffect, useRef, useState } from "../html.js";
import { t, tr } from "../i18n.js";
import { ApiError, requestId } from "../api.js";
import { catalogue, loadCatalogue } from "../me.js";
import { navigate } from "../router.js";
import { Check, Field } from "../ui/field.js";
import { Notice } from "../ui/panel.js";
import { Select } from "../ui/select.js";
import { keys, rooms } from "./api.js";
import { OwnScenario } from "./scenario.js";

/**
 * @typedef {{key: number, scenario_id: string, yaml: string, title: string, seat: string, persona: string}} Row
 */

const OWN = "own:";
let made = 0;
/** @returns {Row} */
const blank = () => ({ key: ++made, scenario_id: "saas_enterprise", yaml: "", title: "", seat: "seller", persona: "diplomat" });

/** @param {{needsKey: boolean}} props */
export function RoomForm({ needsKey }) {
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [rows, setRows] = useState([blank()]);
  const [same, setSame] = useState(false);
  const [due, setDue] = useState("");
  const [own, setOwn] = useState(/** @type {number | null} */ (null));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {string[]} */ ([]));
  const wish = useRef(requestId());
  useEffect(() => {
    loadCatalogue().catch(() => {});
  }, []);
  const change = (/** @type {number} */ at, /** @type {Partial<Row>} */ part) => setRows(rows.map((row) => (row.key === at ? { ...row, ...part } : row)));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError([]);
    try {
      const tasks = rows.map(({ scenario_id, yaml, seat, persona }) => (yaml ? { scenario_yaml: yaml, seat, persona } : { scenario_id, seat, persona }));
      const answer = await rooms.open({
        request_id: wish.current,
        name: name.trim(),
        ...(needsKey ? { key } : {}),
        tasks,
        same_seed: same,
        ...(due ? { due_at: new Date(due).toISOString() } : {}),
      });
      keys.set(answer.room.id, answer.manager_key);
      navigate(`/rooms/${encodeURIComponent(answer.room.id)}`);
    } catch (failure) {
      wish.current = requestId();
      setError(reasons(failure));
      setBusy(false);
    }
  };
  return html`
    <form class="roomform" onSubmit=${submit}>
      <${Field} label=${t("room.name")}>
        ${(/** @type {any} */ bind) => html`<input class="input" ...${bind} required maxlength="80" value=${name} placeholder=${t("room.name.example")} onInput=${(/** @type {any} */ event) => setName(event.target.value)} />`}
      <//>
      ${needsKey && html`<${Field} label=${t("room.key")} hint=${t("room.key.hint")}>
        ${(/** @type {any} */ bind) => html`<input class="input" type="password" autocomplete="off" ...${bind} required value=${key} onInput=${(/** @type {any} */ event) => setKey(event.target.value)} />`}
      <//>`}
      <fieldset class="roomform__tasks">
        <legend class="roomform__legend">${t("room.tasks")}</legend>
        <ol class="tasks">
          ${rows.map((row, at) => html`<${TaskRow} key=${row.key} row=${row} at=${at} alone=${rows.length === 1}
            onChange=${(/** @type {Partial<Row>} */ part) => change(row.key, part)} onOwn=${() => setOwn(row.key)} onRemove=${() => setRows(rows.filter((each) => each !== row))} />`)}
        </ol>
        <button type="button" class="button button--small" onClick=${() => setRows([...rows, blank()])}>＋ ${t("room.task.add")}</button>
      </fieldset>
      <div class="roomform__more">
        <div>
          <${Check} checked=${same} onChange=${setSame}>${t("room.same")}<//>
          <p class="small muted roomform__hint">${t("room.same.hint")}</p>
        </div>
        <${Field} label=${t("room.due")} hint=${t("room.due.hint")}>
          ${(/** @type {any} */ bind) => html`<input class="input" type="datetime-local" ...${bind} value=${due} onInput=${(/** @type {any} */ event) => setDue(event.target.value)} />`}
        <//>
      </div>
      ${error.length > 0 && html`<${Notice} tone="bad" live=${true}>${error.map((line) => html`<p>${line}</p>`)}<//>`}
      <div class="buttons"><button type="submit" class="button button--primary button--large" disabled=${busy || !name.trim()}>${t("room.open")}</button></div>
    </form>
    <${OwnScenario} open=${own !== null} onClose=${() => setOwn(null)} onChosen=${(/** @type {string} */ yaml, /** @type {any} */ scenario) => {
      if (own !== null) change(own, { yaml, title: tr(scenario.title) });
      setOwn(null);
    }} />
  `;
}

/** @param {unknown} failure @returns {string[]} */
function reasons(failure) {
  if (!(failure instanceof ApiError)) return [t("error.unknown")];
  if (failure.code === "UNAUTHORIZED") return [t("room.key.wrong")];
  const details = Array.isArray(failure.details) ? failure.details.map((each) => each?.message ?? each?.msg).filter(Boolean) : [];
  return failure.code === "INVALID_OPTION" ? [failure.message, ...details] : [failure.words];
}

/**
 * @param {{row: Row, at: number, alone: boolean, onChange: (part: Partial<Row>) => void, onOwn: () => void, onRemove: () => void}} props
 */
function TaskRow({ row, at, alone, onChange, onOwn, onRemove }) {
  const known = catalogue.value;
  const scenarios = (known?.scenarios ?? []).map((scenario) => ({ value: scenario.id, label: tr(scenario.title) }));
  const choose = (/** @type {string} */ value) => (value === OWN ? onOwn() : onChange({ scenario_id: value, yaml: "", title: "" }));
  return html`
    <li class="tasks__row">
      <span class="tasks__number figure" aria-hidden="true">${at + 1}</span>
      <${Select} label=${t("board.scenario")} value=${row.yaml ? "chosen" : row.scenario_id} onChange=${choose} class="tasks__scenario"
        options=${[...(row.yaml ? [{ value: "chosen", label: t("own.chosen", { title: row.title }) }] : []), ...scenarios, { value: OWN, label: t("own.option") }]} />
      <${Select} label=${t("board.seat")} value=${row.seat} onChange=${(/** @type {string} */ seat) => onChange({ seat })}
        options=${["seller", "buyer"].map((seat) => ({ value: seat, label: t(`seat.${seat}`) }))} />
      <${Select} label=${t("board.persona")} value=${row.persona} onChange=${(/** @type {string} */ persona) => onChange({ persona })}
        options=${[
          ...(known?.personas ?? []).map((persona) => ({ value: persona.id, label: `${persona.symbol} ${t(`persona.${persona.id}.name`)}` })),
          { value: "drawn", label: t("seat.drawn") },
          { value: "person", label: t("room.person") },
        ]} />
      <button type="button" class="gamerow__remove tasks__remove" disabled=${alone} aria-label=${t("room.task.remove", { n: at + 1 })} title=${t("room.task.remove", { n: at + 1 })} onClick=${onRemove}>×</button>
    </li>
  `;
}
