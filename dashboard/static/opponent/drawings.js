/**
 * What is drawn of each figure, apart from its moving face: trunk, head, hair, and what belongs to it. Lengths are the
 * figure's, y upwards; `around`, `body` start from the table's height, all else from the middle of the head.
 *
 * @typedef {Record<string, string>} Palette
 * @typedef {import('./poses.js').Pose} Pose
 * @typedef {object} Drawing
 * @property {number} headY
 * @property {[number, number]} shoulder of the arm at the viewer's left
 * @property {{x: number, y: number, r: number, lash: number}} eye
 * @property {{from: number, to: number, y: number, arch: number, thick: number, colour: (p: Palette) => string}} brow
 * @property {{y: number, half: number, lip: number}} mouth
 * @property {(p: Palette) => SVGElement[]} around
 * @property {(p: Palette) => SVGElement[]} body
 * @property {(p: Palette) => SVGElement[]} behind hair behind the head
 * @property {(p: Palette, pose: Pose) => SVGElement[]} head
 * @property {(p: Palette) => SVGElement[]} nose
 * @property {(p: Palette) => SVGElement[]} hair
 * @property {(p: Palette, pose: Pose) => SVGElement[]} beard
 * @property {(p: Palette) => SVGElement[]} worn
 */

import { draw, shade } from './pen.js';

const none = () => [];

/** A filled path. */
const fill = (/** @type {string} */ d, /** @type {string} */ colour, more = {}) =>
  draw('path', { d, fill: colour, ...more });
/** A drawn line. */
const line = (/** @type {string} */ d, /** @type {string} */ colour, /** @type {number} */ width, more = {}) =>
  draw('path', {
    d,
    fill: 'none',
    stroke: colour,
    'stroke-width': width,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    ...more,
  });
/** A shape and its mirror image. */
const pair = (/** @type {(side: number) => SVGElement} */ make) =>
  [-1, 1].map((side) => draw('g', { transform: `scale(${side} 1)` }, make(side)));

/** A trunk, `w` its half width at the shoulders, `h` their height. */
const trunk = (/** @type {number} */ w, /** @type {number} */ h) =>
  `M${-w + 0.02} -.2 L${-w + 0.02} .4 C${-w - 0.06} ${h - 0.1} ${-w + 0.02} ${h} ${-w + 0.14} ${h + 0.03} L-.17 ${h + 0.16} Q0 ${h + 0.2} .17 ${h + 0.16} L${w - 0.14} ${h + 0.03} C${w - 0.02} ${h} ${w + 0.06} ${h - 0.1} ${w - 0.02} .4 L${w - 0.02} -.2 Z`;

/** A neck with the shadow of the chin. */
const neck = (/** @type {Palette} */ p, /** @type {number} */ w, /** @type {number} */ y) => [
  fill(
    `M${-w} ${y + 0.28} L${-w} ${y - 0.05} Q0 ${y - 0.22} ${w} ${y - 0.05} L${w} ${y + 0.28} Z`,
    shade(p.skin, -0.3),
  ),
];

const ears = (/** @type {Palette} */ p, /** @type {number} */ x, /** @type {number} */ y, size = 1) => [
  ...pair(() => draw('ellipse', { cx: x, cy: y, rx: 0.055 * size, ry: 0.105 * size, fill: shade(p.skin, -0.12) })),
  ...pair(() =>
    line(
      `M${x + 0.02} ${y + 0.06 * size} Q${x + 0.035 * size} ${y} ${x} ${y - 0.05 * size}`,
      shade(p.skin, -0.38),
      0.014,
    ),
  ),
];

const nose = (
  /** @type {Palette} */ p,
  /** @type {number} */ top,
  /** @type {number} */ y,
  /** @type {number} */ w,
) => [
  fill(
    `M-.012 ${top} Q${0.02} ${(top + y) / 2} ${w * 0.95} ${y + 0.01} Q${w * 0.6} ${y - 0.045} 0 ${y - 0.035} Z`,
    shade(p.skin, -0.22),
    { opacity: 0.6 },
  ),
  line(
    `M${-w} ${y} Q${-w * 0.9} ${y - 0.03} ${-w * 0.4} ${y - 0.026} Q0 ${y - 0.052} ${w * 0.4} ${y - 0.026} Q${w * 0.9} ${y - 0.03} ${w} ${y}`,
    shade(p.skin, -0.45),
    0.012,
  ),
  draw('ellipse', { cx: -0.012, cy: y + 0.035, rx: 0.022, ry: 0.026, fill: shade(p.skin, 0.5), opacity: 0.5 }),
];

