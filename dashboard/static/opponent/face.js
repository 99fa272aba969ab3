/**
 * What moves in a face: eyes, lids, brows and mouth. They lie on the relief of the head, so they follow its form.
 *
 * @typedef {import('./poses.js').Pose} Pose
 * @typedef {import('./personas.js').Persona} Persona
 */

import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  CircleGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  SRGBColorSpace,
  TorusGeometry,
} from 'three';
import { ball, join, relief, twin } from './sculpt.js';
import { Tube } from './tube.js';

const { PI, abs, cos, max, min, sin, sqrt } = Math;
const mix = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ t) => a + (b - a) * t;

/** The iris, drawn: rings of colour with fine rays. @param {string} colour @param {string} dark */
function irisTexture(colour, dark) {
  const canvas = document.createElement('canvas');
  canvas.width = 128;
  canvas.height = 64;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const ring = pen.createLinearGradient(0, 0, 0, 64);
  ring.addColorStop(0, dark);
  ring.addColorStop(0.45, colour);
  ring.addColorStop(0.8, colour);
  ring.addColorStop(1, dark);
  pen.fillStyle = ring;
  pen.fillRect(0, 0, 128, 64);
  for (let i = 0; i < 42; i++) {
    pen.fillStyle = i % 3 ? 'rgba(255,255,255,.13)' : 'rgba(0,0,0,.16)';
    pen.fillRect((i * 37) % 128, 16 + (i % 5) * 3, 1.5, 34);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** One eye with its lids. */
class Eye {
  /**
   * @param {Persona} persona @param {[number, number, number]} at @param {number} r @param {number} side -1 at the
   *   viewer's left, 1 at the right
   * @param {{skin: import('three').Material, lash: import('three').Material}} materials
   * @param {import('./materials.js').Paint} paint
   */
  constructor(persona, at, r, side, { skin, lash }, paint) {
    this.side = side;
    this.radius = r;
    this.group = new Group();
    this.group.position.set(at[0] * side, at[1], at[2]);
    const white = paint({ color: persona.palette.eyeWhite, rough: 0.2 });
    this.globe = new Group();
    this.globe.add(new Mesh(new SphereGeometry(r, 28, 20), white));
    this.globe.add(
      this.disc(
        r * 1.006,
        persona.face.iris,
        paint({ map: irisTexture(persona.palette.iris, persona.palette.irisRim), rough: 0.15 }),
      ),
    );
    this.pupil = this.disc(r * 1.012, persona.face.iris * 0.5, new MeshBasicMaterial({ color: '#07080a' }));
    this.globe.add(this.pupil);
    this.group.add(this.globe);
    this.spark(r, -0.3, 0.36, 0.15);
    this.lids = [this.lid(r * 1.09, 1, skin, lash, persona), this.lid(r * 1.075, -1, skin, lash, persona)];
  }

  /** A cap of the globe that looks at the viewer. */
  disc(/** @type {number} */ r, /** @type {number} */ angle, /** @type {import('three').Material} */ material) {
    const geometry = new SphereGeometry(r, 32, 8, 0, PI * 2, 0, angle);
    geometry.rotateX(PI / 2);
    return new Mesh(geometry, material);
  }

  /** A light's reflection, which stays where it is when the eye turns. */
  spark(/** @type {number} */ r, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size) {
    const dot = new Mesh(
      new CircleGeometry(r * size, 16),
      new MeshBasicMaterial({ color: '#ffffff', toneMapped: false }),
    );
    dot.position.set(x * r, y * r, sqrt(1 - x * x - y * y) * r * 1.035);
    dot.lookAt(dot.position.clone().multiplyScalar(2));
    this.group.add(dot);
  }

  /** Half a shell over the globe, `up` 1 for the upper lid and -1 for the lower, with its line of lashes. */
  lid(
    /** @type {number} */ r,
    /** @type {number} */ up,
    /** @type {import('three').Material} */ skin,
    /** @type {import('three').Material} */ lash,
    /** @type {Persona} */ persona,
  ) {
    const lid = new Group();
    const dome = new SphereGeometry(r, 28, 12, 0, PI * 2, 0, PI / 2);
    if (up < 0) dome.rotateX(PI);
    lid.add(new Mesh(dome, skin));
    const thick = persona.face.lash * (up > 0 ? 1 : 0.35);
    const line = new Mesh(new TorusGeometry(r, thick, 6, 28, PI * 0.94), up > 0 ? lash : skin);
    line.rotation.set(PI / 2, 0, PI * 0.03);
    lid.add(line);
    const tilt = new Group();
    tilt.add(lid);
    this.group.add(tilt);
    return lid;
  }

  /** @param {Pose} p @param {number} blink 0 open … 1 shut */
  apply(p, blink) {
    const [upper, lower] = this.lids;
    const wide = this.side < 0 ? p.lidUp + p.lidSkew : p.lidUp - p.lidSkew;
    const open = mix(wide, -0.22, blink);
    const low = mix(p.lidLow, -0.22, blink * 0.5);
    upper.rotation.x = -open;
    lower.rotation.x = -min(low, open - 0.02);
    const tilt = this.side * p.lidTilt;
    /** @type {Group} */ (upper.parent).rotation.z = tilt * (1 - blink * 0.6);
    /** @type {Group} */ (lower.parent).rotation.z = this.side * p.lidLowTilt;
    this.globe.rotation.set(-p.gazeY, p.gazeX, 0, 'YXZ');
    this.pupil.scale.set(p.pupil, p.pupil, 1);
  }
}

/** A strip between two curves on the face: `rows` of `columns` points, filled anew each frame. */
class Sheet extends Mesh {
  constructor(/** @type {number} */ columns, /** @type {import('three').Material} */ material) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(columns * 2 * 3), 3));
    const normal = new Float32Array(columns * 2 * 3);
    for (let i = 2; i < normal.length; i += 3) normal[i] = 1;
    geometry.setAttribute('normal', new BufferAttribute(normal, 3));
    const faces = [];
    for (let i = 0; i < columns - 1; i++) faces.push(i, i + columns, i + 1, i + 1, i + columns, i + columns + 1);
    geometry.setIndex(faces);
    super(geometry, material);
    this.frustumCulled = false;
    this.columns = columns;
  }

  /** @param {(u: number) => [number, number, number]} top @param {(u: number) => [number, number, number]} bottom u: -1 … 1 */
  fill(top, bottom) {
    const position = this.geometry.attributes.position;
    for (let i = 0; i < this.columns; i++) {
      const u = (i / (this.columns - 1)) * 2 - 1;
      position.setXYZ(i, ...top(u));
      position.setXYZ(i + this.columns, ...bottom(u));
    }
    position.needsUpdate = true;
  }
}

