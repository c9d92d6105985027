// TenniS operators of layers: normalising, products, sums along a dimension.
import type { GraphTensor } from '../../support/onnx_writer.js';
import { tensor, type Draws } from '../drawn/draws.js';
import {
  at,
  broadcastIndex,
  filled,
  replaced,
  testOperator,
  type OperatorCase,
} from './operator_cases.js';

const f32 = (shape: readonly number[], element: (index: number[]) => number): GraphTensor =>
  filled('f32', shape, element);
const placeOf = (dim: number, rank: number): number => (dim + rank) % rank;

/** The elements of the line along an axis that an index is on. */
const lineOf = (x: GraphTensor, index: readonly number[], axis: number): number[] =>
  Array.from({ length: x.shape[axis] as number }, (_, i) => at(x, replaced(index, axis, i)));
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const layouts: readonly (readonly [shape: number[], dim: number])[] = [
  [[2, 3, 4, 5], 1],
  [[2, 4, 5, 3], 3],
  [[2, 4, 5, 3], -1],
  [[2, 3], 1],
  [[3, 2, 2], 0],
];

testOperator('batch_scale', (draws) =>
  layouts.map(([shape, dim]) => {
    const axis = placeOf(dim, shape.length);
    const [x, scale, bias] = [draws.floats(shape), draws.floats([3]), draws.floats([3])];
    const of = (list: GraphTensor, index: number[]) => at(list, [index[axis] as number]);
    const y = f32(shape, (index) => at(x, index) * of(scale, index) + of(bias, index));
    return { inputs: [x, scale, bias], attributes: { dim }, wanted: [y] };
  }),
);

testOperator('fused_batch_norm', (draws) =>
  layouts.flatMap(([shape, dim]) =>
    [undefined, 0.25].map((epsilon) => {
      const axis = placeOf(dim, shape.length);
      const x = draws.floats(shape);
      const [mean, scale, bias] = draws.list(3, () => draws.floats([3])) as [
        GraphTensor,
        GraphTensor,
        GraphTensor,
      ];
      const variance = draws.positive([3], 0.1);
      const y = f32(shape, (index) => {
        const place = [index[axis] as number];
        const deviation = Math.sqrt(at(variance, place) + (epsilon ?? 1e-5));
        return ((at(x, index) - at(mean, place)) / deviation) * at(scale, place) + at(bias, place);
      });
      return {
        inputs: [x, mean, variance, scale, bias],
        attributes: epsilon === undefined ? { dim } : { dim, epsilon },
        wanted: [y],
      };
    }),
  ),
);

testOperator('gemm', (draws) => {
  const gemm = (attributes: Record<string, number | boolean>, c: number[]): OperatorCase => {
    const [rows, inner, columns] = [3, 4, 2];
    const { transA = false, transB = false, alpha = 1, beta = 1 } = attributes;
    const a = draws.floats(transA ? [inner, rows] : [rows, inner]);
    const b = draws.floats(transB ? [columns, inner] : [inner, columns]);
    const added = draws.floats(c);
    const y = f32([rows, columns], ([row, column]) => {
      const [i, j] = [row as number, column as number];
      const products = Array.from(
        { length: inner },
        (_, k) => at(a, transA ? [k, i] : [i, k]) * at(b, transB ? [j, k] : [k, j]),
      );
      const other = at(added, broadcastIndex(c, [i, j]));
      return Number(alpha) * sumOf(products) + Number(beta) * other;
    });
    return { inputs: [a, b, added], attributes, wanted: [y] };
  };
  return [
    gemm({}, [3, 2]),
    gemm({}, [2]),
    gemm({ alpha: 0.5 }, [3, 1]),
    gemm({ beta: -0.25 }, [1, 2]),
    gemm({ beta: 0.5 }, [3, 2]),
    gemm({ alpha: 1.5, beta: 2 }, []),
    gemm({ transA: true }, [2]),
    gemm({ transB: true }, [2]),
    gemm({ transA: true, transB: true, alpha: -1, beta: 0 }, [3, 2]),
    gemm({ transA: false, transB: false, alpha: 2.5 }, [1]),
  ];
});

