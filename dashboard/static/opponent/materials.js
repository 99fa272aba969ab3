/**
 * How surfaces answer to light: physically based where a graphics card does the work, a cheaper model where the
 * processor has to (software rendering), so that the figure moves there too.
 *
 * @typedef {object} Look
 * @property {import('three').ColorRepresentation} [color]
 * @property {number} [rough] 0 mirror … 1 chalk
 * @property {boolean} [metal]
 * @property {boolean} [tinted] multiplied by the geometry's own colours
 * @property {boolean} [twoSided]
 * @property {number} [opacity]
 * @property {import('three').Texture} [map]
 *
 * @typedef {(look: Look) => import('three').Material} Paint
 */

import { Color, DoubleSide, FrontSide, MeshPhongMaterial, MeshStandardMaterial } from 'three';

/** @type {Paint} */
export function rich({
  color = '#ffffff',
  rough = 0.6,
  metal = false,
  tinted = false,
  twoSided = false,
  opacity = 1,
  map,
}) {
  return new MeshStandardMaterial({
    color,
    roughness: rough,
    metalness: metal ? 1 : 0,
    vertexColors: tinted,
    side: twoSided ? DoubleSide : FrontSide,
    transparent: opacity < 1,
    opacity,
    map: map ?? null,
  });
}

/** @type {Paint} */
export function plain({
  color = '#ffffff',
  rough = 0.6,
  metal = false,
  tinted = false,
  twoSided = false,
  opacity = 1,
  map,
}) {
  const gloss = (1 - rough) ** 2;
  const specular = metal ? new Color(color).multiplyScalar(1.4) : new Color(1, 1, 1).multiplyScalar(0.03 + gloss * 0.5);
  return new MeshPhongMaterial({
    color,
    specular,
    shininess: 8 + gloss * 110,
    vertexColors: tinted,
    side: twoSided ? DoubleSide : FrontSide,
    transparent: opacity < 1,
    opacity,
    map: map ?? null,
  });
}

/** Whether what draws is the processor itself. @param {WebGLRenderingContext | WebGL2RenderingContext} context */
export function isSoftware(context) {
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
