// openModule(): networks that are run by name. What their operators calculate is in tests/graph.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { relaxedSimd } from 'wasm-feature-detect';
import type { GraphModule, ModuleOutput, ModuleTensor } from '../../web/src/api/types.js';
import { smallApril, writeApril } from '../support/april_writer.js';
import { smallBw2l, writeBw2l } from '../support/bw2l_writer.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf, modelPath } from '../support/embedded_model.js';
import { writeOnnx } from '../support/onnx_writer.js';
import {
  floats,
  ints,
  tennisNode,
  text,
  writeTennis,
  type Field,
} from '../support/tennis_writer.js';
import { leapClock, rounds, turns } from '../support/turns.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
});

const f32 = (shape: readonly number[], ...values: number[]): ModuleTensor => ({
  shape,
  data: Float32Array.from(values),
});
const plain = (outputs: readonly ModuleOutput[]) =>
  outputs.map(({ name, type, shape, data }) => ({
    name,
    type,
    shape,
    data: Array.from(data as Float32Array),
  }));

const throwing = (value: unknown) => (): never => {
  throw value;
};

/** y = a · b + bias of 2, for any number of rows; and the sum of y's rows. */
const affine = writeOnnx({
  inputs: [
    { name: 'a', type: 'f32', shape: ['rows', 3] },
    { name: 'b', type: 'f32', shape: [3, 2] },
  ],
  nodes: [
    { op: 'MatMul', name: 'product', inputs: ['a', 'b'], outputs: ['ab'] },
    { op: 'Add', name: 'shift', inputs: ['ab', 'bias'], outputs: ['y'] },
    {
      op: 'ReduceSum',
      name: 'total',
      inputs: ['y', 'axes'],
      outputs: ['sum'],
      attributes: { keepdims: 0 },
    },
  ],
  outputs: ['y', 'sum'],
  initializers: {
    bias: { type: 'f32', shape: [2], data: Float32Array.of(10, 20) },
    axes: { type: 'i64', shape: [1], data: BigInt64Array.of(0n) },
  },
});
const a = f32([2, 3], 1, 2, 3, 4, 5, 6);
const b = f32([3, 2], 1, 0, 0, 1, 1, 1);
const ofAffine = [
  { name: 'y', type: 'f32', shape: [2, 2], data: [14, 25, 20, 31] },
  { name: 'sum', type: 'f32', shape: [2], data: [34, 56] },
];

/** Much work: many products of one matrix, which is that of a rotation, so that it stays in range. */
const size = 64;
const long = writeOnnx({
  inputs: [{ name: 'x', type: 'f32', shape: [size, size] }],
  nodes: Array.from({ length: 120 }, (_, i) => ({
    op: 'MatMul',
    inputs: [i === 0 ? 'x' : `y${i - 1}`, 'rotation'],
    outputs: [`y${i}`],
  })),
  outputs: ['y119'],
  initializers: {
    rotation: {
      type: 'f32',
      shape: [size, size],
      data: Float32Array.from({ length: size * size }, (_, i) =>
        (Math.floor(i / size) + 1) % size === i % size ? 1 : 0,
      ),
    },
  },
});
const longInput = f32([size, size], ...Array.from({ length: size * size }, (_, i) => i % 97));

/** Node 0 is fed, constants follow, the last node has all of them as arguments. */
const tennisOf = (
  op: string,
  parameters: readonly (readonly [string, Field])[],
  constants: readonly Field[] = [],
): Uint8Array =>
  writeTennis({
    inputs: [0],
    outputs: [constants.length + 1],
    nodes: [
      tennisNode('<param>', 'x', []),
      ...constants.map((value, i) => tennisNode('<const>', `c${i}`, [], ['value', value])),
      tennisNode(op, 'y', [0, ...constants.map((_, i) => i + 1)], ...parameters),
    ],
  });
const list = (...values: number[]): Field => ints([values.length], ...values);
const number = (value: number): Field => ints([], value);

