// module.describe(): shapes, cost and weights of nodes, worked out by hand here.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ModuleDescription, ModuleShapes } from '../../web/src/api/types.js';
import { builtPackage } from '../support/built_package.js';
import { errorOf } from '../support/embedded_model.js';
import { writeOnnx } from '../support/onnx_writer.js';
import { projectRoot } from '../support/shared_folder.js';
import { floats, ints, tennisNode, text, writeTennis } from '../support/tennis_writer.js';

let susurrus: Awaited<ReturnType<typeof builtPackage>>;
beforeAll(async () => {
  susurrus = await builtPackage();
});

async function described(
  file: string | Uint8Array,
  shapes?: ModuleShapes,
): Promise<ModuleDescription> {
  using module = await susurrus.openModule(file);
  return await module.describe(shapes);
}

/** operator, shapes of outputs with ? where open, weights, cost. */
const rows = ({ nodes }: ModuleDescription) =>
  nodes.map(({ op, outputs, weights, cost }) => [
    op,
    outputs.map(({ shape }) => shape.map((dim) => dim ?? '?').join('×')).join(', '),
    weights,
    cost,
  ]);

const zeros = (count: number): number[] => new Array<number>(count).fill(0);

/** A 3×3 convolution to 4 channels, relu, mean over the picture, 5 classes; the filter is worked out of two constants. */
const classifier = (...imageShape: number[]): Uint8Array =>
  writeTennis({
    inputs: [0],
    outputs: [8],
    nodes: [
      tennisNode('<param>', 'image', [], ['#shape', ints([4], ...imageShape)]),
      tennisNode('<const>', 'filter', [], ['value', floats([4, 3, 3, 3], ...zeros(108))]),
      tennisNode('<const>', 'scale', [], ['value', floats([4, 1, 1, 1], ...zeros(4))]),
      tennisNode('mul', 'scaled', [1, 2]),
      tennisNode(
        'conv2d',
        'conv',
        [0, 3],
        ['format', text('NCHW')],
        ['padding', ints([4, 2], 0, 0, 0, 0, 1, 1, 1, 1)],
        ['stride', ints([4], 1, 1, 2, 2)],
        ['dilation', ints([4], 1, 1, 1, 1)],
      ),
      tennisNode('relu', 'positive', [4]),
      tennisNode('global_pooling2d', 'mean', [5], ['format', text('NCHW')], ['type', ints([], 1)]),
      tennisNode('<const>', 'classes', [], ['value', floats([4, 5], ...zeros(20))]),
      tennisNode('inner_prod', 'scores', [6, 7]),
    ],
  });