/** Strands of light on hair. */
const gloss = (/** @type {string} */ colour, /** @type {string[]} */ paths, width = 0.02, opacity = 0.5) =>
  paths.map((d) => line(d, colour, width, { opacity }));

/** @type {Drawing} */
const shark = {
  headY: 1.53,
  shoulder: [-0.5, 0.87],
  eye: { x: 0.152, y: 0.03, r: 0.088, lash: 0.016 },
  brow: { from: 0.05, to: 0.275, y: 0.142, arch: 0.03, thick: 0.016, colour: (p) => p.hair },
  mouth: { y: -0.275, half: 0.125, lip: 0.02 },
  around: none,
  body: (p) => [
    ...neck(p, 0.17, 1.06),
    fill(trunk(0.62, 0.9), p.coat),
    fill('M-.17 1.1 L0 .3 L.17 1.1 Q0 1.0 -.17 1.1 Z', p.shirt),
    fill('M-.04 .95 L.04 .95 L.085 .34 L0 .24 L-.085 .34 Z', p.accent),
    fill('M-.058 1.0 L.058 1.0 L.04 .925 L-.04 .925 Z', shade(p.accent, 0.12)),
    fill('M0 .95 L.04 .95 L.085 .34 L0 .24 Z', '#000', { opacity: 0.18 }),
    ...pair(() =>
      fill('M0 .985 L.15 1.14 L.19 1.06 L.12 .88 Z', shade(p.shirt, -0.06), {
        stroke: shade(p.shirt, -0.3),
        'stroke-width': 0.006,
      }),
    ),
    ...pair(() =>
      fill('M.16 1.14 L.22 1.06 L.26 .93 L.42 .92 L.34 .76 L.02 .2 L0 .3 L.11 .75 Z', p.trim, {
        stroke: shade(p.coat, -0.4),
        'stroke-width': 0.008,
        'stroke-linejoin': 'round',
      }),
    ),
    fill('M.25 .66 L.27 .75 L.3 .69 L.33 .75 L.37 .66 Z', p.shirt),
  ],
  behind: (p) => [fill('M-.385 -.1 C-.44 .3 -.34 .6 0 .6 C.34 .6 .44 .3 .385 -.1 Z', p.hair)],
  head: (p, pose) => [
    ...ears(p, 0.37, -0.01, 1),
    fill(
      `M-.34 .25 C-.36 .05 -.345 -.1 -.325 -.16 L-.26 ${-0.34 - pose.jaw * 0.02} Q-.1 ${-0.53 - pose.jaw * 0.04} 0 ${-0.53 - pose.jaw * 0.04} Q.1 ${-0.53 - pose.jaw * 0.04} .26 ${-0.34 - pose.jaw * 0.02} L.325 -.16 C.345 -.1 .36 .05 .34 .25 C.3 .48 -.3 .48 -.34 .25 Z`,
      p.skin,
    ),
    ...pair(() => fill('M.325 -.12 Q.24 -.13 .17 -.2 Q.2 -.3 .25 -.34 Z', shade(p.skin, -0.3), { opacity: 0.22 })),
  ],
  nose: (p) => nose(p, 0.1, -0.125, 0.062),
  hair: (p) => [
    fill(
      'M-.36 -.02 C-.47 .35 -.33 .62 0 .615 C.33 .62 .47 .35 .36 -.02 C.345 .12 .34 .2 .3 .27 Q.2 .37 .07 .325 L0 .265 L-.07 .325 Q-.2 .37 -.3 .27 C-.34 .2 -.345 .12 -.36 -.02 Z',
      p.hair,
    ),
    ...gloss(
      '#8fa6c4',
      ['M-.24 .36 Q-.24 .5 -.12 .565', 'M-.15 .375 Q-.15 .49 -.06 .545', 'M.2 .37 Q.22 .46 .16 .54'],
      0.016,
      0.45,
    ),
  ],
  beard: none,
  worn: none,
};