describe('a module', () => {
  let module: GraphModule;
  beforeAll(async () => {
    module = await susurrus.openModule(affine);
  });
  afterAll(() => {
    module.dispose();
  });

  test('tells its inputs and outputs', () => {
    expect(module.format).toBe('ONNX');
    expect(module.inputs).toEqual([
      { name: 'a', type: 'f32', shape: [null, 3] },
      { name: 'b', type: 'f32', shape: [3, 2] },
    ]);
    expect(module.outputs).toEqual(['y', 'sum']);
    // The bias; the matrix is not there twice.
    expect(module.weightBytes).toBe(8);
  });

  test('takes inputs by name in any order, or as a list', async () => {
    expect(plain(await module.run({ a, b }))).toEqual(ofAffine);
    expect(plain(await module.run({ b, a }))).toEqual(ofAffine);
    expect(plain(await module.run([a, b]))).toEqual(ofAffine);
  });

  test('leaves the arrays of the caller alone and reads parts of larger ones', async () => {
    const larger = Float32Array.of(9, 9, 1, 2, 3, 4, 5, 6, 9);
    const part = { data: larger.subarray(2, 8), shape: [2, 3] };
    expect(plain(await module.run({ a: part, b }))).toEqual(ofAffine);
    expect([...larger]).toEqual([9, 9, 1, 2, 3, 4, 5, 6, 9]);
  });

  test('runs with other shapes, again and again', async () => {
    for (const rows of [1, 5, 2, 3, 7, 4, 0, 1, 5, 6]) {
      const many = f32([rows, 3], ...Array.from({ length: rows * 3 }, (_, i) => i + 1));
      const [y, sum] = plain(await module.run({ a: many, b }));
      const wanted = Array.from({ length: rows }, (_, i) => [6 * i + 14, 6 * i + 25]).flat();
      expect(y).toEqual({ name: 'y', type: 'f32', shape: [rows, 2], data: wanted });
      const columns = [0, 1].map((at) =>
        wanted.filter((_, i) => i % 2 === at).reduce((total, value) => total + value, 0),
      );
      expect(sum?.data).toEqual(columns);
    }
  });

  const wrong: readonly (readonly [string, unknown, string, RegExp])[] = [
    [
      'of another type',
      { a: { ...a, data: Float64Array.from(a.data as Float32Array) }, b },
      'a',
      /f32.*f64/,
    ],
    ['of a wrong shape', { a: f32([3, 2], 1, 2, 3, 4, 5, 6), b }, 'a', /any×3.*3×2/],
    ['of a wrong rank', { a, b: f32([6], 1, 2, 3, 4, 5, 6) }, 'b', /3×2.*6/],
    ['that is missing', { a }, 'b', /a tensor for each input/],
    ['that is missing in a list', [a], 'b', /a tensor for each input/],
    ['that is unknown', { a, b, c: b }, 'c', /an input of the module/],
    ['too many', [a, b, b], 'inputs', /an input of the module/],
    ['with fewer elements than its shape', { a: f32([2, 3], 1, 2), b }, 'a.shape', /2 elements/],
    ['that is an array', { a: [1, 2, 3], b }, 'a.data', /typed array/],
    ['that is null', { a: null, b }, 'a', /\{ data, shape \}/],
    ['with a dimension below 0', { a: { ...a, shape: [-2, -3] }, b }, 'a.shape', /dimensions/],
    ['with a type that is none', { a: { ...a, type: 'q4' }, b }, 'a.type', /Float32Array/],
  ];
  test.each(wrong)('names an input %s', async (_what, inputs, subject, message) => {
    const error = await errorOf(module.run(inputs as Record<string, ModuleTensor>));
    expect(error).toBeInstanceOf(susurrus.SusurrusError);
    expect(error).toHaveProperty('details.subject', subject);
    expect(String(error)).toMatch(message);
    expect(plain(await module.run({ a, b }))).toEqual(ofAffine);
  });

  test('runs calls that come at once in their order, twenty times', async () => {
    for (let round = 0; round < 20; ++round) {
      const twice = f32([1, 3], 2, 4, 6 + round);
      const [first, second] = await Promise.all([module.run({ a, b }), module.run([twice, b])]);
      expect(plain(first)).toEqual(ofAffine);
      expect(plain(second)[0]?.data).toEqual([18 + round, 30 + round]);
    }
  });
});

test('an output may be an input, and one value several outputs', async () => {
  const module = await susurrus.openModule(
    writeOnnx({
      inputs: [{ name: 'x', type: 'f32', shape: ['n'] }],
      nodes: [
        { op: 'Relu', inputs: ['x'], outputs: ['y'] },
        { op: 'Identity', inputs: ['y'], outputs: ['again'] },
      ],
      outputs: ['x', 'y', 'again'],
    }),
  );
  expect(module.inputs.map(({ name }) => name)).toEqual(['x']);
  expect(plain(await module.run({ x: f32([2], -1, 2) }))).toEqual([
    { name: 'x', type: 'f32', shape: [2], data: [-1, 2] },
    { name: 'y', type: 'f32', shape: [2], data: [0, 2] },
    { name: 'again', type: 'f32', shape: [2], data: [0, 2] },
  ]);
  module.dispose();
});