/** Lips, and what shows between them. */
class Mouth {
  /** @param {Persona} persona @param {number} y @param {(x: number, y: number) => number} depth @param {import('./materials.js').Paint} paint */
  constructor(persona, y, depth, paint) {
    const { palette, face } = persona;
    this.y = y;
    this.depth = depth;
    this.face = face;
    this.group = new Group();
    const flat = (/** @type {string} */ color) => paint({ color, rough: 0.6, twoSided: true });
    const lip = paint({ color: palette.lip, rough: 0.42 });
    const dark = new MeshBasicMaterial({ color: palette.mouth, side: DoubleSide });
    this.inside = new Sheet(25, dark);
    this.tongue = new Sheet(17, flat(palette.tongue));
    const enamel = paint({ color: '#f4efe4', rough: 0.3, twoSided: true });
    this.teeth = new Sheet(25, enamel);
    this.lowTeeth = new Sheet(25, enamel);
    this.upper = new Tube(25, 8, lip);
    this.lower = new Tube(25, 8, lip);
    this.seam = new Tube(25, 6, paint({ color: palette.seam, rough: 0.8 }));
    this.group.add(this.inside, this.tongue, this.teeth, this.lowTeeth, this.upper, this.lower, this.seam);
  }

  /** The curves of both lips for a pose: u from -1 (viewer's left corner) to 1. @param {Pose} p */
  curves(p) {
    const half = this.face.mouth * p.mouthWide * (1 - 0.45 * p.round);
    const open = max(0, p.mouthOpen);
    const line = (/** @type {number} */ u) => this.y + p.mouthY + p.smile * (u * u - 0.35) + p.skew * u;
    const bulge = (/** @type {number} */ u) => mix((1 - u * u) ** 0.75, sqrt(max(0, 1 - u * u)), p.round);
    const upper = (/** @type {number} */ u) =>
      line(u) + open * bulge(u) * mix(0.36, 0.5, p.round) + p.snarl * abs(sin(u * PI)) * 0.03;
    const lower = (/** @type {number} */ u) => line(u) - open * bulge(u) * mix(0.64, 0.6, p.round);
    return { half, upper, lower };
  }

  /** @param {Pose} p */
  apply(p) {
    const { half, upper, lower } = this.curves(p);
    const on = (/** @type {number} */ u, /** @type {number} */ y, /** @type {number} */ lift) =>
      /** @type {[number, number, number]} */ ([u * half, y, this.depth(u * half, y) + lift]);
    this.inside.fill(
      (u) => on(u, upper(u), 0.012),
      (u) => on(u, lower(u), 0.012),
    );
    const gap = (/** @type {number} */ u) => upper(u) - lower(u);
    const upperEdge = (/** @type {number} */ u) =>
      upper(u) - min(gap(u) * 0.95, p.teeth * 0.055 * sqrt(max(0, 1 - u * u * 0.85)));
    this.teeth.fill(
      (u) => on(u * 0.95, upper(u), 0.016),
      (u) => on(u * 0.95, upperEdge(u), 0.016),
    );
    const low = max(0, p.teeth - 1) * 0.05;
    this.lowTeeth.fill(
      (u) => on(u * 0.93, lower(u) + min(gap(u) * 0.95, low * sqrt(max(0, 1 - u * u))), 0.015),
      (u) => on(u * 0.93, lower(u), 0.015),
    );
    const tongue = (/** @type {number} */ u) => lower(u * 0.6) + gap(u * 0.6) * 0.38 * sqrt(max(0, 1 - u * u));
    this.tongue.fill(
      (u) => on(u * 0.6, tongue(u), 0.014),
      (u) => on(u * 0.6, lower(u * 0.6), 0.014),
    );
    this.lips(upper, lower, on, p);
  }

