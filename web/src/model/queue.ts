import { abortedBy } from '../api/errors.js';
import { onAbort, throwIfAborted } from '../api/signals.js';

/** Runs tasks one after the other, in the order of the calls. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Work whose signal is aborted while it waits is refused at once and never begun. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!signal) return this.#append(work);
    return new Promise<T>((done, failed) => {
      const stopListening = onAbort(signal, () => failed(abortedBy(signal)));
      if (signal.aborted) return;
      const turn = this.#append(() => {
        stopListening();
        throwIfAborted(signal);
        return work();
      });
      turn.then(done, failed);
    });
  }

  #append<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
