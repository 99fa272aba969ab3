/**
 * Arms: a hand where the pose wants it, and the sleeve that leads there.
 *
 * Everything is told for the figure's right arm, at the viewer's left; the other is its mirror image.
 *
 * @typedef {import('./poses.js').Pose} Pose
 */

import { Group, Mesh, Quaternion, Vector3 } from 'three';
import { block, egg, join, rod, sculpt } from './sculpt.js';
import { Tube } from './tube.js';

const X = new Vector3(1, 0, 0);
const Y = new Vector3(0, 1, 0);
const Z = new Vector3(0, 0, 1);
const turned = new Quaternion();

/** Where each finger starts, how long and thick it is, and which way it spreads. The hand points up, its palm to z. */
const FINGERS = [
  { x: -0.078, y: 0.205, length: 0.175, thick: 0.0285, spread: -1.2 },
  { x: -0.026, y: 0.222, length: 0.205, thick: 0.03, spread: -0.35 },
  { x: 0.027, y: 0.222, length: 0.2, thick: 0.03, spread: 0.4 },
  { x: 0.078, y: 0.205, length: 0.18, thick: 0.0295, spread: 1.2 },
];

/** A palm with the root of its thumb at x > 0. */
function palm() {
  const solid = join(
    0.06,
    block([0, 0.13, 0], [0.1, 0.1, 0.04], 0.038),
    egg([0.062, 0.075, 0.022], [0.058, 0.085, 0.045]),
    rod([0, -0.06, -0.002], [0, 0.05, 0], 0.058, 0.06),
    egg([0, 0.2, -0.004], [0.1, 0.035, 0.036]),
  );
  return sculpt(solid, { low: [-0.18, -0.16, -0.12], high: [0.18, 0.3, 0.12], cell: 0.016 });
}

/** Four fingers and a thumb on a palm. */
class Hand {
  /** @param {import('three').Material} skin @param {number} scale */
  constructor(skin, scale) {
    this.group = new Group();
    const inner = new Group();
    inner.scale.setScalar(scale);
    this.group.add(inner);
    this.fingers = FINGERS.map(() => new Tube(14, 9, skin));
    this.thumb = new Tube(12, 9, skin);
    const base = new Mesh(palm(), skin);
    inner.add(base, this.thumb, ...this.fingers);
    inner.traverse((part) => (part.castShadow = true));
  }

  /** @param {number[]} curls of the little, ring, middle and index finger, 0 straight … 1 fist @param {number} thumb @param {number} spread */
  apply(curls, thumb, spread) {
    this.fingers.forEach((finger, i) => {
      const { x, y, length, thick, spread: aside } = FINGERS[i];
      this.bend(finger, new Vector3(x, y - 0.03, 0), length + 0.03, thick, aside * spread * 0.17, curls[i] * 3.6);
    });
    this.bendThumb(thumb, spread);
  }

  /** A finger from `root`, leaning aside by an angle, bending towards the palm by `total` radians along its length. */
  bend(
    /** @type {Tube} */ tube,
    /** @type {Vector3} */ root,
    /** @type {number} */ length,
    /** @type {number} */ thick,
    /** @type {number} */ aside,
    /** @type {number} */ total,
  ) {
    const n = tube.rings;
    const step = length / (n - 3);
    const at = root;
    for (let i = 0; i < n; i++) {
      const t = Math.min(1, i / (n - 3));
      const knuckles = 0.5 * smooth(t, 0.12, 0.3) + 0.32 * smooth(t, 0.45, 0.6) + 0.18 * smooth(t, 0.72, 0.85);
      const angle = total * knuckles;
      tube.path[i].copy(at);
      const tip = i < n - 3 ? 1 : [0.86, 0.55, 0.01][i - (n - 3)];
      tube.radius[i] = thick * (1 - 0.2 * t) * tip * (i === 0 ? 0.9 : 1);
      const stride = i < n - 3 ? step : thick * [0.42, 0.24, 0][i - (n - 3)];
      at.x += Math.sin(aside) * Math.cos(angle) * stride;
      at.y += Math.cos(aside) * Math.cos(angle) * stride;
      at.z += Math.sin(angle) * stride;
    }
    tube.flatAxis.set(1, 0, 0.01);
    tube.shape();
  }

  /** `close` 0: beside the hand, 1: folded over the palm. */
  bendThumb(/** @type {number} */ close, /** @type {number} */ spread) {
    const tube = this.thumb;
    const n = tube.rings;
    const aside = 0.75 + spread * 0.25 - close * 0.75;
    const inward = 0.25 + close * 0.5;
    const at = new Vector3(0.072, 0.07, 0.02);
    for (let i = 0; i < n; i++) {
      const t = Math.min(1, i / (n - 3));
      const tip = i < n - 3 ? 1 : [0.85, 0.55, 0.01][i - (n - 3)];
      tube.path[i].copy(at);
      tube.radius[i] = 0.036 * (1 - 0.18 * t) * tip;
      const stride = i < n - 3 ? 0.155 / (n - 3) : 0.036 * [0.42, 0.24, 0][i - (n - 3)];
      const lean = aside - t * (0.45 + close * 0.9);
      at.x += Math.sin(lean) * stride;
      at.y += Math.cos(lean) * Math.cos(inward * t) * stride;
      at.z += Math.sin(inward) * stride;
    }
    tube.flatAxis.set(0, 0, 1);
    tube.shape();
  }
}

