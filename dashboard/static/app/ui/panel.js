/** Surfaces, and how a page looks while it waits, has nothing, or failed. */
import { html, useId, classes } from "../html.js";
import { t } from "../i18n.js";
import { ApiError } from "../api.js";

/**
 * @param {{title?: any, note?: any, children: any, class?: string, id?: string, level?: 2 | 3, spot?: string}} props
 *   `spot` is a name that hints can be pinned to
 */
export function Panel({ title, note, children, class: name, id, level = 2, spot }) {
  const key = useId();
  return html`
    <section class=${classes("panel", name)} id=${id} data-spot=${spot} aria-labelledby=${title ? key : undefined}>
      ${title &&
      html`
        <div class="panel__head">
          ${level === 2
            ? html`<h2 class="panel__title" id=${key}>${title}</h2>`
            : html`<h3 class="panel__title" id=${key}>${title}</h3>`}
          ${note && html`<p class="panel__note">${note}</p>`}
        </div>
      `}
      <div class="panel__body">${children}</div>
    </section>
  `;
}

/**
 * Something the reader should know, with perhaps something to do about it.
 * @param {{tone?: "warn" | "bad" | "gold" | "sky", children: any, action?: any, live?: boolean}} props
 */
export const Notice = ({ tone, children, action, live = false }) => html`
  <div class=${classes("notice", tone && `notice--${tone}`)} role=${live ? "status" : undefined}>
    <div>${children}</div>
    ${action}
  </div>
`;

/** @param {{height?: string, width?: string}} props */
export const Skeleton = ({ height = "1rem", width = "100%" }) =>
  html`<div class="skeleton" style=${{ height, width }} aria-hidden="true"></div>`;

/** A page of which nothing is known yet. @param {{heights?: string[]}} props */
export const Loading = ({ heights = ["3rem", "12rem", "12rem"] }) => html`
  <div class="page" aria-busy="true">
    <p class="hidden-visually" role="status">${t("state.loading")}</p>
    ${heights.map((height) => html`<div class="page__head"><${Skeleton} height=${height} /></div>`)}
  </div>
`;

/** @param {{mark?: string, title: any, children?: any, action?: any}} props */
export const Empty = ({ mark = "◇", title, children, action }) => html`
  <div class="empty">
    <p class="empty__mark" aria-hidden="true">${mark}</p>
    <h2 class="empty__title">${title}</h2>
    ${children && html`<div class="soft">${children}</div>`} ${action}
  </div>
`;

/**
 * What failed, in words, and a way to try again.
 * @param {{error: unknown, retry?: () => void, title?: string}} props
 */
export const Failed = ({ error, retry, title }) => html`
  <div role="alert">
    <${Empty}
      mark="◈"
      title=${title ?? t("state.failed")}
      action=${html`
        <div class="buttons">
          ${retry && html`<button type="button" class="button" onClick=${retry}>${t("state.again")}</button>`}
          <a class="button button--ghost" href="/">${t("state.home")}</a>
        </div>
      `}
      >${error instanceof ApiError ? error.words : t("error.unknown")}<//
    >
  </div>
`;
