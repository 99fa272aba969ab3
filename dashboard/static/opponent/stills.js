/**
 * Portraits: each figure as a drawing, for browsers and people that want no animation.
 *
 * A portrait shares the figure's colours and the numbers of its poses, so both wear the same expression.
 *
 * @typedef {import('./poses.js').Pose} Pose
 * @typedef {import('./poses.js').State} State
 * @typedef {import('./personas.js').Name} Name
 */

import { PALETTES, STATE_LIGHT } from './palettes.js';
import { POSES } from './poses.js';
import { DRAWINGS } from './drawings.js';
import { draw, short, shade } from './pen.js';

const { abs, cos, max, min, sqrt } = Math;

/** Pixels per unit of length, and where the table's height lies. */
const UNIT = 165;
const TABLE = 385;
let made = 0;

/** The whole portrait. @param {Name} persona @param {State} state @returns {SVGSVGElement} */
export function still(persona, state) {
  const palette = PALETTES[persona];
  const pose = POSES[persona][state];
  const drawing = DRAWINGS[persona];
  const id = `still${++made}`;
  const light = STATE_LIGHT[state] ?? palette.light;
  const figure = draw('g', { transform: `translate(200 ${TABLE}) scale(${UNIT} ${-UNIT})` });
  figure.append(...drawing.around(palette), bodyOf(drawing, palette, pose), headOf(persona, pose, id));
  const hands = draw(
    'g',
    { transform: `translate(200 ${TABLE}) scale(${UNIT} ${-UNIT})` },
    ...arms(palette, pose, drawing.shoulder),
  );
  return draw(
    'svg',
    { viewBox: '0 0 400 400', preserveAspectRatio: 'xMidYMax meet', 'data-persona': persona, 'data-state': state },
    draw(
      'defs',
      {},
      fade(`${id}g`, light, state === 'idle' ? 0.3 : 0.5),
      fade(`${id}l`, '#fff6e6', 0.34),
      fade(`${id}d`, '#10080a', 0.3),
      fade(`${id}b`, '#d0453a', 0.22),
      draw(
        'radialGradient',
        { id: `${id}t`, cx: 0.5, cy: 0.2, r: 0.75 },
        stop(0, '#2c6650'),
        stop(0.55, '#1d4a39'),
        stop(1, '#12291f'),
      ),
    ),
    draw('ellipse', { cx: 200, cy: 190, rx: 310, ry: 270, fill: `url(#${id}g)` }),
    figure,
    table(id),
    hands,
  );
}

const stop = (/** @type {number} */ offset, /** @type {string} */ colour, opacity = 1) =>
  draw('stop', { offset, 'stop-color': colour, 'stop-opacity': opacity });

/** A spot that fades out. */
const fade = (/** @type {string} */ id, /** @type {string} */ colour, /** @type {number} */ power) =>
  draw('radialGradient', { id }, stop(0, colour, power), stop(1, colour, 0));

/** The near side of the table. */
function table(/** @type {string} */ id) {
  return draw(
    'g',
    {},
    draw('path', { d: 'M-700 470 V430 Q200 304 1100 430 V470 Z', fill: '#2b1710' }),
    draw('path', {
      d: 'M-700 429 Q200 303 1100 429',
      fill: 'none',
      stroke: '#6b3f28',
      'stroke-width': 1.5,
      opacity: 0.7,
    }),
    draw('path', { d: 'M-700 480 V439 Q200 314 1100 439 V480 Z', fill: `url(#${id}t)` }),
    draw('path', { d: 'M-700 441 Q200 316 1100 441', fill: 'none', stroke: '#d9b25f', 'stroke-width': 1.3 }),
  );
}

/** @param {import('./drawings.js').Drawing} drawing @param {Record<string, string>} palette @param {Pose} pose */
const bodyOf = (drawing, palette, pose) =>
  draw('g', { transform: `translate(0 ${pose.shrug * 0.4}) rotate(${-pose.twist * 8})` }, ...drawing.body(palette));

