/** Controls with their labels. */
import { html, useId, classes } from "../html.js";

/**
 * A labelled control with a hint or an error beneath. `children` gets the ids to bind.
 * @param {{label: any, hint?: any, error?: any, class?: string,
 *   children: (bind: {id: string, "aria-describedby"?: string, "aria-invalid"?: "true"}) => any}} props
 */
export function Field({ label, hint, error, class: name, children }) {
  const id = useId();
  const described = error ? `${id}e` : hint ? `${id}h` : undefined;
  return html`
    <div class=${classes("field", name)}>
      <label class="field__label" for=${id}>${label}</label>
      ${children({ id, "aria-describedby": described, "aria-invalid": error ? "true" : undefined })}
      ${error
        ? html`<p class="field__error" id=${`${id}e`} role="alert">${error}</p>`
        : hint && html`<p class="field__hint" id=${`${id}h`}>${hint}</p>`}
    </div>
  `;
}

/**
 * One of a few, side by side.
 * @param {{legend: string, name: string, value: any, onChange: (value: any) => void, showLegend?: boolean,
 *   disabled?: boolean, class?: string,
 *   options: {value: any, label: any, title?: string, lang?: string, disabled?: boolean}[]}} props
 */
export function Segments({ legend, name, value, onChange, options, showLegend = false, disabled = false, class: extra }) {
  const id = useId();
  return html`
    <fieldset class=${extra} disabled=${disabled}>
      <legend class=${showLegend ? "field__label" : "hidden-visually"}>${legend}</legend>
      <div class="segments">
        ${options.map(
          (option) => html`
            <label key=${option.value} title=${option.title} lang=${option.lang}>
              <input
                type="radio"
                name=${`${name}${id}`}
                value=${option.value}
                checked=${option.value === value}
                disabled=${option.disabled}
                onChange=${() => onChange(option.value)}
              />
              <span>${option.label}</span>
            </label>
          `,
        )}
      </div>
    </fieldset>
  `;
}

/**
 * A slider whose track is filled up to its thumb.
 * @param {{value: number, min: number, max: number, step: number, onInput: (value: number) => void, label?: string,
 *   text?: string, id?: string, disabled?: boolean, describedBy?: string}} props
 */
export function Slider({ value, min, max, step, onInput, label, text, id, disabled, describedBy }) {
  const share = max > min ? (Math.min(Math.max(value, min), max) - min) / (max - min) : 0;
  return html`
    <input
      class="slider"
      type="range"
      id=${id}
      min=${min}
      max=${max}
      step=${step}
      value=${value}
      disabled=${disabled}
      aria-label=${label}
      aria-valuetext=${text}
      aria-describedby=${describedBy}
      style=${{ "--at": `${share * 100}%` }}
      onInput=${(/** @type {any} */ event) => onInput(Number(event.target.value))}
    />
  `;
}

/**
 * @param {{checked: boolean, onChange: (checked: boolean) => void, children: any, disabled?: boolean}} props
 */
export const Check = ({ checked, onChange, children, disabled }) => html`
  <label class="choice">
    <input
      type="checkbox"
      checked=${checked}
      disabled=${disabled}
      onChange=${(/** @type {any} */ event) => onChange(event.target.checked)}
    />
    <span>${children}</span>
  </label>
`;
