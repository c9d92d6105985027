// How work is stopped. The signal is asked, never the name of an error: a caller may abort with any reason.
import { abortedBy } from './errors.js';

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

/** What work that failed rejects with: once the signal is aborted that is why, whatever was thrown. */
export const abortedOr = (signal: AbortSignal | undefined, error: unknown): unknown =>
  signal?.aborted ? abortedBy(signal) : error;

/** Calls `act` when the signal is aborted, at once if it is already. The answer stops listening. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}

/** What comes of `work`, or `aborted` as soon as the signal is; the work itself goes on. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, failed) => {
    release = onAbort(signal, () => failed(abortedBy(signal)));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    release();
  }
}

/** Waits, and rejects with `aborted` as soon as the signal is. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise<void>((done) => (timer = setTimeout(done, milliseconds)));
  try {
    await orAborted(pause, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** One signal that any of several aborts, with its reason. Released, it no longer listens. */
export function anyOf(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const releases = signals.map((from) => onAbort(from, () => controller.abort(from?.reason)));
  return { signal: controller.signal, release: () => releases.forEach((release) => release()) };
}
