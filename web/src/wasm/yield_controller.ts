// Long work runs in slices and yields between them, so that messages and aborts are handled.
import { orAborted, throwIfAborted } from '../api/signals.js';

/** Short enough that aborts and messages are handled promptly; long compared with the cost of yielding. */
const sliceMilliseconds = 12;

/** Runs every task that is already queued. */
const nextTurn: () => Promise<void> = (() => {
  if (typeof setImmediate === 'function')
    return () => new Promise<void>((done) => setImmediate(done));
  // Browsers clamp nested timers to 4 ms; messages are not delayed.
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise<void>((done) => {
      waiting.push(done);
      port2.postMessage(undefined);
    });
})();

/** Yields to the event loop after each slice, and throws once the signal is aborted. */
export class YieldController {
  #sliceEnd = performance.now() + sliceMilliseconds;
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Milliseconds left in this slice: work may run that long before the next step(). */
  get left(): number {
    return this.#sliceEnd - performance.now();
  }

  /** Call between bounded steps. Yields when the slice is used up; throws once the signal is aborted. */
  async step(): Promise<void> {
    if (performance.now() >= this.#sliceEnd) {
      await nextTurn();
      this.#sliceEnd = performance.now() + sliceMilliseconds;
    }
    throwIfAborted(this.#signal);
  }

  /** Yields whatever is left of the slice. */
  async turn(): Promise<void> {
    this.#sliceEnd = 0;
    await this.step();
  }

  /** Awaits `outside`; throws as soon as the signal is aborted. */
  async wait<T>(outside: Promise<T> | T): Promise<T> {
    if (!(outside instanceof Promise)) return outside;
    try {
      return await orAborted(outside, this.#signal);
    } finally {
      this.#sliceEnd = performance.now() + sliceMilliseconds;
    }
  }
}
