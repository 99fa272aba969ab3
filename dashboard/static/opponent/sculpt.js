/**
 * Clay: solids as signed distance functions, and the mesh of one.
 *
 * A figure has no model files; its head, hair and clothes are distance functions that are merged softly and then meshed
 * with naive surface nets (Gibson 1998). A distance function is negative inside, positive outside.
 *
 * @typedef {(x: number, y: number, z: number) => number} Solid
 * @typedef {[number, number, number]} Vec
 */

import { BufferAttribute, BufferGeometry } from 'three';

const { abs, cos, max, min, sin, sqrt } = Math;

/** @param {Vec} c @param {number} r @returns {Solid} */
export const ball =
  ([a, b, c], r) =>
  (x, y, z) =>
    sqrt((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2) - r;

/** An ellipsoid (the distance is first-order). @param {Vec} centre @param {Vec} radii @returns {Solid} */
export function egg([a, b, c], [p, q, r]) {
  return (x, y, z) => {
    const u = (x - a) / p;
    const v = (y - b) / q;
    const w = (z - c) / r;
    const far = sqrt(u * u + v * v + w * w);
    const slope = sqrt((u / p) ** 2 + (v / q) ** 2 + (w / r) ** 2);
    return slope < 1e-9 ? -min(p, q, r) : (far * (far - 1)) / slope;
  };
}

/** A capsule whose radius goes from `r` to `s`. @param {Vec} from @param {Vec} to @returns {Solid} */
export function rod(from, to, /** @type {number} */ r, s = r) {
  const [a, b, c] = from;
  const [d, e, f] = [to[0] - a, to[1] - b, to[2] - c];
  const length2 = d * d + e * e + f * f;
  return (x, y, z) => {
    const t = max(0, min(1, ((x - a) * d + (y - b) * e + (z - c) * f) / length2));
    return sqrt((x - a - t * d) ** 2 + (y - b - t * e) ** 2 + (z - c - t * f) ** 2) - r - t * (s - r);
  };
}

/** A box with its edges rounded by `r`. @param {Vec} centre @param {Vec} half @param {number} r @returns {Solid} */
export function block([a, b, c], [p, q, s], r) {
  return (x, y, z) => {
    const u = abs(x - a) - p + r;
    const v = abs(y - b) - q + r;
    const w = abs(z - c) - s + r;
    const out = sqrt(max(u, 0) ** 2 + max(v, 0) ** 2 + max(w, 0) ** 2);
    return out + min(max(u, v, w), 0) - r;
  };
}

/** Softly the lesser of two. */
const blend = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ k) => {
  const h = max(k - abs(a - b), 0) / k;
  return min(a, b) - h * h * k * 0.25;
};

/** All of them, merged over a width `k`. @param {number} k @param {Solid[]} solids @returns {Solid} */
export function join(k, ...solids) {
  const [first, ...rest] = solids;
  return (x, y, z) => {
    let d = first(x, y, z);
    for (const solid of rest) d = blend(d, solid(x, y, z), k);
    return d;
  };
}

/** `a` without `b`. @param {number} k @param {Solid} a @param {Solid} b @returns {Solid} */
export const carve = (k, a, b) => (x, y, z) => -blend(-a(x, y, z), b(x, y, z), k);

/** What is in both. @param {number} k @param {Solid} a @param {Solid} b @returns {Solid} */
export const meet = (k, a, b) => (x, y, z) => -blend(-a(x, y, z), -b(x, y, z), k);

/** A solid and its mirror image: only what it has at x ≥ 0 counts. @param {Solid} f @returns {Solid} */
export const twin = (f) => (x, y, z) => f(abs(x), y, z);

/** @param {Solid} f @param {number} by @returns {Solid} */
export const grow = (f, by) => (x, y, z) => f(x, y, z) - by;

/** @param {Solid} f @param {Vec} by @returns {Solid} */
export const shift =
  (f, [a, b, c]) =>
  (x, y, z) =>
    f(x - a, y - b, z - c);

/** Turned about an axis through the origin. @param {Solid} f @param {'x'|'y'|'z'} axis @returns {Solid} */
export function turn(f, axis, /** @type {number} */ angle) {
  const [c, s] = [cos(angle), sin(angle)];
  if (axis === 'x') return (x, y, z) => f(x, c * y + s * z, c * z - s * y);
  if (axis === 'y') return (x, y, z) => f(c * x - s * z, y, s * x + c * z);
  return (x, y, z) => f(c * x + s * y, c * y - s * x, z);
}

