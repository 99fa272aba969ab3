import { html } from "../html.js";
import { Empty } from "../ui/panel.js";
export default () => html`<${Empty} title="Parlay" />`;
