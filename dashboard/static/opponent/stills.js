/** @param {string} persona @param {string} state @returns {SVGElement} */
export function still(persona, state) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 400 400');
  return svg;
}
