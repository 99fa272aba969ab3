/** An event stream that comes back by itself, and says how it is. */

/** @typedef {"connecting" | "open" | "lost" | "gone"} Link */

/**
 * Listen to a stream. The browser reconnects with `Last-Event-ID`; where it gives up (an answer that is no stream),
 * we try again, ever later.
 * @param {string} url
 * @param {{events: Record<string, (data: any) => void>, onLink?: (link: Link) => void}} listener
 * @returns {() => void} stops it
 */
export function listen(url, { events, onLink = () => {} }) {
  /** @type {EventSource | null} */
  let source = null;
  let stopped = false;
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    source?.close();
  };

  const connect = () => {
    if (stopped) return;
    source = new EventSource(url);
    source.onopen = () => {
      failures = 0;
      onLink("open");
    };
    source.onerror = () => {
      onLink("lost");
      if (source?.readyState !== EventSource.CLOSED || stopped) return;
      failures += 1;
      timer = setTimeout(connect, Math.min(1000 * 2 ** failures, 30000));
    };
    for (const [name, take] of Object.entries(events)) {
      source.addEventListener(name, (event) => take(JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    source.addEventListener("gone", () => {
      stop();
      onLink("gone");
    });
  };

  onLink("connecting");
  connect();
  return stop;
}
