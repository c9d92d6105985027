// Work is done in slices: between two of them everything else that waits in this thread gets its turn.
import { orAborted, throwIfAborted } from '../api/signals.js';

/** Short enough that an abort or a message is answered at once; long against the cost of a turn. */
const sliceMilliseconds = 12;

/** Lets every task that is already waiting run. */
const nextTurn: () => Promise<void> = (() => {
  if (typeof setImmediate === 'function')
    return () => new Promise<void>((done) => setImmediate(done));
  // A timer would be slowed down to 4 ms and more; a message is not.
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise<void>((done) => {
      waiting.push(done);
      port2.postMessage(undefined);
    });
})();

export class Pace {
  #sliceEnd = performance.now() + sliceMilliseconds;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Milliseconds that work may go on for before the next step(). */
  get left(): number {
    return this.#sliceEnd - performance.now();
  }

  /** Called between two bounded steps: now and then lets others run, and throws once the signal is aborted. */
  async step(): Promise<void> {
    if (performance.now() >= this.#sliceEnd) {
      await nextTurn();
      this.#sliceEnd = performance.now() + sliceMilliseconds;
    }
    throwIfAborted(this.#signal);
  }

  /** Waits for something outside, and throws as soon as the signal is aborted. */
  async wait<T>(outside: Promise<T> | T): Promise<T> {
    if (!(outside instanceof Promise)) return outside;
    try {
      return await orAborted(outside, this.#signal);
    } finally {
      this.#sliceEnd = performance.now() + sliceMilliseconds;
    }
  }
}
