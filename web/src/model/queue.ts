import { abortedOr, onAbort, throwIfAborted } from '../api/signals.js';

/** Runs tasks one after the other, in the order of the calls. */
export class Queue {
  #isTaken = false;
  #isHeldUp = false;
  /** Those that wait, in their order: each begins its turn. */
  #turns: (() => void)[] = [];
  /** Callbacks of waiting work, called when a paused task holds it up. */
  readonly #waiting = new Set<() => void>();

  /** Whether the next turn would come at once. */
  get isFree(): boolean {
    return !this.#isTaken;
  }

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
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const end = await this.take(signal);
    try {
      throwIfAborted(signal);
      return await work();
    } catch (error) {
      throw abortedOr(signal, error);
    } finally {
      end();
    }
  }

  /**
   * Resolves when the turn comes, with what ends it, which is to be called once. `isFirst`: before all others that wait. If the signal is
   * aborted meanwhile, this rejects at once.
   */
  take(signal?: AbortSignal, isFirst = false): Promise<() => void> {
    return new Promise((taken, failed) => {
      const begin = (): void => {
        stopListening();
        this.#isTaken = true;
        taken(() => this.#endTurn());
      };
      const stopListening = onAbort(signal, () => {
        this.#turns = this.#turns.filter((turn) => turn !== begin);
        failed(signal?.reason as Error);
      });
      if (signal?.aborted) return;
      if (!this.#isTaken) begin();
      else if (isFirst) this.#turns.unshift(begin);
      else this.#turns.push(begin);
    });
  }

  #endTurn(): void {
    this.#isTaken = false;
    this.#turns.shift()?.();
  }
}
