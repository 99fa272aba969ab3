/**
 * A page to look at one opponent: ?persona=shark&state=pleased&speak=9000&tension=80&still=1&quality=rich
 */

import { mountOpponent } from './opponent.js';

const asked = new URLSearchParams(location.search);
const box = document.createElement('div');
document.querySelector('main')?.append(box);
const persona = /** @type {import('./opponent.js').PersonaName} */ (asked.get('persona') ?? 'shark');
const state = /** @type {import('./opponent.js').State} */ (asked.get('state') ?? 'idle');
const opponent = mountOpponent(box, {
  persona,
  label: `${persona}, ${state}`,
  reducedMotion: asked.has('still') ? true : undefined,
  quality: /** @type {any} */ (asked.get('quality') ?? 'auto'),
});
opponent.setState(state);
opponent.setTension(Number(asked.get('tension') ?? 0));
opponent.ready.then((kind) => {
  if (asked.has('speak')) opponent.speak(Number(asked.get('speak')));
  document.documentElement.dataset.ready = kind;
});
Object.assign(window, { opponent });
