// TenniS convolutions and pools, and the paddings that are worked out for pools.
import type { GraphTensor } from '../../support/onnx_writer.js';
import { tensor, weight, type Draws } from '../drawn/draws.js';
import { at, constants, filled, testOperator, type OperatorCase } from './operator_cases.js';

type Pair = readonly [vertical: number, horizontal: number];
/** Before and after. */
type Padding = readonly [vertical: Pair, horizontal: Pair];

const none: Padding = [
  [0, 0],
  [0, 0],
];
const pairOf = <T>(make: (axis: 0 | 1) => T): readonly [T, T] => [make(0), make(1)];
const offsets = ([rows, columns]: Pair): Pair[] =>
  Array.from({ length: rows * columns }, (_, i) => [Math.floor(i / columns), i % columns]);
/** As parameters tell it: for batch, channels, rows, columns. */
const ofAxes = ([vertical, horizontal]: Pair): number[] => [1, 1, vertical, horizontal];
const paddingOfAxes = (padding: Padding): number[][] => [
  ...[0, 0].map(() => [0, 0]),
  ...padding.map((pair) => [...pair]),
];
const paddingTensor = (padding: Padding): GraphTensor =>
  tensor('i32', [4, 2], paddingOfAxes(padding).flat());

interface Convolution {
  readonly size?: Pair;
  readonly kernel?: Pair;
  readonly padding?: Padding;
  readonly stride?: Pair;
  readonly dilation?: Pair;
  readonly paddingValue?: number;
  /** The other legal name of the dilation. */
  readonly isMisspelt?: boolean;
}

/** A convolution, each channel for itself if `isDepthwise`. */
function convolved(
  draws: Draws,
  given: Convolution,
  { isDepthwise = false, hasPaddingInput = true } = {},
): OperatorCase {
  const { size = [5, 6], kernel = [3, 3], padding = none, paddingValue } = given;
  const { stride = [1, 1], dilation = [1, 1] } = given;
  const [count, inward, outward] = [2, 3, isDepthwise ? 3 : 4];
  const x = draws.floats([count, inward, ...size]);
  const w = draws.floats([isDepthwise ? 1 : outward, inward, ...kernel]);
  const out = pairOf((axis) => {
    const reach = dilation[axis] * (kernel[axis] - 1) + 1;
    const [before, after] = padding[axis];
    return Math.floor((size[axis] + before + after - reach) / stride[axis]) + 1;
  });
  const y = filled('f32', [count, outward, ...out], (index) => {
    const [n, o] = index as [number, number];
    let sum = 0;
    for (const c of isDepthwise ? [o] : [0, 1, 2]) {
      for (const cell of offsets(kernel)) {
        const place = pairOf(
          (axis) =>
            (index[2 + axis] as number) * stride[axis] +
            cell[axis] * dilation[axis] -
            padding[axis][0],
        );
        const isReal = place.every((own, axis) => own >= 0 && own < (size[axis] as number));
        const value = isReal ? at(x, [n, c, ...place]) : (paddingValue ?? 0);
        sum += value * at(w, [isDepthwise ? 0 : o, c, ...cell]);
      }
    }
    return sum;
  });
  return {
    inputs: hasPaddingInput ? [x, weight(paddingTensor(padding)), w] : [x, w],
    attributes: {
      format: 'NCHW',
      stride: ofAxes(stride),
      [given.isMisspelt ? 'dialations' : 'dilation']: ofAxes(dilation),
      ...(hasPaddingInput ? {} : { padding: paddingOfAxes(padding) }),
      ...(paddingValue === undefined ? {} : { padding_value: paddingValue }),
    },
    wanted: [y],
  };
}

const uneven: Padding = [
  [1, 0],
  [2, 1],
];
const ones: Padding = [
  [1, 1],
  [1, 1],
];
const convolutions: readonly Convolution[] = [
  {},
  { padding: ones },
  { padding: uneven, stride: [2, 2] },
  { kernel: [1, 1] },
  { kernel: [2, 3], stride: [3, 1], padding: uneven },
  { size: [7, 9], dilation: [2, 2], padding: ones },
  { size: [7, 9], dilation: [1, 3], isMisspelt: true },
  { padding: uneven, paddingValue: 1.5 },
  { size: [3, 3] },
];

testOperator('conv2d_v2', (draws) => convolutions.map((given) => convolved(draws, given)));

testOperator('depthwise_conv2d_v2', (draws) =>
  convolutions.map((given) => convolved(draws, given, { isDepthwise: true })),
);

/** Convolutions of 3×3 with a stride of 1; their kernels are not transformed. */
const winograd: readonly Convolution[] = [
  {},
  { padding: ones },
  { padding: uneven },
  { size: [7, 4], padding: ones },
  { size: [3, 3] },
];
const untransformed = ({ attributes = {}, ...rest }: OperatorCase): OperatorCase => ({
  ...rest,
  attributes: { ...attributes, kernel_winograd_transformed: false },
});

testOperator('conv2d_winograd', (draws) =>
  winograd
    .map((given) => convolved(draws, given, { hasPaddingInput: false }))
    .flatMap((one) => [one, untransformed(one)]),
);

testOperator('conv2d_winograd_v2', (draws) =>
  winograd.map((given) => convolved(draws, given)).flatMap((one) => [one, untransformed(one)]),
);

