// writeModel() when something is wrong: what was given, the data, the destination, or the caller's patience.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  PartSource,
  WritableApr1,
  WritableApr2,
  WritableApril,
  WritableModel,
  WritableTensor,
} from '../../web/src/api/write_types.js';
import type { ProgressEvent } from '../../web/src/api/types.js';
import { smallApril } from '../support/april_writer.js';
import { builtPackage } from '../support/built_package.js';
import { collectedStream } from '../support/collected_stream.js';
import { errorOf } from '../support/embedded_model.js';
import { filesModule } from '../support/files_module.js';
import { readApr2 } from '../support/specification_readers.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-unwritten-'));
beforeAll(async () => {
  built = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

const dims = {
  nVocab: 300,
  nAudioCtx: 6,
  nTextCtx: 8,
  nMels: 80,
  nAudioLayer: 1,
  nTextLayer: 1,
  nAudioHead: 2,
  nTextHead: 2,
  nAudioState: 64,
  nTextState: 64,
};
const zeros = (count: number): Float32Array => new Float32Array(count);
const tensor = (change: Partial<WritableTensor> = {}): WritableTensor => ({
  ...{ name: 'weight', dtype: 'f32', shape: [2, 32], data: zeros(64) },
  ...change,
});
const apr2 = (...tensors: WritableTensor[]): WritableApr2 => ({ format: 'apr2', dims, tensors });
const apr1 = (...tensors: WritableTensor[]): WritableApr1 => ({ format: 'apr1', dims, tensors });

const networks = {
  encoder: { data: smallApril.networks[0] as Uint8Array },
  decoder: { data: smallApril.networks[1] as Uint8Array },
  joiner: { data: smallApril.networks[2] as Uint8Array },
};
const params = {
  ...{ batch_size: 1, segment_size: 9, segment_step: 4, mel_features: 80, samplerate: 16000 },
  ...{ frame_shift_ms: 10, frame_length_ms: 25, round_pow2: 1, mel_low: 20, mel_high: 0 },
  ...{ snip_edges: 0, blank_token_id: 0 },
};
const { language, name, description, tokens } = smallApril;
const april: WritableApril = {
  ...{ language, name, description, tokens, params, networks },
  format: 'april',
};

const node = (op: string, inputs: number[] = []) => ({ op, name: op, inputs });
const tennis = (...nodes: object[]): WritableModel => ({
  format: 'tennis',
  inputs: [0],
  outputs: [nodes.length - 1],
  nodes,
});
const wrong = (value: object): WritableModel => value as WritableModel;

/** What is wrong, the model, and what the error says: before a byte is written. */
const refusals: readonly (readonly [string, WritableModel, object])[] = [
  ['an unknown format', wrong({ format: 'onnx' }), { subject: 'format' }],
  ['an unknown member', wrong({ ...apr2(tensor()), tensor: [] }), { subject: 'model: tensor' }],
  ['no tensors', wrong({ format: 'apr2', dims }), { subject: 'tensors' }],
  ['no dimensions', wrong({ format: 'apr2', tensors: [] }), { subject: 'architecture' }],
  [
    'dimensions that do not fit',
    { ...apr2(), dims: { ...dims, nAudioHead: 3 } },
    { subject: 'n_audio_state' },
  ],
  ['two architectures', { ...apr2(), metadata: { architecture: {} } }, { subject: 'dims' }],
  [
    'a filterbank of another size',
    { ...apr2(), filterbank: zeros(3) },
    { reason: 'bad_filterbank' },
  ],
  [
    'a filterbank with a negative weight',
    { ...apr2(), filterbank: zeros(16080).fill(-1) },
    { reason: 'bad_filterbank' },
  ],
  ['a token of two halves', { ...apr2(), vocabulary: ['\ud800'] }, { subject: 'vocabulary' }],
  ['equal names', apr2(tensor(), tensor()), { reason: 'duplicate' }],
  ['an unknown dtype', apr2(tensor({ dtype: 'f8' })), { subject: 'weight', got: 'f8' }],
  [
    'rows of no whole blocks',
    apr2(tensor({ dtype: 'q8_0', shape: [2, 31] })),
    { reason: 'bad_shape' },
  ],
  [
    'a shape of nine sizes',
    apr2(tensor({ shape: Array<number>(9).fill(1) })),
    { subject: 'weight' },
  ],
  ['a negative size', apr2(tensor({ shape: [-1] })), { subject: 'weight: shape' }],
  ['an empty name', apr2(tensor({ name: '' })), { reason: 'option' }],
  ['a scale that is not wanted', apr2(tensor({ scale: 1 })), { reason: 'bad_scale' }],
  [
    'types that differ in APR1',
    apr1(tensor(), tensor({ name: 'b', dtype: 'f16' })),
    { subject: 'b' },
  ],
  ['a name of 48 bytes in APR1', apr1(tensor({ name: 'x'.repeat(48) })), { got: '48' }],
  [
    'a vocabulary that is too long for APR1',
    { ...apr1(tensor()), vocabulary: Array<string>(301).fill('a') },
    { reason: 'bad_vocabulary' },
  ],
  [
    'data that are there only once',
    apr1(tensor({ dtype: 'int8', data: [zeros(64)].values() })),
    { subject: 'weight' },
  ],
  [
    'params that no reader takes',
    { ...april, params: { ...params, batch_size: 2 } },
    { subject: 'batch_size' },
  ],
  ['no token', { ...april, tokens: [] }, { subject: 'token_count' }],
  ['a language of nine bytes', { ...april, language: 'en-GB-oed' }, { subject: 'language' }],
  [
    'a part twice',
    { ...april, order: ['encoder', 'encoder', 'joiner', 'params'] },
    { subject: 'order' },
  ],
  [
    'an unknown size',
    { ...april, networks: { ...networks, joiner: { data: [] as Uint8Array[] } } },
    { subject: 'joiner: byteCount' },
  ],
  [
    'a section of the wrong type',
    {
      format: 'bw2l',
      name: '',
      sections: [{ name: 'tokens', type: 'data', data: new Uint8Array(1) }],
    },
    { subject: 'tokens' },
  ],
  [
    'a BW2L dtype',
    {
      format: 'bw2l',
      name: '',
      sections: [{ name: 'x', type: 'array', dtype: 'f32' as 'fp32', length: 1, data: zeros(1) }],
    },
    { got: 'f32' },
  ],
  [
    'a name of 256 bytes',
    { format: 'bw2l', name: 'x'.repeat(256), sections: [] },
    { subject: 'name' },
  ],
  [
    'an argument that is no node',
    tennis(node('<param>'), node('relu', [7])),
    { reason: 'bad_index' },
  ],
  [
    'a cycle',
    tennis(node('<param>'), node('relu', [1])),
    { subject: expect.stringContaining('relu') },
  ],
  [
    'a node without a name',
    tennis({ op: '<param>' }),
    { subject: expect.stringContaining('#name') },
  ],
  [
    'a TenniS dtype',
    tennis({
      ...node('<param>'),
      parameters: [{ name: 'p', fields: [{ dtype: 'ptr', shape: [], data: [] }] }],
    }),
    { reason: 'unsupported_dtype' },
  ],
  [
    'a reserved parameter that is not at hand',
    tennis({
      ...node('<param>'),
      parameters: [{ name: '#shape', fields: [{ dtype: 'i32', shape: [1], data: () => [] }] }],
    }),
    { subject: 'nodes[0] #shape' },
  ],
];

test.each(refusals)('%s is refused before a byte is written', async (_, model, details) => {
  const { stream, state, bytes } = collectedStream();
  const error = await errorOf(built.writeModel(stream, model));
  expect(error).toMatchObject({ code: 'invalid_argument', details });
  expect([bytes().length, state.isClosed]).toEqual([0, false]);
});

describe('data that are not what was declared', () => {
  const failure = new RangeError('the disk is gone');
  const cases: readonly (readonly [string, PartSource, object])[] = [
    [
      'too few',
      zeros(63),
      {
        code: 'invalid_argument',
        details: { subject: 'weight', expected: '256 bytes', got: '252' },
      },
    ],
    [
      'too many',
      [zeros(64), zeros(1)],
      { code: 'invalid_argument', details: { subject: 'weight', expected: '256 bytes' } },
    ],
    ['none', [], { code: 'invalid_argument', details: { subject: 'weight', got: '0' } }],
    [
      'of another type',
      Int32Array.of(1),
      {
        code: 'invalid_argument',
        details: { subject: 'weight', expected: expect.stringContaining('Float32Array') },
      },
    ],
    ['numbers', [1, 2] as never, { code: 'invalid_argument', details: { subject: 'weight' } }],
    [
      'nothing at all',
      undefined as never,
      { code: 'invalid_argument', details: { subject: 'weight' } },
    ],
    ['text', 'zeros' as never, { code: 'invalid_argument', details: { subject: 'weight' } }],
    [
      'an exception of the function',
      () => {
        throw failure;
      },
      failure,
    ],
    ['a rejected promise', () => Promise.reject(failure), failure],
    [
      'an exception on the way',
      async function* () {
        yield await Promise.resolve(zeros(8));
        throw failure;
      },
      failure,
    ],
  ];

  test.each(cases)('%s', async (_, data, expected) => {
    const path = join(folder, 'model.apr');
    const model = apr2(tensor({ name: 'first' }), tensor({ data }));
    const error = await errorOf(built.writeModel(path, model));
    if (expected === failure) expect(error).toBe(failure);
    else expect(error).toMatchObject(expected);
    expect(readdirSync(folder)).toEqual([]);
    const { stream, state } = collectedStream();
    const again = await errorOf(built.writeModel(stream, model));
    expect([state.isClosed, state.abortedBy]).toEqual([false, again]);
  });

  test('in the second pass', async () => {
    let calls = 0;
    const model = {
      ...apr2(
        tensor({
          data: () => (calls++ === 0 ? zeros(64) : Float32Array.from({ length: 64 }, Math.sin)),
        }),
      ),
      compress: 'lz4',
    } as const;
    expect(await errorOf(built.writeModel(new WritableStream(), model))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'weight' },
    });
    expect(calls).toBe(2);
  });

  test('types that change', async () => {
    const data = [zeros(32), new Uint8Array(64)];
    const model = apr2(tensor({ dtype: 'f16', data }));
    expect(await errorOf(built.writeModel(new WritableStream(), model))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'weight', expected: 'arrays of one type' },
    });
  });

  test('a network that is none is written, as readers take it, with a warning', async () => {
    const joiner = { data: new TextEncoder().encode('this is no network') };
    const path = join(folder, 'model.april');
    const model = { ...april, networks: { ...networks, joiner } };
    const { warnings } = await built.writeModel(path, model);
    expect(warnings).toContainEqual(expect.stringContaining('joiner'));
    rmSync(path);
  });
});