/** @type {Drawing} */
const diplomat = {
  headY: 1.44,
  shoulder: [-0.42, 0.8],
  eye: { x: 0.158, y: -0.005, r: 0.103, lash: 0.02 },
  brow: { from: 0.07, to: 0.265, y: 0.155, arch: 0.03, thick: 0.015, colour: (p) => p.hair },
  mouth: { y: -0.265, half: 0.115, lip: 0.032 },
  around: none,
  body: (p) => [
    ...neck(p, 0.14, 0.98),
    fill(trunk(0.52, 0.82), p.coat),
    fill('M-.19 1.0 Q0 .82 .19 1.0 L.1 .5 L0 .22 L-.1 .5 Z', p.shirt),
    ...pair(() =>
      fill('M.15 1.02 Q.24 1.0 .29 .86 Q.3 .66 .2 .42 L.02 .1 L0 .22 Q.13 .5 .14 .8 Z', p.trim, {
        stroke: shade(p.coat, -0.35),
        'stroke-width': 0.008,
        'stroke-linejoin': 'round',
      }),
    ),
    draw('circle', { cx: 0.215, cy: 0.72, r: 0.032, fill: p.gold }),
    draw('circle', { cx: 0.207, cy: 0.728, r: 0.011, fill: shade(p.gold, 0.6) }),
  ],
  behind: (p) => [
    draw('ellipse', { cx: 0, cy: 0.66, rx: 0.2, ry: 0.185, fill: p.hair }),
    line('M-.1 .72 Q0 .8 .1 .7 Q.12 .6 .02 .62', shade(p.hair, 0.4), 0.014, { opacity: 0.7 }),
    fill('M-.39 -.2 C-.5 .3 -.36 .585 0 .585 C.36 .585 .5 .3 .39 -.2 Z', p.hair),
  ],
  head: (p, pose) => [
    ...ears(p, 0.37, -0.08, 0.8),
    fill(
      `M-.35 .22 C-.38 0 -.37 -.15 -.31 -.27 Q-.2 ${-0.475 - pose.jaw * 0.04} 0 ${-0.475 - pose.jaw * 0.04} Q.2 ${-0.475 - pose.jaw * 0.04} .31 -.27 C.37 -.15 .38 0 .35 .22 C.3 .45 -.3 .45 -.35 .22 Z`,
      p.skin,
    ),
  ],
  nose: (p) => nose(p, 0.03, -0.12, 0.066),
  hair: (p) => [
    fill(
      'M-.37 -.2 C-.5 .32 -.34 .595 0 .59 C.34 .595 .5 .32 .37 -.2 C.39 0 .37 .15 .33 .24 Q.18 .4 -.04 .27 Q-.2 .38 -.33 .24 C-.37 .15 -.39 0 -.37 -.2 Z',
      p.hair,
    ),
    ...gloss(
      '#b58a5c',
      ['M-.27 .34 Q-.2 .48 -.06 .53', 'M-.16 .37 Q-.1 .46 0 .5', 'M.3 .33 Q.25 .44 .16 .5'],
      0.015,
      0.5,
    ),
    draw('ellipse', { cx: -0.06, cy: 0.72, rx: 0.06, ry: 0.03, fill: '#b58a5c', opacity: 0.3 }),
    ...pair(() => draw('circle', { cx: 0.385, cy: -0.18, r: 0.022, fill: p.gold })),
    ...pair(() => draw('ellipse', { cx: 0.388, cy: -0.245, rx: 0.03, ry: 0.045, fill: p.gold })),
    ...pair(() => draw('ellipse', { cx: 0.38, cy: -0.232, rx: 0.008, ry: 0.013, fill: shade(p.gold, 0.65) })),
  ],
  beard: none,
  worn: none,
};