  /** @param {(u: number) => number} upper @param {(u: number) => number} lower @param {(u: number, y: number, lift: number) => [number, number, number]} on @param {Pose} p */
  lips(upper, lower, on, p) {
    const { lipUpper, lipLower } = this.face;
    const stretch = 1.08 - 0.22 * (p.mouthWide - 1) + 0.3 * p.round;
    const n = this.upper.rings;
    for (let i = 0; i < n; i++) {
      const u = (i / (n - 1)) * 2 - 1;
      const taper = max(0, 1 - u ** 4);
      const bow = 1 - 0.22 * Math.exp(-((u / 0.13) ** 2));
      const fullUpper = lipUpper * stretch * taper * (0.6 + 0.4 * cos(u * 1.4)) * bow;
      const fullLower = lipLower * stretch * taper * (0.35 + 0.65 * cos(u * 1.5));
      this.upper.radius[i] = fullUpper;
      this.lower.radius[i] = fullLower;
      this.upper.path[i].set(...on(u, upper(u) + fullUpper * 0.75, 0.008));
      this.lower.path[i].set(...on(u, lower(u) - fullLower * 0.75, 0.008));
      this.seam.radius[i] = this.face.seam * sqrt(max(0, 1 - u ** 6)) * (p.mouthOpen > 0.02 ? 0.5 : 1);
      this.seam.path[i].set(...on(u * 1.04, upper(u), 0.012 + 0.75 * lipLower * taper));
    }
    for (const tube of [this.upper, this.lower, this.seam]) {
      tube.flat = tube === this.seam ? 0.8 : 0.75;
      tube.shape();
    }
    this.seam.visible = p.mouthOpen < 0.03;
  }
}

/** One brow: a tapered stroke over the eye. */
class Brow extends Tube {
  /** @param {Persona} persona @param {number} side @param {(x: number, y: number) => number} depth @param {import('three').Material} material */
  constructor(persona, side, depth, material) {
    super(14, 8, material);
    this.side = side;
    this.depth = depth;
    this.brow = persona.face.brow;
    this.flat = 0.55;
  }

  /** @param {Pose} p */
  apply(p) {
    const { from, to, y, arch, thick, peak } = this.brow;
    for (let i = 0; i < this.rings; i++) {
      const t = i / (this.rings - 1);
      const x = mix(from - p.knit * 0.014, to, t) * this.side;
      const skew = p.browSkew * this.side * -1;
      const bend = t < peak ? sin((t / peak) * PI * 0.5) : cos(((t - peak) / (1 - peak)) * PI * 0.5);
      const height =
        y + p.browRaise + skew + p.browIn * (1 - t) ** 1.3 + p.browOut * t * t + arch * bend * (1 + p.browArch);
      this.path[i].set(x, height, this.depth(x, height) + 0.012);
      this.radius[i] = thick * sqrt(max(0, sin(PI * (0.06 + 0.94 * t) ** 0.55))) * mix(1, 0.45, t * t);
    }
    this.shape();
  }
}

/** All of a face; `group` belongs into the head. */
export class Face {
  /**
   * @param {Persona} persona @param {import('./heads.js').Head} head
   * @param {{skin: import('three').Material, hair: import('three').Material}} materials
   * @param {import('./materials.js').Paint} paint
   */
  constructor(persona, head, { skin, hair }, paint) {
    this.group = new Group();
    const whole = head.beard
      ? (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) =>
          min(head.skin(x, y, z), /** @type {import('./sculpt.js').Solid} */ (head.beard)(x, y, z))
      : head.skin;
    const low = relief(whole, [-0.22, head.mouthY - 0.2, 0.22, head.mouthY + 0.13]);
    const globes = twin(ball([head.eye[0], head.eye[1], head.eye[2] - 0.004], head.eyeRadius * 1.09));
    const high = relief(join(0.05, head.skin, globes), [-0.36, -0.02, 0.36, 0.42], 52);
    const lash = paint({ color: persona.palette.lash, rough: 0.7 });
    this.eyes = [-1, 1].map((side) => new Eye(persona, head.eye, head.eyeRadius, side, { skin, lash }, paint));
    this.brows = [-1, 1].map((side) => new Brow(persona, side, high, hair));
    this.mouth = new Mouth(persona, head.mouthY, low, paint);
    this.group.add(...this.eyes.map((eye) => eye.group), ...this.brows, this.mouth.group);
  }

  /** @param {Pose} p @param {number} blink */
  apply(p, blink) {
    for (const eye of this.eyes) eye.apply(p, blink);
    for (const brow of this.brows) brow.apply(p);
    this.mouth.apply(p);
  }
}
