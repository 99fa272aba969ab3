/** Does the reader want things to keep still? */
import { signal } from "./html.js";

const query = matchMedia("(prefers-reduced-motion: reduce)");

export const still = signal(query.matches);
query.addEventListener("change", () => {
  still.value = query.matches;
});
