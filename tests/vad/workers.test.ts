// transcribe({ workers }) with the package: real workers, and the detector.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type {
  LoadOptions,
  MemoryFacts,
  ModelSource,
  Transcript,
  WhisperModel,
} from '../../web/src/node.js';
import type { FromWorker } from '../../web/src/protocol/link.js';
import { builtPackage } from '../support/built_package.js';
import {
  errorOf,
  modelBytes,
  modelPath,
  sampleAudio,
  samplePath,
} from '../support/embedded_model.js';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';

const rate = 16000;
const sample = sampleAudio();
const repeated = (count: number): Float32Array =>
  Float32Array.from({ length: count * sample.length }, (_, i) => sample[i % sample.length]!);
/** Over one minute, and over two. */
const [recording, threeChunks] = [repeated(7), repeated(14)];

/** Workers with the model, in the order in which they got it. */
const workers: Worker[] = [];
const ended: Worker[] = [];
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with their workers
const { postMessage, terminate } = Worker.prototype;

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let first: Transcript;
const models: WhisperModel[] = [];
async function load(source: ModelSource, options?: LoadOptions): Promise<WhisperModel> {
  const model = await susurrus.loadModel<'whisper'>(source, options);
  models.push(model);
  return model;
}

beforeAll(async () => {
  Worker.prototype.postMessage = function (this: Worker, ...message) {
    const [{ name }] = message as [{ readonly name?: unknown }];
    if (name === 'adopt' || name === 'finishLoad') workers.push(this);
    postMessage.apply(this, message);
  };
  Worker.prototype.terminate = function (this: Worker) {
    ended.push(this);
    return terminate.call(this);
  };
  susurrus = await builtPackage({ hasDetector: true });
  using model = await susurrus.loadModel<'whisper'>(modelPath);
  first = await model.transcribe(recording, { workers: 2 });
}, limit(60_000));
beforeEach(() => {
  workers.length = 0;
  ended.length = 0;
});
afterEach(() => models.splice(0).forEach((model) => model.dispose()));
afterAll(() => void Object.assign(Worker.prototype, { postMessage, terminate }));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
}

/** What the engine in a worker takes; the package does not read the answer. */
function wasmBytesOf(worker: Worker): Promise<number> {
  type Answer = FromWorker & { readonly answer: MemoryFacts };
  return new Promise((done) => {
    worker.on('message', ({ id, answer }: Answer) => {
      if (id === -1) done(answer.wasmBytes);
    });
    worker.postMessage({ type: 'call', id: -1, name: 'memory' });
  });
}

test('two and three are the same, and say what one says of each chunk', async () => {
  const model = await load(modelPath);
  const three = await model.transcribe(threeChunks, { workers: 3 });
  expect(await model.transcribe(threeChunks, { workers: 2 })).toEqual(three);
  expect(workers).toHaveLength(2);
  const { segments, duration } = three;
  expect([duration, three.chunkCount]).toEqual([threeChunks.length / rate, 3]);
  expect(segments.map(({ id }) => id)).toEqual(segments.map((_, i) => i));
  for (const [i, { start }] of segments.entries()) {
    if (i > 0) expect(start).toBeGreaterThanOrEqual(segments[i - 1]!.end - 0.01);
  }
  const short = recording.subarray(0, 2 * sample.length);
  const words = { timestamps: 'word' } as const;
  const one = await model.transcribe(short, {
    ...{ ...words, conditionOnPreviousText: true },
    // What an English chunk of one window has.
    encoderContext: 'auto',
  });
  const chunk = await model.transcribe(short, { ...words, workers: 3 });
  expect(chunk).toEqual({ ...one, chunkCount: 1 });
});

