// writeModel() when the data, the destination or a signal ends the writing: nothing is left behind.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PartSource } from '../../web/src/api/write_types.js';
import { builtPackage } from '../support/built_package.js';
import { collectedStream } from '../support/collected_stream.js';
import { errorOf } from '../support/embedded_model.js';
import { readApr2 } from '../support/specification_readers.js';
import { apr2, april, networks, tensor, zeros } from '../support/writable_models.js';

let built: Awaited<ReturnType<typeof builtPackage>>;
const folder = mkdtempSync(join(tmpdir(), 'susurrus-unwritten-'));
beforeAll(async () => {
  built = await builtPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

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
    expect(error).toBe(signal.reason);
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
    expect(error).toBe(signal.reason);
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
    expect([error, isAsked]).toEqual([signal.reason, false]);
  });
});