describe('a run ends', () => {
  const reasons: readonly unknown[] = [new Error('enough'), 'a text', null, 0, { code: 7 }];

  test('with a signal, whatever its reason, and the module goes on', async () => {
    const module = await susurrus.openModule(long);
    const wanted = plain(await module.run({ x: longInput }));
    const right = leapClock(); // each step has its turn
    try {
      for (const round of rounds(20)) {
        const reason = reasons[round % reasons.length];
        const stop = new AbortController();
        const run = errorOf(module.run({ x: longInput }, { signal: stop.signal }));
        const after = module.run({ x: longInput });
        await turns(round % 7);
        stop.abort(reason);
        expect(await run).toBe(reason);
        expect(plain(await after)).toEqual(wanted);
      }
    } finally {
      right();
    }
    module.dispose();
  });

  test('before it begins with a signal that is aborted already', async () => {
    const module = await susurrus.openModule(affine);
    const signal = AbortSignal.abort('early');
    const error = await errorOf(module.run({ a, b }, { signal }));
    expect(error).toBe('early');
    module.dispose();
  });

  test('with dispose(), under way and afterwards', async () => {
    const module = await susurrus.openModule(long);
    const right = leapClock();
    const run = errorOf(module.run({ x: longInput }));
    await turns(3);
    module.dispose();
    right();
    expect(await run).toMatchObject({ code: 'aborted' });
    expect(await errorOf(module.run({ x: longInput }))).toMatchObject({ code: 'wrong_state' });
    module.dispose(); // a second time does nothing
  });
});

test.each(['dispose', 'asyncDispose'] as const)('Symbol.%s disposes of a module', async (end) => {
  const module = await susurrus.openModule(affine);
  await module[Symbol[end]]();
  expect(await errorOf(module.run({ a, b }))).toMatchObject({ code: 'wrong_state' });
});

describe('opening', () => {
  test('tells its progress; what the callback throws ends it', async () => {
    const events: string[] = [];
    const module = await susurrus.openModule(affine, {
      onProgress: (event) => events.push(event.phase),
    });
    module.dispose();
    expect(events).toContain('load');
    for (const thrown of [new Error('my page'), 'stop', undefined]) {
      const caught: unknown[] = [];
      await susurrus
        .openModule(affine, { onProgress: throwing(thrown) })
        .catch((error: unknown) => {
          caught.push(error);
        });
      expect(caught).toEqual([thrown]);
    }
  });

  test('ends with a signal', async () => {
    const signal = AbortSignal.abort('not now');
    const error = await errorOf(susurrus.openModule(affine, { signal }));
    expect(error).toBe('not now');
  });

  test('both binaries give the same', async () => {
    const variants = (await relaxedSimd()) ? (['simd', 'relaxed'] as const) : (['simd'] as const);
    for (const variant of variants) {
      const module = await susurrus.openModule(affine, { variant });
      expect(plain(await module.run({ a, b }))).toEqual(ofAffine);
      module.dispose();
    }
  });

  const models: readonly (readonly [string, () => string | Uint8Array])[] = [
    ['an .april file', () => writeApril(smallApril)],
    ['a BW2L file', () => writeBw2l('small', smallBw2l)],
    ['a Whisper', () => modelPath],
    ['no model at all', () => new Uint8Array(100).fill(65)],
    ['an empty file', () => new Uint8Array(0)],
  ];
  test.each(models)('%s is refused by a typed error', async (_what, source) => {
    const error = await errorOf(susurrus.openModule(source()));
    expect(error).toBeInstanceOf(susurrus.SusurrusError);
    expect(error).not.toHaveProperty('code', 'internal_error');
  });

  test('null as options is refused, and an input whose memory was transferred', async () => {
    using module = await susurrus.openModule(tennisOf('relu', []));
    const nothing = null as never;
    for (const call of [() => module.run([], nothing), () => module.describe({}, nothing)]) {
      expect(await errorOf(call())).toMatchObject({
        code: 'invalid_argument',
        details: { subject: 'options', got: 'null' },
      });
    }
    const data = Float32Array.of(1);
    structuredClone(data, { transfer: [data.buffer] });
    for (const shape of [[1], [0]]) {
      expect(await errorOf(module.run([{ data, shape }]))).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('transferred'),
      });
    }
  });

  test('a module that loadModel() is given is refused with what to do', async () => {
    const error = await errorOf(susurrus.loadModel<'whisper'>(tennisOf('relu', [])));
    expect(error).toMatchObject({ code: 'unsupported_feature' });
    expect(String(error)).toMatch(/openModule\(\)/);
  });

  test('an operator that is not run here is named with its node', async () => {
    const unknown = writeOnnx({
      inputs: [{ name: 'x', type: 'f32', shape: [1] }],
      nodes: [{ op: 'Einsum', name: 'odd', inputs: ['x'], outputs: ['y'] }],
      outputs: ['y'],
    });
    const error = await errorOf(susurrus.openModule(unknown));
    expect(error).toMatchObject({ code: 'unsupported_operator' });
    expect(String(error)).toMatch(/node 0 "odd" \(Einsum\)/);
  });

  test.each([
    ['ONNX', affine],
    ['TenniS', tennisOf('relu', [])],
  ])('a damaged %s file is a typed error or another module, never a crash', async (_kind, file) => {
    const damaged = [
      ...Array.from({ length: 40 }, (_, i) => file.slice(0, Math.floor((i / 40) * file.length))),
      ...Array.from({ length: 60 }, (_, i) => {
        const bytes = file.slice();
        const at = Math.floor((i / 60) * file.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (i % 8));
        return bytes;
      }),
    ];
    let refused = 0;
    for (const bytes of damaged) {
      try {
        const module = await susurrus.openModule(bytes);
        const run = module.run(module.inputs.length === 2 ? [a, b] : [a]);
        await run.catch((error: unknown) => {
          expect(error).toBeInstanceOf(susurrus.SusurrusError);
          expect(error).not.toHaveProperty('code', 'internal_error');
        });
        module.dispose();
      } catch (error) {
        expect(error).toBeInstanceOf(susurrus.SusurrusError);
        expect(error).not.toHaveProperty('code', 'internal_error');
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThanOrEqual(40); // the cut ones at least
  });
});

