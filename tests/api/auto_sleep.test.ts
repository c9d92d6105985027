// autoSleep: the worker of an idle model ends, and the next call starts it again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { LoadOptions, WhisperModel, ModelSource, Progress } from '../../web/src/node.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  inPieces,
  modelBytes,
  modelPath,
  sampleAudio,
  sampleText,
} from '../support/embedded_model.js';
import { startModelServer } from '../support/model_server.js';
import { tinyDims, tinyWhisper } from '../support/tiny_whisper.js';
import { rounds } from '../support/turns.js';

/** Seconds after which a model sleeps: as soon as there is nothing to do. */
const soon = 0.001;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-sleep-'));
const path = join(folder, 'model.apr');
const tiny = new Uint8Array(writeApr2(tinyWhisper()));
const samples = sampleAudio();
const environment = { ...process.env };

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
const models: WhisperModel[] = [];
beforeAll(async () => {
  susurrus = await builtPackage();
  process.env = { ...environment, XDG_CACHE_HOME: join(folder, 'cache') };
});
afterEach(() => models.splice(0).forEach((model) => model.dispose()));
afterAll(() => {
  process.env = environment;
  rmSync(folder, { recursive: true });
});

async function load(source: ModelSource, options: LoadOptions = {}): Promise<WhisperModel> {
  const model = await susurrus.loadModel<'whisper'>(source, { autoSleep: soon, ...options });
  models.push(model);
  return model;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
}

const asleep = (model: WhisperModel): Promise<void> => until(() => model.asleep);
const aWhile = (): Promise<void> => new Promise((done) => setTimeout(done, 50));

test('an idle model sleeps, and every kind of call wakes it, with the same answers', async () => {
  const model = await load(modelPath);
  const mel = await model.logMel(samples);
  const calls: (() => PromiseLike<unknown>)[] = [
    () => model.transcribe(samples),
    () => model.decode(samples),
    () => model.tokenizer.encode('one two'),
    () => model.tokenizer.decode([10, 11]),
    () => model.encode(mel),
    () => model.score(samples, ['one']),
  ];
  using awake = await susurrus.loadModel<'whisper'>(modelPath);
  expect(awake.asleep).toBe(false);
  const expected = [
    ...[await awake.transcribe(samples), await awake.decode(samples)],
    ...[await awake.tokenizer.encode('one two'), await awake.tokenizer.decode([10, 11])],
    ...[await awake.encode(mel), await awake.score(samples, ['one'])],
  ];
  for (const [at, call] of calls.entries()) {
    await asleep(model);
    const answer = call();
    expect(await answer).toEqual(expected[at]);
  }
  expect(model.info.dims).toEqual(awake.info.dims);
});

test('twenty times; calls that come together wake it once, in their order', async () => {
  let loads = 0;
  const onProgress = ({ phase, loaded }: Progress): void => {
    if (phase === 'load' && loaded === 0) ++loads;
  };
  const model = await load(tiny, { onProgress });
  for (let round = 0; round < 20; ++round) {
    await asleep(model);
    const order: number[] = [];
    const calls = [0, 1, 2].map((number) =>
      model.tokenizer.encode('a b').then(() => order.push(number)),
    );
    await Promise.all(calls);
    expect(order).toEqual([0, 1, 2]);
    expect(loads).toBe(round + 2);
  }
});

test('two streams that nobody awaits wake it once, and each hears its own sound', async () => {
  let loads = 0;
  const onProgress = ({ phase, loaded }: Progress): void => {
    if (phase === 'load' && loaded === 0) ++loads;
  };
  const model = await load(modelPath, { onProgress });
  const sounds = [samples.subarray(0, 32_000), samples.subarray(32_000, 80_000)];
  const textOf = async (sound: Float32Array): Promise<string> => {
    const stream = model.stream({ vad: false });
    void stream.feed(sound);
    void stream.close();
    let text = '';
    for await (const event of stream) if (event.type === 'final') text += event.text;
    return text;
  };
  await asleep(model);
  const expected: string[] = [];
  for (const sound of sounds) expected.push(await textOf(sound));
  expect(new Set(expected).size).toBe(2);
  await asleep(model);
  const before = loads;
  expect(await Promise.all(sounds.map(textOf))).toEqual(expected);
  expect(loads).toBe(before + 1);
});

test('with threads and a vocabulary: the options are the same again', async () => {
  const ranks = new TextEncoder().encode('QQ== 0\nQg== 1\n');
  const model = await load(tiny, { vocabulary: ranks, threads: 2, variant: 'simd' });
  const before = await model.tokenizer.encode('AB');
  await asleep(model);
  expect(await model.tokenizer.encode('AB')).toEqual(before);
  expect(before).toEqual([0, 1]);
});

test.each([1, 2])('begun early it sleeps when it is all there, %d threads', async (threads) => {
  let rest = (): void => undefined;
  const waiting = new Promise<void>((done) => (rest = done));
  const halves = () =>
    new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(modelBytes().slice(0, 2_000_000));
        await waiting;
        controller.enqueue(modelBytes().slice(2_000_000));
        controller.close();
      },
    });
  const body = () => new Blob([modelBytes()]);
  let opened = 0;
  // Read in halves the first time, at once when it wakes.
  const source = Object.assign(body(), {
    stream: () => (opened++ === 0 ? halves() : body().stream()),
  });
  const model = await load(source, { early: true, threads });
  await aWhile();
  expect(model.asleep).toBe(false);
  const heard = model.transcribe(samples);
  rest();
  expect((await heard).text.trim()).toBe(sampleText);
  await asleep(model);
  expect((await model.decode(samples)).text.trim()).toBe(sampleText);
});