const smooth = (/** @type {number} */ t, /** @type {number} */ a, /** @type {number} */ b) => {
  const u = Math.max(0, Math.min(1, (t - a) / (b - a)));
  return u * u * (3 - 2 * u);
};

/** A hand, its cuff and its sleeve. */
export class Arm {
  /**
   * @param {number} side -1: at the viewer's left, 1: at the right
   * @param {import('./personas.js').Persona} persona
   * @param {{skin: import('three').Material, coat: import('three').Material, cuff: import('three').Material}} materials
   */
  constructor(side, persona, { skin, coat, cuff }) {
    this.build = persona.build;
    this.group = new Group();
    this.group.scale.x = side < 0 ? 1 : -1;
    this.hand = new Hand(skin, persona.build.hand);
    this.sleeve = new Tube(26, 18, coat);
    this.cuff = new Tube(8, 18, cuff);
    this.sleeve.castShadow = true;
    this.group.add(this.hand.group, this.sleeve, this.cuff);
    this.key = side < 0 ? 'l' : 'r';
  }

  /** @param {Pose} p @param {Vector3} shoulder in the figure's space */
  apply(p, shoulder) {
    const k = this.key;
    const of = (/** @type {string} */ name) => p[k + name];
    const { group } = this.hand;
    group.position.set(of('X'), of('Y'), of('Z'));
    group.quaternion.setFromAxisAngle(Y, of('Yaw'));
    group.quaternion.multiply(turned.setFromAxisAngle(Z, -of('Tilt')));
    group.quaternion.multiply(turned.setFromAxisAngle(X, of('Pitch')));
    group.quaternion.multiply(turned.setFromAxisAngle(Y, of('Roll')));
    const c = of('Curl');
    this.hand.apply([c, c * 0.94, c * 0.9, c * 0.86 * (1 - of('Point'))], of('Thumb'), of('Spread'));
    const from = shoulder.clone();
    from.x *= this.group.scale.x;
    this.reach(from, group.position, of('Elbow'));
  }

  /** Bends the sleeve from the shoulder over the elbow to the wrist; `out` lifts the elbow sideways. */
  reach(/** @type {Vector3} */ from, /** @type {Vector3} */ to, /** @type {number} */ out) {
    const { upper, fore } = this.build;
    const line = to.clone().sub(from);
    const gap = Math.min(line.length(), (upper + fore) * 0.995);
    const dir = line.clone().normalize();
    const along = (upper ** 2 - fore ** 2 + gap ** 2) / (2 * gap);
    const off = Math.sqrt(Math.max(0, upper ** 2 - along ** 2));
    const pole = new Vector3(-0.3 - out, -1 + out * 0.8, -0.2);
    pole.addScaledVector(dir, -pole.dot(dir)).normalize();
    const elbow = from.clone().addScaledVector(dir, along).addScaledVector(pole, off);
    const a = from.clone().lerp(elbow, 0.88);
    const b = to.clone().lerp(elbow, 0.8);
    const wrist = to
      .clone()
      .add(new Vector3(0, -0.09 * this.build.hand, 0).applyQuaternion(this.hand.group.quaternion));
    this.trace(this.sleeve, [from, a, b, wrist], 0, 0.965);
    this.trace(this.cuff, [from, a, b, wrist], 0.9, 0.995);
  }

  /** Lays a tube along a part of a cubic curve. */
  trace(
    /** @type {Tube} */ tube,
    /** @type {Vector3[]} */ [a, b, c, d],
    /** @type {number} */ start,
    /** @type {number} */ end,
  ) {
    const n = tube.rings;
    const isCuff = tube === this.cuff;
    const { shoulder, wrist } = this.build;
    for (let i = 0; i < n; i++) {
      const hem = i >= n - 2;
      const s = hem ? 1 : i / (n - 3);
      const t = start + (end - start) * s;
      const u = 1 - t;
      const point = tube.path[i].set(0, 0, 0);
      point
        .addScaledVector(a, u * u * u)
        .addScaledVector(b, 3 * u * u * t)
        .addScaledVector(c, 3 * u * t * t)
        .addScaledVector(d, t * t * t);
      if (hem)
        point.addScaledVector(
          tube.path[n - 3]
            .clone()
            .sub(tube.path[n - 5])
            .normalize(),
          i === n - 2 ? 0.004 : -0.004,
        );
      const wide = isCuff ? wrist * 0.86 : shoulder + (wrist - shoulder) * t ** 0.8 + 0.012 * Math.sin(t * Math.PI);
      const cap = isCuff ? 1 : Math.sqrt(Math.min(1, 0.02 + i * 0.3));
      tube.radius[i] = wide * (i === n - 1 ? (isCuff ? 0.3 : 0.7) : 1) * cap;
    }
    tube.flatAxis.set(0.3, 0.2, 1);
    tube.shape();
  }
}
