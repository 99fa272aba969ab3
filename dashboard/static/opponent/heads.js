/**
 * The solids of each head: skin, hair and beard. The origin is the middle of the head, x to the viewer's right, y up,
 * z towards the viewer; a head is about one unit tall.
 *
 * @typedef {import('./sculpt.js').Solid} Solid
 * @typedef {import('./sculpt.js').Vec} Vec
 * @typedef {{skin: Solid, hair: Solid[], beard?: Solid, eye: Vec, eyeRadius: number, mouthY: number}} Head
 */

import { carve, egg, grow, join, meet, prism, rod, shift, turn, twin } from './sculpt.js';

/** Strands combed back: grooves that run from the forehead to the nape. @param {Solid} f @returns {Solid} */
const combed =
  (f, /** @type {number} */ strands, /** @type {number} */ deep, lean = 0) =>
  (x, y, z) =>
    f(x, y, z) + deep * Math.cos(Math.atan2(x + lean * z, y + 0.25) * strands);

/** Wavy locks that run downwards. @param {Solid} f @returns {Solid} */
const wavy = (f, /** @type {number} */ strands, /** @type {number} */ deep) => (x, y, z) =>
  f(x, y, z) + deep * Math.cos(Math.atan2(x, z + 0.3) * strands + Math.sin(y * 9) * 1.3);

/** An ear: a shell with a hollow. @param {Vec} at @param {number} size @returns {Solid} */
function ear([a, b, c], size) {
  const shell = turn(egg([0, 0, 0], [0.05 * size, 0.115 * size, 0.075 * size]), 'y', 0.5);
  const hollow = turn(egg([0.035 * size, 0.012, 0.028 * size], [0.03 * size, 0.075 * size, 0.042 * size]), 'y', 0.5);
  return shift(carve(0.02, shell, hollow), [a, b, c]);
}

/** Hollows in which the eyes lie. @param {Vec} eye @param {number} r @returns {Solid} */
const sockets = (eye, r) => twin(egg([eye[0], eye[1] + r * 0.16, eye[2] + r * 0.45], [r * 1.14, r * 0.8, r * 0.8]));

/** @returns {Head} Angular: high cheekbones, long jaw, hair slicked back from a widow's peak. */
export function shark() {
  /** @type {Vec} */ const eye = [0.152, 0.035, 0.27];
  const r = 0.088;
  const cranium = egg([0, 0.14, -0.05], [0.355, 0.39, 0.42]);
  const bones = join(
    0.09,
    cranium,
    egg([0, -0.1, 0.06], [0.285, 0.36, 0.3]),
    twin(rod([0.235, -0.2, 0.02], [0.06, -0.475, 0.2], 0.065, 0.05)),
    twin(egg([0.225, -0.075, 0.2], [0.085, 0.05, 0.12])),
    egg([0, -0.47, 0.225], [0.085, 0.055, 0.065]),
  );
  const relief = join(0.05, bones, twin(rod([0.04, 0.125, 0.335], [0.25, 0.155, 0.23], 0.042, 0.03)));
  const nose = join(
    0.045,
    rod([0, 0.09, 0.33], [0, -0.125, 0.455], 0.03, 0.034),
    twin(egg([0.045, -0.135, 0.395], [0.03, 0.028, 0.045])),
  );
  const face = join(0.05, carve(0.05, relief, sockets(eye, r)), nose);
  const skin = join(
    0.04,
    face,
    twin(ear([0.36, -0.02, -0.05], 0.95)),
    rod([0, -0.25, -0.1], [0, -0.9, -0.14], 0.165, 0.18),
  );
  const cap = join(0.08, egg([0, 0.18, -0.075], [0.385, 0.41, 0.44]), egg([0, 0.33, 0.06], [0.27, 0.24, 0.3]));
  const brow = twin(egg([0.15, -0.09, 0.32], [0.262, 0.475, 0.43]));
  const sides = twin(egg([0.46, -0.3, 0.1], [0.14, 0.36, 0.3]));
  const nape = egg([0, -0.75, 0.05], [0.8, 0.5, 0.9]);
  const hair = carve(0.03, carve(0.03, carve(0.025, cap, brow), sides), nape);
  return { skin, hair: [combed(hair, 15, 0.0085)], eye, eyeRadius: r, mouthY: -0.275 };
}

