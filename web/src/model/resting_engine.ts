// The engine of a model, which may end while the model is idle; the next call loads it again.
import { disposedDuringWork, wrongState } from '../api/errors.js';
import { throwIfAborted } from '../api/signals.js';
import type { EngineCalls, EngineEvent, EngineLink } from '../protocol/engine.js';
import type { CallOptions } from '../protocol/link.js';
import { SharedWork } from '../api/shared_work.js';

interface Sleep {
  readonly milliseconds: number;
  /** Loads the model once more. */
  readonly loadAgain: (signal: AbortSignal) => Promise<EngineLink>;
}

/** What an engine's model has beside it, and has no longer than the engine. */
export interface Companion {
  /** The engine sleeps. */
  rest(): void;
  /** It has ended. */
  close(): void;
}

const disposed = (): Error => wrongState('The model is disposed.', 'model');

export class RestingEngine implements EngineLink {
  /** Undefined while it sleeps. */
  #engine: EngineLink | undefined;
  readonly #companions: readonly Companion[];
  #sleep: Sleep | undefined;
  /** The model, while a call is under way: the reference prevents its garbage collection, since forgotten.ts holds this engine. */
  worksFor: object | undefined;
  /** The load under way, shared by all calls that wait for it. */
  #waking: SharedWork | undefined;
  #uses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #closing = new AbortController();

  constructor(engine: EngineLink, companions: readonly Companion[] = []) {
    this.#engine = engine;
    this.#companions = companions;
  }

  /** From now on the engine ends when it was not used for so many seconds. */
  sleepAfter(seconds: number, loadAgain: Sleep['loadAgain']): void {
    this.#sleep = { milliseconds: 1000 * seconds, loadAgain };
    // A model loaded with `early` may have calls under way; the timer then starts after them.
    if (!this.worksFor) this.#rest();
  }

  get asleep(): boolean {
    return this.#engine === undefined && !this.#closing.signal.aborted;
  }

  /** Runs a call of the model with an engine that is awake, and stays awake until the call ends. */
  async use<T>(model: object, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    clearTimeout(this.#timer);
    this.worksFor = model;
    ++this.#uses;
    try {
      if (this.#sleep && this.asleep) {
        throwIfAborted(signal);
        const waking = this.#waking?.isDropped === false ? this.#waking : this.#wake(this.#sleep);
        await waking.join(signal);
      }
      return await work();
    } finally {
      if (--this.#uses === 0) {
        this.worksFor = undefined;
        this.#rest();
      }
    }
  }

  call<Name extends keyof EngineCalls>(
    name: Name,
    request: EngineCalls[Name]['request'],
    options?: CallOptions<EngineEvent>,
  ): Promise<EngineCalls[Name]['answer']> {
    return this.#engine?.call(name, request, options) ?? Promise.reject(disposed());
  }

  /** Ends the engine permanently, and a load under way. */
  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
    this.#waking?.drop();
    this.#engine?.close();
    for (const companion of this.#companions) companion.close();
  }

  #wake({ loadAgain }: Sleep): SharedWork {
    const waking = new SharedWork(async (dropped) => {
      try {
        const engine = await loadAgain(dropped);
        if (dropped.aborted) engine.close();
        else this.#engine = engine;
      } catch (error) {
        throw this.#closing.signal.aborted ? disposedDuringWork() : error;
      } finally {
        if (this.#waking === waking) this.#waking = undefined;
      }
      if (this.#closing.signal.aborted) throw disposedDuringWork();
    });
    return (this.#waking = waking);
  }

  #rest(): void {
    if (!this.#sleep || this.#closing.signal.aborted || !this.#engine) return;
    this.#timer = setTimeout(() => {
      this.#engine?.close();
      this.#engine = undefined;
      for (const companion of this.#companions) companion.rest();
    }, this.#sleep.milliseconds);
    // An idle model must not keep a program in Node alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }
}
