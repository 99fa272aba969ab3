/**
 * Who sits there: build, features and temperament of each figure.
 *
 * @typedef {'shark'|'diplomat'|'veteran'|'person'} Name
 * @typedef {object} Persona
 * @property {Name} name
 * @property {Record<string, string>} palette
 * @property {{skin: number, hair: number, coat: number}} rough how matt each is
 * @property {import('./sculpt.js').Vec} blush a factor for red, green and blue of cheeks, nose and ears
 * @property {{head: number, headY: number, hand: number, upper: number, fore: number, shoulder: number, wrist: number,
 *   joint: [number, number, number]}} build
 * @property {{iris: number, lash: number, mouth: number, lipUpper: number, lipLower: number, seam: number,
 *   brow: {from: number, to: number, y: number, arch: number, thick: number, peak: number}}} face
 * @property {{speed: number, bounce: number, breath: number, sway: number, blink: number, nod: number, beat: number}} temper
 *   `speed` of changes in radians a second, `bounce` 1 = none, seconds between blinks, how much it nods and gestures
 */

import { diplomat, person, shark, veteran } from './heads.js';
import { PALETTES } from './palettes.js';
import { rollNeck, shawl, suit, tweed } from './clothes.js';

/** @type {Record<Name, Persona>} */
export const PERSONAS = {
  shark: {
    name: 'shark',
    palette: PALETTES.shark,
    rough: { skin: 0.5, hair: 0.26, coat: 0.55 },
    blush: [0.95, 0.72, 0.66],
    build: {
      head: 1.0,
      headY: 1.53,
      hand: 1.05,
      upper: 0.7,
      fore: 0.62,
      shoulder: 0.15,
      wrist: 0.088,
      joint: [0.475, 0.915, -0.04],
    },
    face: {
      iris: 0.56,
      lash: 0.0065,
      mouth: 0.125,
      lipUpper: 0.013,
      lipLower: 0.017,
      seam: 0.0055,
      brow: { from: 0.055, to: 0.272, y: 0.142, arch: 0.045, thick: 0.0185, peak: 0.66 },
    },
    temper: { speed: 11, bounce: 0.62, breath: 1, sway: 0.5, blink: 5, nod: 0.5, beat: 1.25 },
  },
  diplomat: {
    name: 'diplomat',
    palette: PALETTES.diplomat,
    rough: { skin: 0.5, hair: 0.38, coat: 0.7 },
    blush: [1.12, 0.72, 0.66],
    build: {
      head: 1.0,
      headY: 1.44,
      hand: 0.95,
      upper: 0.66,
      fore: 0.6,
      shoulder: 0.15,
      wrist: 0.09,
      joint: [0.375, 0.845, -0.04],
    },
    face: {
      iris: 0.62,
      lash: 0.0105,
      mouth: 0.115,
      lipUpper: 0.019,
      lipLower: 0.025,
      seam: 0.005,
      brow: { from: 0.07, to: 0.262, y: 0.15, arch: 0.04, thick: 0.02, peak: 0.6 },
    },
    temper: { speed: 4.6, bounce: 0.95, breath: 1.1, sway: 1, blink: 3.6, nod: 1.5, beat: 1 },
  },
  veteran: {
    name: 'veteran',
    palette: PALETTES.veteran,
    rough: { skin: 0.58, hair: 0.62, coat: 0.92 },
    blush: [1.02, 0.7, 0.62],
    build: {
      head: 1.0,
      headY: 1.48,
      hand: 1.06,
      upper: 0.68,
      fore: 0.62,
      shoulder: 0.165,
      wrist: 0.095,
      joint: [0.43, 0.865, -0.04],
    },
    face: {
      iris: 0.56,
      lash: 0.0045,
      mouth: 0.1,
      lipUpper: 0.012,
      lipLower: 0.018,
      seam: 0.005,
      brow: { from: 0.05, to: 0.282, y: 0.178, arch: 0.022, thick: 0.05, peak: 0.5 },
    },
    temper: { speed: 2.9, bounce: 1.05, breath: 0.8, sway: 0.22, blink: 6.5, nod: 0.4, beat: 0.3 },
  },
  person: {
    name: 'person',
    palette: PALETTES.person,
    rough: { skin: 0.34, hair: 0.45, coat: 0.85 },
    blush: [1.05, 0.86, 0.78],
    build: {
      head: 1.0,
      headY: 1.47,
      hand: 1.0,
      upper: 0.67,
      fore: 0.6,
      shoulder: 0.155,
      wrist: 0.095,
      joint: [0.415, 0.86, -0.04],
    },
    face: {
      iris: 0.58,
      lash: 0.006,
      mouth: 0.11,
      lipUpper: 0.014,
      lipLower: 0.019,
      seam: 0.005,
      brow: { from: 0.06, to: 0.26, y: 0.15, arch: 0.03, thick: 0.02, peak: 0.6 },
    },
    temper: { speed: 6, bounce: 0.9, breath: 1, sway: 0.8, blink: 4, nod: 0.9, beat: 0.8 },
  },
};

/** The solids of a persona, made only when they are to be meshed. */
export const SOLIDS = {
  shark: { head: shark, dress: suit },
  diplomat: { head: diplomat, dress: shawl },
  veteran: { head: veteran, dress: tweed },
  person: { head: person, dress: rollNeck },
};
