/** What is drawn on each card. */
import { html } from "../html.js";

/** @type {Record<string, any>} */
const PATHS = {
  anchor_high: html`<circle cx="16" cy="6.500" r="2.500" /><path d="M16 9v18M10 13h12M6 19c0 5 4.500 8 10 8s10-3 10-8M6 19l-2 3M6 19l3 2.500M26 19l2 3M26 19l-3 2.500" />`,
  silence: html`<circle cx="16" cy="16" r="10" /><path d="M11.500 19.500h9M12 13v.01M20 13v.01" /><path d="M16 14v11" />`,
  sweetener: html`<path d="M6 13h20v4H6zM8 17h16v10H8zM16 13v14" /><path d="M16 13c-6 0-7-7-3-7 2.500 0 3 4 3 7zM16 13c6 0 7-7 3-7-2.500 0-3 4-3 7z" />`,
  reframe: html`<rect x="5" y="8" width="22" height="16" rx="1.500" /><rect x="9" y="12" width="14" height="8" rx="1" /><path d="M13 8V5M19 8V5M13 27v-3M19 27v-3" />`,
  time_pressure: html`<path d="M9 5h14M9 27h14M10.500 5c0 7 11 8 11 11s-11 4-11 11M21.500 5c0 7-11 8-11 11s11 4 11 11" /><path d="M14 23h4" />`,
  batna_reveal: html`<path d="M7 27V6h13v21" /><path d="M20 9h5v18M5 27h22" /><circle cx="16.500" cy="17" r="1" />`,
};

/** @param {{card: string}} props */
export const Drawing = ({ card }) => html`
  <svg class="card__drawing" viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.4"
    stroke-linecap="round" stroke-linejoin="round">${PATHS[card] ?? html`<path d="M16 6l9 10-9 10-9-10z" />`}</svg>
`;
