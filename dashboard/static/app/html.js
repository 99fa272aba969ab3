/** The one place that knows which libraries draw the pages. */
import { h, render, Fragment } from "preact";
import htm from "htm";

/**
 * @template T
 * @typedef {import("@preact/signals").Signal<T>} Signal
 */

export { h, render, Fragment };
export { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useId } from "preact/hooks";
export { signal, computed, effect, batch, useSignal, useComputed, useSignalEffect } from "@preact/signals";

/** A template that becomes nodes: texts in it stay texts, whatever they hold. */
export const html = htm.bind(h);

/**
 * Class names, without those that are off.
 * @param {...(string | false | null | undefined)} names
 */
export const classes = (...names) => names.filter(Boolean).join(" ");
