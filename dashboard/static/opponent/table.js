/**
 * The card table in front of the figure: felt, a padded rail with a gold line, chips, cards, and soft contact shadows.
 */

import {
  CanvasTexture,
  CylinderGeometry,
  Group,
  LatheGeometry,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Shape,
  ExtrudeGeometry,
  SRGBColorSpace,
  Vector2,
  CircleGeometry,
  TorusGeometry,
} from 'three';

const WIDE = 4.4;
const DEEP = 1.55;

/** A small drawing as a texture. @param {number} w @param {number} h @param {(pen: CanvasRenderingContext2D) => void} draw */
export function drawn(w, h, draw) {
  const canvas = document.createElement('canvas');
  canvas.width = w;
  canvas.height = h;
  draw(/** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')));
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** A soft dark spot. */
export function blob(/** @type {string} */ inner, /** @type {string} */ outer) {
  return drawn(128, 128, (pen) => {
    const fade = pen.createRadialGradient(64, 64, 4, 64, 64, 64);
    fade.addColorStop(0, inner);
    fade.addColorStop(1, outer);
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 128, 128);
  });
}

/** Felt with a lighter pool in the middle. */
function felt() {
  return drawn(256, 256, (pen) => {
    const pool = pen.createRadialGradient(128, 128, 10, 128, 128, 128);
    pool.addColorStop(0, '#2c6650');
    pool.addColorStop(0.55, '#1d4a39');
    pool.addColorStop(1, '#12291f');
    pen.fillStyle = pool;
    pen.fillRect(0, 0, 256, 256);
  });
}

/** An elliptic table, its far rail behind the figure's hands. @param {import('./materials.js').Paint} paint */
export function table(paint) {
  const group = new Group();
  const top = new Mesh(new CircleGeometry(1, 72), paint({ map: felt(), rough: 0.95 }));
  top.rotation.x = -Math.PI / 2;
  const plate = new Group();
  plate.scale.set(WIDE, 1, DEEP);
  plate.add(top);
  const rail = new Mesh(new TorusGeometry(1.0, 0.055, 14, 96), paint({ color: '#2b1710', rough: 0.38 }));
  rail.rotation.x = Math.PI / 2;
  rail.position.y = -0.01;
  const line = new Mesh(new TorusGeometry(0.915, 0.006, 6, 96), paint({ color: '#d9b25f', metal: true, rough: 0.3 }));
  line.rotation.x = Math.PI / 2;
  line.position.y = 0.002;
  plate.add(rail, line);
  plate.position.z = DEEP + 0.16;
  group.add(plate);
  for (const mesh of [top, rail]) mesh.receiveShadow = true;
  return group;
}

/** A stack of chips. @param {import('./materials.js').Paint} paint @param {string} colour @param {number} count @param {number} seed */
function chips(paint, colour, count, seed) {
  const group = new Group();
  const profile = [
    [0, 0],
    [0.098, 0],
    [0.105, 0.006],
    [0.105, 0.026],
    [0.098, 0.032],
    [0, 0.032],
  ].map(([x, y]) => new Vector2(x, y));
  const body = new LatheGeometry(profile, 28);
  const edge = new CylinderGeometry(0.1056, 0.1056, 0.022, 28, 1, true);
  const stripes = drawn(128, 8, (pen) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 128, 8);
    pen.fillStyle = '#f3efe4';
    for (let i = 0; i < 6; i++) pen.fillRect(i * 21.33, 0, 8, 8);
  });
  const plain = paint({ color: colour, rough: 0.5 });
  const striped = paint({ map: stripes, rough: 0.5 });
  for (let i = 0; i < count; i++) {
    const chip = new Group();
    const base = new Mesh(body, plain);
    const ring = new Mesh(edge, striped);
    ring.position.y = 0.016;
    base.castShadow = true;
    chip.add(base, ring);
    chip.position.set(Math.sin(i * 5.1 + seed) * 0.006, i * 0.0325, Math.cos(i * 3.7 + seed) * 0.006);
    chip.rotation.y = i * 1.9 + seed;
    group.add(chip);
  }
  return group;
}

/** A card's back. */
function back() {
  return drawn(128, 180, (pen) => {
    pen.fillStyle = '#f3efe4';
    pen.fillRect(0, 0, 128, 180);
    pen.fillStyle = '#7d2224';
    pen.fillRect(8, 8, 112, 164);
    pen.strokeStyle = '#d9b25f';
    pen.lineWidth = 2;
    pen.strokeRect(14, 14, 100, 152);
    pen.beginPath();
    for (let i = -180; i < 200; i += 14) {
      pen.moveTo(14, i);
      pen.lineTo(114, i + 100);
      pen.moveTo(114, i);
      pen.lineTo(14, i + 100);
    }
    pen.save();
    pen.clip();
    pen.restore();
    pen.globalAlpha = 0.35;
    pen.lineWidth = 1;
    pen.stroke();
  });
}

/** One card, face down. */
function card(/** @type {import('./materials.js').Paint} */ paint, /** @type {import('three').Texture} */ texture) {
  const shape = new Shape();
  const [w, h, r] = [0.17, 0.24, 0.02];
  shape.moveTo(-w + r, -h);
  shape
    .lineTo(w - r, -h)
    .quadraticCurveTo(w, -h, w, -h + r)
    .lineTo(w, h - r)
    .quadraticCurveTo(w, h, w - r, h);
  shape
    .lineTo(-w + r, h)
    .quadraticCurveTo(-w, h, -w, h - r)
    .lineTo(-w, -h + r)
    .quadraticCurveTo(-w, -h, -w + r, -h);
  const geometry = new ExtrudeGeometry(shape, { depth: 0.006, bevelEnabled: false });
  const uv = geometry.attributes.uv;
  for (let i = 0; i < uv.count; i++)
    uv.setXY(
      i,
      geometry.attributes.position.getX(i) / (2 * w) + 0.5,
      geometry.attributes.position.getY(i) / (2 * h) + 0.5,
    );
  const mesh = new Mesh(geometry, paint({ map: texture, rough: 0.55 }));
  mesh.rotation.x = -Math.PI / 2;
  mesh.castShadow = true;
  const holder = new Group();
  holder.add(mesh);
  return holder;
}

/** Two cards and some chips, laid out beside the hands. @param {import('./materials.js').Paint} paint */
export function props(paint) {
  const group = new Group();
  const texture = back();
  [
    [0.98, 0.02, 0.72, -0.35],
    [1.12, 0.03, 0.66, -0.62],
  ].forEach(([x, y, z, angle]) => {
    const one = card(paint, texture);
    one.position.set(x, y - 0.014, z);
    one.rotation.y = angle;
    group.add(one);
  });
  /** @type {[string, number, number, number][]} */
  const stacks = [
    ['#c8443c', 6, -1.12, 0.62],
    ['#d9b25f', 4, -0.9, 0.74],
    ['#22303a', 8, -1.3, 0.86],
    ['#efe7d6', 3, -1.06, 0.92],
  ];
  stacks.forEach(([colour, count, x, z], i) => {
    const stack = chips(paint, colour, count, i);
    stack.position.set(x, 0, z);
    group.add(stack);
  });
  return group;
}

/** A dark spot that stays under a hand, fainter the higher the hand is. */
export function contact() {
  const material = new MeshBasicMaterial({
    map: blob('rgba(0,0,0,.62)', 'rgba(0,0,0,0)'),
    transparent: true,
    depthWrite: false,
  });
  const mesh = new Mesh(new PlaneGeometry(1, 1), material);
  mesh.rotation.x = -Math.PI / 2;
  mesh.position.y = 0.004;
  return mesh;
}
