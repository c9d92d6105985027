// The object that transcribe() returns: promise, iterable, and what its caller does with work under way.
import type {
  ModelInfo,
  SavedTranscription,
  Segment,
  Transcription,
  Transcript,
} from '../api/types.js';
import { leftByLoop } from '../api/errors.js';
import { PauseGate } from '../engine/pause_gate.js';
import type { EngineEvent, HeardLanguages } from '../protocol/engine.js';

/** `chunks`: where a transcription in chunks may go on after it. */
type Window = Omit<Extract<EngineEvent, { type: 'window' }>, 'type'> &
  Pick<SavedTranscription, 'chunks'>;
/** What a transcription belongs to. */
export type About = Pick<ModelInfo, 'dims'> &
  Pick<SavedTranscription, 'settings' | 'sampleCount' | 'fileSeconds'>;

/** What save() gives, where the run has the segments. */
type Kept = Omit<SavedTranscription, 'version' | 'segments' | 'rejected'> & {
  readonly segmentCount: number;
  readonly rejectedCount: number;
};

/** Collects what comes of a transcription; any number of callers may iterate or await, at any time. */
export class TranscriptionRun {
  readonly segments: Segment[];
  readonly rejected: Segment[];
  readonly gate = new PauseGate();
  /** While parts are heard that may have to wait for earlier ones: what waits. */
  untold: (() => readonly Segment[]) | undefined;
  readonly #leaving = new AbortController();
  /** What this one goes on from. */
  readonly #earlier: SavedTranscription | undefined;
  #duration: number;
  #kept: Kept | undefined;
  #result: Transcript | undefined;
  #languages: HeardLanguages = {};
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void)[] = [];

  constructor(earlier?: SavedTranscription) {
    this.segments = [...(earlier?.segments ?? [])];
    this.rejected = [...(earlier?.rejected ?? [])];
    this.#earlier = earlier;
    this.#duration = earlier?.duration ?? 0;
  }

  /** Aborted when a loop over the segments is left early. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** What came of a window. With a state, all that came so far can be saved. */
  add(window: Window, about: About): void {
    this.segments.push(...window.segments);
    this.rejected.push(...window.rejected);
    this.#languages = window.languages;
    this.reach(this.segments.at(-1)?.end ?? 0);
    const { state, chunks } = window;
    if (state && about.dims) {
      this.#kept = {
        ...about,
        dims: about.dims,
        state,
        ...(chunks && { chunks }),
        duration: this.#duration,
        segmentCount: this.segments.length,
        rejectedCount: this.rejected.length,
      };
    }
    this.#wakeAll();
  }

  /** Seconds of audio that are behind. */
  reach(duration: number): void {
    this.#duration = Math.max(this.#duration, duration);
  }

  /** Up to the last window with a state; undefined before there is one. */
  get saved(): SavedTranscription | undefined {
    if (!this.#kept) return this.#earlier;
    const { segmentCount, rejectedCount, ...rest } = this.#kept;
    return {
      version: 1,
      ...rest,
      segments: this.segments.slice(0, segmentCount),
      rejected: this.rejected.slice(0, rejectedCount),
    };
  }

  end(result: Transcript): void {
    this.#result = result;
    this.#isOver = true;
    this.#wakeAll();
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#failure = { error };
    this.#wakeAll();
  }

  get soFar(): Transcript {
    return (
      this.#result ?? {
        text: this.segments.map(({ text }) => text).join(''),
        language: this.segments.at(-1)?.language ?? '',
        ...this.#languages,
        duration: this.#duration,
        segments: [...this.segments],
        rejected: [...this.rejected],
      }
    );
  }

  async *iterate(): AsyncGenerator<Segment> {
    let isThrough = false;
    try {
      for (let next = this.#earlier?.segments.length ?? 0; ; ++next) {
        while (next >= this.segments.length && !this.#isOver) {
          await new Promise<void>((wake) => this.#wake.push(wake));
        }
        const segment = this.segments[next];
        if (!segment) break;
        yield segment;
      }
      isThrough = true;
    } finally {
      if (!isThrough) this.#leaving.abort(leftByLoop());
    }
    if (this.#failure) throw this.#failure.error;
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Starts `work`, which reports to `run`. */
export function startTranscription(
  run: TranscriptionRun,
  work: () => Promise<Transcript>,
): Transcription {
  const result = work();
  result.then(
    (heard) => run.end(heard),
    (error: unknown) => run.fail(error),
  );
  const controls: Omit<Transcription, keyof Promise<Transcript>> = {
    get soFar() {
      return run.soFar;
    },
    get provisional() {
      return run.untold?.() ?? [];
    },
    get paused() {
      return run.gate.isPaused;
    },
    pause: () => {
      run.gate.isPaused = true;
    },
    resume: () => {
      run.gate.isPaused = false;
    },
    save: () => run.saved,
    [Symbol.asyncIterator]: () => run.iterate(),
  };
  return Object.defineProperties(
    result,
    Object.getOwnPropertyDescriptors(controls),
  ) as unknown as Transcription;
}
