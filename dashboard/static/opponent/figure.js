/**
 * One figure, sculpted and put together: trunk, head, face, arms and what belongs to it. `apply` puts it into a pose.
 */

import { Color, Group, Mesh, Vector3 } from 'three';
import { Arm } from './arms.js';
import { Face } from './face.js';
import { belongings } from './belongings.js';
import { SOLIDS } from './personas.js';
import { sculpt } from './sculpt.js';

/** @typedef {import('./sculpt.js').Vec} Vec */

const soft = (/** @type {number} */ x, /** @type {number} */ a, /** @type {number} */ b) => {
  const t = Math.max(0, Math.min(1, (x - a) / (b - a)));
  return t * t * (3 - 2 * t);
};

/** The box in which a trunk lies. @type {Vec} */
const LOW = [-0.8, -0.25, -0.5];
/** @type {Vec} */
const HIGH = [0.8, 1.32, 0.55];

/** Lets the page breathe between two pieces of heavy work. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/** A morph that lowers the jaw, and one that lifts the cheeks in a smile. @param {import('three').BufferGeometry} geometry */
function flex(geometry) {
  const position = geometry.attributes.position;
  const jaw = new Float32Array(position.count * 3);
  const cheek = new Float32Array(position.count * 3);
  for (let i = 0; i < position.count; i++) {
    const [x, y, z] = [position.getX(i), position.getY(i), position.getZ(i)];
    const chin = soft(-y, 0.27, 0.4) * soft(z, -0.15, 0.15);
    jaw[i * 3 + 1] = -0.055 * chin;
    jaw[i * 3 + 2] = -0.012 * chin;
    const apple = Math.exp(-(((Math.abs(x) - 0.2) / 0.09) ** 2) - ((y + 0.13) / 0.075) ** 2) * soft(z, 0, 0.2);
    cheek[i * 3] = Math.sign(x) * 0.012 * apple;
    cheek[i * 3 + 1] = 0.02 * apple;
    cheek[i * 3 + 2] = 0.035 * apple;
  }
  const attribute = position.clone();
  attribute.array = jaw;
  const second = position.clone();
  second.array = cheek;
  geometry.morphAttributes.position = [attribute, second];
  geometry.morphTargetsRelative = true;
}

/** A warmer skin on cheeks, nose, ears and lids. @param {import('./personas.js').Persona} persona @param {Vec} eye */
const blush = (persona, eye) => (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
  const side = Math.abs(x);
  const cheek = Math.exp(-(((side - 0.22) / 0.1) ** 2) - ((y + 0.14) / 0.09) ** 2) * soft(z, 0, 0.2);
  const nose = 0.75 * Math.exp(-((x / 0.08) ** 2) - ((y + 0.12) / 0.07) ** 2) * soft(z, 0.3, 0.42);
  const ear = 0.8 * soft(side, 0.345, 0.4) * soft(0.3 - Math.abs(y), 0, 0.15);
  const orbit = 0.35 * Math.exp(-(((side - eye[0]) / 0.13) ** 2) - ((y - eye[1]) / 0.1) ** 2);
  const amount = Math.min(1, cheek * 0.75 + nose + ear + orbit);
  const [r, g, b] = persona.blush;
  return /** @type {Vec} */ ([1 + (r - 1) * amount, 1 + (g - 1) * amount, 1 + (b - 1) * amount]);
};

export class Figure {
  /**
   * @param {import('./personas.js').Persona} persona @param {import('./materials.js').Paint} paint
   * @param {number} coarse how many times larger than usual the triangles are
   */
  constructor(persona, paint, coarse) {
    this.persona = persona;
    this.paint = paint;
    this.coarse = coarse;
    this.group = new Group();
    this.trunk = new Group();
    this.head = new Group();
    /** @type {Mesh[]} */
    this.flexing = [];
    this.joints = [new Vector3(), new Vector3()];
    this.materials = this.cloths();
    this.group.add(this.trunk);
    this.trunk.add(this.head);
  }

  /** The materials, one per cloth. */
  cloths() {
    const { paint } = this;
    const { palette, rough } = this.persona;
    /** @type {Record<string, import('three').Material>} */
    const made = {};
    for (const cloth of ['coat', 'trim', 'shirt', 'accent', 'vest', 'cuff']) {
      if (palette[cloth]) made[cloth] = paint({ color: palette[cloth], rough: cloth === 'accent' ? 0.45 : rough.coat });
    }
    made.skin = paint({ color: palette.skin, rough: rough.skin });
    made.face = paint({ color: palette.skin, rough: rough.skin, tinted: true });
    made.lid = paint({ color: new Color(palette.skin).multiply(new Color(0.97, 0.9, 0.88)), rough: rough.skin });
    made.hair = paint({ color: palette.hair, rough: rough.hair });
    made.brow = paint({ color: palette.hair, rough: 0.7 });
    made.gold = paint({ color: palette.gold, rough: 0.25, metal: true });
    return made;
  }

