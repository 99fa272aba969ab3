/**
 * The opponent at the table: an animated figure where the browser can draw one, a portrait where it can't or shouldn't.
 *
 * The portrait is there at once; three.js is loaded and the figure sculpted behind it, and fades in when it is whole.
 *
 * @typedef {'shark'|'diplomat'|'veteran'|'person'} PersonaName
 * @typedef {'idle'|'thinking'|'aggressive'|'pleased'|'shocked'} State
 * @typedef {object} Opponent
 * @property {(state: State, label?: string) => void} setState changes the expression; `label` is the new description
 * @property {(milliseconds: number) => void} speak moves the mouth for so long; 0 stops
 * @property {(tension: number) => void} setTension 0 … 100: quicker breath, a harder brow, warmer light
 * @property {(x: number, y: number) => void} lookAt where it looks, -1 … 1 each, as the viewer sees it; (0, 0) is the viewer
 * @property {() => void} dispose takes everything away
 * @property {Promise<'figure'|'still'>} ready what is shown in the end
 */

import { still } from './stills.js';

/** @type {State[]} */
const STATES = ['idle', 'thinking', 'aggressive', 'pleased', 'shocked'];

const clamp = (/** @type {number} */ x, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.max(low, Math.min(high, Number(x) || 0));

/** Whether this browser draws with WebGL 2 at all. */
function canDraw() {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return Boolean(context);
  } catch {
    return false;
  }
}

/**
 * Seats an opponent in `container`, which must have a size of its own.
 * @param {HTMLElement} container
 * @param {{persona: PersonaName, label: string, reducedMotion?: boolean, quality?: 'auto'|'rich'|'plain'}} options `label` describes the picture for who
 *   doesn't see it; without `reducedMotion` the browser's own setting counts;
 *   `quality` is judged by the renderer unless it is given
 * @returns {Opponent}
 */
export function mountOpponent(container, { persona, label, reducedMotion, quality = 'auto' }) {
  const calm = reducedMotion ?? matchMedia('(prefers-reduced-motion: reduce)').matches;
  /** @type {import('./stage.js').Stage | null} */
  let stage = null;
  /** @type {State} */
  let state = 'idle';
  let tension = 0;
  let gone = false;
  /** @type {SVGElement | null} */
  let portrait = null;
  /** @type {SVGElement | null} the portrait that is fading out */
  let leaving = null;

  container.setAttribute('role', 'img');
  container.setAttribute('aria-label', label);
  if (getComputedStyle(container).position === 'static') container.style.position = 'relative';

  const paint = () => {
    leaving?.remove();
    leaving = null;
    const next = still(persona, state);
    next.setAttribute('aria-hidden', 'true');
    Object.assign(next.style, { position: 'absolute', inset: '0', width: '100%', height: '100%' });
    if (portrait) portrait.replaceWith(next);
    else container.prepend(next);
    portrait = next;
  };
  const fall = () => {
    stage?.dispose();
    stage = null;
    if (!gone) paint();
  };

  /** The portrait gives way to the figure that fades in. */
  const leave = () => {
    const old = portrait;
    portrait = null;
    leaving = old;
    if (!old) return;
    old.style.transition = 'opacity .5s';
    old.style.opacity = '0';
    setTimeout(() => old.remove(), 600);
  };

  const open = async () => {
    if (calm || !canDraw()) return 'still';
    const [{ Stage }, { PERSONAS }] = await Promise.all([import('./stage.js'), import('./personas.js')]);
    if (gone) return 'still';
    stage = new Stage(container, PERSONAS[persona], fall, quality);
    stage.setState(state);
    stage.motion.tension = tension;
    await stage.open();
    if (!stage) return 'still';
    leave();
    return 'figure';
  };
  paint();
  const ready = /** @type {Promise<'figure'|'still'>} */ (
    open().catch(() => {
      fall();
      return 'still';
    })
  );

  return {
    ready,
    setState(next, described) {
      if (described) container.setAttribute('aria-label', described);
      if (!STATES.includes(next) || next === state) return;
      state = next;
      stage?.setState(next);
      if (portrait) paint();
    },
    speak(milliseconds) {
      stage?.motion.speak(clamp(milliseconds, 0, 60_000) / 1000);
      stage?.wake();
    },
    setTension(value) {
      tension = clamp(value, 0, 100);
      if (stage) stage.motion.tension = tension;
    },
    lookAt(x, y) {
      if (stage) stage.motion.look = { x: clamp(x, -1, 1), y: clamp(y, -1, 1) };
    },
    dispose() {
      gone = true;
      stage?.dispose();
      stage = null;
      container.querySelectorAll(':scope > [data-persona]').forEach((old) => old.remove());
      portrait = null;
      container.removeAttribute('role');
      container.removeAttribute('aria-label');
    },
  };
}
