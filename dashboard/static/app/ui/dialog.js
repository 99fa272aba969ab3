/** A question in front of everything else: the browser's own dialog, so that focus and Escape are right. */
import { html, useEffect, useRef, useId, classes } from "../html.js";

/**
 * @param {{open: boolean, onClose: () => void, title: any, children: any, actions?: any, wide?: boolean}} props
 */
export function Dialog({ open, onClose, title, children, actions, wide = false }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (!shown || shown.open === open) return;
    if (open) shown.showModal();
    else shown.close();
  }, [open]);
  return html`
    <dialog
      class=${classes("dialog", wide && "dialog--wide")}
      ref=${dialog}
      aria-labelledby=${id}
      onClose=${onClose}
      onClick=${(/** @type {MouseEvent} */ event) => event.target === dialog.current && onClose()}
    >
      ${open &&
      html`
        <div class="dialog__inner">
          <h2 class="dialog__title" id=${id}>${title}</h2>
          ${children} ${actions && html`<div class="dialog__actions">${actions}</div>`}
        </div>
      `}
    </dialog>
  `;
}

/**
 * A yes-or-no question.
 * @param {{open: boolean, onClose: () => void, onYes: () => void, title: any, yes: string, no: string, danger?: boolean,
 *   children: any}} props
 */
export const Confirm = ({ open, onClose, onYes, title, yes, no, danger = false, children }) => html`
  <${Dialog}
    open=${open}
    onClose=${onClose}
    title=${title}
    actions=${html`
      <button type="button" class="button" autofocus onClick=${onClose}>${no}</button>
      <button
        type="button"
        class=${classes("button", danger ? "button--danger" : "button--primary")}
        onClick=${() => {
          onClose();
          onYes();
        }}
      >
        ${yes}
      </button>
    `}
    >${children}<//
  >
`;
