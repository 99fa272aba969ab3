/** The lake in section: how high it stands before and after a month's fishing, who swims in it, who fishes. */
import { html } from "../html.js";
import { t } from "../i18n.js";

const WIDTH = 640;
const HEIGHT = 250;
/** Where a full lake's water and its deepest place are. */
const FULL = 84;
const DEEP = 236;
/** How many fish stand for a full lake. */
const SHOAL = 40;

/** How high the water stands. @param {number} share of a full lake */
const level = (share) => DEEP - (DEEP - FULL) * share;

/** A bowl's wall. */
const BED = `M0 ${FULL - 26} C 40 ${FULL - 14}, 60 ${FULL}, 84 ${FULL + 34} S 180 ${DEEP}, 320 ${DEEP} S 520 ${FULL + 70}, 556 ${FULL + 34} S 604 ${FULL - 16}, ${WIDTH} ${FULL - 26}`;

/** A fish's place, apart from the others' (Roberts 2018, R2): how far across, how deep (0: at the surface), which way it looks. @param {number} n */
const swims = (n) => ({ x: (n * 0.754878 + 0.13) % 1, depth: ((n * 0.569840 + 0.37) % 1) * 0.84 + 0.08, right: n % 3 !== 0 });

/**
 * @param {{facts: import("./learn/commons.js").LakeFacts, month: import("./learn/commons.js").Month, dead: boolean, name: string,
 *   say: (kg: number) => string}} props
 */
export function Lake({ facts, month, dead, name, say }) {
  const full = facts.capacity_t * facts.tonne_kg;
  const [before, after] = [month.lake / full, month.left / full];
  const all = Math.round(before * SHOAL);
  const left = Math.round(after * SHOAL);
  const [high, low] = [level(before), level(after)];
  const words = t(dead ? "lab.commons.lakeDead" : "lab.commons.lakeWords", { name, lake: say(month.lake), left: say(month.left) });
  return html`
    <figure class="lake">
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${words}>
        <defs>
          <linearGradient id="lake-water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" class="lake__shallow" /><stop offset="1" class="lake__deep" /></linearGradient>
          <linearGradient id="lake-sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" class="lake__dusk" /><stop offset="1" class="lake__dawn" /></linearGradient>
          <clipPath id="lake-inside"><path d=${`${BED} V0 H0 Z`} /></clipPath>
        </defs>
        <rect width=${WIDTH} height=${HEIGHT} fill="url(#lake-sky)" />
        <g clip-path="url(#lake-inside)">
          <rect class="lake__taken" y=${high} width=${WIDTH} height=${Math.max(low - high, 0)} />
          <rect y=${low} width=${WIDTH} height=${Math.max(HEIGHT - low, 0)} fill="url(#lake-water)" />
          <line class="lake__line lake__line--before" x1="0" x2=${WIDTH} y1=${high} y2=${high} />
          <line class="lake__line" x1="0" x2=${WIDTH} y1=${low} y2=${low} />
        </g>
        ${Array.from({ length: all }, (_, n) => html`<${Fish} key=${n} n=${n} surface=${n < left ? low : high} floor=${n < left ? DEEP : low} caught=${n >= left} />`)}
        <path class="lake__ground" d=${`${BED} V${HEIGHT} H0 Z`} />
        ${month.caught.map((kg, n) => html`<${Boat} key=${n} n=${n} of=${month.caught.length} y=${high} caught=${say(kg)} />`)}
        ${dead && html`<text class="lake__dead" x=${WIDTH / 2} y="38" text-anchor="middle">${t("lab.commons.deadShort")}</text>`}
      </svg>
      <figcaption class="lake__words small soft">${words}</figcaption>
    </figure>
  `;
}

/** How wide the bowl is at a height, from the middle. @param {number} y */
const reach = (y) => 46 + 188 * Math.sqrt(Math.min(Math.max((DEEP - y) / (DEEP - FULL), 0), 1));

/** @param {{n: number, surface: number, floor: number, caught: boolean}} props */
function Fish({ n, surface, floor, caught }) {
  const place = swims(n);
  const y = surface + 7 + place.depth * Math.max(floor - surface - 16, 0);
  const x = WIDTH / 2 + (place.x * 2 - 1) * (reach(y) - 20);
  return html`<path class=${caught ? "lake__fish lake__fish--caught" : "lake__fish"}
    transform=${`translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${place.right ? 1 : -1} 1)`} d="M-9 0 C -4 -5, 4 -5, 8 0 C 4 5, -4 5, -9 0 M-7 0 l-5 -4 v8 Z" />`;
}

/** @param {{n: number, of: number, y: number, caught: string}} props */
function Boat({ n, of, y, caught }) {
  const x = WIDTH / 2 + ((n + 0.5) / of - 0.5) * Math.min(2 * reach(y) - 20, 440);
  return html`
    <g transform=${`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
      <path class="lake__mast" d="M0 -4 V-30" />
      <path class=${`lake__sail tone--fisher${n + 1}`} d="M2 -30 L18 -9 H2 Z" />
      <path class="lake__hull" d="M-19 -5 H19 L12 5 H-12 Z" />
      <text class="lake__catch" y="-37" text-anchor="middle">${caught}</text>
    </g>
  `;
}