test('they take no more memory than plan() says', async () => {
  const options = { workers: 3 };
  const plan = await susurrus.plan(modelPath, options);
  const one = await susurrus.plan(modelPath);
  const model = await load(modelPath, options);
  expect(workers).toHaveLength(2);
  const hard = { beamSize: 5, timestamps: 'word' } as const;
  await model.transcribe(threeChunks, hard);
  const { wasmBytes } = await model.memory();
  const further = await Promise.all(workers.map(wasmBytesOf));
  const engineBytes = one.peakBytes - one.detectorBytes;
  for (const bytes of [wasmBytes, ...further]) {
    expect(bytes).toBeGreaterThan(one.weightBytes);
    expect(bytes).toBeLessThanOrEqual(engineBytes);
  }
  // With the copy that one of them is made from.
  const all = further.reduce((sum, bytes) => sum + bytes, 2 * wasmBytes);
  expect(all + plan.detectorBytes).toBeLessThanOrEqual(plan.peakBytes);
  expect(plan.peakBytes - one.peakBytes).toBe(plan.furtherBytes);
});

test('calls at once share them, and come to what one after the other does', async () => {
  const model = await load(modelPath, { workers: 2 });
  const short = recording.subarray(0, 2 * sample.length);
  const audio = [short, recording, { samples: short, sampleRate: 8000 }, short, sample];
  const options = { workers: 1 };
  const apart: Transcript[] = [];
  for (const each of audio) apart.push(await model.transcribe(each, options));
  const heard = new Set<Worker>();
  for (const worker of workers) worker.on('message', () => heard.add(worker));
  const works = audio.map((each) => model.transcribe(each, { workers: 2 }));
  const decoding = model.decode(sample);
  expect(await Promise.all(works)).toEqual(apart);
  expect((await decoding).text).toBe((await model.decode(sample)).text);
  expect([workers.length, heard.size]).toEqual([1, 1]);
  expect(model.info.warnings).toEqual([]);
});

test('temperatures above 0 draw the same, whoever draws', async () => {
  const model = await load(modelPath);
  const options = { temperature: 0.8, seed: 3 };
  const two = await model.transcribe(recording, { ...options, workers: 2 });
  expect(await model.transcribe(recording, { ...options, workers: 3 })).toEqual(two);
  expect(two.text).not.toBe(first.text);
});

test.each([0, 1, 2])('a worker that ends, %d: nothing is lost', async (moment) => {
  const model = await load(modelPath);
  const moments = [
    // Loaded.
    async () => until(() => workers.length > 0),
    // At work.
    async () => until(() => work.soFar.segments.length > 0),
    // Idle.
    async () => {
      await work;
    },
  ];
  const work = model.transcribe(recording, { workers: 2 });
  await moments[moment]!();
  if (moment === 1) await until(() => workers.length > 0);
  await terminate.call(workers[0]!);
  expect(await work).toEqual(first);
  expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
  expect(model.info.warnings).toEqual([expect.stringContaining('exit code')]);
});

test('an abort ends the work of all within a moment', async () => {
  const model = await load(modelPath);
  await model.transcribe(recording, { workers: 2 });
  const controller = new AbortController();
  const work = model.transcribe(recording, { workers: 2, signal: controller.signal });
  await until(() => work.soFar.segments.length > 0);
  controller.abort('enough');
  expect(await errorOf(work)).toBe('enough');
  expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
});

