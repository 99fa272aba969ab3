/**
 * A tube whose path may change every frame: sleeves, fingers, brows, lips.
 */

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, Vector3 } from 'three';

const along = new Vector3();
const side = new Vector3();
const up = new Vector3();

/** A mesh of `rings` rounds of `sides` corners; its ends are closed by letting the radius go to nothing. */
export class Tube extends Mesh {
  /**
   * @param {number} rings @param {number} sides @param {import('three').Material} material
   */
  constructor(rings, sides, material) {
    const geometry = new BufferGeometry();
    for (const name of ['position', 'normal']) {
      const attribute = new BufferAttribute(new Float32Array(rings * sides * 3), 3);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
    }
    const faces = [];
    for (let r = 0; r < rings - 1; r++) {
      for (let s = 0; s < sides; s++) {
        const [a, b] = [r * sides + s, r * sides + ((s + 1) % sides)];
        faces.push(a, a + sides, b, b, a + sides, b + sides);
      }
    }
    geometry.setIndex(faces);
    super(geometry, material);
    this.frustumCulled = false;
    this.rings = rings;
    this.sides = sides;
    /** The path's points, to be filled before `shape`. */
    this.path = Array.from({ length: rings }, () => new Vector3());
    /** Half the tube's extent across, at each ring. */
    this.radius = new Float32Array(rings);
    /** The extent along `flatAxis` is this times the radius. */
    this.flat = 1;
    /** Roughly the direction in which the section is flattened. */
    this.flatAxis = new Vector3(0, 0, 1);
  }

  /** Builds the surface around `path`. */
  shape() {
    const position = /** @type {BufferAttribute} */ (this.geometry.attributes.position);
    const normal = /** @type {BufferAttribute} */ (this.geometry.attributes.normal);
    const { rings, sides, path, radius, flat } = this;
    for (let r = 0; r < rings; r++) {
      const [before, after] = [Math.max(0, r - 1), Math.min(rings - 1, r + 1)];
      along.subVectors(path[after], path[before]).normalize();
      side.crossVectors(along, this.flatAxis).normalize();
      up.crossVectors(side, along);
      const span = path[after].distanceTo(path[before]) || 1;
      const slope = (radius[after] - radius[before]) / span;
      for (let s = 0; s < sides; s++) {
        const angle = (s / sides) * Math.PI * 2;
        const [c, d] = [Math.cos(angle), Math.sin(angle)];
        const at = r * sides + s;
        const [p, q] = [c * radius[r], d * radius[r] * flat];
        const point = path[r];
        position.setXYZ(
          at,
          point.x + side.x * p + up.x * q,
          point.y + side.y * p + up.y * q,
          point.z + side.z * p + up.z * q,
        );
        const [m, n] = [c, d / flat];
        const nx = side.x * m + up.x * n - along.x * slope;
        const ny = side.y * m + up.y * n - along.y * slope;
        const nz = side.z * m + up.z * n - along.z * slope;
        const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
        normal.setXYZ(at, nx / length, ny / length, nz / length);
      }
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }
}