/** @type {Drawing} */
const veteran = {
  headY: 1.48,
  shoulder: [-0.47, 0.83],
  eye: { x: 0.15, y: 0.03, r: 0.08, lash: 0.011 },
  brow: { from: 0.045, to: 0.285, y: 0.182, arch: 0.016, thick: 0.034, colour: (p) => shade(p.hair, 0.1) },
  mouth: { y: -0.285, half: 0.095, lip: 0.02 },
  around: (p) => [
    fill('M-.86 -.2 L-.86 1.5 Q-.84 2.2 -.2 2.22 L.2 2.22 Q.84 2.2 .86 1.5 L.86 -.2 Z', p.wood),
    fill('M-.8 -.2 L-.8 1.5 Q-.78 2.14 -.2 2.16 L.2 2.16 Q.78 2.14 .8 1.5 L.8 -.2 Z', p.chair),
    fill('M-.8 -.2 L-.8 1.5 Q-.78 2.14 -.2 2.16 Q-.62 2.0 -.62 1.4 L-.62 -.2 Z', shade(p.chair, 0.16), {
      opacity: 0.6,
    }),
    ...[
      [-0.56, 1.86],
      [0.56, 1.86],
      [-0.22, 2.02],
      [0.22, 2.02],
      [-0.66, 1.5],
      [0.66, 1.5],
      [-0.56, 1.14],
      [0.56, 1.14],
    ].flatMap(([x, y]) => [
      draw('ellipse', { cx: x, cy: y - 0.01, rx: 0.075, ry: 0.06, fill: shade(p.chair, -0.4), opacity: 0.7 }),
      draw('circle', { cx: x, cy: y, r: 0.022, fill: p.gold }),
    ]),
    ...pair(() =>
      fill('M.7 .1 Q.66 1.6 .8 1.78 Q.95 1.6 .92 .1 Z', shade(p.chair, 0.06), {
        stroke: shade(p.chair, -0.4),
        'stroke-width': 0.012,
      }),
    ),
  ],
  body: (p) => [
    ...neck(p, 0.18, 1.02),
    fill(trunk(0.57, 0.86), p.coat),
    fill('M-.19 1.08 L0 .56 L.19 1.08 Q0 .98 -.19 1.08 Z', p.shirt),
    fill('M-.2 .98 L-.13 .9 L0 .64 L.13 .9 L.2 .98 L.2 -.2 L-.2 -.2 Z', p.vest),
    ...[0.5, 0.34, 0.18].map((y) => draw('circle', { cx: 0, cy: y, r: 0.02, fill: p.gold })),
    line('M.02 .34 Q.1 .24 .2 .32', p.gold, 0.01),
    ...pair(() =>
      fill('M.15 1.07 L.23 1.0 L.28 .87 L.35 .82 L.31 .7 L.14 -.2 L.06 -.2 L.14 .6 L.12 .9 Z', p.trim, {
        stroke: shade(p.coat, -0.35),
        'stroke-width': 0.008,
        'stroke-linejoin': 'round',
      }),
    ),
    ...pair(() => fill('M.01 .93 L.15 1.0 L.15 .84 Z', p.accent)),
  ],
  behind: (p) => [fill('M-.4 -.18 C-.48 .3 -.38 .59 0 .59 C.38 .59 .48 .3 .4 -.18 Z', shade(p.hair, -0.2))],
  head: (p) => [
    ...ears(p, 0.38, -0.03, 1.1),
    fill(
      'M-.35 .25 C-.37 .05 -.37 -.15 -.32 -.28 Q-.2 -.5 0 -.5 Q.2 -.5 .32 -.28 C.37 -.15 .37 .05 .35 .25 C.3 .5 -.3 .5 -.35 .25 Z',
      p.skin,
    ),
    ...[0.29, 0.335].map((y) =>
      line(`M-.14 ${y} Q0 ${y + 0.025} .14 ${y}`, shade(p.skin, -0.28), 0.008, { opacity: 0.7 }),
    ),
  ],
  nose: (p) => nose(p, 0.07, -0.11, 0.085),
  hair: (p) => [
    fill(
      'M-.36 -.1 C-.5 .02 -.47 .3 -.4 .42 C-.3 .62 -.12 .635 0 .62 C.12 .635 .3 .62 .4 .42 C.47 .3 .5 .02 .36 -.1 C.34 .05 .345 .15 .31 .26 Q.2 .44 .04 .4 L-.04 .4 Q-.2 .44 -.31 .26 C-.345 .15 -.34 .05 -.36 -.1 Z',
      p.hair,
    ),
    ...gloss(
      '#ffffff',
      [
        'M-.3 .36 Q-.22 .52 -.04 .56',
        'M-.2 .44 Q-.12 .52 0 .52',
        'M.3 .36 Q.24 .5 .1 .55',
        'M-.38 .06 Q-.42 .2 -.38 .3',
        'M.38 .06 Q.42 .2 .38 .3',
      ],
      0.013,
      0.6,
    ),
  ],
  beard: (p, pose) => {
    const drop = -pose.jaw * 0.04;
    return [
      fill(
        `M-.36 .06 Q-.33 -.12 -.25 -.19 Q-.12 -.215 0 -.2 Q.12 -.215 .25 -.19 Q.33 -.12 .36 .06 Q.39 -.28 .27 ${-0.5 + drop} Q.14 ${-0.72 + drop} 0 ${-0.74 + drop} Q-.14 ${-0.72 + drop} -.27 ${-0.5 + drop} Q-.39 -.28 -.36 .06 Z`,
        p.hair,
      ),
      fill(
        `M-.13 -.25 Q0 -.2 .13 -.25 Q.12 ${-0.35 + drop} 0 ${-0.36 + drop} Q-.12 ${-0.35 + drop} -.13 -.25 Z`,
        shade(p.skin, -0.12),
      ),
      ...gloss(
        shade(p.hair, -0.28),
        [
          `M-.2 -.36 Q-.16 -.55 -.08 ${-0.66 + drop}`,
          `M-.08 -.42 Q-.06 -.58 -.02 ${-0.7 + drop}`,
          `M.2 -.36 Q.16 -.55 .08 ${-0.66 + drop}`,
          `M.08 -.42 Q.06 -.58 .03 ${-0.69 + drop}`,
          'M-.3 -.15 Q-.3 -.32 -.24 -.44',
          'M.3 -.15 Q.3 -.32 .24 -.44',
        ],
        0.011,
        0.6,
      ),
    ];
  },
  worn: (p) => [
    ...pair(() =>
      fill(
        'M0 -.175 Q.1 -.15 .17 -.215 Q.22 -.26 .25 -.245 Q.2 -.3 .12 -.275 Q.05 -.235 0 -.235 Z',
        shade(p.hair, 0.15),
      ),
    ),
    ...pair(() =>
      draw('circle', {
        cx: 0.154,
        cy: 0.008,
        r: 0.12,
        fill: '#ffffff',
        'fill-opacity': 0.07,
        stroke: p.gold,
        'stroke-width': 0.016,
      }),
    ),
    ...pair(() => line('M.274 .02 L.37 .045', p.gold, 0.014)),
    line('M-.036 .03 Q0 .06 .036 .03', p.gold, 0.016),
    line('M-.23 .075 Q-.2 .1 -.165 .105', '#fff', 0.012, { opacity: 0.7 }),
    line('M.08 .075 Q.11 .1 .145 .105', '#fff', 0.012, { opacity: 0.7 }),
  ],
};

