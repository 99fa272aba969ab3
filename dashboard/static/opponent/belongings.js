/**
 * What a figure wears on its head, and what stands around it: glasses, earrings, the tall chair.
 */

import { Group, Mesh, SphereGeometry, TorusGeometry, CircleGeometry, Vector3 } from 'three';
import { ball, block, carve, egg, grow, join, meet, sculpt, turn, twin } from './sculpt.js';
import { Tube } from './tube.js';

/**
 * @param {import('./personas.js').Persona} persona @param {import('./heads.js').Head} head
 * @param {Record<string, import('three').Material>} materials
 * @param {import('./materials.js').Paint} paint
 */
export function belongings(persona, head, materials, paint) {
  const worn = new Group();
  const around = new Group();
  if (persona.name === 'veteran') {
    worn.add(glasses(head, materials.gold, paint));
    around.add(chair(persona, materials.gold, paint));
  }
  if (persona.name === 'diplomat') worn.add(earrings(materials.gold));
  return { worn, around };
}

/** A wire through points. */
function wire(
  /** @type {[number, number, number][]} */ points,
  /** @type {number} */ thick,
  /** @type {import('three').Material} */ material,
) {
  const tube = new Tube(points.length, 8, material);
  points.forEach((point, i) => tube.path[i].set(...point));
  tube.radius.fill(thick);
  tube.flatAxis.set(0.1, 0.2, 1);
  tube.shape();
  return tube;
}

/** Round spectacles, a little low on the nose. */
function glasses(
  /** @type {import('./heads.js').Head} */ head,
  /** @type {import('three').Material} */ gold,
  /** @type {import('./materials.js').Paint} */ paint,
) {
  const group = new Group();
  const glass = paint({ opacity: 0.1, rough: 0.05 });
  for (const side of [-1, 1]) {
    const rim = new Group();
    rim.position.set(side * (head.eye[0] + 0.004), head.eye[1] - 0.022, head.eye[2] + 0.165);
    rim.rotation.set(0.05, side * 0.16, 0);
    rim.add(new Mesh(new TorusGeometry(0.122, 0.0085, 8, 40), gold));
    rim.add(new Mesh(new CircleGeometry(0.12, 32), glass));
    group.add(rim);
    group.add(
      wire(
        [
          [side * 0.272, 0.03, 0.405],
          [side * 0.32, 0.035, 0.36],
          [side * 0.375, 0.035, 0.2],
          [side * 0.4, 0.03, 0.0],
        ],
        0.007,
        gold,
      ),
    );
  }
  const bridge = Array.from({ length: 9 }, (_, i) => {
    const t = i / 4 - 1;
    return /** @type {[number, number, number]} */ ([
      t * 0.042,
      head.eye[1] - 0.012 + 0.022 * (1 - t * t),
      head.eye[2] + 0.182 + 0.02 * (1 - t * t),
    ]);
  });
  group.add(wire(bridge, 0.0085, gold));
  return group;
}

/** Drops of gold. */
function earrings(/** @type {import('three').Material} */ gold) {
  const group = new Group();
  for (const side of [-1, 1]) {
    const stud = new Mesh(new SphereGeometry(0.022, 14, 10), gold);
    stud.position.set(side * 0.39, -0.175, 0.0);
    const drop = new Mesh(new SphereGeometry(0.036, 16, 12), gold);
    drop.scale.set(0.8, 1.25, 0.8);
    drop.position.set(side * 0.395, -0.245, 0.0);
    group.add(stud, drop);
  }
  return group;
}

/** A tall wing chair with a buttoned back. */
function chair(
  /** @type {import('./personas.js').Persona} */ persona,
  /** @type {import('three').Material} */ gold,
  /** @type {import('./materials.js').Paint} */ paint,
) {
  const group = new Group();
  const leather = paint({ color: persona.palette.chair, rough: 0.42 });
  const outline = block([0, 0.7, 0], [0.76, 1.5, 9], 0.6);
  const slab = meet(0.09, block([0, 0.8, -0.72], [1, 1.6, 0.1], 0.08), outline);
  const wings = twin(turn(egg([0.62, 1.18, -0.72], [0.085, 0.62, 0.3]), 'y', -0.22));
  /** @type {import('./sculpt.js').Solid[]} */
  const tufts = [];
  /** @type {Vector3[]} */
  const buttons = [];
  for (let row = 0; row < 5; row++) {
    for (let i = 0; i < 4; i++) {
      const x = (i - 1.5) * 0.36 + (row % 2 ? 0.18 : 0);
      if (Math.abs(x) > 0.66) continue;
      const y = 0.78 + row * 0.29;
      tufts.push(ball([x, y, -0.54], 0.085));
      buttons.push(new Vector3(x, y, -0.615));
    }
  }
  const back = carve(0.14, slab, join(0.01, ...tufts));
  const geometry = sculpt(join(0.08, back, wings), { low: [-1.05, -0.2, -1], high: [1.05, 2.3, 0], cell: 0.032 });
  const seat = new Mesh(geometry, leather);
  seat.receiveShadow = true;
  seat.castShadow = true;
  group.add(seat);
  const rim = meet(
    0.02,
    carve(0.02, grow(outline, 0.035), grow(outline, -0.03)),
    block([0, 0.8, -0.66], [1, 1.6, 0.05], 0.03),
  );
  const wood = paint({ color: persona.palette.wood, rough: 0.35 });
  group.add(new Mesh(sculpt(rim, { low: [-1, -0.2, -0.8], high: [1, 2.3, -0.5], cell: 0.018 }), wood));
  const knob = new SphereGeometry(0.024, 12, 8);
  for (const at of buttons) {
    const button = new Mesh(knob, gold);
    button.position.copy(at);
    button.scale.z = 0.6;
    group.add(button);
  }
  return group;
}
