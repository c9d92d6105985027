// transcribe({ workers }) with the package: real workers, and the detector.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
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

/** Workers with a copy of an engine, in the order in which they got it. */
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
    if (name === 'adopt') workers.push(this);
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
  const alone = { normalization: 'window', conditionOnPreviousText: true } as const;
  const words = { timestamps: 'word' } as const;
  const one = await model.transcribe(short, { ...alone, ...words });
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
  const audio = [short, recording, short, { samples: recording, sampleRate: 8000 }, short, sample];
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

test('what came as a stream is copied, too, and early models wait until it is there', async () => {
  const model = await load(new Blob([modelBytes()]).stream(), { early: true });
  expect(await model.transcribe(recording, { workers: 2 })).toEqual(first);
  await until(() => workers.length === 1);
  expect(model.info.warnings).toEqual([]);
  model.dispose();
  expect(ended).toEqual(expect.arrayContaining(workers));
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

test('workers of a model that nobody disposed of keep no program alive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'susurrus-workers-'));
  try {
    const program = join(folder, 'program.mjs');
    const entry = pathToFileURL(join(projectRoot, 'dist/node.mjs')).href;
    writeFileSync(
      program,
      `import { readFileSync } from 'node:fs';
       import { loadModel } from ${JSON.stringify(entry)};
       const wav = readFileSync(${JSON.stringify(samplePath)});
       const pcm = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)));
       const samples = new Int16Array(5 * pcm.length);
       for (let i = 0; i < 5; ++i) samples.set(pcm, i * pcm.length);
       const model = await loadModel('digits');
       await model.transcribe(samples, { workers: 2 });
       console.log('done');`,
    );
    const options = { encoding: 'utf8', timeout: limit(60_000) } as const;
    expect(execFileSync(process.execPath, [program], options)).toBe('done\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