/** @returns {Head} Round and open: full cheeks, small nose, hair gathered into a bun. */
export function diplomat() {
  /** @type {Vec} */ const eye = [0.158, 0.0, 0.262];
  const r = 0.105;
  const bones = join(
    0.12,
    egg([0, 0.12, -0.04], [0.37, 0.385, 0.41]),
    egg([0, -0.11, 0.06], [0.315, 0.33, 0.305]),
    twin(egg([0.175, -0.14, 0.2], [0.125, 0.115, 0.125])),
    egg([0, -0.385, 0.2], [0.11, 0.075, 0.085]),
  );
  const nose = join(
    0.05,
    rod([0, 0.03, 0.34], [0, -0.115, 0.425], 0.026, 0.038),
    twin(egg([0.047, -0.128, 0.385], [0.033, 0.03, 0.04])),
  );
  const face = join(0.06, carve(0.06, bones, sockets(eye, r)), nose);
  const skin = join(
    0.04,
    face,
    twin(ear([0.365, -0.08, -0.03], 0.8)),
    rod([0, -0.25, -0.08], [0, -0.9, -0.13], 0.135, 0.15),
  );
  const cap = egg([0, 0.16, -0.07], [0.425, 0.415, 0.45]);
  const window_ = join(0.02, egg([0.13, -0.13, 0.4], [0.3, 0.47, 0.41]), egg([-0.19, -0.13, 0.4], [0.24, 0.455, 0.4]));
  const ears = twin(egg([0.45, -0.26, 0.06], [0.16, 0.3, 0.3]));
  const nape = egg([0, -0.78, 0.05], [0.8, 0.52, 0.9]);
  const gathered = combed(carve(0.04, carve(0.05, carve(0.03, cap, window_), ears), nape), 12, 0.008, 0.35);
  const swirl = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) =>
    egg([0, 0.63, -0.14], [0.225, 0.2, 0.215])(x, y, z) +
    0.011 * Math.cos(Math.atan2(y - 0.63, x) * 3 + (y - 0.6) * 16 + z * 9);
  const lock = twin(rod([0.355, 0.06, 0.12], [0.375, -0.22, 0.1], 0.03, 0.008));
  return { skin, hair: [join(0.03, gathered, lock), swirl], eye, eyeRadius: r, mouthY: -0.265 };
}

/** @returns {Head} Old: heavy brow, strong nose, a silver mane and a full beard. */
export function veteran() {
  /** @type {Vec} */ const eye = [0.15, 0.035, 0.265];
  const r = 0.083;
  const bones = join(
    0.11,
    egg([0, 0.13, -0.04], [0.37, 0.385, 0.42]),
    egg([0, -0.12, 0.05], [0.315, 0.36, 0.315]),
    twin(egg([0.2, -0.1, 0.19], [0.1, 0.075, 0.13])),
    egg([0, -0.42, 0.2], [0.14, 0.09, 0.09]),
  );
  const brow = twin(rod([0.05, 0.13, 0.335], [0.25, 0.13, 0.235], 0.05, 0.04));
  const nose = join(
    0.05,
    rod([0, 0.08, 0.34], [0, -0.1, 0.455], 0.038, 0.055),
    twin(egg([0.058, -0.125, 0.4], [0.042, 0.037, 0.05])),
  );
  const face = join(0.05, carve(0.05, join(0.06, bones, brow), sockets(eye, r)), nose);
  const skin = join(
    0.04,
    face,
    twin(ear([0.37, -0.04, -0.03], 1.12)),
    rod([0, -0.25, -0.09], [0, -0.9, -0.13], 0.17, 0.19),
  );
  const cap = join(0.08, egg([0, 0.19, -0.1], [0.415, 0.4, 0.44]), twin(egg([0.34, 0.05, -0.12], [0.12, 0.25, 0.24])));
  const forehead = twin(egg([0.13, -0.02, 0.36], [0.27, 0.45, 0.44]));
  const nape = egg([0, -0.8, 0.05], [0.8, 0.55, 0.9]);
  const mane = carve(
    0.03,
    carve(0.04, carve(0.03, cap, forehead), nape),
    twin(egg([0.42, -0.12, 0.04], [0.08, 0.16, 0.13])),
  );
  return { skin, hair: [combed(mane, 13, 0.012, 0.12)], beard: beard(bones), eye, eyeRadius: r, mouthY: -0.285 };
}