describe('a recording that its caller decodes', () => {
  /** How it is read: all of `samples`, in pieces of a second, as often as told. */
  function decoded(samples: Float32Array, rounds = 1, more?: () => void) {
    const read = { seconds: 0, isLeft: false };
    async function* pieces(): AsyncGenerator<Float32Array> {
      try {
        for (let round = 0; round < rounds; ++round) {
          for (let at = 0; at < samples.length; at += rate, ++read.seconds) {
            await Promise.resolve();
            yield samples.subarray(at, at + rate);
          }
        }
        more?.();
      } finally {
        read.isLeft = true;
      }
    }
    return { read, audio: { stream: pieces(), sampleRate: rate, isRecording: true } as const };
  }
  const twice = (samples: Float32Array): Float32Array =>
    Float32Array.from({ length: 2 * samples.length }, (_, i) => samples[i >> 1]!);

  test('has the text of its samples, whatever its pieces, and its own length', async () => {
    const model = await load(modelPath);
    const { audio, read } = decoded(recording);
    expect(await model.transcribe(audio, { workers: 2 })).toEqual(first);
    expect([first.chunkCount, read.isLeft]).toEqual([2, true]);
    const stereo = decoded(twice(recording)).audio;
    const events: (number | undefined)[] = [];
    const heard = model.transcribe(
      // It may say more than it has.
      { ...stereo, channels: 2, duration: 1000 },
      { workers: 2, onProgress: ({ fraction }) => events.push(fraction) },
    );
    expect(await heard).toEqual(first);
    expect(events.every((fraction) => fraction !== undefined && fraction <= 1)).toBe(true);
    expect(events[0]).toBeLessThan(0.1);
    expect(events.at(-1)).toBe(1);
  });

  test('is not read far beyond what is heard, and left at an abort', async () => {
    const model = await load(modelPath);
    const { audio, read } = decoded(recording, 100);
    const controller = new AbortController();
    const { signal } = controller;
    const work = model.transcribe(audio, { workers: 1, signal });
    await until(() => work.soFar.segments.length > 0);
    controller.abort('enough');
    expect(await errorOf(work)).toBe('enough');
    await until(() => read.isLeft);
    // A chunk under way, one that waits, and what the detector holds and has heard.
    expect(read.seconds).toBeLessThan(4 * 60);
    expect(await model.transcribe(decoded(recording).audio, { workers: 2 })).toEqual(first);
  });

  test('that fails ends with its error, and what came before is there', async () => {
    const model = await load(modelPath);
    const error = new Error('torn');
    const { audio } = decoded(threeChunks, 1, () => {
      throw error;
    });
    const work = model.transcribe(audio, { workers: 2 });
    expect(await errorOf(work)).toMatchObject({ code: 'source_failed', cause: error });
    const { segments } = work.soFar;
    expect(segments.length).toBeGreaterThan(0);
    expect(segments).toEqual(first.segments.slice(0, segments.length));
    expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
  });

  test('goes on from what was saved with another stream from its start', async () => {
    const model = await load(modelPath);
    const work = model.transcribe(decoded(threeChunks).audio, { workers: 2 });
    for await (const { start } of work) if (start > 60) break;
    const from = work.save()!;
    expect([from.chunks?.count, from.sampleCount]).toEqual([1, undefined]);
    const rest = model.transcribe(decoded(threeChunks).audio, { from, workers: 3 });
    const whole = await model.transcribe(threeChunks, { workers: 3 });
    expect(await rest).toEqual(whole);
  });

  test('in sequence is one as well', async () => {
    const model = await load(modelPath);
    const short = recording.subarray(0, 2 * sample.length);
    for (const options of [
      { vad: false },
      { conditionOnPreviousText: true },
      { normalization: 'recording' },
      { compatibility: 'openai' },
    ] as const) {
      const whole = await model.transcribe(short, options);
      const { audio } = decoded(short);
      expect(await model.transcribe(audio, options)).toEqual(whole);
      expect(whole).not.toHaveProperty('chunkCount');
    }
    const { audio, read } = decoded(recording, 100);
    expect(await model.decode(audio)).toEqual(await model.decode(recording));
    expect([read.seconds <= 31, read.isLeft]).toEqual([true, true]);
  });
});

test('what came as a stream is copied, too, and early models wait until it is there', async () => {
  const model = await load(new Blob([modelBytes()]).stream(), { early: true });
  expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
  await until(() => workers.length === 1);
  expect(model.info.warnings).toEqual([]);
  model.dispose();
  expect(ended).toEqual(expect.arrayContaining(workers));
});