testOperator('l2_norm', (draws) => {
  const norm = (shape: number[], attributes: Record<string, number>): OperatorCase => {
    const x = draws.floats(shape);
    const axis = placeOf(attributes.dim ?? -1, shape.length);
    const y = f32(shape, (index) => {
      const squares = sumOf(lineOf(x, index, axis).map((value) => value * value));
      return at(x, index) / Math.sqrt(squares + (attributes.epsilon ?? 1e-10));
    });
    return { inputs: [x], attributes, wanted: [y] };
  };
  return [
    norm([2, 5], {}),
    norm([7], {}),
    norm([2, 3, 4], { dim: 1 }),
    norm([2, 3, 4], { dim: 0 }),
    norm([2, 3, 4], { dim: -2, epsilon: 0.5 }),
    norm([3, 4], { epsilon: 2 }),
    // "A dimension of 1 gives 1", of negative numbers too.
    {
      inputs: [tensor('f32', [3, 1], [2, -3, 0.5])],
      wanted: [tensor('f32', [3, 1], [1, 1, 1])],
    },
  ];
});

const samples = [
  [2, 3, 4, 5],
  [3, 7],
  [1, 2, 3],
  [2, 1, 3, 3],
];

/** Each sample less its mean, over what `divisor` makes of its deviation and its number of elements. */
function perSample(
  draws: Draws,
  shape: number[],
  divisor: (deviation: number, count: number) => number,
) {
  const x = draws.floats(shape, 3, 1);
  const count = x.data.length / (shape[0] as number);
  const values = Array.from(x.data, Number);
  const y = values.map((value, i) => {
    const begin = Math.floor(i / count) * count;
    const own = values.slice(begin, begin + count);
    const mean = sumOf(own) / count;
    const variance = sumOf(own.map((one) => (one - mean) ** 2)) / count;
    return (value - mean) / divisor(Math.sqrt(variance), count);
  });
  return { inputs: [x], wanted: [tensor('f32', shape, y)] };
}

testOperator('norm_image', (draws) =>
  samples.flatMap((shape) => [
    perSample(draws, shape, (deviation) => deviation + 1e-5),
    {
      ...perSample(draws, shape, (deviation) => deviation + 0.5),
      attributes: { epsilon: 0.5 },
    },
  ]),
);

testOperator('prewhiten', (draws) => [
  ...samples.map((shape) =>
    perSample(draws, shape, (deviation, count) => Math.max(deviation, 1 / Math.sqrt(count))),
  ),
  // Nearly all the same: 1/√4 is more than the deviation.
  {
    inputs: [tensor('f32', [1, 4], [1, 1, 1.25, 0.75])],
    wanted: [tensor('f32', [1, 4], [0, 0, 0.5, -0.5])],
  },
]);

testOperator('reduce_sum', (draws) => {
  const sum = (shape: number[], dim: number, keep_dims?: boolean, isList = true): OperatorCase => {
    const x = draws.floats(shape);
    const axis = placeOf(dim, shape.length);
    const kept = replaced(shape, axis, 1);
    const whole = f32(kept, (index) => sumOf(lineOf(x, index, axis)));
    const dims = isList ? [dim] : dim;
    return {
      inputs: [x],
      attributes: keep_dims === undefined ? { dims } : { dims, keep_dims },
      wanted: [keep_dims === false ? { ...whole, shape: shape.toSpliced(axis, 1) } : whole],
    };
  };
  return [
    sum([2, 3, 4], 1),
    sum([2, 3, 4], 0, true),
    sum([2, 3, 4], 2, false),
    sum([2, 3, 4], -1),
    sum([2, 3, 4], -2, false),
    sum([5], 0, false),
    sum([2, 3], 1, true, false),
  ];
});

testOperator('max', (draws) => {
  const largest = (shape: number[], dim: number, keep_dims?: number): OperatorCase => {
    const x = draws.floats(shape);
    const axis = placeOf(dim, shape.length);
    const y = f32(replaced(shape, axis, 1), (index) => Math.max(...lineOf(x, index, axis)));
    return {
      inputs: [x],
      attributes: keep_dims === undefined ? { dim } : { dim, keep_dims },
      wanted: [keep_dims === 0 ? { ...y, shape: shape.toSpliced(axis, 1) } : y],
    };
  };
  return [
    largest([2, 3, 4], 1),
    largest([2, 3, 4], 0, 1),
    largest([2, 3, 4], 2, 0),
    largest([2, 3, 4], -2, 0),
    largest([5], -1),
  ];
});
