/**
 * What each persona does with face, body and hands in each state. A pose is a flat record of numbers, so that any two
 * can be blended. Angles are radians, lengths the figure's units (a head is about one). Hands are told for the figure's
 * right hand at the viewer's left (`l…`); the other (`r…`) is mirrored, so equal numbers make a symmetric gesture.
 *
 * @typedef {Record<string, number>} Pose
 * @typedef {'idle'|'thinking'|'aggressive'|'pleased'|'shocked'} State
 */

/** @type {State[]} */
export const STATES = ['idle', 'thinking', 'aggressive', 'pleased', 'shocked'];

/** A face at rest, and a body that sits straight. */
const REST = {
  browRaise: 0, browIn: 0, browOut: 0, browArch: 0, browSkew: 0, knit: 0,
  lidUp: 0.42, lidLow: -0.55, lidTilt: 0, lidLowTilt: 0, lidSkew: 0, gazeX: 0, gazeY: 0, pupil: 1,
  mouthWide: 1, smile: 0.01, mouthOpen: 0, teeth: 0.6, round: 0, skew: 0, mouthY: 0, snarl: 0, jaw: 0, cheek: 0,
  headX: 0, headY: 0, headZ: 0, headOut: 0, lean: 0, twist: 0, sway: 0, shrug: 0,
};

/** The same for both hands. @param {Pose} hand */
const both = (hand) => ({ ...one('l', hand), ...one('r', hand) });

/** @param {'l'|'r'} side @param {Pose} hand */
const one = (side, hand) => Object.fromEntries(Object.entries(hand).map(([key, value]) => [side + key, value]));

const FLAT = { X: -0.36, Y: 0.075, Z: 0.5, Yaw: 0.35, Tilt: 0, Pitch: 1.5, Roll: 0, Curl: 0.16, Point: 0, Thumb: 0.35, Spread: 0.5, Elbow: 0.15 };
const STEEPLE = { X: -0.125, Y: 0.22, Z: 0.62, Yaw: 0, Tilt: 0.27, Pitch: 0.5, Roll: 1.45, Curl: 0.05, Point: 0, Thumb: 0.1, Spread: 0.5, Elbow: 0.35 };
const OPEN = { X: -0.5, Y: 0.3, Z: 0.55, Yaw: -0.35, Tilt: 0, Pitch: 1.0, Roll: 2.6, Curl: 0.12, Point: 0, Thumb: 0.0, Spread: 0.9, Elbow: 0.1 };
const FIST = { ...FLAT, Curl: 0.9, Thumb: 0.95, Spread: 0.1, Y: 0.09 };
const CLASP = { X: -0.115, Y: 0.13, Z: 0.52, Yaw: 0.85, Tilt: 0, Pitch: 1.4, Roll: 0.7, Curl: 0.42, Point: 0, Thumb: 0.4, Spread: 0.1, Elbow: 0.2 };
const UP = { X: -0.52, Y: 0.62, Z: 0.35, Yaw: 0.1, Tilt: -0.25, Pitch: 0.1, Roll: 0.2, Curl: 0.06, Point: 0, Thumb: 0, Spread: 1, Elbow: 0.25 };
const CHIN = { X: -0.14, Y: 0.82, Z: 0.42, Yaw: 0.5, Tilt: 0.35, Pitch: -0.35, Roll: 1.9, Curl: 0.62, Point: 0.75, Thumb: 0.2, Spread: 0.1, Elbow: 0.1 };

