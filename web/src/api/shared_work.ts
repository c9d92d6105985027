// Work that several calls wait for: the abort of one is no other's.
import { orAborted } from './signals.js';

export class SharedWork<T = void> {
  /** Resolves when the work is over, also after a drop. */
  readonly ended: Promise<void>;
  readonly #dropping = new AbortController();
  readonly #work: Promise<T>;
  #isOver = false;
  #waiting = 0;

  /** Begins the work; its signal is aborted when no call waits for it any more. */
  constructor(work: (dropped: AbortSignal) => Promise<T>) {
    // Not before the caller has this.
    this.#work = Promise.resolve()
      .then(() => work(this.#dropping.signal))
      .finally(() => (this.#isOver = true));
    this.ended = this.#work.then(
      () => undefined,
      () => undefined,
    );
  }

  /** Whether it ends without a result. */
  get isDropped(): boolean {
    return this.#dropping.signal.aborted;
  }

  async join(signal: AbortSignal | undefined): Promise<T> {
    ++this.#waiting;
    try {
      return await orAborted(this.#work, signal);
    } finally {
      if (--this.#waiting === 0) this.drop();
    }
  }

  /** Aborts the work, unless it is over. */
  drop(): void {
    if (!this.#isOver) this.#dropping.abort();
  }
}