/** Head and face, turned and set as the pose says. @param {Name} persona @param {Pose} pose @param {string} id */
function headOf(persona, pose, id) {
  const drawing = DRAWINGS[persona];
  const palette = PALETTES[persona];
  const drop = (pose.lean + pose.headX) * -0.22;
  const group = draw('g', {
    transform: `translate(${pose.twist * 0.1} ${drawing.headY + drop + pose.shrug * 0.3}) rotate(${short(pose.headZ * 57)}) scale(${1 + pose.lean * 0.2})`,
  });
  const aside = pose.headY * 0.1; // the features slide as the head turns
  const face = draw(
    'g',
    { transform: `translate(${aside} ${-pose.headX * 0.12})` },
    ...[-1, 1].map((side) =>
      draw('ellipse', { cx: side * 0.2, cy: -0.12 + pose.cheek * 0.015, rx: 0.12, ry: 0.09, fill: `url(#${id}b)` }),
    ),
    ...drawing.nose(palette),
    ...[-1, 1].flatMap((side) => eye(drawing, palette, pose, side, id)),
    ...mouth(drawing, palette, pose, id),
  );
  group.append(
    ...drawing.behind(palette),
    ...drawing.head(palette, pose),
    draw('ellipse', { cx: -0.13, cy: 0.17, rx: 0.3, ry: 0.34, fill: `url(#${id}l)` }),
    draw('ellipse', { cx: 0.15, cy: -0.2, rx: 0.2, ry: 0.25, fill: `url(#${id}d)` }),
    ...drawing.beard(palette, pose),
    face,
    ...drawing.hair(palette),
    draw(
      'g',
      { transform: `translate(${aside} ${-pose.headX * 0.12})` },
      ...[-1, 1].map((side) => brow(drawing, palette, pose, side)),
      ...drawing.worn(palette),
    ),
  );
  return group;
}

/** An eye between its lids. @param {import('./drawings.js').Drawing} drawing @param {Record<string, string>} palette @param {Pose} p @param {number} side @param {string} id */
function eye(drawing, palette, p, side, id) {
  const r = drawing.eye.r;
  const skew = side < 0 ? p.lidSkew : -p.lidSkew;
  const high = r * 1.3 * max(0.12, min(1, Math.sin(p.lidUp + skew) * 0.95 + 0.16));
  const low = r * 1.3 * max(0.05, min(1, Math.sin(-p.lidLow) * 0.95));
  const w = r * 1.06;
  const arc = (/** @type {number} */ y) => `C${-w * 0.55} ${y} ${w * 0.55} ${y}`;
  const opening = `M${-w} 0 ${arc(high)} ${w} 0 C${w * 0.55} ${-low} ${-w * 0.55} ${-low} ${-w} 0 Z`;
  const clip = `${id}e${side}`;
  const [gx, gy] = [p.gazeX * r * 0.95, p.gazeY * r * 0.8];
  const iris = r * 0.56;
  const ball = draw(
    'g',
    { 'clip-path': `url(#${clip})` },
    draw('rect', { x: -w, y: -w, width: 2 * w, height: 2 * w, fill: palette.eyeWhite }),
    draw('circle', { cx: gx, cy: gy, r: iris, fill: palette.irisRim }),
    draw('circle', { cx: gx, cy: gy - iris * 0.08, r: iris * 0.84, fill: palette.iris }),
    draw('circle', { cx: gx, cy: gy, r: iris * 0.5 * p.pupil, fill: '#07080a' }),
    draw('circle', { cx: gx - r * 0.2, cy: gy + r * 0.24, r: r * 0.13, fill: '#fff' }),
    draw('circle', { cx: gx + r * 0.2, cy: gy - r * 0.22, r: r * 0.06, fill: '#fff', opacity: 0.8 }),
    draw('path', {
      d: `M${-w} 0 ${arc(high)} ${w} 0`,
      fill: 'none',
      stroke: '#20100c',
      'stroke-opacity': 0.22,
      'stroke-width': r * 0.36,
    }),
  );
  const tilt = short(side * p.lidTilt * 40);
  return [
    draw('clipPath', { id: clip }, draw('path', { d: opening })),
    draw(
      'g',
      { transform: `translate(${side * drawing.eye.x} ${drawing.eye.y}) rotate(${tilt})` },
      draw('ellipse', {
        cx: 0,
        cy: r * 0.1,
        rx: r * 1.35,
        ry: r * 1.15,
        fill: shade(palette.skin, -0.2),
        opacity: 0.45,
      }),
      ball,
      draw('path', {
        d: `M${-w * 1.02} 0 ${arc(high)} ${w * 1.04} 0`,
        fill: 'none',
        stroke: palette.lash,
        'stroke-width': drawing.eye.lash,
        'stroke-linecap': 'round',
      }),
      draw('path', {
        d: `M${-w * 0.9} ${r * 0.28} ${arc(high * 1.04 + r * 0.42)} ${w * 0.95} ${r * 0.28}`,
        fill: 'none',
        stroke: shade(palette.skin, -0.42),
        'stroke-width': 0.008,
        'stroke-linecap': 'round',
      }),
      draw('path', {
        d: `M${-w * 0.7} ${-low * 0.55} C${-w * 0.3} ${-low * 1.05} ${w * 0.3} ${-low * 1.05} ${w * 0.7} ${-low * 0.55}`,
        fill: 'none',
        stroke: shade(palette.skin, -0.35),
        'stroke-width': 0.007,
        'stroke-linecap': 'round',
      }),
    ),
  ];
}

