// Pulls into the cache that several calls of this process wait for: the abort, progress and error of one are no other's.
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { SharedWork } from '../../src/api/shared_work.js';
import { abortedOr, anyOf, orAborted } from '../../src/api/signals.js';
import type { ModelFamily } from '../../src/api/types.js';

/** What a call hears of a pull. What these throw is that call's error, and ends no other's pull. */
export interface PullListener {
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  /** Told once what family the model is of, as soon as that is known. */
  readonly onFamily?: ((family: ModelFamily | undefined) => void) | undefined;
}

type Told = { readonly [Name in keyof PullListener]-?: NonNullable<PullListener[Name]> };
type Pull<T> = (told: Told, signal: AbortSignal) => Promise<T>;

/** By what they fetch, and to where. */
const running = new Map<string, SharedPull<unknown>>();

/** Joins the pull that is running under `key`, or begins one, which ends when no call waits for it any more. */
export async function pullTogether<T>(
  key: string,
  { signal, ...listener }: PullListener & { readonly signal?: AbortSignal | undefined },
  pull: Pull<T>,
): Promise<T> {
  let shared = running.get(key) as SharedPull<T> | undefined;
  while (shared?.work.isDropped) {
    // It still puts away what came, for this one.
    await orAborted(shared.work.ended, signal);
    shared = running.get(key) as SharedPull<T> | undefined;
  }
  if (!shared) {
    shared = new SharedPull(pull, () => running.delete(key));
    running.set(key, shared);
  }
  return shared.join(listener, signal);
}

interface Call {
  readonly listener: PullListener;
  /** What the listener has thrown. */
  thrown?: { readonly error: unknown };
  readonly leaving: AbortController;
}

class SharedPull<T> {
  readonly work: SharedWork<T>;
  readonly #calls = new Set<Call>();
  /** What calls that come later are told first: the last report of each phase, and the family. */
  readonly #told = new Map<string, (listener: PullListener) => void>();

  constructor(pull: Pull<T>, onEnd: () => void) {
    const told: Told = {
      onProgress: (event) => this.#tell(event.phase, ({ onProgress }) => onProgress?.(event)),
      onFamily: (family) => this.#tell('family', ({ onFamily }) => onFamily?.(family)),
    };
    this.work = new SharedWork(async (dropped) => {
      try {
        return await pull(told, dropped);
      } finally {
        onEnd();
      }
    });
  }

  async join(listener: PullListener, signal: AbortSignal | undefined): Promise<T> {
    const call: Call = { listener, leaving: new AbortController() };
    const either = anyOf([signal, call.leaving.signal]);
    this.#calls.add(call);
    for (const act of this.#told.values()) tell(call, act);
    try {
      const result = await this.work.join(either.signal);
      if (call.thrown) throw call.thrown.error;
      return result;
    } catch (error) {
      // The call that ends the pull returns when what came is put away for the next.
      if (this.work.isDropped) await this.work.ended;
      throw call.thrown ? call.thrown.error : abortedOr(signal, error);
    } finally {
      this.#calls.delete(call);
      either.release();
    }
  }

  #tell(what: string, act: (listener: PullListener) => void): void {
    this.#told.set(what, act);
    for (const call of this.#calls) tell(call, act);
    const [first, ...others] = this.#calls;
    // No call goes on: nothing more is written.
    if (first?.thrown && others.every(({ thrown }) => thrown)) throw first.thrown.error;
  }
}

function tell(call: Call, act: (listener: PullListener) => void): void {
  if (call.thrown) return;
  try {
    act(call.listener);
  } catch (error) {
    call.thrown = { error };
    call.leaving.abort();
  }
}
