// loadModel<'whisper'>(source, { early: true }): the encoder runs while the decoder's weights arrive, and no text comes of it before the file
// is verified, whatever happens to the load.
import { getEventListeners } from 'node:events';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, WhisperModel, ModelSource, Progress } from '../../web/src/api/types.js';
import { builtPackage } from '../support/built_package.js';
import { tinyApr1, writeApr1 } from '../support/apr1_writer.js';
import { errorOf, modelBytes, sampleAudio, sampleText } from '../support/embedded_model.js';
import { rounds, turns } from '../support/turns.js';
import { loadThroughWorker } from '../support/worker_engine.js';

type Package = Awaited<ReturnType<typeof builtPackage>>;
type Load = (source: ModelSource, options?: LoadOptions) => Promise<WhisperModel>;
let susurrus: Package;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const bytes = modelBytes();
const samples = sampleAudio();
/** One of the sample's words is enough where the text is not looked at. */
const short = samples.subarray(0, 16_000);
/** A short window, where something is done often. */
const window = { encoderContext: 100 } as const;
const withoutFooter = bytes.length - 16;
const insideDecoder = bytes.length - 5000;

/** A download whose bytes come when the test says so. */
class Tap implements AsyncIterable<Uint8Array> {
  /** How often its reader has left. */
  leftCount = 0;
  readonly #bytes: Uint8Array;
  #allowed = 0;
  #at = 0;
  #failure: Error | undefined;
  #wake = (): void => undefined;

  constructor(source: Uint8Array = bytes) {
    this.#bytes = source;
  }

