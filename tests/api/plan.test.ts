// plan(): what a model will take, from its header alone, against what it takes once it is loaded.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type {
  LoadOptions,
  ModelPlan,
  ModelSource,
  PlanOptions,
  Progress,
  SusurrusError,
} from '../../web/src/node.js';
import { verdictOn, type Device } from '../../web/tools/plan/verdict.js';
import { writeApr2 } from '../support/apr2_writer.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { builtPackage, susurrus as command } from '../support/built_package.js';
import {
  errorOf,
  inPieces,
  modelBytes,
  modelPath,
  sampleAudio,
} from '../support/embedded_model.js';
import { picked, safetensors, tinyConfig, writeHubFolder } from '../support/hub_folder.js';
import { startHub, type HubServer } from '../support/hub_server.js';
import { startModelServer } from '../support/model_server.js';
import { startRangeServer } from '../support/range_server.js';
import { tinyDims, tinyMetadata, tinyWhisper, whisperShapes } from '../support/tiny_whisper.js';

const mebibyte = 2 ** 20;
/** So much may be read behind a header: one part. */
const chunkBytes = mebibyte;
const root = mkdtempSync(join(tmpdir(), 'susurrus-plan-'));
const path = (name: string): string => join(root, name);
/** With rows of whole blocks, tokens that fill no panel, and more heads than one. */
const dims = {
  ...tinyDims,
  n_audio_ctx: 100,
  n_audio_layer: 2,
  n_audio_state: 64,
  n_text_state: 64,
};
const environment = { ...process.env };

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
let source = '';
beforeAll(async () => {
  susurrus = await builtPackage();
  source = writeHubFolder(path('hub'), {
    'config.json': { ...tinyConfig, d_model: 64, encoder_layers: 2, max_source_positions: 100 },
    'model.safetensors': safetensors(whisperShapes(dims)),
  });
});
beforeEach(() => {
  process.env = { ...environment, XDG_CACHE_HOME: path('cache') };
});
afterAll(() => {
  process.env = environment;
  rmSync(root, { recursive: true });
});

/** Loads what was planned, with the same options; returns plan and measured memory. */
async function expectPlanned(model: ModelSource, options: LoadOptions = {}): Promise<ModelPlan> {
  const plan = await susurrus.plan(model, options);
  using loaded = await susurrus.loadModel<'whisper'>(model, options);
  const { weightBytes, kvCacheBytes, activationBytes } = await loaded.memory();
  expect(plan).toMatchObject({ weightBytes, kvCacheBytes, activationBytes });
  expect(plan.dims).toEqual(loaded.info.dims);
  expect(plan.threads).toBe(loaded.info.threads);
  await loaded.transcribe(sampleAudio(), { beamSize: 5, timestamps: 'word' });
  const { wasmBytes } = await loaded.memory();
  const { overheadBytes, sequenceBytes, wordBytes, engineBytes, detectorBytes } = plan;
  expect(plan.peakBytes).toBeGreaterThanOrEqual(wasmBytes + detectorBytes);
  expect([plan.revisionBytes, plan.furtherBytes]).toEqual([0, 0]);
  const always = [
    ...[weightBytes, kvCacheBytes, activationBytes],
    ...[overheadBytes, engineBytes, detectorBytes],
  ];
  const atTimes = Math.max(sequenceBytes, wordBytes);
  expect(plan.peakBytes).toBe(always.reduce((sum, bytes) => sum + bytes, atTimes));
  return plan;
}

