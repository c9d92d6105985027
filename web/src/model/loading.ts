import { disposedDuringWork } from '../api/errors.js';
import { anyOf, orAborted } from '../api/signals.js';
import type { LoadedFacts } from '../protocol/engine.js';

export type VerifiedFacts = LoadedFacts & { readonly signer?: string };

/** A load that goes on while its model is in use. */
export class Loading {
  /** Settles when the load does; it need not be awaited. */
  readonly finished: Promise<VerifiedFacts>;
  readonly #leaving = new AbortController();
  readonly #joined: ReturnType<typeof anyOf>;
  #failure: { readonly error: unknown } | undefined;
  #done!: (facts: VerifiedFacts) => void;
  #failed!: (error: unknown) => void;

  /** `signal`: the caller's. */
  constructor(signal: AbortSignal | undefined) {
    this.#joined = anyOf([signal, this.#leaving.signal]);
    this.finished = new Promise((done, failed) => {
      this.#done = done;
      this.#failed = failed;
    });
    this.finished.catch(() => undefined);
  }

  /** Aborted by the caller's signal and by stop(). */
  get signal(): AbortSignal {
    return this.#joined.signal;
  }

  /** The model is disposed. */
  stop(): void {
    this.#leaving.abort();
  }

  /** The load is over, with or without success: removes its listeners from the caller's signal. */
  release(): void {
    this.#joined.release();
  }

  finish(facts: VerifiedFacts): void {
    this.#done(facts);
  }

  /** Call it before the engine is closed, so that the cause is recorded before the errors that follow from it. */
  fail(error: unknown): void {
    this.#failure ??= { error: this.#isLeft ? disposedDuringWork() : error };
    this.#failed(this.#failure.error);
  }

  /**
   * Does work on the model, which begins now if it `startsEarly`, else with the whole model; it ends with the whole model. Where the
   * load fails, so does the work, with the same error.
   */
  async run<T>(
    work: () => Promise<T>,
    startsEarly: boolean,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // After dispose() the engine has the right answer.
    if (this.#isLeft) return work();
    if (!startsEarly || this.#failure) await orAborted(this.finished, signal);
    try {
      const result = await work();
      await orAborted(this.finished, signal);
      return result;
    } catch (error) {
      throw this.#whyFailed(error);
    }
  }

  /** Replaces errors of an engine that a failed load has closed with the load's error. */
  #whyFailed(error: unknown): unknown {
    return this.#failure && !this.#isLeft ? this.#failure.error : error;
  }

  get #isLeft(): boolean {
    return this.#leaving.signal.aborted;
  }
}