describe('a TenniS module', () => {
  test('tells the shapes that its file states, and open dimensions', async () => {
    using module = await susurrus.openModule(classifier(-1, 3, 8, 0));
    expect(module.inputs).toEqual([{ name: 'image', shape: [null, 3, 8, null] }]);
  });

  test('has shapes, weights and cost of each node', async () => {
    const run = await described(classifier(2, 3, 8, 6));
    expect(rows(run)).toEqual([
      ['<param>', '2×3×8×6', 0, 0],
      ['<const>', '4×3×3×3', 0, 0],
      ['<const>', '4×1×1×1', 0, 0],
      ['mul', '4×3×3×3', 0, 0],
      // 4 × 3 places of 4 channels in 2 pictures, 27 multiply-adds each
      ['conv2d', '2×4×4×3', 108, 2 * 4 * 4 * 3 * 27],
      ['relu', '2×4×4×3', 0, expect.any(Number)],
      ['global_pooling2d', '2×4×1×1', 0, expect.any(Number)],
      // As the file has it, whatever order the kernels want.
      ['<const>', '4×5', 0, 0],
      ['inner_prod', '2×5', 20, 2 * 4 * 5],
    ]);
    expect(run.nodes.map(({ constant }) => constant)).toEqual([
      ...[false, true, true, true, false, false, false, true, false],
    ]);
    expect(run.nodes[4]).toMatchObject({ name: 'conv', inputs: [0, 3] });
    expect(run.nodes[4]?.outputs[0]?.type).toBe('f32');
    expect([run.inputs, run.outputs]).toEqual([[0], [8]]);
    expect(run.cost).toBe(run.nodes.reduce((sum, { cost }) => sum + cost, 0));
    expect(run.inputShapes).toEqual([[2, 3, 8, 6]]);
  });

  test('has the memory of a run: more for more pictures, but not of weights', async () => {
    const file = classifier(-1, 3, 64, 64);
    const [one, eight] = await Promise.all([
      described(file, [[1, 3, 64, 64]]),
      described(file, { image: [8, 3, 64, 64] }),
    ]);
    // relu works in place, so there is one value of 4 × 32 × 32 floats.
    const value = 4 * 32 * 32 * 4;
    expect(eight.runBytes - one.runBytes).toBeGreaterThanOrEqual(7 * value);
    expect(eight.runBytes - one.runBytes).toBeLessThan(10 * value);
    expect(one.constantBytes).toBeGreaterThanOrEqual((108 + 20) * 4);
    expect(eight.constantBytes).toBe(one.constantBytes);
  });

  test('shows which dimensions are open', async () => {
    const run = await described(classifier(-1, 3, -1, 6));
    expect(rows(run).map(([op, shape]) => [op, shape])).toEqual([
      ['<param>', '?×3×?×6'],
      ['<const>', '4×3×3×3'],
      ['<const>', '4×1×1×1'],
      ['mul', '4×3×3×3'],
      ['conv2d', '?×4×?×3'],
      ['relu', '?×4×?×3'],
      ['global_pooling2d', '?×4×1×1'],
      ['<const>', '4×5'],
      ['inner_prod', '?×5'],
    ]);
    // One picture of the first size that is tried.
    expect(run.inputShapes).toEqual([[1, 3, 224, 6]]);
    expect(run.nodes[4]?.cost).toBe(4 * 112 * 3 * 27);
  });

  test('a caller may leave dimensions open, and close those of the file', async () => {
    const run = await described(classifier(-1, 3, -1, -1), { image: [4, 3, null, 10] });
    expect(rows(run)[4]?.[1]).toBe('4×4×?×5');
  });

  test('finds a size that the network can be run with', async () => {
    // Only 16 numbers in a row become 4 × 4.
    const run = await described(
      writeTennis({
        inputs: [0],
        outputs: [1],
        nodes: [
          tennisNode('<param>', 'x', [], ['#shape', ints([2], -1, -1)]),
          tennisNode('_reshape', 'square', [0], ['shape', ints([2], 4, 4)]),
        ],
      }),
    );
    expect(run.inputShapes).toEqual([[1, 16]]);
    expect(rows(run)[1]).toEqual(['_reshape', '4×4', 0, expect.any(Number)]);
  });

  test('what no output needs has no shape and costs nothing', async () => {
    const run = await described(
      writeTennis({
        inputs: [0],
        outputs: [3],
        nodes: [
          tennisNode('<param>', 'x', [], ['#shape', ints([1], 6)]),
          tennisNode('sigmoid', 'unused', [0]),
          // Nodes may come before what they take.
          tennisNode('relu', 'later', [4]),
          tennisNode('exp', 'y', [2]),
          tennisNode('abs', 'earlier', [0]),
        ],
      }),
    );
    expect(rows(run).map(([op, shape]) => [op, shape])).toEqual([
      ['<param>', '6'],
      ['sigmoid', ''],
      ['relu', '6'],
      ['exp', '6'],
      ['abs', '6'],
    ]);
    expect(run.nodes[1]?.cost).toBe(0);
    expect(run.nodes.every(({ constant }) => !constant)).toBe(true);
  });

  test('the detector of speech in the package', async () => {
    const run = await described(join(projectRoot, 'models/vad.tsm'));
    const convolutions = rows(run).filter(([op]) => op === 'conv2d');
    expect(convolutions).toEqual([
      // Fourier: 258 sums of 256 samples at 4 places
      ['conv2d', '1×258×1×4', 258 * 256, 4 * 258 * 256],
      ['conv2d', '1×128×1×4', 128 * 129 * 3, 4 * 128 * 129 * 3],
      ['conv2d', '1×64×1×2', 64 * 128 * 3, 2 * 64 * 128 * 3],
      ['conv2d', '1×64×1×1', 64 * 64 * 3, 64 * 64 * 3],
      ['conv2d', '1×128×1×1', 128 * 64 * 3, 128 * 64 * 3],
      ['conv2d', '1×1×1×1', 128, 128],
    ]);
    const lstm = run.nodes.find(({ op }) => op === 'LSTM');
    expect(lstm?.cost).toBe(4 * 128 * (128 + 128));
    expect(run.outputs.map((node) => run.nodes[node]?.outputs[0]?.shape)).toEqual([
      [1, 1],
      [2, 1, 128],
    ]);
  });
});

