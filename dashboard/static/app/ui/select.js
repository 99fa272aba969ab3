/** One of many, with its label: the browser's own list. */
import { html } from "../html.js";
import { Field } from "./field.js";

/**
 * @param {{label: any, value: string, onChange: (value: string) => void, options: {value: string, label: string}[], hint?: any,
 *   class?: string}} props
 */
export const Select = ({ label, value, onChange, options, hint, class: name }) => html`
  <${Field} label=${label} hint=${hint} class=${name}>
    ${(/** @type {any} */ bind) => html`
      <select class="input" ...${bind} value=${value} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>
        ${options.map((option) => html`<option key=${option.value} value=${option.value} selected=${option.value === value}>${option.label}</option>`)}
      </select>
    `}
  <//>
`;
