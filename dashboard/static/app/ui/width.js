/** How wide a drawing's place is, so that it is drawn in real pixels and its texts stay readable on a phone. */
import { useLayoutEffect, useRef, useState } from "../html.js";

/**
 * @param {number} first the width until the place has been measured
 * @returns {[import("preact").Ref<any>, number]}
 */
export function useWidth(first = 640) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => {
      const found = Math.round(element.clientWidth);
      if (found > 0) setWidth(found);
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return [place, width];
}

/**
 * About how wide a text of the drawings is: enough to keep two of them apart.
 * @param {string} text
 * @param {number} [size] of the type, in pixels
 */
export const textWidth = (text, size = 12) =>
  [...text].reduce((sum, letter) => sum + (letter.charCodeAt(0) > 0x2e7f ? 1 : 0.57), 0) * size;

/**
 * Round figures that divide a stretch into about `count` parts.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((size) => size * power).find((size) => size >= rough) ?? rough;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-6; value += step) found.push(Math.round(value * 1e6) / 1e6);
  return found;
}

/**
 * The same places, moved apart until none overlap, and kept inside.
 * @template {{y: number}} T
 * @param {T[]} places
 * @param {number} least
 * @param {number} [top]
 * @param {number} [bottom]
 * @returns {T[]}
 */
export function apart(places, least, top = -Infinity, bottom = Infinity) {
  const sorted = [...places].sort((a, b) => a.y - b.y).map((place) => ({ ...place }));
  for (let round = 0; round < 4; round++) {
    for (let i = 1; i < sorted.length; i++) {
      const overlap = least - (sorted[i].y - sorted[i - 1].y);
      if (overlap > 0) {
        sorted[i - 1].y -= overlap / 2;
        sorted[i].y += overlap / 2;
      }
    }
    if (sorted.length && sorted[0].y < top) sorted[0].y = top;
    const last = sorted.at(-1);
    if (last && last.y > bottom) last.y = bottom;
  }
  return sorted;
}