/** A polygon of the xy plane, endless in z. @param {[number, number][]} corners @returns {Solid} */
export function prism(corners) {
  const n = corners.length;
  return (x, y) => {
    let near = Infinity;
    let inside = false;
    for (let i = 0, j = n - 1; i < n; j = i++) {
      const [ax, ay] = corners[i];
      const [bx, by] = corners[j];
      const [ex, ey] = [bx - ax, by - ay];
      const [wx, wy] = [x - ax, y - ay];
      const t = max(0, min(1, (wx * ex + wy * ey) / (ex * ex + ey * ey)));
      near = min(near, (wx - ex * t) ** 2 + (wy - ey * t) ** 2);
      if (ay > y !== by > y && x < (ex * (y - ay)) / ey + ax) inside = !inside;
    }
    return inside ? -sqrt(near) : sqrt(near);
  };
}

/**
 * A piece of cloth, `thick` above a body, within an outline (a solid that is endless in depth).
 * @param {Solid} body @param {Solid} outline @param {number} thick @param {number} edge how round the rim is
 * @returns {Solid}
 */
export const layer = (body, outline, thick, edge = 0.02) => meet(edge, grow(body, thick), outline);

/**
 * The depth of a surface seen from the front, as a grid that can be read anywhere within it.
 * @param {Solid} f @param {[number, number, number, number]} area left, bottom, right, top
 * @returns {(x: number, y: number) => number}
 */
export function relief(f, [left, bottom, right, top], n = 44) {
  const depth = new Float32Array(n * n);
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      const x = left + ((right - left) * i) / (n - 1);
      const y = bottom + ((top - bottom) * j) / (n - 1);
      let z = 0.9;
      for (let step = 0; step < 40 && z > -0.2; step++) {
        const d = f(x, y, z);
        if (d < 0.001) break;
        z -= d * 0.8;
      }
      depth[j * n + i] = z;
    }
  }
  return (x, y) => {
    const u = max(0, min(n - 1.001, ((x - left) / (right - left)) * (n - 1)));
    const v = max(0, min(n - 1.001, ((y - bottom) / (top - bottom)) * (n - 1)));
    const [i, j] = [u | 0, v | 0];
    const [s, t] = [u - i, v - j];
    const at = j * n + i;
    return (depth[at] * (1 - s) + depth[at + 1] * s) * (1 - t) + (depth[at + n] * (1 - s) + depth[at + n + 1] * s) * t;
  };
}

/**
 * Distances at the corners of a grid. Whole blocks far from the surface are told by one sample at their centre.
 * @param {Solid} f @param {Vec} low @param {number} cell @param {Vec} counts corners along x, y, z
 */
function sample(f, low, cell, [nx, ny, nz]) {
  const side = 4;
  const reach = cell * side * 0.87 * 1.7;
  const field = new Float32Array(nx * ny * nz);
  for (let bz = 0; bz < nz; bz += side) {
    for (let by = 0; by < ny; by += side) {
      for (let bx = 0; bx < nx; bx += side) {
        const half = ((side - 1) / 2) * cell;
        const centre = f(low[0] + bx * cell + half, low[1] + by * cell + half, low[2] + bz * cell + half);
        const far = abs(centre) > reach;
        for (let z = bz; z < min(bz + side, nz); z++) {
          for (let y = by; y < min(by + side, ny); y++) {
            for (let x = bx; x < min(bx + side, nx); x++) {
              const at = (z * ny + y) * nx + x;
              field[at] = far ? centre : f(low[0] + x * cell, low[1] + y * cell, low[2] + z * cell);
            }
          }
        }
      }
    }
  }
  return field;
}