describe('the plan is what is taken', () => {
  test.each(['f32', 'f16', 'bf16', 'q8_0', 'q5_0', 'q5_1', 'q4_0', 'q4_1'] as const)(
    'APR2 with %s',
    async (dtype) => {
      for (const compress of ['none', 'lz4'] as const) {
        await susurrus.convertModel(source, path('model.apr'), { dtype, compress, force: true });
        await expectPlanned(path('model.apr'));
      }
    },
  );

  test.each(['f32', 'f16', 'int8'] as const)('APR1 with %s', async (dtype) => {
    const options = { format: 'apr1', dtype, force: true } as const;
    await susurrus.convertModel(source, path('model.apr1'), options);
    await expectPlanned(path('model.apr1'));
  });

  test('shards, encrypted files, bytes, Blobs, the model of the package', async () => {
    await susurrus.convertModel(source, path('whole.apr'), { dtype: 'q8_0', force: true });
    const whole = await expectPlanned(path('whole.apr'));
    mkdirSync(path('shards'));
    await susurrus.shardModel(path('whole.apr'), path('shards'), { size: 100_000 });
    const shards = await expectPlanned(join(path('shards'), 'whole.apr'));
    expect(shards.weightBytes).toBe(whole.weightBytes);
    const sizes = readdirSync(path('shards')).map(
      (name) => readFileSync(join(path('shards'), name)).length,
    );
    expect(shards.keptBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const key = new Uint8Array(32);
    await susurrus.encryptModel(path('whole.apr'), path('sealed.apr'), { key });
    const sealed = await expectPlanned(path('sealed.apr'), { key });
    expect(sealed.weightBytes).toBe(whole.weightBytes);
    const bytes = new Uint8Array(readFileSync(path('whole.apr')));
    const planned = await expectPlanned(new Blob([bytes]));
    expect(planned).toMatchObject({ fetchBytes: 0, keptBytes: bytes.length });
    await expectPlanned(bytes);
    expect((await expectPlanned('digits')).keptBytes).toBe(modelBytes().length);
  });

  test('with threads; with more beams', async () => {
    const one = await expectPlanned(modelPath);
    const four = await expectPlanned(modelPath, { threads: 4 });
    expect(four.activationBytes).toBeGreaterThan(one.activationBytes);
    const beams = await susurrus.plan(modelPath, { beamSize: 16 });
    expect(beams.sequenceBytes).toBeGreaterThan(3 * one.sequenceBytes);
    expect(beams.peakBytes).toBeGreaterThanOrEqual(one.peakBytes);
    using model = await susurrus.loadModel<'whisper'>(modelPath);
    await model.decode(sampleAudio(), { beamSize: 16 });
    expect(beams.peakBytes).toBeGreaterThanOrEqual((await model.memory()).wasmBytes);
  });

  test('with several engines, of which each takes what one takes', async () => {
    const planOf = (workers: number | 'auto'): Promise<ModelPlan> =>
      susurrus.plan(modelPath, { workers, vad: false });
    const one = await planOf(1);
    expect(await planOf('auto')).toEqual({ ...one, verdict: expect.anything() });
    let least = 0;
    for (const workers of [2, 3, 16]) {
      const plan = await planOf(workers);
      const { furtherBytes } = plan;
      expect(furtherBytes).toBeGreaterThanOrEqual((workers - 1) * one.peakBytes);
      expect(furtherBytes).toBeGreaterThan(least);
      const peakBytes = one.peakBytes + furtherBytes;
      expect(plan).toEqual({ ...one, furtherBytes, peakBytes, verdict: expect.anything() });
      least = furtherBytes;
    }
  });

  test('with the networks that tell speakers apart', async () => {
    const [one, both] = await Promise.all([
      susurrus.plan(modelPath),
      susurrus.plan(modelPath, { speakers: true }),
    ]);
    expect(one.speakersBytes).toBe(0);
    // An hour was measured: 48 MB.
    expect(both.speakersBytes).toBeGreaterThan(48e6);
    expect(both.peakBytes - one.peakBytes).toBe(both.speakersBytes);
  });

  test('with a second hearing of a stream, which has a state of its own', async () => {
    const one = await susurrus.plan(modelPath, { vad: false });
    const both = await susurrus.plan(modelPath, { vad: false, revise: true });
    expect([one.revisionBytes, one.detectorBytes, both.detectorBytes]).toEqual([0, 0, 0]);
    expect(both.peakBytes - one.peakBytes).toBe(both.revisionBytes);
    using model = await susurrus.loadModel<'whisper'>(modelPath);
    const peakAfter = async (revise: boolean): Promise<number> => {
      const stream = model.stream({ vad: false, revise });
      await stream.feed(sampleAudio());
      await stream.close();
      return (await model.memory()).heapPeakBytes;
    };
    const first = await peakAfter(false);
    const second = (await peakAfter(true)) - first;
    expect(second).toBeGreaterThanOrEqual(both.kvCacheBytes + both.activationBytes);
    expect(second).toBeLessThanOrEqual(both.revisionBytes);
    expect((await model.memory()).wasmBytes).toBeLessThanOrEqual(both.peakBytes);
  });

  test('with a vocabulary as large as a trained model has', async () => {
    const special = tinyMetadata.vocab.indexOf('<|endoftext|>');
    const vocab = [
      ...tinyMetadata.vocab.slice(0, special),
      ...Array.from({ length: 51_800 }, (_, i) => `Ġword${i.toString(36)}`),
      ...tinyMetadata.vocab.slice(special),
    ];
    const architecture = { ...tinyDims, n_vocab: vocab.length };
    const file = tinyWhisper({ dims: architecture });
    const metadata = { ...tinyMetadata, architecture, vocab };
    await expectPlanned(writeApr2({ ...file, metadata }));
  });
});

describe('before the download', () => {
  /** A file of 6 MiB; its first few kilobytes are metadata and index. */
  const large = writeApr2(
    tinyWhisper({ dims: { ...tinyDims, n_text_layer: 20, n_audio_state: 128, n_text_state: 128 } }),
  );

  test('of a URL the header is fetched, and no more than a part behind it', async () => {
    const server = await startRangeServer({ 'm.apr': large });
    const plan = await susurrus.plan(`${server.address}/m.apr`);
    expect(large.length).toBeGreaterThan(6 * mebibyte);
    expect(server.sentBytes).toBeLessThanOrEqual(chunkBytes);
    expect(server.requests.length).toBeLessThanOrEqual(3);
    expect(plan).toMatchObject({ fetchBytes: large.length, keptBytes: 0 });
    const { weightBytes } = await susurrus.plan(large);
    expect(plan.weightBytes).toBe(weightBytes);
    await server.close();
  });

  test('where the server knows no ranges, the rest is not waited for', async () => {
    // Nothing comes behind the first mebibyte: who waited would wait for ever.
    const server = await startModelServer({ 'm.apr': { bytes: large } });
    server.faults.stallsAfter = mebibyte;
    server.faults.ignoresRanges = true;
    const plan = await susurrus.plan(`${server.address}/m.apr`);
    expect(plan.fetchBytes).toBe(large.length);
    expect(server.requests.length).toBe(1);
    await server.close();
  });

  test('a stream is read as far as its index, then closed', async () => {
    let readBytes = 0;
    let isClosed = false;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for await (const piece of inPieces(large, 65_536)) {
          readBytes += piece.length;
          yield piece;
        }
      } finally {
        isClosed = true;
      }
    }
    const plan = await susurrus.plan(pieces());
    expect(plan.weightBytes).toBeGreaterThan(5 * mebibyte);
    expect([readBytes <= 2 * 65_536, isClosed]).toEqual([true, true]);
  });

  test('of a kept URL nothing is fetched, of a download that broke off the rest', async () => {
    const server = await startModelServer({ 'm.apr': { bytes: large, tag: '"one"' } });
    const url = `${server.address}/m.apr`;
    const controller = new AbortController();
    const onProgress = ({ phase, loaded }: Progress): void => {
      if (phase === 'download' && loaded > 2 * mebibyte) controller.abort();
    };
    const { signal } = controller;
    await errorOf(susurrus.loadModel<'whisper'>(url, { cache: true, signal, onProgress }));
    const part = await susurrus.plan(url, { cache: true });
    expect(part.keptBytes).toBeGreaterThan(mebibyte);
    expect(part.keptBytes + (part.fetchBytes ?? NaN)).toBe(large.length);
    (await susurrus.loadModel<'whisper'>(url, { cache: true })).dispose();
    server.requests.length = 0;
    const kept = await susurrus.plan(url, { cache: true });
    expect(kept).toMatchObject({ fetchBytes: 0, keptBytes: large.length });
    expect(server.requests).toEqual([]);
    await server.close();
  });
});