describe('the destination', () => {
  test('is not replaced unasked, and stays what it was when something fails', async () => {
    const path = join(folder, 'existing.apr');
    writeFileSync(path, 'mine');
    expect(await errorOf(built.writeModel(path, apr2(tensor())))).toMatchObject({
      code: 'invalid_argument',
      details: { subject: 'force' },
    });
    const bad = apr2(tensor({ data: zeros(1) }));
    await errorOf(built.writeModel(path, bad, { force: true }));
    expect(readFileSync(path, 'utf8')).toBe('mine');
    await built.writeModel(path, apr2(tensor()), { force: true });
    expect(readApr2(new Uint8Array(readFileSync(path))).tensors).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['existing.apr']);
    rmSync(path);
  });

  test('that fails ends the writing, and the source is told so', async () => {
    let isLeft = false;
    async function* data(): AsyncGenerator<Float32Array> {
      try {
        for (;;) yield await Promise.resolve(zeros(1 << 18));
      } finally {
        isLeft = true;
      }
    }
    const full = new Error('full');
    let room = 3;
    const stream = new WritableStream<Uint8Array>({
      write: () => {
        if (room-- === 0) throw full;
      },
    });
    const model = apr2(tensor({ shape: [1 << 28], data }));
    expect(await errorOf(built.writeModel(stream, model))).toBe(full);
    expect(isLeft).toBe(true);
  });

  test('must be one', async () => {
    expect(await errorOf(built.writeModel(undefined as never, apr2()))).toMatchObject({
      details: { subject: 'destination' },
    });
  });
});

