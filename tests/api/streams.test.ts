// Audio as it comes: what it gives, how much of it is taken and held, and how it ends.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { WhisperModel, Progress, Transcript } from '../../web/src/node.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import { collectGarbage } from '../support/collect_garbage.js';
import { errorOf, modelPath, sampleAudio } from '../support/embedded_model.js';
import { limit } from '../support/limits.js';
import { tinyDims, tinyWhisper } from '../support/tiny_whisper.js';
import { loadThroughWorker } from '../support/worker_engine.js';
import { expectOneBar } from '../support/one_bar.js';

jest.setTimeout(limit(300_000));

const rate = 16000;
/** Three quarters of a minute: two windows and their seam. */
const sample = sampleAudio();
const recording = new Float32Array(5 * sample.length);
for (let i = 0; i < 5; ++i) recording.set(sample, i * sample.length);

/** A stream that tells what was taken of it. */
class Source {
  taken = 0;
  isReturned = false;
  readonly #samples: Float32Array;
  readonly #pieceLength: number;

  constructor(samples: Float32Array, pieceLength: number) {
    this.#samples = samples;
    this.#pieceLength = pieceLength;
  }
  [Symbol.asyncIterator](): AsyncIterator<Float32Array> {
    return {
      next: () => {
        const value = this.#samples.slice(this.taken, this.taken + this.#pieceLength);
        this.taken += value.length;
        return Promise.resolve(
          value.length === 0 ? { done: true, value: undefined } : { done: false, value },
        );
      },
      return: () => {
        this.isReturned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

/** Gives one piece, then nothing for ever. */
class Hanging {
  isReturned = false;
  #hangs = (): void => undefined;
  /** Resolves when a sample is awaited that never comes. */
  readonly hanging = new Promise<void>((done) => (this.#hangs = done));
  [Symbol.asyncIterator](): AsyncIterator<Float32Array> {
    let isFirst = true;
    return {
      next: () => {
        if (!isFirst) {
          this.#hangs();
          return new Promise(() => undefined);
        }
        isFirst = false;
        return Promise.resolve({ done: false, value: recording.subarray(0, rate) });
      },
      return: () => {
        this.isReturned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

const soon = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

const loaders = {
  'in process': async () =>
    (await builtPackage()).loadModel<'whisper'>('digits', { variant: 'simd' }),
  'through a worker': () => loadThroughWorker(modelPath),
};

describe.each(Object.entries(loaders))('a stream %s', (_name, load) => {
  let model: WhisperModel;
  let whole: Transcript;
  beforeAll(async () => {
    model = await load();
    whole = await model.transcribe(recording);
  });
  afterAll(() => {
    model.dispose();
  });

  test.each([997, 16000, recording.length])(
    'in pieces of %i gives what the recording gives',
    async (pieceLength) => {
      const source = new Source(recording, pieceLength);
      const result = await model.transcribe(source);
      expect(whole.segments.length).toBeGreaterThan(3);
      expect(result).toEqual(whole);
      expect(result.duration).toBe(recording.length / rate);
      expect(source.isReturned).toBe(false);
    },
  );

  test('may be a ReadableStream', async () => {
    let at = 0;
    const stream = new ReadableStream<Float32Array>({
      pull(controller) {
        if (at < recording.length) controller.enqueue(recording.slice(at, (at += 8000)));
        else controller.close();
      },
    });
    expect(await model.transcribe(stream)).toEqual(whole);
  });

  test('of nothing is nothing', async () => {
    const result = await model.transcribe(new Source(new Float32Array(), 1));
    expect(result).toMatchObject({ text: '', duration: 0, segments: [], rejected: [] });
  });

  test('shorter than its first window is heard whole', async () => {
    const source = new Source(sample, 1600);
    const like = await model.transcribe(sample);
    expect(await model.transcribe(source)).toEqual(like);
  });

  test('is taken as it is needed; leaving the loop returns it', async () => {
    const source = new Source(recording, 4000);
    const work = model.transcribe(source);
    for await (const segment of work) {
      expect(segment.text).not.toBe('');
      break;
    }
    expect(await errorOf(work)).toMatchObject({ code: 'aborted' });
    expect(source.isReturned).toBe(true);
    // One window with its margin, and the rest of a piece.
    expect(source.taken).toBeLessThanOrEqual(30 * rate + 400 + 4000);
  });

  test('is returned when all clips are done; the duration is what was heard', async () => {
    const source = new Source(recording, 1000);
    const { duration, segments } = await model.transcribe(source, { clipTimestamps: [2, 6] });
    expect(source.isReturned).toBe(true);
    expect(duration).toBeGreaterThanOrEqual(6);
    expect(duration).toBeLessThanOrEqual(source.taken / rate);
    expect(source.taken).toBeLessThan(7 * rate);
    expect(segments[0]!.start).toBeGreaterThanOrEqual(2);
    expect(segments.at(-1)!.end).toBeLessThanOrEqual(6);
  });

  test('tells how far it is, and its length at the end', async () => {
    const events: Progress[] = [];
    await model.transcribe(new Source(recording, 16000), {
      onProgress: (event) => void events.push(event),
    });
    expectOneBar(events);
    const last = events.pop();
    const duration = recording.length / rate;
    expect(last).toEqual({
      phase: 'transcribe',
      loaded: duration,
      total: duration,
      fraction: 1,
      remainingSeconds: 0,
      overall: 1,
    });
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(Object.keys(event)).toEqual(['phase', 'loaded', 'overall']);
    const bar = events.map(({ overall }) => overall);
    expect(bar.some((part) => part > 0)).toBe(true);
    expect(bar.every((part) => part < 1)).toBe(true);
    const loaded = events.map((event) => event.loaded);
    expect(loaded).toEqual([...loaded].sort((a, b) => a - b));
  });

  test('that fails rejects the transcription, and the model goes on', async () => {
    const cause = new Error('the microphone was unplugged');
    const failing = (async function* () {
      yield recording.subarray(0, rate);
      await soon(1);
      throw cause;
    })();
    const error = await errorOf(model.transcribe(failing));
    expect(error).toMatchObject({ code: 'source_failed', cause, details: { subject: 'audio' } });
    expect((error as Error).message).toContain('reading the stream failed');
    expect((await model.transcribe(new Source(sample, 9999))).text).not.toBe('');
  });

  test('of anything but samples is refused and returned', async () => {
    let isReturned = false;
    const wrong = (async function* () {
      try {
        await soon(1);
        yield new Float64Array(5) as unknown as Float32Array;
      } finally {
        isReturned = true;
      }
    })();
    const error = await errorOf(model.transcribe(wrong));
    expect(error).toMatchObject({ code: 'source_failed' });
    expect((error as Error).message).toContain('a Float64Array');
    expect(isReturned).toBe(true);
  });

  test('that hangs is left at once when the signal says so', async () => {
    const controller = new AbortController();
    const source = new Hanging();
    const ended = errorOf(model.transcribe(source, { signal: controller.signal }));
    await source.hanging;
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await ended).toBe(reason);
    expect(source.isReturned).toBe(true);
    // Samples that arrive after the abort are dropped.
    expect(await model.transcribe(new Source(recording, 50000))).toEqual(whole);
  });

  test('that hangs does not keep a disposed model', async () => {
    const other = await load();
    const source = new Hanging();
    const ended = errorOf(other.transcribe(source));
    await source.hanging;
    other.dispose();
    expect(await ended).toMatchObject({ code: 'aborted', details: { subject: 'model' } });
    expect(source.isReturned).toBe(true);
  });
});

describe('an hour of audio', () => {
  const seconds = 3600;

  test('takes no more memory than its first minutes', async () => {
    const { loadModel } = await builtPackage();
    const dims = { ...tinyDims, n_audio_ctx: 1500 };
    using model = await loadModel<'whisper'>(writeApr2(tinyWhisper({ dims })), { variant: 'simd' });
    /** Array buffers that are alive, after so many minutes. */
    const held: number[] = [];
    let random = 1;
    // Seven seconds again and again, so that windows of 30 differ from their neighbours.
    const sounds = Array.from({ length: 7 }, () =>
      Float32Array.from({ length: rate }, () => {
        random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
        return (random / 2 ** 32 - 0.5) / 10;
      }),
    );
    const noise = async function* (length: number) {
      for (let second = 0; second < length; ++second) {
        if (second % 300 === 299) {
          // Array buffers are swept beside the program: the second time they are gone.
          collectGarbage();
          await soon(10);
          collectGarbage();
          held.push(process.memoryUsage().arrayBuffers);
        }
        yield sounds[second % sounds.length]!.slice();
        await Promise.resolve();
      }
    };
    // Windows without timestamps are whole ones.
    const options = { timestamps: 'none', temperature: 0, sampleLength: 4 } as const;
    await model.transcribe(noise(120), options);
    const before = await model.memory();
    held.length = 0;
    const { duration } = await model.transcribe(noise(seconds), options);
    const after = await model.memory();
    expect(duration).toBe(seconds);
    expect(after.heapBytes).toBe(before.heapBytes);
    expect(after.wasmBytes).toBe(before.wasmBytes);
    // What may grow is the text itself.
    expect(after.heapPeakBytes - before.heapPeakBytes).toBeLessThan(64 << 10);
    expect(held).toHaveLength(seconds / 300);
    console.info(
      `array buffers alive, MiB: ${held.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ')}`,
    );
    const windowBytes = 4 * 30 * rate;
    expect(Math.max(...held) - Math.min(...held)).toBeLessThan(3 * windowBytes);
  });
});