  /** How fine a piece is meshed whose cell is `cell` at best: small pieces lose less. @param {number} cell */
  grain(cell) {
    const factor = cell > 0.025 ? this.coarse : Math.sqrt(this.coarse);
    return { cell: cell * factor, frontOnly: this.coarse > 1 };
  }

  /** Sculpts everything, a piece at a time. Resolves once the figure is whole; stops early when `stopped` says so. */
  async build(/** @type {() => boolean} */ stopped) {
    const solids = SOLIDS[this.persona.name];
    const head = solids.head();
    const dress = solids.dress();
    const skin = sculpt(head.skin, {
      low: [-0.5, -0.62, -0.6],
      high: [0.5, 0.62, 0.62],
      ...this.grain(0.0205),
      tint: blush(this.persona, head.eye),
    });
    flex(skin);
    this.flexing.push(this.part(this.head, skin, this.materials.face));
    for (const hair of head.hair) {
      await pause();
      if (stopped()) return;
      this.part(
        this.head,
        sculpt(hair, { low: [-0.6, -0.6, -0.7], high: [0.6, 0.95, 0.6], ...this.grain(0.0215) }),
        this.materials.hair,
      );
    }
    if (head.beard) {
      const beard = sculpt(head.beard, { low: [-0.5, -0.9, -0.4], high: [0.5, 0.2, 0.6], ...this.grain(0.0205) });
      flex(beard);
      this.flexing.push(this.part(this.head, beard, this.materials.hair));
    }
    for (const { solid, cloth, cell = 0.029, low = LOW, high = HIGH } of dress.pieces) {
      await pause();
      if (stopped()) return;
      const geometry = sculpt(solid, { low, high, ...this.grain(cell) });
      this.part(this.trunk, geometry, this.materials[cloth]);
    }
    this.attach(head);
  }

  /** Adds the face, the arms and the persona's belongings. @param {import('./heads.js').Head} head */
  attach(head) {
    const { skin, lid, brow, coat, cuff } = this.materials;
    this.face = new Face(this.persona, head, { skin: lid, hair: brow }, this.paint);
    this.head.add(this.face.group);
    this.arms = [-1, 1].map((side) => new Arm(side, this.persona, { skin, coat, cuff }));
    this.group.add(...this.arms.map((arm) => arm.group));
    const own = belongings(this.persona, head, this.materials, this.paint);
    this.head.add(own.worn);
    this.group.add(own.around);
  }

  /** @param {Group} parent @param {import('three').BufferGeometry} geometry @param {import('three').Material} material */
  part(parent, geometry, material) {
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    parent.add(mesh);
    return mesh;
  }

  /** @param {import('./poses.js').Pose} p @param {number} blink @param {number} breath -1 … 1 */
  apply(p, blink, breath) {
    if (!this.face || !this.arms) return;
    const { build } = this.persona;
    this.trunk.position.set(0, p.shrug * 0.3, -0.12);
    this.trunk.rotation.set(p.lean, p.twist, p.sway);
    this.trunk.scale.set(1 + breath * 0.004, 1 + breath * 0.006, 1 + breath * 0.012);
    this.head.position.set(0, build.headY, -0.0 + p.headOut);
    this.head.rotation.set(p.headX - p.lean * 0.75, p.headY - p.twist * 0.7, p.headZ - p.sway * 0.6, 'YXZ');
    this.head.scale.setScalar(build.head);
    for (const mesh of this.flexing) {
      if (mesh.morphTargetInfluences)
        [mesh.morphTargetInfluences[0], mesh.morphTargetInfluences[1]] = [p.jaw + p.mouthOpen * 2.5, p.cheek];
    }
    this.face.apply(p, blink);
    this.trunk.updateMatrix();
    this.arms.forEach((arm, i) => {
      const [x, y, z] = build.joint;
      const joint = this.joints[i].set(i ? x : -x, y + p.shrug * 0.6, z).applyMatrix4(this.trunk.matrix);
      arm.apply(p, joint);
    });
  }
}
