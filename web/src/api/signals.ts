// Aborts. Stopped work rejects with the signal's own reason, whatever that is. Check the signal, never an error's name.

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
}

/** What failed work rejects with: the signal's reason once that is aborted, whatever was thrown. */
export const abortedOr = (signal: AbortSignal | undefined, error: unknown): unknown =>
  signal?.aborted ? signal.reason : error;

/** Calls `act` when the signal is aborted, at once if it already is. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}

/** Settles as `work` does, or rejects with the signal's reason as soon as there is one; the work itself goes on. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, failed) => {
    release = onAbort(signal, () => failed(signal.reason as Error));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    release();
  }
}

/** Waits, and rejects with the signal's reason as soon as there is one. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise<void>((done) => (timer = setTimeout(done, milliseconds)));
  try {
    await orAborted(pause, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether `work` is done within this time; rejects as it does meanwhile. */
export async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((done) => {
    timer = setTimeout(() => done(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One signal that any of several aborts, with its reason. Call release() to remove the listeners. */
export function anyOf(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const releases = signals.map((from) => onAbort(from, () => controller.abort(from?.reason)));
  return { signal: controller.signal, release: () => releases.forEach((release) => release()) };
}
