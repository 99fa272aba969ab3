/** Choosing a game: a name, a situation, a seat, an opponent. */
import { html, useEffect, useRef, useState, classes } from "../html.js";
import { inText, t, tr, has } from "../i18n.js";
import { figure, money } from "../format.js";
import { api, ApiError, requestId } from "../api.js";
import { catalogue, loadCatalogue, me, refreshMe, rename } from "../me.js";
import { navigate, query } from "../router.js";
import { nameInText, opponentName } from "../ui/opponent.js";
import { Field } from "../ui/field.js";
import { Failed, Loading, Notice } from "../ui/panel.js";
import { Still } from "../ui/still.js";

/** What a first game is: the calm opponent, one figure, the usual seat. */
const FIRST = { persona: "diplomat", seat: "seller" };

/**
 * @typedef {object} Choice
 * @property {boolean} guided
 * @property {string} scenario
 * @property {string} seat
 * @property {string} persona
 * @property {string} voice
 */

export default function SetupPage() {
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const load = () => {
    setError(null);
    Promise.all([loadCatalogue(), me.value ?? refreshMe()]).catch(setError);
  };
  useEffect(load, []);
  if (error) return html`<${Failed} error=${error} retry=${load} />`;
  if (!catalogue.value || !me.value) return html`<${Loading} />`;
  return html`<${Setup} found=${catalogue.value} known=${me.value} />`;
}

/** @param {{found: import("../types.js").Catalogue, known: import("../types.js").Me}} props */
function Setup({ found, known }) {
  const asked = query.value;
  const newcomer = !known.player;
  const [name, setName] = useState(known.player?.name ?? "");
  const [choice, setChoice] = useState(/** @returns {Choice} */ () => ({
    guided: asked.has("guided") || (newcomer && !asked.has("scenario")),
    scenario: asked.get("scenario") ?? found.scenarios.find((each) => !each.several)?.id ?? found.scenarios[0].id,
    seat: asked.get("seat") ?? FIRST.seat,
    persona: asked.get("persona") ?? "drawn",
    voice: "scripted",
  }));
  const [modelKey, setModelKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrongName, setWrongName] = useState(false);
  const [error, setError] = useState(/** @type {ApiError | null} */ (null));
  const intent = useRef({ id: requestId(), of: "" });
  const pick = (/** @type {Partial<Choice>} */ change) => setChoice({ ...choice, ...change });
  const first = found.scenarios.find((each) => !each.several) ?? found.scenarios[0];
  const scenario = choice.guided ? first : (found.scenarios.find((each) => each.id === choice.scenario) ?? first);

  const start = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const called = name.trim();
    if (!called || called.length > 40) {
      setWrongName(true);
      document.querySelector("#setup-name input")?.scrollIntoView({ block: "center" });
      /** @type {HTMLElement | null} */ (document.querySelector("#setup-name input"))?.focus();
      return;
    }
    setBusy(true);
    setError(null);
    const options = {
      scenario_id: scenario.id,
      seat: choice.guided ? FIRST.seat : choice.seat,
      persona: choice.guided ? FIRST.persona : choice.persona,
      guided: choice.guided,
      voice: choice.guided ? "scripted" : choice.voice,
      ...(modelKey && { model_key: modelKey }),
    };
    const of = JSON.stringify(options);
    if (intent.current.of && intent.current.of !== of) intent.current.id = requestId();
    intent.current.of = of;
    try {
      if (called !== me.value?.player?.name) await rename(called);
      const { game } = await api.open({ request_id: intent.current.id, ...options });
      navigate(`/play/${game.id}`);
    } catch (failure) {
      setBusy(false);
      setError(failure instanceof ApiError ? failure : new ApiError(0, "INTERNAL", ""));
    }
  };

  return html`
    <form class="page setup" onSubmit=${start} novalidate>
      <header class="page__head">
        <h1 class="page__title">${t("setup.title")}</h1>
        <p class="page__lead">${t(choice.guided ? "setup.lead.guided" : "setup.lead")}</p>
      </header>
      ${!known.store.ok && html`<${Notice} tone="bad">${t("setup.store")}<//>`}
      <div class="setup__name" id="setup-name">
        <${Field} label=${t("setup.name")} hint=${t("setup.name.hint")} error=${wrongName && t("setup.name.missing")}>
          ${(/** @type {any} */ bind) => html`<input ...${bind} class="input" name="name" maxlength=${catalogue.value?.max_name} autocomplete="nickname" value=${name}
            placeholder=${t("setup.name.placeholder")} onInput=${(/** @type {any} */ event) => {
              setName(event.target.value);
              setWrongName(false);
            }} />`}
        <//>
      </div>
      <${Options} legend=${t("setup.kind")} name="guided" value=${choice.guided} onChange=${(/** @type {boolean} */ guided) => pick({ guided })} class="tiles--two"
        options=${[
          { value: true, title: t("setup.guided"), text: t("setup.guided.help"), badge: newcomer ? t("setup.guided.badge") : null },
          { value: false, title: t("setup.own"), text: t("setup.own.help") },
        ]} />
      ${choice.guided
        ? html`<p class="setup__summary"><span class="gold" aria-hidden="true">◆</span> ${t("setup.guided.with", {
            scenario: tr(first.title), role: inText(tr(first.seats[/** @type {"seller"} */ (FIRST.seat)].role)), name: nameInText({ kind: "persona", id: FIRST.persona, name: "", symbol: "" }),
          })}</p>`
        : html`<${Details} found=${found} scenario=${scenario} choice=${choice} pick=${pick} />
            ${known.models.name && html`<${Voices} models=${known.models} voice=${choice.voice} pick=${pick} modelKey=${modelKey} onKey=${setModelKey} />`}`}
      <div class="setup__stored small soft">
        <h2 class="field__label">${t("stored.title")}</h2>
        <p>${t("stored.what")}</p>
        <p>${t("stored.who")}</p>
      </div>
      ${error && html`<${Notice} tone="bad" live><b>${t("setup.failed")}.</b> ${error.words}<//>`}
      <div class="setup__start">
        <button type="submit" class="button button--primary button--large" disabled=${busy || !known.store.ok}>${t(busy ? "setup.starting" : "setup.start")}</button>
      </div>
    </form>
  `;
}

/**
 * @param {{found: import("../types.js").Catalogue, scenario: import("../types.js").Scenario, choice: Choice,
 *   pick: (change: Partial<Choice>) => void}} props
 */
const Details = ({ found, scenario, choice, pick }) => html`
  <${Options} legend=${t("setup.scenario")} name="scenario" value=${choice.scenario} onChange=${(/** @type {string} */ id) => pick({ scenario: id })}
    options=${found.scenarios.map((each) => ({
      value: each.id,
      title: tr(each.title),
      text: has(`scenario.${each.id}.line`) ? t(`scenario.${each.id}.line`) : "",
      foot: stakes(each),
    }))} />
  <${Options} legend=${t("setup.seat")} name="seat" value=${choice.seat} onChange=${(/** @type {string} */ seat) => pick({ seat })} class="tiles--three"
    options=${[
      ...(/** @type {const} */ (["seller", "buyer"])).map((seat) => ({
        value: seat,
        title: tr(scenario.seats[seat].role),
        text: scenario.several ? "" : t(`setup.seat.${seat}.help`),
        foot: t(`seat.${seat}`),
      })),
      { value: "drawn", title: t("setup.seat.drawn"), text: t("setup.seat.drawn.help") },
    ]} />
  <${Options} legend=${t("setup.opponent")} name="persona" value=${choice.persona} onChange=${(/** @type {string} */ persona) => pick({ persona })} class="tiles--four"
    options=${[...found.personas, { id: "drawn", name: "", symbol: "◇" }].map((persona) => ({
      value: persona.id,
      picture: html`<${Still} id=${persona.id} symbol=${persona.symbol} />`,
      title: opponentName({ kind: "persona", ...persona }),
      text: has(`persona.${persona.id}.line`) ? t(`persona.${persona.id}.line`) : "",
      foot: has(`persona.${persona.id}.trait`) ? t(`persona.${persona.id}.trait`) : "",
    }))} />
