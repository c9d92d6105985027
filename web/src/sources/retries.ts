import { sleep } from '../api/signals.js';

const mostFailures = 5;
const firstWaitMilliseconds = 250;

/** Waits between attempts to go on with a download, longer each time; a connection that brought bytes starts the count anew. */
export class Retries {
  #failures = 0;

  /** Waits before the next attempt, or throws `error` after too many. */
  async next(error: unknown, hasAdvanced: boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#failures = hasAdvanced ? 1 : this.#failures + 1;
    if (this.#failures > mostFailures) throw error;
    await sleep(firstWaitMilliseconds * 2 ** (this.#failures - 1), signal);
  }
}

/** Of an answer's status: a server that is busy or failing, not one that refuses. */
export const isWorthRetrying = (status: number): boolean =>
  status >= 500 || status === 408 || status === 429;
