// The work under way: one thing at a time, which a new thing stops.
import { strings } from '../strings.js';
import { ErrorView } from './error_view.js';
import { StatusView, type BusyCalls } from './status_view.js';

/** What the page is busy with, shown in its status line, and what went wrong with it. */
export class Work {
  readonly status = new StatusView();
  readonly errors = new ErrorView();
  #current = new AbortController();

  /** Stops the work under way and returns the signal for the next. */
  begin(): AbortSignal {
    this.#current.abort();
    this.#current = new AbortController();
    this.errors.clear();
    return this.#current.signal;
  }

  /** Stops the work under way. */
  stop(): void {
    this.#current.abort();
  }

  /** Whether nothing has taken the place of the work with this signal. */
  isCurrent(signal: AbortSignal): boolean {
    return signal === this.#current.signal;
  }

  /** Shows that this goes on. The person can stop it: all of it, unless `onCancel` says what. */
  show(text: string, calls: BusyCalls = {}): void {
    this.status.busy(text, { onCancel: () => this.stop(), ...calls });
  }

  /** Short work that ends with a sentence for the status line. */
  async run(
    doing: string,
    failed: string,
    task: (signal: AbortSignal) => Promise<string>,
  ): Promise<void> {
    const signal = this.begin();
    this.show(doing);
    try {
      const done = await task(signal);
      if (this.isCurrent(signal)) this.status.idle(done);
    } catch (error) {
      if (!this.isCurrent(signal)) return;
      if (!signal.aborted) this.errors.show(failed, error);
      this.status.idle(signal.aborted ? strings.status.stopped : strings.status.ready);
    }
  }
}
