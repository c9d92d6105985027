import { abortedOr, onAbort, throwIfAborted } from '../api/signals.js';

/** Runs tasks one after the other, in the order of the calls. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #isHeldUp = false;
  /** Callbacks of waiting work, called when a paused task holds it up. */
  readonly #waiting = new Set<() => void>();

  /** Whether the current task is paused: until it resumes, no other task has its turn. */
  set isHeldUp(isHeldUp: boolean) {
    if (isHeldUp === this.#isHeldUp) return;
    this.#isHeldUp = isHeldUp;
    if (isHeldUp) for (const tell of this.#waiting) tell();
  }

  /** Like run(); calls `heldUp` each time that the work begins to wait for a paused task. */
  async runOrTell<T>(work: () => Promise<T>, signal: AbortSignal, heldUp: () => void): Promise<T> {
    this.#waiting.add(heldUp);
    if (this.#isHeldUp) heldUp();
    try {
      return await this.run(() => {
        this.#waiting.delete(heldUp);
        return work();
      }, signal);
    } finally {
      this.#waiting.delete(heldUp);
    }
  }

  /**
   * Runs work in its turn. If its signal is aborted while it waits, this rejects at once and the work never begins. Whatever error aborted
   * work throws, this rejects with the signal's reason.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!signal) return this.#append(work);
    return new Promise<T>((done, failed) => {
      const stopListening = onAbort(signal, () => failed(signal.reason as Error));
      if (signal.aborted) return;
      const turn = this.#append(() => {
        stopListening();
        throwIfAborted(signal);
        return work();
      });
      turn.then(done, (error: unknown) => failed(abortedOr(signal, error) as Error));
    });
  }

  #append<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
