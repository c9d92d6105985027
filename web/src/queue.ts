import { abortedBy } from './errors.js';

/** Runs pieces of work one after the other, in the order of their calls. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Work whose signal is aborted while it waits is refused at once and never begun. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!signal) return this.#append(work);
    return new Promise<T>((done, failed) => {
      const onAbort = (): void => failed(abortedBy(signal));
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      const turn = this.#append(async () => {
        signal.removeEventListener('abort', onAbort);
        if (!signal.aborted) return work();
        throw abortedBy(signal);
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