/** @type {Record<import('./personas.js').Name, Record<State, Pose>>} */
export const POSES = {
  shark: {
    idle: {
      ...REST, ...both(STEEPLE), lean: 0.14, headX: 0.05, headOut: 0.05,
      browRaise: -0.015, browIn: -0.02, lidUp: 0.3, lidLow: -0.42, lidTilt: 0.12, smile: 0.012, skew: 0.008,
    },
    thinking: {
      ...REST, ...both(STEEPLE), ...one('l', { ...CHIN }), ...one('r', { ...FLAT, X: -0.2, Z: 0.45, Yaw: 0.95 }),
      lean: 0.02, headX: 0.02, headY: 0.28, headZ: -0.1, gazeX: -0.42, gazeY: 0.22,
      browSkew: 0.035, browIn: -0.02, lidUp: 0.26, lidLow: -0.3, lidSkew: 0.12, lidTilt: 0.06, skew: 0.022, mouthWide: 0.82, smile: -0.012,
    },
    aggressive: {
      ...REST, ...both(FIST), ...one('l', { X: -0.34, Y: 0.46, Z: 0.72, Yaw: 0.3, Tilt: 0.12, Pitch: 0.95, Roll: 1.0, Curl: 0.9, Point: 1, Thumb: 0.75, Spread: 0, Elbow: 0.45 }),
      ...one('r', { ...FIST, X: -0.42, Z: 0.5 }),
      lean: 0.3, headX: 0.06, headOut: 0.1, shrug: 0.05, twist: 0.14, headY: -0.1,
      browRaise: -0.03, browIn: -0.055, browOut: 0.045, knit: 1, lidUp: 0.24, lidLow: -0.25, lidTilt: 0.36, pupil: 0.72,
      mouthWide: 1.08, smile: -0.034, mouthOpen: 0.062, teeth: 0.62, snarl: 0.6, skew: -0.012, jaw: 0.1,
    },
    pleased: {
      ...REST, ...both({ ...STEEPLE, Curl: 0.5, Tilt: 0.1, Y: 0.16, Roll: 1.3 }), lean: -0.06, headX: -0.09, headZ: 0.09, headY: -0.12,
      browSkew: 0.03, browRaise: 0.015, browOut: 0.02, lidUp: 0.28, lidLow: -0.26, lidTilt: 0.05,
      mouthWide: 1.28, smile: 0.075, skew: 0.022, mouthOpen: 0.05, teeth: 1, cheek: 1,
    },
    shocked: {
      ...REST, ...both({ ...UP, X: -0.45, Y: 0.4, Z: 0.5, Spread: 1.1 }), lean: -0.12, headX: -0.06, shrug: 0.07, headOut: -0.05,
      browRaise: 0.062, browIn: 0.02, browArch: 0.5, lidUp: 1.0, lidLow: -0.85, pupil: 0.6,
      mouthWide: 0.72, mouthOpen: 0.14, teeth: 0.4, round: 0.8, jaw: 0.9, smile: -0.02,
    },
  },
  diplomat: {
    idle: {
      ...REST, ...both({ ...CLASP }), headZ: -0.06, headX: 0.02,
      browRaise: 0.012, browArch: 0.15, lidUp: 0.45, lidLow: -0.48, smile: 0.03, mouthWide: 1.02, cheek: 0.35,
    },
    thinking: {
      ...REST, ...both(CLASP), ...one('r', { ...CHIN, X: -0.2, Y: 0.8, Curl: 0.55 }), ...one('l', { ...FLAT, X: -0.2, Z: 0.42, Yaw: 0.95 }),
      headZ: 0.17, headY: -0.22, headX: -0.03, gazeX: 0.42, gazeY: 0.32, browRaise: 0.035, browIn: 0.035, browSkew: -0.018,
      lidUp: 0.5, lidLow: -0.45, mouthWide: 0.7, smile: -0.004, skew: -0.018, round: 0.15, mouthY: 0.006,
    },
    aggressive: {
      ...REST, ...both({ ...FLAT, X: -0.3, Yaw: 0.55, Curl: 0.1, Spread: 0.2 }), ...one('r', { ...UP, X: -0.3, Y: 0.3, Z: 0.72, Tilt: 0.1, Pitch: 0.2, Spread: 0.25, Elbow: 0.2 }),
      lean: 0.08, headX: 0.07, headZ: 0, shrug: 0.02,
      browRaise: -0.03, browIn: -0.05, browOut: 0.02, knit: 0.9, lidUp: 0.34, lidLow: -0.36, lidTilt: 0.24, pupil: 0.85,
      mouthWide: 0.95, smile: -0.042, mouthOpen: 0.02, teeth: 0.3,
    },
    pleased: {
      ...REST, ...both(OPEN), headZ: -0.1, headX: -0.05, lean: 0.02,
      browRaise: 0.045, browArch: 0.35, lidUp: 0.44, lidLow: -0.2, mouthWide: 1.3, smile: 0.085, mouthOpen: 0.085, teeth: 1.0, cheek: 1, jaw: 0.2, pupil: 1.15,
    },
    shocked: {
      ...REST, ...both({ ...UP, X: -0.3, Y: 0.66, Z: 0.42, Tilt: 0.25, Roll: 0.9 }), ...one('r', { ...UP, X: -0.42, Y: 0.5 }), lean: -0.07, headX: -0.04, headZ: 0.05, shrug: 0.05,
      browRaise: 0.068, browIn: 0.03, browArch: 0.5, lidUp: 1.0, lidLow: -0.8, pupil: 0.75,
      mouthWide: 0.72, mouthOpen: 0.13, teeth: 0.6, round: 0.9, jaw: 0.8, smile: -0.015,
    },
  },
  veteran: {
    idle: {
      ...REST, ...both({ ...CLASP, X: -0.1, Y: 0.15, Curl: 0.6 }), headX: 0.03,
      browRaise: -0.005, lidUp: 0.28, lidLow: -0.42, lidTilt: -0.1, smile: 0.004, mouthWide: 0.95,
    },
    thinking: {
      ...REST, ...both(CLASP), ...one('l', { ...CHIN, Y: 0.72, X: -0.16, Z: 0.46 }), ...one('r', { ...FLAT, X: -0.2, Z: 0.42, Yaw: 0.95 }),
      headX: 0.1, headY: 0.12, gazeX: -0.2, gazeY: -0.42, browIn: -0.015, knit: 0.5, browRaise: 0.01, lidUp: 0.1, lidLow: -0.32, lidTilt: -0.06,
      smile: -0.006, mouthWide: 0.85,
    },
    aggressive: {
      ...REST, ...both({ ...FIST, X: -0.4, Yaw: 0.25 }), lean: 0.1, headX: 0.13, headOut: 0.03, gazeY: 0.16,
      browRaise: -0.04, browIn: -0.05, browOut: 0.03, knit: 1, lidUp: 0.26, lidLow: -0.28, lidTilt: 0.24, pupil: 0.8,
      mouthWide: 0.95, smile: -0.03, mouthOpen: 0.03, teeth: 1.2, jaw: 0.1,
    },
    pleased: {
      ...REST, ...both({ ...FLAT, X: -0.42, Curl: 0.25 }), ...one('l', { ...OPEN, X: -0.42, Y: 0.2 }), headX: -0.05, headZ: 0.06, lean: -0.02,
      browRaise: 0.035, browIn: 0.01, browOut: -0.01, lidUp: 0.26, lidLow: -0.2, lidTilt: -0.14,
      mouthWide: 1.0, smile: 0.046, mouthOpen: 0.045, teeth: 0.9, cheek: 1,
    },
    shocked: {
      ...REST, ...both({ ...FLAT, X: -0.46, Spread: 1, Curl: 0.05, Yaw: 0.1, Y: 0.1 }), lean: -0.05, headX: -0.04, shrug: 0.03,
      browRaise: 0.08, browIn: 0.03, browArch: 0.3, lidUp: 0.9, lidLow: -0.75, pupil: 0.7,
      mouthWide: 0.72, mouthOpen: 0.085, teeth: 0.2, round: 0.85, jaw: 0.7, smile: -0.012,
    },
  },
  person: {
    idle: { ...REST, ...both({ ...FLAT, X: -0.26, Yaw: 0.7 }), smile: 0.014 },
    thinking: {
      ...REST, ...both({ ...FLAT, X: -0.26, Yaw: 0.7 }), ...one('l', CHIN), headY: 0.2, headZ: -0.1, gazeX: -0.35, gazeY: 0.28,
      browRaise: 0.03, browSkew: 0.015, mouthWide: 0.75, skew: 0.012,
    },
    aggressive: {
      ...REST, ...both(FIST), lean: 0.16, headX: 0.07, browRaise: -0.035, browIn: -0.06, browOut: 0.025, knit: 0.9, lidUp: 0.28, lidLow: -0.32,
      lidTilt: 0.28, smile: -0.045, mouthOpen: 0.045, teeth: 1, mouthWide: 0.95,
    },
    pleased: {
      ...REST, ...both({ ...OPEN, X: -0.44, Y: 0.22 }), headZ: -0.06, headX: -0.05, browRaise: 0.035, lidUp: 0.32, lidLow: -0.14,
      mouthWide: 1.25, smile: 0.075, mouthOpen: 0.06, teeth: 1, cheek: 1,
    },
    shocked: {
      ...REST, ...both({ ...UP, X: -0.45, Y: 0.42, Z: 0.5 }), lean: -0.09, shrug: 0.05, browRaise: 0.08, browIn: 0.03, browArch: 0.4, lidUp: 1, lidLow: -0.8, pupil: 0.7,
      mouthWide: 0.72, mouthOpen: 0.125, teeth: 0.4, round: 0.9, jaw: 0.8,
    },
  },
};
