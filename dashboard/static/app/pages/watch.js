import { html } from "../html.js";
import { Empty } from "../ui/panel.js";
import { t } from "../i18n.js";

/** To be written. */
export default () => html`<${Empty} title=${t("state.missing")} />`;