test('of an ONNX network the nodes that are run', async () => {
  const run = await described(
    writeOnnx({
      inputs: [{ name: 'a', type: 'f32', shape: ['rows', 3] }],
      nodes: [
        { op: 'MatMul', name: 'product', inputs: ['a', 'b'], outputs: ['ab'] },
        { op: 'Add', name: 'shift', inputs: ['ab', 'bias'], outputs: ['y'] },
      ],
      outputs: ['y'],
      initializers: {
        b: { type: 'f32', shape: [3, 2], data: new Float32Array(6) },
        bias: { type: 'f32', shape: [2], data: new Float32Array(2) },
      },
    }),
  );
  const [a, , product, , shift] = run.nodes;
  expect(run.nodes.map(({ constant }) => constant)).toEqual([false, true, false, true, false]);
  expect(a).toMatchObject({ op: '<param>', name: 'a', outputs: [{ shape: [null, 3] }] });
  expect(product).toMatchObject({ inputs: [0, 1], outputs: [{ shape: [null, 2] }], weights: 6 });
  expect(product?.cost).toBe(3 * 2);
  expect(shift).toMatchObject({ inputs: [2, 3], weights: 2 });
  expect(shift?.name).toContain('shift');
  expect([run.inputs, run.outputs]).toEqual([[0], [4]]);
});

describe('is refused, and the module goes on', () => {
  const wrong: readonly (readonly [string, unknown, string, RegExp])[] = [
    ['another rank', [[3, 8]], 'node 0 "image" (<param>)', /2×3×any×6.*3×8/],
    ['another size', { image: [2, 4, 8, 6] }, 'node 0 "image" (<param>)', /2×4×8×6/],
    ['an input that is not there', { picture: [1] }, 'picture', /an input of the module/],
    ['too many', [[2, 3, 8, 6], [1]], '1', /an input of the module/],
    ['no list', { image: '2x3' }, 'image', /a list of dimensions/],
    ['a part of a pixel', [[2, 3, 8.5, 6]], 'image', /a list of dimensions/],
    ['no shapes', null, 'shapes', /shapes by name/],
    ['too large', [[2, 3, 4e9, 6]], 'output', /4 GiB/],
  ];
  test.each(wrong)('%s', async (_what, shapes, subject, message) => {
    using module = await susurrus.openModule(classifier(2, 3, -1, 6));
    const error = await errorOf(module.describe(shapes as ModuleShapes));
    expect(error).toBeInstanceOf(susurrus.SusurrusError);
    expect(error).toHaveProperty('details.subject', subject);
    expect(String(error)).toMatch(message);
    expect(rows(await module.describe())[4]?.[1]).toBe('2×4×?×3');
  });

  test('an input of which nobody says the shape, an aborted call, a module that is gone', async () => {
    const module = await susurrus.openModule(
      writeTennis({
        inputs: [0],
        outputs: [1],
        nodes: [tennisNode('<param>', 'x', []), tennisNode('relu', 'y', [0])],
      }),
    );
    const error = await errorOf(module.describe());
    expect(error).toMatchObject({ code: 'invalid_argument', details: { subject: 'x' } });
    const signal = AbortSignal.abort('no time');
    expect(await errorOf(module.describe([[1]], { signal }))).toBe('no time');
    expect(rows(await module.describe([[2, 3]]))[1]?.[1]).toBe('2×3');
    module.dispose();
    expect(await errorOf(module.describe([[1]]))).toMatchObject({ code: 'wrong_state' });
  });
});