/** A tapered stroke. @param {import('./drawings.js').Drawing} drawing @param {Record<string, string>} palette @param {Pose} p @param {number} side */
function brow(drawing, palette, p, side) {
  const { from, to, y, arch, thick } = drawing.brow;
  const lift = p.browRaise - p.browSkew * side;
  const [x0, x1] = [(from - p.knit * 0.014) * side, to * side];
  const y0 = y + lift + p.browIn;
  const y1 = y + lift + p.browOut - 0.01;
  const [xm, ym] = [x0 + (x1 - x0) * 0.55, (y0 + y1) / 2 + arch * (1.5 + p.browArch)];
  return draw('path', {
    d: `M${x0} ${y0 - thick} Q${xm} ${ym - thick} ${x1} ${y1} Q${xm} ${ym + thick * 1.2} ${x0} ${y0 + thick} Q${x0 - thick * side} ${y0} ${x0} ${y0 - thick} Z`,
    fill: drawing.brow.colour(palette),
    'stroke-linejoin': 'round',
  });
}

/** Lips and what shows between them: the same curves as the figure's. @param {import('./drawings.js').Drawing} drawing @param {Record<string, string>} palette @param {Pose} p @param {string} id */
function mouth(drawing, palette, p, id) {
  const half = drawing.mouth.half * p.mouthWide * (1 - 0.45 * p.round);
  const line = (/** @type {number} */ u) => drawing.mouth.y + p.mouthY + p.smile * (u * u - 0.35) + p.skew * u;
  const bulge = (/** @type {number} */ u) => (1 - p.round) * (1 - u * u) ** 0.75 + p.round * sqrt(max(0, 1 - u * u));
  const upper = (/** @type {number} */ u) =>
    line(u) + p.mouthOpen * bulge(u) * 0.4 + p.snarl * abs(Math.sin(u * Math.PI)) * 0.03;
  const lower = (/** @type {number} */ u) => line(u) - p.mouthOpen * bulge(u) * 0.62;
  const us = Array.from({ length: 21 }, (_, i) => i / 10 - 1);
  const trace = (/** @type {(u: number) => number} */ f, /** @type {number[]} */ list) =>
    list.map((u) => `${short(u * half)} ${short(f(u))}`).join(' L');
  const back = [...us].reverse();
  const full = (/** @type {number} */ u) => drawing.mouth.lip * (1 - u ** 4) * (0.4 + 0.6 * cos(u * 1.5));
  const lips = `M${trace((u) => upper(u) + full(u) * 0.85 * (1 - 0.3 * Math.exp(-((u / 0.14) ** 2))), us)} L${trace((u) => lower(u) - full(u) * 1.25, back)} Z`;
  const gap = `M${trace(upper, us)} L${trace(lower, back)} Z`;
  const parts = [draw('path', { d: lips, fill: palette.lip, 'stroke-linejoin': 'round' })];
  if (p.mouthOpen > 0.01) {
    const clip = `${id}m`;
    parts.push(
      draw('clipPath', { id: clip }, draw('path', { d: gap })),
      draw(
        'g',
        { 'clip-path': `url(#${clip})` },
        draw('path', { d: gap, fill: palette.mouth }),
        draw('ellipse', { cx: 0, cy: lower(0) + 0.002, rx: half * 0.6, ry: p.mouthOpen * 0.32, fill: palette.tongue }),
        draw('path', {
          d: `M${trace((u) => upper(u) + 0.01, us)} L${trace((u) => upper(u) - p.teeth * 0.05 * sqrt(max(0, 1 - u * u * 0.8)), back)} Z`,
          fill: '#f4efe4',
        }),
      ),
    );
  } else {
    parts.push(
      draw('path', {
        d: `M${trace(line, us)}`,
        fill: 'none',
        stroke: palette.seam,
        'stroke-width': 0.011,
        'stroke-linecap': 'round',
      }),
    );
  }
  return parts;
}

/** Both arms, sleeves first, so that hands may meet in front. @param {Record<string, string>} palette @param {Pose} p @param {[number, number]} shoulder */
function arms(palette, p, shoulder) {
  const both = /** @type {const} */ ([
    ['l', 1],
    ['r', -1],
  ]);
  return [
    ...both.map(([key, flip]) => draw('g', { transform: `scale(${flip} 1)` }, ...sleeve(palette, p, key, shoulder))),
    ...both.map(([key, flip]) => draw('g', { transform: `scale(${flip} 1)` }, hand(palette, p, key))),
  ];
}