`;

/**
 * Who finds the opponent's words, where the server has a language model.
 * @param {{models: import("../types.js").Me["models"], voice: string, pick: (change: Partial<Choice>) => void, modelKey: string,
 *   onKey: (key: string) => void}} props
 */
const Voices = ({ models, voice, pick, modelKey, onKey }) => html`
  <${Options} legend=${t("setup.voice")} name="voice" value=${voice} onChange=${(/** @type {string} */ chosen) => pick({ voice: chosen })} class="tiles--three"
    options=${["scripted", "narrated", "llm"].map((one) => ({
      value: one,
      title: t(`voice.${one}`),
      text: t(`voice.${one}.help`),
      foot: one === "scripted" ? t("voice.ranked") : t("voice.unranked", { model: models.name ?? "" }),
    }))} />
  ${voice !== "scripted" && !models.open
    ? models.key
      ? html`<div class="setup__name"><${Field} label=${t("setup.modelKey")} hint=${t("setup.modelKey.hint")}>
          ${(/** @type {any} */ bind) => html`<input ...${bind} class="input" type="password" name="model-key" autocomplete="off" maxlength="256" value=${modelKey}
            onInput=${(/** @type {any} */ event) => onKey(event.target.value)} />`}
        <//></div>`
      : html`<${Notice}>${t("setup.modelHere")}<//>`
    : null}
`;

/** What is at stake, from public figures. @param {import("../types.js").Scenario} scenario */
function stakes(scenario) {
  if (scenario.several) {
    return `${t("setup.issues", { n: scenario.issues.length })} · ${t("setup.stakes.several", { amount: money(Math.round(scenario.width), scenario.currency) })}`;
  }
  const { seller, buyer } = scenario.seats;
  return t("setup.stakes", { low: figure(seller.limit), high: money(buyer.limit, scenario.currency) });
}

/**
 * Tiles of which one is chosen: real radio buttons.
 * @param {{legend: string, name: string, value: any, onChange: (value: any) => void, class?: string,
 *   options: {value: any, title: string, text: string, foot?: string, badge?: string | null, picture?: any}[]}} props
 */
const Options = ({ legend, name, value, onChange, options, class: extra }) => html`
  <fieldset class="choices">
    <legend class="choices__legend">${legend}</legend>
    <div class=${classes("tiles", extra)}>
      ${options.map(
        (option) => html`
          <label class=${classes("tile", option.value === value && "tile--on")} key=${String(option.value)}>
            <input type="radio" class="tile__radio" name=${name} checked=${option.value === value} onChange=${() => onChange(option.value)} />
            ${option.picture}
            <span class="tile__title">${option.title}</span>
            ${option.text && html`<span class="tile__text">${option.text}</span>`}
            ${option.foot && html`<span class="tile__foot figure-in">${option.foot}</span>`}
            ${option.badge && html`<span class="tile__badge">${option.badge}</span>`}
          </label>
        `,
      )}
    </div>
  </fieldset>
`;
