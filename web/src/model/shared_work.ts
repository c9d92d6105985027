// Work that several calls wait for: the abort of one is no other's.
import { orAborted } from '../api/signals.js';

export class SharedWork {
  readonly #dropping = new AbortController();
  readonly #work: Promise<void>;
  #isOver = false;
  #waiting = 0;

  /** Begins the work; its signal is aborted when no call waits for it any more. */
  constructor(work: (dropped: AbortSignal) => Promise<void>) {
    // Not before the caller has this.
    this.#work = Promise.resolve()
      .then(() => work(this.#dropping.signal))
      .finally(() => (this.#isOver = true));
    this.#work.catch(() => undefined);
  }

  /** Whether it ends without a result. */
  get isDropped(): boolean {
    return this.#dropping.signal.aborted;
  }

  async join(signal: AbortSignal | undefined): Promise<void> {
    ++this.#waiting;
    try {
      await orAborted(this.#work, signal);
    } finally {
      if (--this.#waiting === 0) this.drop();
    }
  }

  /** Aborts the work, unless it is over. */
  drop(): void {
    if (!this.#isOver) this.#dropping.abort();
  }
}