/** Where a hand lies on the picture. @param {Pose} p @param {'l'|'r'} key @returns {[number, number]} */
const spot = (p, key) => [p[`${key}X`] * 1.06, p[`${key}Y`] * 1.05 - (p[`${key}Z`] - 0.4) * 0.1];

/** @param {Record<string, string>} palette @param {Pose} p @param {'l'|'r'} key @param {[number, number]} shoulder */
function sleeve(palette, p, key, [sx, sy]) {
  const [x, y] = spot(p, key);
  const elbow = [sx - 0.2 - p[`${key}Elbow`] * 0.2 + (y > 0.4 ? 0.06 : 0), y > 0.4 ? 0.02 : 0.22];
  const [dx, dy] = [x - elbow[0], y - elbow[1]];
  const far = sqrt(dx * dx + dy * dy) || 1;
  const wrist = [x - (dx / far) * 0.1, y - (dy / far) * 0.1];
  const d = `M${sx + 0.03} ${sy - 0.05 + p.shrug * 0.5} Q${elbow[0]} ${(sy + elbow[1]) / 2} ${elbow[0] + 0.03} ${elbow[1]} Q${elbow[0] + 0.05} ${elbow[1] - 0.1} ${wrist[0]} ${wrist[1]}`;
  const stroke = (/** @type {string} */ colour, /** @type {number} */ width, more = {}) =>
    draw('path', {
      d,
      fill: 'none',
      stroke: colour,
      'stroke-width': width,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      ...more,
    });
  return [
    stroke(shade(palette.coat, -0.35), 0.278),
    stroke(palette.coat, 0.262),
    stroke(shade(palette.coat, 0.3), 0.06, { opacity: 0.3, transform: 'translate(-.055 .02)' }),
    draw('circle', {
      cx: wrist[0] + (dx / far) * 0.06,
      cy: wrist[1] + (dy / far) * 0.06,
      r: 0.098,
      fill: palette.cuff,
    }),
  ];
}

/** A hand: a palm and five round strokes. @param {Record<string, string>} palette @param {Pose} p @param {'l'|'r'} key */
function hand(palette, p, key) {
  const [x, y] = spot(p, key);
  const raised = cos(p[`${key}Pitch`]); // 1: the fingers point up; 0: towards the viewer
  const down = raised < 0.35;
  const curl = p[`${key}Curl`];
  const turn = p[`${key}Yaw`] * (down ? 34 : 10) + p[`${key}Tilt`] * -57;
  const edge = shade(palette.skin, -0.38);
  const reach = (down ? 0.1 : 0.19 * max(0.75, raised)) * (1 - curl * 0.55);
  const palmHigh = down ? 0.07 : 0.12;
  /** @type {[number, number, number][]} */
  const fingers = [-0.075, -0.026, 0.025, 0.074].map((at, i) => [
    at,
    at * (1 + p[`${key}Spread`] * 0.55),
    reach * [0.88, 1.02, 1, 0.92][i] * (i === 3 && p[`${key}Point`] > 0.5 ? 2.1 : 1),
  ]);
  const stroke = (/** @type {string} */ d, /** @type {number} */ width) => [
    draw('path', { d, fill: 'none', stroke: edge, 'stroke-width': width + 0.014, 'stroke-linecap': 'round' }),
    draw('path', { d, fill: 'none', stroke: palette.skin, 'stroke-width': width, 'stroke-linecap': 'round' }),
  ];
  const thumb = down
    ? `M.07 .03 Q.12 .06 .1 ${0.03 + reach * 0.8}`
    : `M.06 .04 Q.13 .08 ${0.14 - p[`${key}Thumb`] * 0.1} ${0.13 + reach * 0.25}`;
  return draw(
    'g',
    { transform: `translate(${x} ${y}) rotate(${short(down ? 180 + turn : turn)}) ${down ? 'scale(-1 1)' : ''}` },
    draw('ellipse', { cx: 0, cy: palmHigh * 0.45, rx: 0.108, ry: palmHigh * 0.85 + 0.03, fill: edge }),
    ...fingers.flatMap(([from, to, length]) => stroke(`M${from} ${palmHigh * 0.7} L${to} ${palmHigh + length}`, 0.05)),
    draw('ellipse', { cx: 0, cy: palmHigh * 0.45, rx: 0.1, ry: palmHigh * 0.85 + 0.022, fill: palette.skin }),
    ...stroke(thumb, 0.055),
  );
}
