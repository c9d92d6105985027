// A caller's stream of samples, pulled as the engine needs it.
import type { EngineLink } from '../protocol/engine.js';
import { refuseDetached } from '../api/detached.js';
import { describe, sourceFailed, SusurrusError } from '../api/errors.js';
import { isReadableStream, isSamples, type AnyStream } from './audio_kinds.js';
import { leave } from './leave.js';
import { asFloats } from './sample_pieces.js';

/** A stream's chunks, whatever they are. */
export interface Chunks {
  next(): Promise<IteratorResult<unknown>>;
  return?(): unknown;
}

/** Not every browser's streams are iterable. */
function iterate(audio: AnyStream): Chunks {
  if (!isReadableStream(audio)) return audio[Symbol.asyncIterator]();
  const reader = audio.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: () => reader.cancel(),
  };
}

/** Begins when it is first read; what the stream throws becomes `source_failed`. */
export function chunksOf(stream: AnyStream): Chunks {
  let chunks: Chunks | undefined;
  return {
    async next() {
      try {
        chunks ??= iterate(stream);
        return await chunks.next();
      } catch (error) {
        if (error instanceof SusurrusError) throw error;
        const got = String(error);
        throw sourceFailed('audio', 'reading the stream failed', { got }, error);
      }
    },
    return: () => chunks?.return?.(),
  };
}

/** A chunk of a stream of samples. */
export function asSamples(chunk: unknown): Float32Array {
  if (isSamples(chunk)) {
    refuseDetached(chunk, 'audio');
    return asFloats(chunk);
  }
  throw sourceFailed(
    'audio',
    `the stream gave ${describe(chunk)} instead of a Float32Array or Int16Array`,
  );
}

/** Gives an engine the samples of a stream, each time as many as it asks for, and holds no more than one piece. */
export class StreamFeed {
  readonly #engine: EngineLink;
  readonly #chunks: Chunks;
  readonly #failed: AbortController;
  /** What is left of the last piece. */
  #rest: Float32Array = new Float32Array();
  #isOver = false;
  #isClosed = false;

  /** `chunks`: 16 kHz mono samples. `failed` is aborted, with the error as its reason, when they fail. */
  constructor(chunks: Chunks, engine: EngineLink, failed: AbortController) {
    this.#chunks = chunks;
    this.#failed = failed;
    this.#engine = engine;
  }

  /** Pulls so many samples, or fewer at the end, and feeds them to that transcription; errors show in `failed`. */
  async give(sampleCount: number, run: number): Promise<void> {
    let samples;
    try {
      samples = await this.#take(sampleCount);
    } catch (error) {
      this.#failed.abort(error);
      return;
    }
    // If the engine is gone, the transcription itself rejects.
    if (this.#isClosed) return;
    await this.#engine
      .call('feedAudio', { run, samples }, { givesAway: true })
      .catch(() => undefined);
  }

  /** Cancels the stream: no more samples are needed. */
  close(): void {
    this.#isClosed = true;
    this.#rest = new Float32Array();
    if (this.#isOver) return;
    this.#isOver = true;
    leave(this.#chunks);
  }

  async #take(sampleCount: number): Promise<Float32Array> {
    const samples = new Float32Array(sampleCount);
    let count = 0;
    while (count < sampleCount && !this.#isClosed) {
      if (this.#rest.length === 0 && !(await this.#pull())) break;
      const part = this.#rest.subarray(0, sampleCount - count);
      samples.set(part, count);
      count += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return count === sampleCount ? samples : samples.slice(0, count);
  }

  /** The next piece into #rest; false at the end. */
  async #pull(): Promise<boolean> {
    if (this.#isOver) return false;
    let next;
    try {
      next = await this.#chunks.next();
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
    if (next.done) {
      this.#isOver = true;
      return false;
    }
    this.#rest = asSamples(next.value);
    return true;
  }
}
