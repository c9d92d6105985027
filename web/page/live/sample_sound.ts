// Samples of an iterable or a stream, read as fast as the model processes them.
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import type { SampleArray } from '../../src/api/types.js';
import type { AudioSink, Sound, SoundEnd } from './sound.js';

type Pieces = AsyncIterable<SampleArray> | ReadableStream<SampleArray>;

export class SampleSound implements Sound {
  readonly isPushed = false;
  readonly ended: Promise<SoundEnd>;
  readonly sampleRate: number;
  readonly #channels: number;
  readonly #pieces: Pieces;
  #end!: (end: SoundEnd) => void;
  #isClosed = false;
  #leave: (() => unknown) | undefined;

  constructor(pieces: Pieces, sampleRate: number, channels: number) {
    this.#pieces = pieces;
    this.sampleRate = sampleRate;
    this.#channels = channels;
    this.ended = new Promise((done) => (this.#end = done));
  }

  open(sink: AudioSink): Promise<number> {
    void this.#read(sink);
    return Promise.resolve(this.sampleRate);
  }

  resume(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Do not wait for a source that itself waits for its next piece. Its failure no longer matters.
    void Promise.resolve(this.#leave?.()).catch(() => undefined);
    await Promise.resolve();
  }

  async #read(sink: AudioSink): Promise<void> {
    try {
      const pieces = iterate(this.#pieces);
      this.#leave = () => pieces.return?.();
      for (;;) {
        const step = await pieces.next();
        if (this.#isClosed) return;
        if (step.done) break;
        await sink.hear(mono(step.value, this.#channels));
      }
      this.#leave = undefined;
      this.#end('source-ended');
    } catch (error) {
      if (this.#isClosed) return;
      const got = String(error);
      sink.fail(
        error instanceof SusurrusError
          ? error
          : sourceFailed('audio', 'reading the stream failed', { got }, error),
      );
    }
  }
}

/** Not every browser's streams are iterable. */
function iterate(pieces: Pieces): AsyncIterator<unknown> {
  if (!('getReader' in pieces)) return pieces[Symbol.asyncIterator]();
  const reader = pieces.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** The mean of the channels; untyped callers may give anything. */
function mono(piece: unknown, channels: number): SampleArray {
  if (!(piece instanceof Float32Array || piece instanceof Int16Array)) {
    throw sourceFailed('audio', 'the stream gave something else than a Float32Array or Int16Array');
  }
  if (channels === 1) return piece;
  const scale = piece instanceof Int16Array ? 32768 * channels : channels;
  return Float32Array.from({ length: Math.floor(piece.length / channels) }, (_, frame) => {
    const begin = frame * channels;
    let sum = 0;
    for (let at = begin; at < begin + channels; ++at) sum += piece[at] ?? 0;
    return sum / scale;
  });
}