  /** Lets bytes through up to `end`. */
  openTo(end: number): void {
    this.#allowed = Math.min(end, this.#bytes.length);
    this.#wake();
  }
  open(): void {
    this.openTo(this.#bytes.length);
  }
  /** The connection fails. */
  cut(): void {
    this.#failure = new Error('cut');
    this.#wake();
  }
  /** The file ends here. */
  end(): void {
    this.#failure = new Error('end');
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        while (this.#at === this.#allowed && this.#at < this.#bytes.length) {
          if (this.#failure?.message === 'end') return { done: true, value: undefined };
          if (this.#failure) throw this.#failure;
          await new Promise<void>((wake) => (this.#wake = wake));
        }
        if (this.#at === this.#bytes.length) return { done: true, value: undefined };
        const begin = this.#at;
        this.#at = Math.min(this.#allowed, begin + 65_536);
        return { done: false, value: this.#bytes.slice(begin, this.#at) };
      },
      return: () => {
        ++this.leftCount;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

/** The file with a bit of its last weights changed. */
function corrupted(): Uint8Array {
  const file = bytes.slice();
  file[bytes.length - 100]! ^= 1;
  return file;
}

/** A transcription, and the moment when its first window is encoded and waits. */
function begin(
  model: WhisperModel,
  audio = short,
): { work: ReturnType<WhisperModel['transcribe']>; isEncoded: Promise<void>; phases: string[] } {
  const phases: string[] = [];
  let encoded!: () => void;
  const isEncoded = new Promise<void>((done) => (encoded = done));
  const onProgress = ({ phase }: Progress): void => {
    phases.push(phase);
    if (phase === 'wait') encoded();
  };
  const work = model.transcribe(audio, { onProgress, vad: false });
  work.catch(() => undefined);
  return { work, isEncoded, phases };
}

const early = { early: true, variant: 'simd' } as const;

describe.each<[string, () => Load]>([
  ['in process', () => (source, options) => susurrus.loadModel<'whisper'>(source, options)],
  ['through a worker', () => loadThroughWorker],
])('an engine %s', (_where, load) => {
  test('encodes before the file has ended, and gives the text of a model that was loaded first', async () => {
    using whole = await load()(bytes, { variant: 'simd' });
    await whole.loaded;
    const expected = await whole.transcribe(samples, { vad: false });
    const tap = new Tap();
    const loading = load()(tap, early);
    tap.openTo(200_000);
    using model = await loading;
    expect(model.info).toEqual(whole.info);
    const { work, isEncoded } = begin(model, samples);
    tap.openTo(withoutFooter);
    await isEncoded;
    expect(work.soFar.segments).toEqual([]);
    tap.open();
    const heard = await work;
    expect(heard.text.trim()).toBe(sampleText);
    expect(heard).toEqual(expected);
    await model.loaded;
    expect(model.info).toEqual(whole.info);
    expect(await model.transcribe(samples)).toEqual(expected);
  });

  test('twenty times, wherever the bytes stop for a while', async () => {
    using whole = await load()(bytes, { variant: 'simd' });
    const expected = await whole.decode(short, window);
    for (const i of rounds(20)) {
      const tap = new Tap();
      const loading = load()(tap, early);
      tap.openTo(200_000);
      using model = await loading;
      const work = model.decode(short, window);
      for (let stop = 1; stop <= 3; ++stop) {
        tap.openTo(200_000 + ((bytes.length - 200_000) * (stop * 20 + i)) / 81);
        await turns(1 + (i % 7));
      }
      tap.open();
      expect(await work).toEqual(expected);
    }
  });

  test('a connection that fails, or ends, fails the load and all calls with one error', async () => {
    for (const where of [200_000, bytes.length / 2, insideDecoder, withoutFooter]) {
      for (const [how, code] of [
        ['cut', 'source_failed'],
        ['end', 'truncated_input'],
      ] as const) {
        const tap = new Tap();
        const loading = load()(tap, early);
        tap.openTo(where);
        using model = await loading;
        const { work, isEncoded } = begin(model);
        const others = [model.detectLanguage(short), model.memory(), model.tokenizer.encode('a')];
        const errors = Promise.all([work, ...others, model.loaded].map(errorOf));
        if (where > bytes.length / 2) await isEncoded;
        tap[how]();
        for (const error of await errors) expect(error).toMatchObject({ code });
        expect(work.soFar.segments).toEqual([]);
        expect(await errorOf(model.decode(short))).toMatchObject({ code });
      }
    }
  });

  test('a wrong checksum is found after the encoder ran, and no text comes', async () => {
    const tap = new Tap(corrupted());
    const loading = load()(tap, early);
    tap.openTo(withoutFooter);
    using model = await loading;
    const { work, isEncoded } = begin(model);
    await isEncoded;
    const waiting = errorOf(model.decode(short));
    tap.open();
    expect(await errorOf(work)).toMatchObject({ code: 'checksum_mismatch' });
    expect(await waiting).toMatchObject({ code: 'checksum_mismatch' });
    expect(await errorOf(model.loaded)).toMatchObject({ code: 'checksum_mismatch' });
    expect(work.soFar.text).toBe('');
  });

  test('silence needs no weights, and is still not answered by a file that is wrong', async () => {
    const tap = new Tap(corrupted());
    const loading = load()(tap, early);
    tap.openTo(withoutFooter);
    using model = await loading;
    const work = errorOf(model.transcribe(new Float32Array(16_000)));
    await turns(20);
    tap.open();
    expect(await work).toMatchObject({ code: 'checksum_mismatch' });
  });

  test('the signal of the load stops both, the signal of a call that call alone', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const tap = new Tap();
    const loading = load()(tap, { ...early, signal: stop.signal });
    tap.openTo(insideDecoder);
    using model = await loading;
    const own = new AbortController();
    const first = model.decode(short, { signal: own.signal });
    await turns(3);
    own.abort();
    expect(await errorOf(first)).toBe(own.signal.reason);
    const { work, isEncoded } = begin(model);
    await isEncoded;
    stop.abort(reason);
    expect(await errorOf(work)).toBe(reason);
    expect(await errorOf(model.loaded)).toBe(reason);
    await turns(2);
    expect(tap.leftCount).toBe(1);
  });

  test('dispose() stops the download', async () => {
    for (const where of [200_000, insideDecoder]) {
      const tap = new Tap();
      const loading = load()(tap, early);
      tap.openTo(where);
      const model = await loading;
      const { work } = begin(model);
      const waiting = errorOf(model.memory());
      await turns(3);
      model.dispose();
      expect(await errorOf(work)).toMatchObject({ code: 'aborted', details: { subject: 'model' } });
      // As ever, of a call whose turn had not come.
      expect(await waiting).toMatchObject({ code: 'wrong_state' });
      expect(await errorOf(model.loaded)).toMatchObject({ code: 'aborted' });
      await turns(2);
      expect(tap.leftCount).toBe(1);
      expect(await errorOf(model.memory())).toMatchObject({ code: 'wrong_state' });
      expect(await errorOf(model.decode(short))).toMatchObject({ code: 'wrong_state' });
    }
  });

  test('several calls come one after the other; a paused one goes on where it was', async () => {
    const tap = new Tap();
    const loading = load()(tap, early);
    tap.openTo(200_000);
    using model = await loading;
    const order: string[] = [];
    const { work, isEncoded } = begin(model, samples);
    const calls = [
      work.then(() => order.push('transcribe')),
      model.detectLanguage(short).then(() => order.push('detectLanguage')),
      model.memory().then(() => order.push('memory')),
      model.decode(short).then(() => order.push('decode')),
    ];
    work.pause();
    tap.openTo(insideDecoder);
    await turns(5);
    work.resume();
    await isEncoded;
    work.pause();
    tap.open();
    await model.loaded;
    await turns(5);
    expect(work.soFar.segments).toEqual([]);
    work.resume();
    await Promise.all(calls);
    expect(order).toEqual(['transcribe', 'detectLanguage', 'memory', 'decode']);
    expect((await work).text.trim()).toBe(sampleText);
  });

  test('a stream is heard while the model arrives', async () => {
    const tap = new Tap();
    const loading = load()(tap, early);
    tap.openTo(200_000);
    using model = await loading;
    const pieces = async function* (): AsyncGenerator<Float32Array> {
      for (let at = 0; at < samples.length; at += 8000) yield samples.slice(at, at + 8000);
      await turns(1);
    };
    const work = model.transcribe(pieces(), {
      onProgress: ({ phase }) => {
        if (phase === 'wait') tap.open();
      },
    });
    tap.openTo(insideDecoder);
    expect((await work).text.trim()).toBe(sampleText);
  });
});

test('nobody has to look at `loaded`, nor at the calls', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const tap = new Tap();
    const loading = susurrus.loadModel<'whisper'>(tap, early);
    tap.openTo(insideDecoder);
    (await loading).dispose();
    const other = new Tap();
    const failing = susurrus.loadModel<'whisper'>(other, early);
    other.openTo(insideDecoder);
    await failing;
    other.cut();
    await turns(20);
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});

test('what fails before the header is read fails loadModel()', async () => {
  for (const where of [0, 20, 5000]) {
    const tap = new Tap();
    const loading = errorOf(susurrus.loadModel<'whisper'>(tap, early));
    tap.openTo(where);
    await turns(3);
    tap.cut();
    expect(await loading).toMatchObject({ code: 'source_failed' });
  }
});

test('what onProgress throws stops the load, and is what it fails with', async () => {
  const thrown = new Error('mine');
  const tap = new Tap();
  let isSevere = false;
  const onProgress = (): void => {
    if (isSevere) throw thrown;
  };
  const loading = susurrus.loadModel<'whisper'>(tap, { ...early, onProgress });
  tap.openTo(200_000);
  using model = await loading;
  const work = errorOf(model.decode(short));
  isSevere = true;
  tap.open();
  expect(await errorOf(model.loaded)).toBe(thrown);
  expect(await work).toBe(thrown);
});

test('nothing stays on the caller’s signal, whatever comes of the load', async () => {
  const { signal } = new AbortController();
  const text = new TextEncoder().encode('no model');
  for (const bad of [text, corrupted(), bytes.slice(0, 1000)]) {
    await errorOf(
      susurrus.loadModel<'whisper'>(bad, { ...early, signal }).then(({ loaded }) => loaded),
    );
  }
  // The first file is of a kind that never starts early; the second is of one that does.
  for (const good of [writeApr1(tinyApr1()), bytes]) {
    using model = await susurrus.loadModel<'whisper'>(good, { ...early, signal });
    await model.loaded;
  }
  await turns(1);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('options that are no flag are refused', async () => {
  const wrong = { early: 1 } as unknown as LoadOptions;
  expect(await errorOf(susurrus.loadModel<'whisper'>(bytes, wrong))).toMatchObject({
    code: 'invalid_argument',
    details: { subject: 'early' },
  });
});
