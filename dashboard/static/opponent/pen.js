/**
 * Drawing by hand: SVG elements, and shades of a colour.
 */

/** A number short enough for an attribute. */
export const short = (/** @type {number} */ x) => Math.round(x * 1e4) / 1e4;

/**
 * An SVG element.
 * @param {string} name @param {Record<string, string|number>} attributes @param {...SVGElement} children
 * @returns {any}
 */
export function draw(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A colour made lighter (up to 1) or darker (down to -1). @param {string} colour '#rrggbb' @param {number} by */
export function shade(colour, by) {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `#${parts
    .map((v) =>
      Math.round(by < 0 ? v * (1 + by) : v + (255 - v) * by)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