describe('where the model is from', () => {
  test('a path, bytes, a Blob, a URL, a kept URL, the model of the package', async () => {
    writeFileSync(path, modelBytes());
    const server = await startModelServer({ 'm.apr': { bytes: modelBytes(), tag: '"one"' } });
    const url = `${server.address}/m.apr`;
    const sources: [ModelSource, LoadOptions?][] = [
      ...([[path], [modelBytes()], [new Blob([modelBytes()])], [new URL(url)]] as [ModelSource][]),
      ...([[url, { cache: true }], ['digits']] as [ModelSource, LoadOptions?][]),
    ];
    for (const [source, options] of sources) {
      const model = await load(source, options);
      await asleep(model);
      if (options?.cache) await server.stop();
      expect((await model.decode(samples)).text.trim()).toBe(sampleText);
    }
    await server.close();
  });

  test.each<[string, () => ModelSource]>([
    ['a stream', () => new Blob([tiny]).stream()],
    ['an iterable', () => inPieces(tiny, 1000)],
    ['a response', () => new Response(tiny)],
  ])('%s is refused, since it cannot be read again', async (_, source) => {
    const error = await errorOf(load(source()));
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'source' } });
    expect(String(error)).toContain('autoSleep');
  });

  test('a file that is gone fails the call, and the next one tries again; another model is refused', async () => {
    writeFileSync(path, tiny);
    const model = await load(path);
    await asleep(model);
    rmSync(path);
    expect(await errorOf(model.decode(samples))).toMatchObject({ code: 'source_failed' });
    expect(model.asleep).toBe(true);
    writeFileSync(path, tiny);
    expect(await model.tokenizer.encode('a')).toEqual([0]);
    await asleep(model);
    writeFileSync(path, writeApr2(tinyWhisper({ dims: { ...tinyDims, n_text_layer: 2 } })));
    const other = await errorOf(model.tokenizer.encode('a'));
    expect(other).toMatchObject({ code: 'source_failed' });
    expect(String(other)).toContain('another model');
    expect(readFileSync(path).length).toBeGreaterThan(tiny.length);
  });
});

describe('it stays awake', () => {
  test('while a transcription is paused, or waits for its stream', async () => {
    const model = await load(modelPath);
    const paused = model.transcribe(samples);
    paused.pause();
    await aWhile();
    expect(model.asleep).toBe(false);
    paused.resume();
    expect((await paused).text.trim()).toBe(sampleText);

    let goOn = (): void => undefined;
    const waiting = new Promise<void>((done) => {
      goOn = done;
    });
    async function* stream(): AsyncGenerator<Float32Array> {
      yield samples.subarray(0, 1000);
      await waiting;
      yield samples.subarray(1000);
    }
    const heard = model.transcribe(stream());
    await aWhile();
    expect(model.asleep).toBe(false);
    goOn();
    expect((await heard).text.trim()).toBe(sampleText);
    await asleep(model);
  });
});

describe('it is disposed of, or a call is stopped', () => {
  const wrongState = { code: 'wrong_state' };

  test('asleep', async () => {
    const model = await load(tiny);
    await asleep(model);
    model.dispose();
    expect(model.asleep).toBe(false);
    expect(await errorOf(model.tokenizer.encode('a'))).toMatchObject(wrongState);
  });

  test('while it wakes, twenty times', async () => {
    const codes = new Set<unknown>();
    for (const turns of rounds(20)) {
      const model = await load(tiny);
      await asleep(model);
      const failed = errorOf(model.tokenizer.encode('a'));
      for (let turn = 0; turn < turns; ++turn) await Promise.resolve();
      model.dispose();
      codes.add(((await failed) as { readonly code: string }).code);
      expect(await errorOf(model.memory())).toMatchObject(wrongState);
    }
    // A call whose turn had not come finds the model disposed of.
    expect([...codes].sort()).toEqual(['aborted', 'wrong_state']);
  });

  test('an abort while it wakes stops that call alone, twenty times', async () => {
    const model = await load(modelPath);
    for (const turns of rounds(20)) {
      await asleep(model);
      const controller = new AbortController();
      const stopped = errorOf(model.decode(samples, { signal: controller.signal }));
      const other = model.tokenizer.encode('one');
      for (let turn = 0; turn < turns; ++turn) await Promise.resolve();
      controller.abort();
      expect(await stopped).toBe(controller.signal.reason);
      expect((await other).length).toBeGreaterThan(0);
    }
  });

  test('the signal of the load does not count any more', async () => {
    const controller = new AbortController();
    const model = await load(tiny, { signal: controller.signal });
    controller.abort();
    await asleep(model);
    expect(await model.tokenizer.encode('a')).toEqual([0]);
  });
});

test.each([0, -1, NaN, Infinity, '5', null])('%p is no time', async (autoSleep) => {
  const error = await errorOf(load(tiny, { autoSleep: autoSleep as number }));
  expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'autoSleep' } });
});
