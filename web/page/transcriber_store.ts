import type { Model, Progress, Segment } from '../src/api/types.js';
import { loadModel } from '../src/index.js';
import type {
  AudioInput,
  AudioStream,
  LoadOptions,
  ModelSource,
  AnyTranscribeOptions,
  Transcription,
  Transcript,
} from '../src/index.js';

/** State of a TranscriberStore; a new object at each change. */
export interface TranscriberState {
  readonly status: 'idle' | 'loading' | 'ready' | 'transcribing' | 'paused';
  /** How far the load or the transcription under way is. */
  readonly progress: Progress | undefined;
  readonly segments: readonly Segment[];
  /** Result of the last transcription, once it is done. */
  readonly transcript: Transcript | undefined;
  /** Why the last call failed; not set by stop(). */
  readonly error: unknown;
  readonly model: Model | undefined;
}

/** Options of TranscriberStore, for every load and every transcription. */
export interface TranscriberOptions {
  /** For loadModel(). `signal` and `onProgress` are the store's. */
  readonly load?: Omit<LoadOptions, 'signal' | 'onProgress'>;
  /** For every transcription. */
  readonly transcribe?: Omit<AnyTranscribeOptions, 'signal' | 'onProgress'>;
}

const atRest: TranscriberState = {
  status: 'idle',
  progress: undefined,
  segments: [],
  transcript: undefined,
  error: undefined,
  model: undefined,
};

/**
 * A model and its transcription, as an observable store: for useTranscriber(), and for frameworks other than React. Its methods never throw
 * or reject; errors are `state().error`.
 *
 * @example
 * ```js
 * const store = new TranscriberStore('base');
 * store.subscribe(() => console.log(store.state().status));
 * await store.transcribe(file);
 * store.close();
 * ```
 */
export class TranscriberStore {
  readonly #source: ModelSource;
  readonly #options: TranscriberOptions;
  readonly #listeners = new Set<() => void>();
  #state = atRest;
  /** Aborted when the store is closed; ends all work for the model. */
  #life = new AbortController();
  #loading: Promise<Model> | undefined;
  /** Whether the component that held the store has unmounted. */
  #isGone = false;
  #work: { readonly stop: AbortController; transcription?: Transcription } | undefined;

  constructor(source: ModelSource, options: TranscriberOptions = {}) {
    this.#source = source;
    this.#options = options;
  }

  /** Calls `listener` at each change; returns a function that unsubscribes it. Its exceptions are reported like those of event listeners. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the current state. */
  readonly state = (): TranscriberState => this.#state;

  /** Holds the store while a component is mounted. Returns a function that closes it; nothing is loaded until it is held again. */
  readonly hold = (): (() => void) => {
    this.#isGone = false;
    return () => {
      this.#isGone = true;
      this.close();
    };
  };

  /**
   * Loads the model unless it is loaded or loading. Resolves to undefined if that fails (`state().error` has the error), or if the store
   * is no longer held.
   */
  readonly load = async (): Promise<Model | undefined> => {
    if (this.#isGone) return undefined;
    const life = this.#life;
    this.#loading ??= this.#load(life.signal);
    try {
      return await this.#loading;
    } catch (error) {
      this.#fail(life, error);
      return undefined;
    }
  };

  /** Transcribes, after loading the model if necessary, and stops a transcription under way. Resolves to undefined if it fails or is stopped. */
  readonly transcribe = async (
    audio: AudioInput | AudioStream,
    options: Omit<AnyTranscribeOptions, 'signal'> = {},
  ): Promise<Transcript | undefined> => {
    this.stop();
    const life = this.#life;
    const stop = new AbortController();
    const work: { readonly stop: AbortController; transcription?: Transcription } = { stop };
    this.#work = work;
    const isCurrent = (): boolean => this.#work === work;
    const model = await this.load();
    if (!model || !isCurrent()) return undefined;
    this.#set({ status: 'transcribing', segments: [], transcript: undefined, error: undefined });
    try {
      work.transcription = model.transcribe(audio, {
        ...this.#options.transcribe,
        ...options,
        signal: stop.signal,
        onProgress: (progress) => {
          if (isCurrent()) this.#set({ progress });
          options.onProgress?.(progress);
        },
      });
      const { transcription } = work;
      const segments = transcription[Symbol.asyncIterator]();
      while ((await segments.next()).done !== true) {
        if (isCurrent()) this.#set({ segments: transcription.soFar.segments });
      }
      const transcript = await transcription;
      if (!isCurrent()) return undefined;
      this.#work = undefined;
      this.#set({ status: 'ready', progress: undefined, transcript });
      return transcript;
    } catch (error) {
      if (!isCurrent()) return undefined;
      this.#work = undefined;
      this.#fail(life, error);
      return undefined;
    }
  };

  /** Stops the transcription under way; its segments stay in the state. */
  readonly stop = (): void => {
    const work = this.#work;
    if (!work) return;
    this.#work = undefined;
    work.stop.abort();
    if (this.#state.model) this.#set({ status: 'ready', progress: undefined });
  };

  /** Pauses the transcription under way. */
  readonly pause = (): void => this.#setPaused(true);
  /** Resumes the paused transcription. */
  readonly resume = (): void => this.#setPaused(false);

  /** Disposes of the model and ends all work. The next load() or transcribe() loads it again. */
  readonly close = (): void => {
    this.stop();
    this.#life.abort();
    this.#life = new AbortController();
    this.#loading = undefined;
    this.#state.model?.dispose();
    this.#set({ ...atRest, segments: this.#state.segments });
  };

  /** Calls close(), for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Calls close() and waits until an interrupted load has ended, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    const loading = this.#loading;
    this.close();
    await loading?.catch(() => undefined);
  }

  async #load(signal: AbortSignal): Promise<Model> {
    this.#set({ status: 'loading', error: undefined });
    const model = await loadModel(this.#source, {
      ...this.#options.load,
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) this.#set({ progress });
      },
    });
    if (signal.aborted) {
      model.dispose();
      throw signal.reason;
    }
    this.#set({ status: 'ready', progress: undefined, model });
    return model;
  }

  #fail(life: AbortController, error: unknown): void {
    if (life !== this.#life || life.signal.aborted) return;
    if (!this.#state.model) this.#loading = undefined;
    this.#set({ status: this.#state.model ? 'ready' : 'idle', progress: undefined, error });
  }

  #setPaused(isPaused: boolean): void {
    const transcription = this.#work?.transcription;
    if (!transcription) return;
    if (isPaused) transcription.pause();
    else transcription.resume();
    this.#set({ status: isPaused ? 'paused' : 'transcribing' });
  }

  #set(change: Partial<TranscriberState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        // As for event listeners: an exception affects neither the other listeners nor the work.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
