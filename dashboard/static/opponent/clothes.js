/**
 * The solids of each figure's body and clothes. The origin is at the table's height in the middle of the trunk; x to the
 * viewer's right, y up, z towards the viewer; the neck leaves the collar at about y = 1.
 *
 * @typedef {import('./sculpt.js').Solid} Solid
 * @typedef {import('./sculpt.js').Vec} Vec
 * @typedef {{solid: Solid, cloth: string, cell?: number, low?: Vec, high?: Vec}} Piece `cloth` names a colour of the
 *   persona's palette; `low` and `high` box in a small piece
 */

import { ball, block, carve, egg, join, layer, meet, prism, rod, shift, turn, twin } from './sculpt.js';

/** @typedef {[number, number][]} Outline */

/**
 * A band around the neck, lower in front, wider towards the top by `slope`.
 * @param {Vec} centre @param {number} radius @param {number} half half its height @returns {Solid}
 */
function collar([a, b, c], radius, half, thick = 0.02, slope = 0.2) {
  return (x, y, z) => {
    const h = y - b + (z - c) * 0.42;
    const out = Math.abs(Math.sqrt((x - a) ** 2 + (z - c) ** 2) - radius - h * slope) - thick * 0.3;
    const above = Math.abs(h) - half;
    return Math.sqrt(Math.max(out, 0) ** 2 + Math.max(above, 0) ** 2) + Math.min(0, Math.max(out, above)) - thick * 0.7;
  };
}

/** A trunk: chest, belly and shoulders. `square` sets the shoulders' corners out; `round` softens all. */
function trunk({ wide = 0.46, high = 0.84, thick = 0.15, chest = 0.27, belly = 0.27, neck = 0.13, soft = 0.16 }) {
  return join(
    soft,
    egg([0, 0.52, 0], [wide * 1.02, 0.58, chest]),
    egg([0, 0.02, 0.02], [wide * 0.92, 0.6, belly]),
    rod([-wide, high, -0.04], [wide, high, -0.04], thick),
    twin(rod([0.08, high + 0.16, -0.08], [wide * 0.8, high + 0.03, -0.05], neck, 0.1)),
  );
}

/** A pointed shirt collar's two wings. @param {Solid} body @param {Outline} outline */
const wings = (body, outline, thick = 0.055) => layer(body, twin(prism(outline)), thick, 0.02);

/** @returns {{body: Solid, pieces: Piece[]}} A dark suit with peaked lapels, white shirt and a scarlet tie. */
export function suit() {
  const body = trunk({ wide: 0.445, high: 0.88, thick: 0.125, chest: 0.26, belly: 0.24, soft: 0.11 });
  const shirt = layer(
    body,
    twin(
      prism([
        [-0.1, 1.2],
        [0.17, 1.2],
        [0.15, 0.95],
        [0.02, 0.36],
        [-0.1, 0.36],
      ]),
    ),
    0.022,
  );
  const lapel = layer(
    body,
    twin(
      prism([
        [0.13, 1.12],
        [0.2, 1.0],
        [0.235, 0.87],
        [0.4, 0.865],
        [0.335, 0.73],
        [0.015, 0.2],
        [-0.02, 0.3],
        [0.06, 0.6],
      ]),
    ),
    0.05,
    0.02,
  );
  const tie = join(
    0.02,
    layer(
      body,
      prism([
        [-0.035, 0.93],
        [0.035, 0.93],
        [0.085, 0.34],
        [0, 0.26],
        [-0.085, 0.34],
      ]),
      0.05,
      0.025,
    ),
    shift(turn(block([0, 0, 0], [0.052, 0.05, 0.035], 0.025), 'x', -0.35), [0, 0.955, 0.2]),
  );
  const square = layer(
    body,
    prism([
      [0.235, 0.66],
      [0.26, 0.74],
      [0.29, 0.69],
      [0.315, 0.745],
      [0.36, 0.665],
    ]),
    0.045,
    0.012,
  );
  return {
    body,
    pieces: [
      { solid: body, cloth: 'coat' },
      { solid: shirt, cloth: 'shirt', cell: 0.02, low: [-0.3, 0.25, -0.3], high: [0.3, 1.25, 0.4] },
      {
        solid: join(
          0.02,
          collar([0, 1.03, -0.09], 0.2, 0.06),
          wings(
            body,
            [
              [0, 1.03],
              [0.15, 1.12],
              [0.165, 0.93],
              [0.115, 0.855],
              [0.015, 0.975],
            ],
            0.075,
          ),
        ),
        cloth: 'shirt',
        cell: 0.017,
        low: [-0.3, 0.8, -0.4],
        high: [0.3, 1.25, 0.4],
      },
      { solid: lapel, cloth: 'trim', cell: 0.022 },
      { solid: tie, cloth: 'accent', cell: 0.02, low: [-0.16, 0.2, 0], high: [0.16, 1.1, 0.4] },
      { solid: square, cloth: 'shirt', cell: 0.018, low: [0.18, 0.6, 0], high: [0.42, 0.8, 0.4] },
    ],
  };
}