describe('an abort', () => {
  const reasons = [undefined, new Error('enough'), 'text', 0, null];

  test.each(reasons)('with the reason %p ends waiting for data', async (reason) => {
    const path = join(folder, 'aborted.apr');
    const controller = new AbortController();
    const { signal } = controller;
    const data = (): Promise<Float32Array> => {
      setTimeout(() => controller.abort(reason));
      return new Promise(() => undefined);
    };
    const error = await errorOf(built.writeModel(path, apr2(tensor({ data })), { signal }));
    expect(error).toMatchObject({ code: 'aborted' });
    expect((error as Error).cause).toBe(signal.reason);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('ends waiting for a stream that takes nothing', async () => {
    const controller = new AbortController();
    const stream = new WritableStream<Uint8Array>({
      write: () => {
        setTimeout(() => controller.abort());
        return new Promise(() => undefined);
      },
    });
    const { signal } = controller;
    const error = await errorOf(built.writeModel(stream, apr2(tensor()), { signal }));
    expect(error).toMatchObject({ code: 'aborted' });
  });

  test('comes before anything is asked for', async () => {
    let isAsked = false;
    const data = (): Float32Array => {
      isAsked = true;
      return zeros(64);
    };
    const signal = AbortSignal.abort();
    const error = await errorOf(
      built.writeModel(new WritableStream(), apr2(tensor({ data })), { signal }),
    );
    expect([error, isAsked]).toMatchObject([{ code: 'aborted' }, false]);
  });
});

test('twenty models are written at once, each as if alone', async () => {
  const model = (seed: number): WritableApr2 =>
    apr2(
      ...Array.from({ length: 8 }, (_, i) =>
        tensor({
          name: `weight.${i}`,
          dtype: i % 2 === 0 ? 'q8_0' : 'f32',
          data: async function* () {
            for (let at = 0; at < 64; at += 16) {
              yield await Promise.resolve(zeros(16).fill(seed + i + at));
            }
          },
        }),
      ),
    );
  const alone: Uint8Array[] = [];
  for (let seed = 0; seed < 20; ++seed) {
    const { stream, bytes } = collectedStream();
    await built.writeModel(stream, model(seed));
    alone.push(bytes());
  }
  const paths = alone.map((_, seed) => join(folder, `${seed}.apr`));
  await Promise.all(paths.map((path, seed) => built.writeModel(path, model(seed))));
  for (const [seed, path] of paths.entries()) {
    expect(new Uint8Array(readFileSync(path))).toEqual(alone[seed]);
    rmSync(path);
  }
  expect(readdirSync(folder)).toEqual([]);
});

describe('memory', () => {
  const mebibyte = 1 << 20;

  test('a source is asked only as fast as the destination takes', async () => {
    let given = 0;
    let taken = 0;
    let most = 0;
    const shape = [50, mebibyte];
    function* data(): Generator<Float32Array> {
      const piece = zeros(mebibyte / 4);
      for (let i = 0; i < 200; ++i) {
        given += piece.byteLength;
        most = Math.max(most, given - taken);
        yield piece;
      }
    }
    const stream = new WritableStream<Uint8Array>({
      async write(bytes) {
        await new Promise(setImmediate);
        taken += bytes.length;
      },
    });
    const events: ProgressEvent[] = [];
    const { byteCount } = await built.writeModel(stream, apr2(tensor({ shape, data })), {
      onProgress: (event) => events.push(event),
    });
    expect(taken).toBe(byteCount);
    expect(byteCount).toBeGreaterThan(200 * mebibyte);
    expect(most).toBeLessThanOrEqual(3 * mebibyte);
    expect(events.length).toBeGreaterThanOrEqual(200);
    expect(events.at(-1)).toMatchObject({ fraction: 1, loaded: 200 * mebibyte });
    const fractions = events.map(({ fraction = 0 }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  });

  test('the core holds two windows, however large the file is', async () => {
    const module = await filesModule();
    const composer = new module.Composer();
    const description = new TextEncoder().encode(
      JSON.stringify({
        format: 'apr2',
        metadata: JSON.stringify({ apr_version: '2.0.0', model_type: 'other', architecture: {} }),
        tensors: [{ name: 'weight', dtype: 'f32', shape: [50, mebibyte] }],
      }),
    );
    composer.textWindow(description.length).set(description);
    expect(composer.plan()).toBe('');
    expect(composer.begin(module.ComposerPass.write)).toBe('');
    let written = 0;
    const drain = (): void => {
      written += composer.output().length;
      composer.consumeOutput();
    };
    drain();
    expect(composer.beginPart(false)).toBe('');
    module.resetHeapPeak();
    for (let i = 0; i < 200; ++i) {
      composer.inputWindow(mebibyte).fill(i);
      expect(composer.push(mebibyte)).toBe('');
      drain();
    }
    expect([composer.finishPart(), composer.finish()]).toEqual(['', '']);
    drain();
    expect(written).toBeGreaterThan(200 * mebibyte);
    expect(module.heapStatistics().peakBytes).toBeLessThan(4 * mebibyte);
    composer.delete();
  });
});
