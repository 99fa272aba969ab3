/** Where one goes on after a move. */

/** At the next words, or, when the game is over, at what came of it. */
export function goOn() {
  requestAnimationFrame(() => {
    const place = document.getElementById("over-title") ?? document.getElementById("words");
    place?.focus({ preventScroll: true });
  });
}