/** @returns {{body: Solid, pieces: Piece[]}} A soft jacket with a shawl collar over a blouse, beads at the neck. */
export function shawl() {
  const body = trunk({ wide: 0.345, high: 0.8, thick: 0.135, chest: 0.26, belly: 0.25, neck: 0.11, soft: 0.2 });
  const blouse = layer(
    body,
    twin(
      prism([
        [-0.1, 1.2],
        [0.2, 1.2],
        [0.2, 0.9],
        [0.03, 0.28],
        [-0.1, 0.28],
      ]),
    ),
    0.024,
  );
  const roll = layer(
    body,
    twin(
      prism([
        [0.12, 1.15],
        [0.22, 1.08],
        [0.29, 0.86],
        [0.28, 0.68],
        [0.2, 0.45],
        [0.03, 0.12],
        [-0.02, 0.25],
        [0.06, 0.5],
        [0.12, 0.75],
        [0.135, 0.95],
      ]),
    ),
    0.06,
    0.06,
  );
  const beads = [];
  for (let i = -6; i <= 6; i++) {
    const t = i / 6;
    beads.push(ball([t * 0.175, 0.88 + 0.13 * t * t, 0.185 - 0.12 * t * t], 0.024 + 0.006 * (1 - Math.abs(t))));
  }
  const brooch = ball([0.215, 0.73, 0.245], 0.038);
  return {
    body,
    pieces: [
      { solid: body, cloth: 'coat' },
      { solid: blouse, cloth: 'shirt', cell: 0.02, low: [-0.3, 0.2, -0.3], high: [0.3, 1.25, 0.4] },
      { solid: roll, cloth: 'trim', cell: 0.022 },
      { solid: join(0.004, ...beads), cloth: 'gold', cell: 0.014, low: [-0.25, 0.8, 0], high: [0.25, 1.1, 0.3] },
      { solid: brooch, cloth: 'gold', cell: 0.014, low: [0.1, 0.65, 0.1], high: [0.3, 0.85, 0.4] },
    ],
  };
}

/** @returns {{body: Solid, pieces: Piece[]}} Tweed over a waistcoat, with a bow tie. */
export function tweed() {
  const body = trunk({ wide: 0.4, high: 0.82, thick: 0.15, chest: 0.3, belly: 0.33, soft: 0.2 });
  const shirt = layer(
    body,
    twin(
      prism([
        [-0.1, 1.2],
        [0.17, 1.2],
        [0.15, 0.95],
        [0.02, 0.6],
        [-0.1, 0.6],
      ]),
    ),
    0.022,
  );
  const vest = layer(
    body,
    twin(
      prism([
        [-0.1, 0.66],
        [0.03, 0.66],
        [0.17, 0.98],
        [0.22, 0.9],
        [0.2, 0.4],
        [0.1, -0.2],
        [-0.1, -0.2],
      ]),
    ),
    0.034,
    0.02,
  );
  const lapel = layer(
    body,
    twin(
      prism([
        [0.13, 1.1],
        [0.21, 1.0],
        [0.26, 0.84],
        [0.33, 0.8],
        [0.3, 0.68],
        [0.13, 0.1],
        [0.06, 0.1],
        [0.13, 0.6],
      ]),
    ),
    0.06,
    0.03,
  );
  const bow = join(
    0.015,
    twin(
      meet(
        0.02,
        egg([0.085, 0.93, 0.235], [0.09, 0.075, 0.04]),
        prism([
          [0, 0.955],
          [0.16, 1.02],
          [0.16, 0.84],
          [0, 0.905],
        ]),
      ),
    ),
    block([0, 0.93, 0.25], [0.028, 0.034, 0.03], 0.02),
  );
  const buttons = join(0.002, ball([0, 0.52, 0.335], 0.024), ball([0, 0.36, 0.36], 0.024), ball([0, 0.2, 0.37], 0.024));
  return {
    body,
    pieces: [
      { solid: body, cloth: 'coat' },
      { solid: shirt, cloth: 'shirt', cell: 0.02, low: [-0.3, 0.25, -0.3], high: [0.3, 1.25, 0.4] },
      { solid: collar([0, 1.01, -0.09], 0.205, 0.055), cloth: 'shirt', cell: 0.018 },
      { solid: vest, cloth: 'vest', cell: 0.022 },
      { solid: lapel, cloth: 'trim', cell: 0.022 },
      { solid: bow, cloth: 'accent', cell: 0.017, low: [-0.25, 0.78, 0.1], high: [0.25, 1.08, 0.4] },
      { solid: buttons, cloth: 'gold', cell: 0.014, low: [-0.06, 0.12, 0.25], high: [0.06, 0.6, 0.45] },
    ],
  };
}

/** @returns {{body: Solid, pieces: Piece[]}} A plain roll-neck. */
export function rollNeck() {
  const body = trunk({ wide: 0.38, high: 0.82, thick: 0.14, soft: 0.2 });
  const fold = join(
    0.03,
    collar([0, 1.02, -0.09], 0.19, 0.07, 0.045, 0.05),
    collar([0, 0.97, -0.08], 0.215, 0.03, 0.05, 0),
  );
  return {
    body,
    pieces: [
      { solid: body, cloth: 'coat' },
      { solid: carve(0.02, fold, ball([0, 1.4, -0.1], 0.2)), cloth: 'coat' },
    ],
  };
}
