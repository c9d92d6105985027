// Work is done in slices: between two of them everything else that waits in this thread gets its turn.
import { SusurrusError } from '../errors.js';

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

/** An AbortSignal, or several seen as one. */
export interface Cancellation {
  readonly aborted: boolean;
}

export class Pace {
  #sliceEnd = performance.now() + sliceMilliseconds;
  readonly #signal: Cancellation;

  constructor(signal: Cancellation) {
    this.#signal = signal;
  }

  /** Called between two bounded steps: now and then lets others run, and throws once the signal is aborted. */
  async step(): Promise<void> {
    if (performance.now() >= this.#sliceEnd) {
      await nextTurn();
      this.#sliceEnd = performance.now() + sliceMilliseconds;
    }
    if (this.#signal.aborted) {
      throw new SusurrusError('aborted', 'Stopped by the caller.', { reason: 'aborted' });
    }
  }
}