interface Pool {
  readonly size: Pair;
  readonly ksize: Pair;
  readonly stride: Pair;
  readonly padding?: Padding;
}
const pools: readonly Pool[] = [
  { size: [6, 6], ksize: [2, 2], stride: [2, 2] },
  { size: [5, 7], ksize: [2, 2], stride: [2, 2] },
  { size: [7, 8], ksize: [3, 3], stride: [2, 2], padding: ones },
  { size: [7, 8], ksize: [3, 2], stride: [1, 3], padding: uneven },
  { size: [4, 5], ksize: [4, 5], stride: [1, 1] },
];

testOperator('pooling2d_v2', (draws) => {
  const pooled = (pool: Pool, type?: number, padding_type?: number): OperatorCase => {
    const { size, ksize, stride, padding = none } = pool;
    const x = draws.floats([2, 3, ...size]);
    const out = pairOf((axis) => {
      const [before, after] = padding[axis];
      return Math.ceil((size[axis] + before + after - ksize[axis]) / stride[axis] + 1);
    });
    const y = filled('f32', [2, 3, ...out], (index) => {
      const begin = pairOf((axis) => (index[2 + axis] as number) * stride[axis] - padding[axis][0]);
      const real = offsets(ksize)
        .map((cell) => pairOf((axis) => begin[axis] + cell[axis]))
        .filter((place) => place.every((own, axis) => own >= 0 && own < (size[axis] as number)))
        .map((place) => at(x, [...index.slice(0, 2), ...place]));
      if (real.length === 0) return 0;
      if ((type ?? 0) === 0) return Math.max(...real);
      const divisor = padding_type === 3 ? ksize[0] * ksize[1] : real.length;
      return real.reduce((sum, value) => sum + value, 0) / divisor;
    });
    return {
      inputs: [
        x,
        weight(paddingTensor(padding)),
        constants(...ofAxes(ksize)),
        constants(...ofAxes(stride)),
      ],
      attributes: {
        format: 'NCHW',
        ...(type === undefined ? {} : { type }),
        ...(padding_type === undefined ? {} : { padding_type }),
      },
      wanted: [y],
    };
  };
  // Windows of which the last lie in the padding only are 0.
  const beyond: Pool = {
    size: [4, 4],
    ksize: [2, 2],
    stride: [2, 2],
    padding: [
      [0, 3],
      [3, 0],
    ],
  };
  return [...pools, beyond].flatMap((pool) => [
    pooled(pool),
    pooled(pool, 0, 0),
    pooled(pool, 1),
    pooled(pool, 1, 0),
    pooled(pool, 1, 3),
  ]);
});

/** What one axis gets before and after, from what the parameters say, its size, kernel and step. */
type AxisPadding = (before: number, after: number, size: number, k: number, s: number) => Pair;

const floored: AxisPadding = (before, after, size, k, s) => [
  before,
  after - ((size + before + after - k) % s),
];
const missing = (
  steps: number,
  before: number,
  after: number,
  size: number,
  k: number,
  s: number,
) => (steps - 1) * s + k - before - after - size;
const same: AxisPadding = (before, after, size, k, s) => {
  const total = missing(Math.ceil((size + before + after) / s), before, after, size, k, s);
  const half = Math.trunc(total / 2);
  return [before + half, after + total - half];
};
const valid: AxisPadding = (before, after, size, k, s) => {
  const steps = Math.ceil((size + before + after - k + 1) / s);
  return [before, after + missing(steps, before, after, size, k, s)];
};

const padded = (
  draws: Draws,
  { size, ksize, stride, padding }: Pool,
  rule: AxisPadding,
  attributes: Readonly<Record<string, number | string>>,
): OperatorCase => {
  const isLast = attributes.format === 'NHWC';
  const inOrder = <T>(outer: readonly [T, T], inner: readonly T[]): T[] =>
    isLast ? [outer[0], ...inner, outer[1]] : [...outer, ...inner];
  const zero: Pair = [0, 0];
  const known = padding ?? none;
  const wanted = pairOf((axis) => rule(...known[axis], size[axis], ksize[axis], stride[axis]));
  const rows = (pairs: readonly Pair[]): number[][] =>
    inOrder<Pair>([zero, zero], pairs).map((pair) => [...pair]);
  return {
    inputs: [
      draws.floats(inOrder([2, 3], size)),
      constants(...inOrder([1, 1], ksize)),
      constants(...inOrder([1, 1], stride)),
    ],
    attributes: padding ? { ...attributes, padding: rows(padding) } : attributes,
    wanted: [tensor('i32', [4, 2], rows(wanted).flat())],
  };
};

const windows: readonly Pool[] = [
  ...pools,
  { size: [9, 10], ksize: [3, 3], stride: [3, 4] },
  { size: [5, 6], ksize: [3, 3], stride: [2, 2] },
  { size: [6, 7], ksize: [1, 2], stride: [3, 2] },
  { size: [6, 5], ksize: [3, 2], stride: [2, 2], padding: uneven },
];

testOperator('_mx_pooling2d_padding', (draws) =>
  windows.flatMap((pool) =>
    ['NCHW', 'NHWC'].flatMap((format) => {
      const whole = { ...pool, padding: pool.padding ?? none };
      return [
        padded(draws, whole, (before, after) => [before, after], { format, valid: 0 }),
        padded(draws, whole, floored, { format, valid: 1 }),
      ];
    }),
  ),
);

testOperator('_tf_pooling2d_padding', (draws) =>
  windows.flatMap((pool) =>
    ['NCHW', 'NHWC'].flatMap((format) => [
      padded(draws, pool, same, { format, padding_method: 'SAME' }),
      padded(draws, pool, valid, { format, padding_method: 'VALID' }),
    ]),
  ),
);
