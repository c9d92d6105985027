// A caller's stream of samples, pulled as the engine needs it.
import type { AudioInput, AudioStream } from '../api/types.js';
import type { EngineLink } from '../protocol/engine.js';
import { asSusurrusError, describe, sourceFailed, SusurrusError } from '../api/errors.js';

export const isAudioStream = (audio: AudioInput | AudioStream): audio is AudioStream =>
  typeof audio === 'object' &&
  (audio as unknown) !== null &&
  (Symbol.asyncIterator in audio || isReadableStream(audio));

const isReadableStream = (audio: object): audio is ReadableStream<Float32Array> =>
  typeof ReadableStream !== 'undefined' && audio instanceof ReadableStream;

/** Not every browser's streams are iterable. */
function iterate(audio: AudioStream): AsyncIterator<unknown> {
  if (!isReadableStream(audio)) return audio[Symbol.asyncIterator]();
  const reader = audio.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** Gives an engine the samples of a stream, each time as many as it asks for, and holds no more than one piece. */
export class StreamFeed {
  readonly #engine: EngineLink;
  readonly #stream: AudioStream;
  readonly #failed = new AbortController();
  #iterator: AsyncIterator<unknown> | undefined;
  /** What is left of the last piece. */
  #rest: Float32Array = new Float32Array();
  #isOver = false;
  #isClosed = false;

  constructor(stream: AudioStream, engine: EngineLink) {
    this.#stream = stream;
    this.#engine = engine;
  }

  /** Aborted, with the error as its reason, when the stream fails. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Pulls so many samples, or fewer at the end, and feeds them; errors show in `failed`. */
  async give(sampleCount: number): Promise<void> {
    let samples;
    try {
      samples = await this.#take(sampleCount);
    } catch (error) {
      this.#failed.abort(error);
      return;
    }
    // If the engine is gone, the transcription itself rejects.
    if (!this.#isClosed) await this.#engine.call('feedAudio', { samples }).catch(() => undefined);
  }

  /** Cancels the stream: no more samples are needed. */
  close(): void {
    this.#isClosed = true;
    this.#rest = new Float32Array();
    const iterator = this.#iterator;
    if (this.#isOver || !iterator) return;
    this.#isOver = true;
    // Not awaited: a stream that hangs must not block its reader.
    void (async () => iterator.return?.())().catch(() => undefined);
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
    const next = await this.#next();
    if (next.done) {
      this.#isOver = true;
      return false;
    }
    if (!(next.value instanceof Float32Array)) {
      throw sourceFailed(
        'audio',
        `the stream gave ${describe(next.value)} instead of a Float32Array`,
      );
    }
    this.#rest = next.value;
    return true;
  }

  async #next(): Promise<IteratorResult<unknown>> {
    try {
      this.#iterator ??= iterate(this.#stream);
      return await this.#iterator.next();
    } catch (error) {
      this.#isOver = true;
      if (error instanceof SusurrusError) throw error;
      const { message } = asSusurrusError(error);
      throw sourceFailed('audio', 'reading the stream failed', { got: message }, error);
    }
  }
}