/** @type {Drawing} */
const person = {
  headY: 1.47,
  shoulder: [-0.45, 0.82],
  eye: { x: 0.15, y: 0.01, r: 0.09, lash: 0.014 },
  brow: { from: 0.06, to: 0.262, y: 0.152, arch: 0.024, thick: 0.014, colour: (p) => p.hair },
  mouth: { y: -0.27, half: 0.11, lip: 0.022 },
  around: none,
  body: (p) => [
    fill(trunk(0.55, 0.85), p.coat),
    fill('M-.24 1.0 Q-.22 1.12 -.17 1.16 L.17 1.16 Q.22 1.12 .24 1.0 Q0 .86 -.24 1.0 Z', shade(p.coat, 0.14)),
    line('M-.22 1.02 Q0 .9 .22 1.02', shade(p.coat, -0.3), 0.012),
  ],
  behind: (p) => [...neck(p, 0.15, -0.45), fill('M-.37 0 C-.44 .3 -.35 .57 0 .57 C.35 .57 .44 .3 .37 0 Z', p.hair)],
  head: (p, pose) => [
    ...ears(p, 0.36, -0.03, 0.85),
    fill(
      `M-.345 .22 C-.37 0 -.34 -.2 -.27 -.34 Q-.15 ${-0.5 - pose.jaw * 0.04} 0 ${-0.5 - pose.jaw * 0.04} Q.15 ${-0.5 - pose.jaw * 0.04} .27 -.34 C.34 -.2 .37 0 .345 .22 C.3 .45 -.3 .45 -.345 .22 Z`,
      p.skin,
    ),
  ],
  nose: (p) => nose(p, 0.05, -0.115, 0.055),
  hair: (p) => [
    fill(
      'M-.36 0 C-.46 .35 -.4 .6 -.08 .62 C.3 .62 .46 .4 .36 0 C.36 .12 .34 .2 .3 .28 Q.1 .38 -.1 .3 Q-.22 .3 -.31 .24 C-.345 .16 -.35 .1 -.36 0 Z',
      p.hair,
    ),
    ...gloss('#dfe6d2', ['M-.28 .4 Q-.24 .53 -.08 .56', 'M-.16 .4 Q-.1 .48 .02 .5'], 0.016, 0.4),
  ],
  beard: none,
  worn: none,
};

/** @type {Record<import('./personas.js').Name, Drawing>} */
export const DRAWINGS = { shark, diplomat, veteran, person };