test('an encrypted model is copied without its key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-sealed-'));
  try {
    const [sealed, key] = [join(folder, 'sealed.apr'), new Uint8Array(32).fill(7)];
    await susurrus.encryptModel(modelPath, sealed, { key });
    const model = await load(sealed, { key });
    expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
    await until(() => workers.length === 1);
    expect(model.info.warnings).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an early load that is aborted rejects once, though it was asked for engines', async () => {
  const controller = new AbortController();
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): number => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  try {
    const bytes = modelBytes();
    async function* stopping(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, bytes.length - 100);
      await until(() => controller.signal.aborted);
    }
    const options = { early: true, workers: 3, signal: controller.signal } as const;
    const model = await load(stopping(), options);
    controller.abort('enough');
    expect(await errorOf(model.loaded)).toBe('enough');
    await new Promise((done) => setTimeout(done, 20));
    expect([rejections, workers]).toEqual([[], []]);
  } finally {
    process.off('unhandledRejection', onRejection);
  }
});

test('with threads, which a copy has, too', async () => {
  const model = await load(modelPath, { threads: 2, variant: 'simd' });
  const whole = await model.transcribe(recording, { workers: 2 });
  await until(() => workers.length === 1);
  expect(whole.text).toBe(first.text);
  expect(model.info.warnings).toEqual([]);
});

test('workers end when the model sleeps, and come again', async () => {
  const model = await load(modelPath, { autoSleep: 0.001 });
  for (let round = 1; round < 3; ++round) {
    expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
    await until(() => model.asleep);
    await until(() => workers.every((worker) => ended.includes(worker)));
    expect(workers.length).toBeLessThanOrEqual(round);
  }
});

/** What a program prints that has `model`, of digits, and `samples` of over a minute. */
function printedBy(body: string, flags: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-workers-'));
  try {
    const program = join(folder, 'program.mjs');
    const entry = pathToFileURL(join(projectRoot, 'dist/node.mjs')).href;
    writeFileSync(
      program,
      `import { readFileSync } from 'node:fs';
       import { setFlagsFromString } from 'node:v8';
       import { loadModel } from ${JSON.stringify(entry)};
       const wav = readFileSync(${JSON.stringify(samplePath)});
       const pcm = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)));
       const samples = new Int16Array(7 * pcm.length);
       for (let i = 0; i < 7; ++i) samples.set(pcm, i * pcm.length);
       const model = await loadModel('digits');
       ${body}`,
    );
    const options = { encoding: 'utf8', timeout: limit(60_000) } as const;
    return execFileSync(process.execPath, ['--no-warnings', ...flags, program], options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('workers of a model that nobody disposed of keep no program alive', () => {
  const body = 'console.log((await model.transcribe(samples, { workers: 2 })).chunkCount);';
  expect(printedBy(body)).toBe('2\n');
});

const tellsWhatCame = `console.log(JSON.stringify({
  isSame: JSON.stringify(await model.transcribe(samples, { workers: 2 })) === JSON.stringify(one),
  chunkCount: one.chunkCount, info: model.info }));`;

test('no memory for a copy: the text is the same, with a warning', () => {
  const printed = printedBy(`
    const one = await model.transcribe(samples, { workers: 1 });
    // V8's limit for a WebAssembly memory that wants to grow from now on: 6.25 MiB, less than a copy takes.
    setFlagsFromString('--wasm-max-mem-pages=100');
    ${tellsWhatCame}`);
  expect(JSON.parse(printed)).toMatchObject({
    ...{ isSame: true, chunkCount: 2 },
    info: { warnings: [expect.stringContaining('There is no memory for another engine.')] },
  });
});

test('a program without the permission for workers has one engine, and the detector all the same', () => {
  const known = process.allowedNodeEnvironmentFlags.has('--permission');
  const flags = [known ? '--permission' : '--experimental-permission', '--allow-fs-read=*'];
  const printed = printedBy(`const one = await model.transcribe(samples); ${tellsWhatCame}`, flags);
  const workersReason = 'this program has no permission for workers';
  expect(JSON.parse(printed)).toMatchObject({
    ...{ isSame: true, chunkCount: 2 },
    info: { workers: 1, workersReason },
  });
});