/** A full beard over the jaw, open around the mouth, with a moustache. @param {Solid} bones @returns {Solid} */
function beard(bones) {
  const line = twin(
    prism([
      [-0.1, -0.2],
      [0.12, -0.2],
      [0.24, -0.19],
      [0.3, -0.08],
      [0.345, 0.09],
      [0.6, 0.09],
      [0.6, -0.9],
      [-0.1, -0.9],
    ]),
  );
  const fringe = meet(0.03, grow(bones, 0.035), line);
  const chin = join(0.1, egg([0, -0.5, 0.17], [0.235, 0.17, 0.16]), egg([0, -0.64, 0.17], [0.12, 0.12, 0.1]));
  const behind = egg([0, -0.3, -0.62], [0.8, 0.8, 0.6]);
  const full = carve(0.05, join(0.1, fringe, chin), behind);
  const open = carve(0.035, full, egg([0, -0.292, 0.4], [0.125, 0.062, 0.25]));
  const moustache = twin(
    join(
      0.04,
      rod([0.02, -0.2, 0.4], [0.13, -0.235, 0.36], 0.042, 0.036),
      rod([0.13, -0.235, 0.36], [0.215, -0.25, 0.3], 0.034, 0.012),
    ),
  );
  return join(0.015, wavy(open, 15, 0.009), wavy(moustache, 19, 0.004));
}

/** @returns {Head} Nobody in particular: a smooth porcelain face. */
export function person() {
  /** @type {Vec} */ const eye = [0.15, 0.015, 0.27];
  const r = 0.092;
  const bones = join(
    0.14,
    egg([0, 0.12, -0.04], [0.365, 0.39, 0.41]),
    egg([0, -0.12, 0.06], [0.29, 0.35, 0.3]),
    egg([0, -0.4, 0.19], [0.1, 0.07, 0.08]),
  );
  const face = join(0.07, carve(0.06, bones, sockets(eye, r)), rod([0, 0.05, 0.325], [0, -0.115, 0.42], 0.028, 0.036));
  const skin = join(
    0.04,
    face,
    twin(ear([0.355, -0.04, -0.03], 0.85)),
    rod([0, -0.25, -0.08], [0, -0.9, -0.13], 0.15, 0.165),
  );
  const cap = join(0.06, egg([0, 0.17, -0.07], [0.4, 0.4, 0.435]), egg([-0.12, 0.4, 0.12], [0.26, 0.16, 0.24]));
  const window_ = join(0.03, egg([0.14, -0.13, 0.4], [0.27, 0.42, 0.42]), egg([-0.18, -0.2, 0.4], [0.24, 0.42, 0.36]));
  const sides = twin(egg([0.46, -0.28, 0.08], [0.15, 0.34, 0.28]));
  const nape = egg([0, -0.76, 0.05], [0.8, 0.52, 0.9]);
  return {
    skin,
    hair: [carve(0.04, carve(0.04, carve(0.03, cap, window_), sides), nape)],
    eye,
    eyeRadius: r,
    mouthY: -0.27,
  };
}
