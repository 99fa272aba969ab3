/** The doors that programs use. */
import { html } from "../html.js";
import { t } from "../i18n.js";

const DOORS = [
  { path: "/ws", key: "agents.ws" },
  { path: "/env/ws", key: "agents.env" },
  { path: "/reset", key: "agents.http" },
  { path: "/mcp", key: "agents.mcp" },
  { path: "/schema", key: "agents.schema", link: true },
  { path: "/openapi.json", key: "agents.openapi", link: true },
];

const CODE = () => `from parlay_env.client import ParlayEnvClient

with ParlayEnvClient("${location.origin}").sync() as env:
    result = env.reset(scenario_id="saas_enterprise", persona="diplomat")
    print(result.observation.prompt)
    result = env.step({"utterance": "We propose 160,000.", "offer_amount": 160000})`;

export default () => html`
  <div class="page">
    <header class="page__head">
      <h1 class="page__title">${t("title.agents")}</h1>
      <p class="page__lead">${t("agents.lead")}</p>
    </header>
    <div class="scroll-x" tabindex="0" role="group" aria-label=${t("title.agents")}>
      <table class="ledger">
        <thead><tr><th scope="col">${t("agents.door")}</th><th scope="col">${t("agents.for")}</th></tr></thead>
        <tbody>
          ${DOORS.map(({ path, key, link }) => html`<tr>
            <th scope="row"><code>${link ? html`<a href=${path}>${path}</a>` : path}</code></th><td>${t(key)}</td>
          </tr>`)}
        </tbody>
      </table>
    </div>
    <h2 class="agents__first">${t("agents.first")}</h2>
    <pre class="code" tabindex="0"><code>${CODE()}</code></pre>
  </div>
`;