describe('TenniS', () => {
  const window = (type: number, paddingType: number): [string, Field][] => [
    ['format', text('NCHW')],
    ['type', number(type)],
    ['padding', list(0, 0, 0, 0, 0, 0, 0, 0)],
    ['padding_type', number(paddingType)],
    ['ksize', list(1, 1, 1, 2)],
    ['stride', list(1, 1, 1, 2)],
  ];
  const resized = (type: number, count: number): Uint8Array =>
    tennisOf('_resize2d', [['type', number(type)]], [list(-1, count)]);
  const oneToFive = f32([1, 1, 1, 5], 1, 2, 3, 4, 5);
  /** tennis.md §2.3 */
  const worked: readonly (readonly [string, Uint8Array, ModuleTensor, readonly number[]])[] = [
    ['pooling2d max', tennisOf('pooling2d', window(0, 0)), oneToFive, [2, 4, 5]],
    ['pooling2d avg black', tennisOf('pooling2d', window(1, 0)), oneToFive, [1.5, 3.5, 5]],
    ['pooling2d avg white', tennisOf('pooling2d', window(1, 3)), oneToFive, [1.5, 3.5, 2.5]],
    ['_resize2d to 4', resized(0, 4), f32([1, 2], 0, 1), [0, 0.25, 0.75, 0.99999]],
    ['_resize2d type 2', resized(2, 6), f32([1, 3], 1, 2, 3), [1, 1, 2, 2, 3, 3]],
    ['_resize2d type 3', resized(3, 6), f32([1, 3], 1, 2, 3), [1, 1, 2, 2, 3, 3]],
    ['_resize2d type 2, smaller', resized(2, 2), f32([1, 5], 1, 2, 3, 4, 5), [2, 4]],
    ['_resize2d type 3, smaller', resized(3, 2), f32([1, 5], 1, 2, 3, 4, 5), [1, 3]],
  ];
  test.each(worked)('%s', async (_what, file, x, wanted) => {
    const module = await susurrus.openModule(file);
    expect(module.format).toBe('TenniS');
    expect(module.inputs).toEqual([{ name: 'x' }]);
    for (const inputs of [{ x }, [x]]) {
      const [y] = plain(await module.run(inputs));
      expect(y?.data).toHaveLength(wanted.length);
      for (const [i, value] of wanted.entries()) expect(y?.data[i]).toBeCloseTo(value, 5);
    }
    module.dispose();
  });

  test('a packed output is several', async () => {
    const module = await susurrus.openModule(
      writeTennis({
        inputs: [0],
        outputs: [3],
        nodes: [
          tennisNode('<param>', 'x', []),
          tennisNode('relu', 'positive', [0]),
          tennisNode('<const>', 'c', [], ['value', floats([2], 5, 6)]),
          tennisNode('_pack', 'all', [1, 2]),
        ],
      }),
    );
    expect(module.outputs).toEqual(['all']);
    expect(plain(await module.run([f32([3], -1, 0, 2)]))).toEqual([
      { name: '', type: 'f32', shape: [3], data: [0, 0, 2] },
      { name: '', type: 'f32', shape: [2], data: [5, 6] },
    ]);
    module.dispose();
  });

  test('an operator that is not run is a warning with its node, and refused when it is run', async () => {
    const module = await susurrus.openModule(tennisOf('yolo', []));
    expect(module.warnings).toEqual(['node 1 "y": yolo: this operator is not run here']);
    const error = await errorOf(module.run([oneToFive]));
    expect(error).toMatchObject({ code: 'unsupported_operator' });
    expect(String(error)).toMatch(/yolo/);
    module.dispose();
  });
});
