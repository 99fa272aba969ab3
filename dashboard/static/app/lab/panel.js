/** What all experiments of the page are made of: words and controls on one side, the picture on the other. */
import { html, useId } from "../html.js";

/**
 * @param {{id: string, mark: string, title: string, words: string[], controls: any, picture: any}} props
 */
export function Experiment({ id, mark, title, words, controls, picture }) {
  const key = useId();
  return html`
    <section class="panel lab__panel" id=${id} aria-labelledby=${key}>
      <div class="lab__words">
        <p class="eyebrow" aria-hidden="true">${mark}</p>
        <h2 class="lab__title" id=${key}>${title}</h2>
        ${words.map((text) => html`<p class="soft">${text}</p>`)}
        ${controls}
      </div>
      <div class="lab__picture">${picture}</div>
    </section>
  `;
}

/**
 * A few figures, large.
 * @param {{figures: {name: string, value: string, tone?: string}[]}} props
 */
export const Figures = ({ figures }) => html`
  <dl class="lab__figures">
    ${figures.map(({ name, value, tone }) => html`
      <div class="lab__figure"><dt>${name}</dt><dd class=${tone ? `figure tone--${tone}` : "figure"}>${value}</dd></div>`)}
  </dl>
`;

/** What came of it, for eyes and ears alike. @param {{children: any}} props */
export const Verdict = ({ children }) => html`<p class="lab__verdict" role="status">${children}</p>`;
