/**
 * The colours of each figure and the light of each state, for the figure and for its portrait alike.
 *
 * @typedef {import('./personas.js').Name} Name
 */

/** @type {Record<Name, Record<string, string>>} */
export const PALETTES = {
  shark: {
    skin: '#dcb095', hair: '#14171d', coat: '#1b2434', trim: '#263145', shirt: '#e9edf2', accent: '#a3202b', cuff: '#e9edf2',
    gold: '#c9ccd2', eyeWhite: '#eef0f0', iris: '#7fb3cc', irisRim: '#16303f', lash: '#1a1413', lip: '#b9796b', mouth: '#2a0d10',
    tongue: '#9c4747', seam: '#5d3029',
    light: '#8fb7d9',
  },
  diplomat: {
    skin: '#b4744a', hair: '#2c1a14', coat: '#1f5f5b', trim: '#2c7a73', shirt: '#f2e7d2', accent: '#c8443c', cuff: '#f2e7d2',
    gold: '#e2b65a', eyeWhite: '#f7f1e8', iris: '#6b3f1d', irisRim: '#25130a', lash: '#160c09', lip: '#a8443f', mouth: '#3a0f10',
    tongue: '#b55a55', seam: '#5e231d',
    light: '#f0c483',
  },
  veteran: {
    skin: '#d39a76', hair: '#cfcdc6', coat: '#4c4a38', trim: '#57543f', shirt: '#efe9da', accent: '#8c2f2b', cuff: '#efe9da', vest: '#7a2f2c',
    gold: '#d9b25f', eyeWhite: '#efe9df', iris: '#5d7f86', irisRim: '#22343a', lash: '#6d5547', lip: '#b0705f', mouth: '#2f1111',
    tongue: '#9d5048', seam: '#6b372c', chair: '#4a1d1c', wood: '#3a2216',
    light: '#e2b277',
  },
  person: {
    skin: '#e3d8c3', hair: '#6f7a68', coat: '#46604f', trim: '#46604f', shirt: '#e3d8c3', accent: '#d9b25f', cuff: '#46604f',
    gold: '#d9b25f', eyeWhite: '#f8f4ea', iris: '#4d6a5a', irisRim: '#1e2d25', lash: '#4f4a3f', lip: '#c69c86', mouth: '#3a201b',
    tongue: '#b9796b', seam: '#8a6554',
    light: '#d8dcc4',
  },
};

/** At rest the light is the persona's own. @type {Record<import('./poses.js').State, string|null>} */
export const STATE_LIGHT = { idle: null, thinking: '#7f8fe0', aggressive: '#e0392f', pleased: '#f2b648', shocked: '#d5f1ff' };