/** One vertex per cell that the surface crosses: the mean of the crossings of its edges. */
function place(/** @type {Float32Array} */ field, /** @type {Vec} */ [nx, ny, nz]) {
  const index = new Int32Array(nx * ny * nz).fill(-1);
  /** @type {number[]} */
  const points = [];
  const corner = [0, 1, nx, nx + 1, nx * ny, nx * ny + 1, nx * ny + nx, nx * ny + nx + 1];
  for (let z = 0; z < nz - 1; z++) {
    for (let y = 0; y < ny - 1; y++) {
      for (let x = 0; x < nx - 1; x++) {
        const at = (z * ny + y) * nx + x;
        let [px, py, pz, hits] = [0, 0, 0, 0];
        for (let a = 0; a < 8; a++) {
          for (let bit = 1; bit < 8; bit <<= 1) {
            if (a & bit) continue;
            const from = field[at + corner[a]];
            const to = field[at + corner[a | bit]];
            if (from < 0 === to < 0) continue;
            const t = from / (from - to);
            px += (a & 1) + (bit === 1 ? t : 0);
            py += ((a >> 1) & 1) + (bit === 2 ? t : 0);
            pz += ((a >> 2) & 1) + (bit === 4 ? t : 0);
            hits++;
          }
        }
        if (!hits) continue;
        index[at] = points.length / 3;
        points.push(x + px / hits, y + py / hits, z + pz / hits);
      }
    }
  }
  return { index, points };
}

/** Two triangles around each grid edge that the surface crosses, wound so that they face outwards. */
function stitch(/** @type {Float32Array} */ field, /** @type {Int32Array} */ index, /** @type {Vec} */ [nx, ny, nz]) {
  /** @type {number[]} */
  const faces = [];
  const [sx, sy, sz] = [1, nx, nx * ny];
  for (let z = 1; z < nz - 1; z++) {
    for (let y = 1; y < ny - 1; y++) {
      for (let x = 1; x < nx - 1; x++) {
        const at = (z * ny + y) * nx + x;
        const inside = field[at] < 0;
        for (const [along, u, v] of [
          [sx, sy, sz],
          [sy, sz, sx],
          [sz, sx, sy],
        ]) {
          if (inside === field[at + along] < 0) continue;
          const [a, b, c, d] = [index[at - u - v], index[at - v], index[at], index[at - u]];
          if (inside) faces.push(a, b, c, a, c, d);
          else faces.push(a, c, b, a, d, c);
        }
      }
    }
  }
  return faces;
}

/** Those triangles that a viewer in front may see, even when the figure turns a little. @param {number[]} faces @param {Float32Array} normal */
function facing(faces, normal) {
  const away = (/** @type {number} */ at) => normal[faces[at] * 3 + 2] < -0.4;
  return faces.filter((_, i) => {
    const first = i - (i % 3);
    return !(away(first) && away(first + 1) && away(first + 2));
  });
}

/**
 * The mesh of a solid within a box.
 * @param {Solid} f
 * @param {{low: Vec, high: Vec, cell: number, tint?: (x: number, y: number, z: number) => Vec, frontOnly?: boolean}} options
 *   `tint` gives each vertex a linear colour that multiplies the material's; `frontOnly` leaves out what faces away
 * @returns {BufferGeometry}
 */
export function sculpt(f, { low, high, cell, tint, frontOnly = false }) {
  const counts = /** @type {Vec} */ (low.map((l, i) => Math.ceil((high[i] - l) / cell) + 2));
  const field = sample(f, low, cell, counts);
  const { index, points } = place(field, counts);
  const position = new Float32Array(points.length);
  const normal = new Float32Array(points.length);
  const colour = tint && new Float32Array(points.length);
  const e = cell * 0.5;
  for (let i = 0; i < points.length; i += 3) {
    let [x, y, z] = [low[0] + points[i] * cell, low[1] + points[i + 1] * cell, low[2] + points[i + 2] * cell];
    const gx = f(x + e, y, z) - f(x - e, y, z);
    const gy = f(x, y + e, z) - f(x, y - e, z);
    const gz = f(x, y, z + e) - f(x, y, z - e);
    const g = sqrt(gx * gx + gy * gy + gz * gz) || 1;
    const off = max(-e, min(e, f(x, y, z)));
    [x, y, z] = [x - (off * gx) / g, y - (off * gy) / g, z - (off * gz) / g];
    position.set([x, y, z], i);
    normal.set([gx / g, gy / g, gz / g], i);
    if (colour && tint) colour.set(tint(x, y, z), i);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  if (colour) geometry.setAttribute('color', new BufferAttribute(colour, 3));
  const faces = stitch(field, index, counts);
  geometry.setIndex(frontOnly ? facing(faces, normal) : faces);
  return geometry;
}
