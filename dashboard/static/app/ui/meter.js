/** How much of something there is. */
import { html, useId, classes } from "../html.js";

/**
 * @param {{label: any, value: number, max?: number, shown: string, tone?: "gold" | "green" | "sky" | "amber" | "scarlet",
 *   hint?: string, class?: string}} props
 */
export function Meter({ label, value, max = 1, shown, tone = "gold", hint, class: name }) {
  const id = useId();
  const share = Math.min(Math.max(value / max, 0), 1);
  return html`
    <div class=${classes("meter", name)} title=${hint}>
      <div class="meter__head">
        <span id=${id}>${label}</span>
        <span class="figure">${shown}</span>
      </div>
      <div
        class="meter__track"
        role="meter"
        aria-labelledby=${id}
        aria-valuemin="0"
        aria-valuemax=${max}
        aria-valuenow=${Math.round(value * 100) / 100}
        aria-valuetext=${shown}
      >
        <div class=${`meter__fill meter__fill--${tone}`} style=${{ width: `${share * 100}%` }}></div>
      </div>
    </div>
  `;
}