describe('a model by its name', () => {
  const repository = 'openai/whisper-tiny.en';
  let hub: HubServer;
  const options = (): PlanOptions => ({ hub: hub.endpoint });
  beforeEach(async () => {
    rmSync(path('cache'), { recursive: true, force: true });
    const files = readdirSync(source).map((name) => [name, readFileSync(join(source, name))]);
    hub = await startHub({
      repository,
      files: Object.fromEntries(files) as Record<string, Uint8Array>,
    });
    return () => hub.close();
  });

  test.each(['f32', 'f16', 'q8_0', 'q5_1'] as const)(
    '%s: the list and config.json tell what it will take',
    async (dtype) => {
      const plan = await susurrus.plan('tiny.en', { ...options(), dtype });
      const asked = hub.requests.map((request) => request.replace(/.*\//, ''));
      expect(asked).toEqual(['main?blobs=true', 'config.json']);
      let downloaded: number | undefined = 0;
      using model = await susurrus.loadModel<'whisper'>('tiny.en', {
        ...{ ...options(), dtype },
        onProgress: ({ phase, total }) => {
          if (phase === 'download') downloaded = total;
        },
      });
      const { weightBytes, kvCacheBytes, activationBytes, wasmBytes } = await model.memory();
      expect(plan).toMatchObject({ weightBytes, kvCacheBytes, activationBytes, keptBytes: 0 });
      expect(plan.fetchBytes).toBe(downloaded);
      expect(plan.peakBytes).toBeGreaterThanOrEqual(wasmBytes);
      const kept = await susurrus.plan('tiny.en', { ...options(), cache: 'only' });
      expect(kept).toMatchObject({ fetchBytes: 0, weightBytes });
      await hub.close();
    },
  );

  test('what is neither kept nor on the hub is said so', async () => {
    const plan = (name: string, more: PlanOptions = {}): Promise<unknown> =>
      errorOf(susurrus.plan(name, { ...options(), ...more }));
    expect(await plan('tiny.en', { cache: 'only' })).toMatchObject({ code: 'source_failed' });
    expect(await plan('openai/whisper-none')).toMatchObject({ code: 'source_failed' });
    expect(hub.requests.length).toBe(1);
    await hub.close();
  });
});

describe('a folder of the hub that was picked', () => {
  const files = (): Record<string, Uint8Array<ArrayBuffer>> =>
    Object.fromEntries(
      readdirSync(source).map((name) => [name, new Uint8Array(readFileSync(join(source, name)))]),
    );

  test.each([undefined, 'f32', 'q5_1'] as const)('as %s: a list, or a FileList', async (dtype) => {
    const list = Object.entries(files()).map(([name, bytes]) => new File([bytes], name));
    const plan = await expectPlanned(list, { ...(dtype && { dtype }) });
    expect(plan.fetchBytes).toBe(0);
    expect(plan.keptBytes).toBeGreaterThan(files()['model.safetensors']!.length);
    const inFolder = Object.entries(files()).map(([name, bytes]) => [`tiny/${name}`, bytes]);
    const others = { 'tiny/onnx/config.json': '{}', 'tiny/.git/model.safetensors': 'x' };
    const fileList = picked({ ...others, ...Object.fromEntries(inFolder) } as typeof others);
    expect(await susurrus.plan(fileList, { ...(dtype && { dtype }) })).toEqual({
      ...plan,
      verdict: expect.anything(),
    });
  });

  test('what is missing or wrong is the error of loading', async () => {
    const { 'model.safetensors': weights, ...rest } = files();
    const wrong: Record<string, Uint8Array<ArrayBuffer> | undefined>[] = [
      { ...rest, 'pytorch_model.bin': new TextEncoder().encode('a pickle, perhaps') },
      { ...rest, 'model.safetensors': weights?.subarray(0, 100) },
      { 'model.safetensors': weights, 'config.json': new TextEncoder().encode('{}') },
      { 'model.safetensors': weights, 'vocab.json': rest['vocab.json'] },
    ];
    for (const each of wrong) {
      const list = Object.entries(each).map(([name, bytes]) => new File([bytes!], name));
      const { code } = (await errorOf(susurrus.loadModel(list))) as SusurrusError;
      expect(await errorOf(susurrus.plan(list))).toMatchObject({ code });
    }
    const options = { dtype: 'f16', hub: 'https://my.site' } as const;
    expect(await errorOf(susurrus.plan([new File([weights!], 'm')], options))).toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('what cannot be planned is an error, as in loading', () => {
  test('files that are not run', async () => {
    const file = join(source, 'model.safetensors');
    const error = (await errorOf(susurrus.plan(file))) as { readonly code: string };
    expect(error).toMatchObject({ code: 'unsupported_feature' });
    expect(await errorOf(susurrus.loadModel<'whisper'>(file))).toMatchObject({ code: error.code });
    writeFileSync(path('text.apr'), 'This is no model.');
    expect(await errorOf(susurrus.plan(path('text.apr')))).toMatchObject({
      code: 'unknown_format',
    });
    expect(await errorOf(susurrus.plan(path('none.apr')))).toMatchObject({ code: 'source_failed' });
    expect(await errorOf(susurrus.plan(modelBytes().subarray(0, 500)))).toMatchObject({
      code: 'truncated_input',
    });
  });

  test('models of other families, whose header does not say what they take', async () => {
    const others = {
      'an april-asr model': writeApril(smallApril),
      'a BW2L network': writeBw2l('small', smallBw2l),
    };
    for (const [what, bytes] of Object.entries(others)) {
      expect(await errorOf(susurrus.plan(bytes))).toMatchObject({
        code: 'unsupported_feature',
        message: expect.stringMatching(
          `plan\\(\\) knows what Whispers take, and this is ${what}: load it`,
        ),
        details: { expected: 'a Whisper', got: what },
      });
    }
  });

  test('the command line says the same', async () => {
    const printed = JSON.parse(
      command('plan', modelPath, '--json', '--beam-size', '3'),
    ) as ModelPlan;
    const { verdict, ...plan } = await susurrus.plan(modelPath, { beamSize: 3 });
    expect(printed).toMatchObject(plan);
    const { peakBytes } = await susurrus.plan(modelPath);
    expect(command('plan', modelPath)).toMatch(
      new RegExp(`at most +${(peakBytes / 1e6).toFixed(1)} MB\n`),
    );
    expect(['yes', 'unsure']).toContain(verdict.fits);
  });

  test('options', async () => {
    for (const [option, value] of Object.entries({
      ...{ beamSize: 17, threads: 9, beam_size: 5 },
      ...{ vad: {}, revise: 1, workers: 17 },
    })) {
      const error = await errorOf(susurrus.plan(modelPath, { [option]: value }));
      expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: option } });
    }
    const controller = new AbortController();
    const planned = errorOf(susurrus.plan(modelPath, { signal: controller.signal }));
    controller.abort();
    expect(await planned).toBe(controller.signal.reason);
    expect(await errorOf(susurrus.plan(null as never))).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('the verdict', () => {
  const gibibyte = 2 ** 30;
  const none = { detectorBytes: 0, speakersBytes: 0, furtherBytes: 0, keptLaterBytes: 0 };
  test.each<[string, number, Device, ModelPlan['verdict']['fits']]>([
    ['half of the memory', gibibyte, { memoryBytes: 2 * gibibyte }, 'yes'],
    ['most of the memory', 1.5 * gibibyte, { memoryBytes: 2 * gibibyte }, 'unsure'],
    ['more than the memory', 3 * gibibyte, { memoryBytes: 2 * gibibyte }, 'no'],
    ['the least that is named', 3 * gibibyte, { memoryBytes: 8 * gibibyte, isLeast: true }, 'yes'],
    ['nothing known, small', gibibyte / 4, {}, 'yes'],
    ['nothing known, large', gibibyte, {}, 'unsure'],
    ['free', gibibyte, { memoryBytes: 8 * gibibyte, freeBytes: 2 * gibibyte }, 'yes'],
    ['not free', gibibyte, { memoryBytes: 8 * gibibyte, freeBytes: gibibyte / 2 }, 'unsure'],
    [
      'beyond addresses',
      5 * gibibyte,
      { memoryBytes: 64 * gibibyte, freeBytes: 64 * gibibyte },
      'no',
    ],
  ])('%s', (_, peakBytes, device, fits) => {
    const verdict = verdictOn({ ...none, peakBytes }, device);
    expect(verdict.fits).toBe(fits);
    expect(verdict.reasons.length).toBe(1);
  });

  test('the engine does not address what the detector and further engines take', () => {
    const device = { memoryBytes: 64 * gibibyte, freeBytes: 64 * gibibyte };
    const needs = { ...none, peakBytes: 4 * gibibyte };
    const apart = ['detectorBytes', 'speakersBytes', 'furtherBytes'];
    const parts = [none, ...apart.map((name) => ({ [name]: mebibyte }))];
    const fits = parts.map((part) => verdictOn({ ...needs, ...part }, device).fits);
    expect(fits).toEqual(['no', 'yes', 'yes', 'yes']);
  });

  test('what storage has no room for waits in memory', () => {
    const device = { memoryBytes: 2 * gibibyte, storageBytes: 1000 };
    const needs = { ...none, peakBytes: gibibyte / 2, keptLaterBytes: gibibyte };
    const { fits, reasons } = verdictOn(needs, device);
    expect(fits).toBe('unsure');
    expect(reasons[0]).toMatch(/^it will not be kept: /);
  });
});
