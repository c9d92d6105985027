// TenniS operators of one element each, or of two that are broadcast.
import type { TensorType } from '../../../web/src/api/types.js';
import type { GraphTensor } from '../../support/onnx_writer.js';
import { scalar, tensor, type Draws } from '../drawn/draws.js';
import {
  at,
  broadcastIndex,
  broadcastShape,
  filled,
  testOperator,
  type OperatorCase,
} from './operator_cases.js';

const mapped = (x: GraphTensor, f: (value: number) => number): GraphTensor =>
  filled('f32', x.shape, (index) => f(at(x, index)));

/** Cases of one attribute list each, on shapes of any rank. */
function unary(
  draws: Draws,
  f: (value: number) => number,
  attributes: OperatorCase['attributes'] = {},
  draw = (shape: number[]) => draws.floats(shape),
): OperatorCase[] {
  return [[], [7], [2, 3], [1, 2, 3, 5]].map((shape) => {
    const x = draw(shape);
    return { inputs: [x], attributes, wanted: [mapped(x, f)] };
  });
}

testOperator('relu_max', (draws) => [
  ...[6, 1.5].flatMap((max) => unary(draws, (x) => Math.min(Math.max(x, 0), max), { max })),
  ...unary(draws, () => 0),
]);

testOperator('leaky_relu', (draws) =>
  [0.25, 2, 0, -0.5].flatMap((scale) => unary(draws, (x) => (x > 0 ? x : scale * x), { scale })),
);

testOperator('hard_sigmoid', (draws) => {
  const clamp = (alpha: number, beta: number) => (x: number) =>
    Math.min(Math.max(alpha * x + beta, 0), 1);
  return [
    ...unary(draws, clamp(0.2, 0.5)),
    ...unary(draws, clamp(0.75, 0.5), { alpha: 0.75 }),
    ...unary(draws, clamp(0.2, 0.25), { beta: 0.25 }),
    ...unary(draws, clamp(-0.5, 0.125), { alpha: -0.5, beta: 0.125 }),
  ];
});

testOperator('rsqrt', (draws) => {
  const positive = (shape: number[]) => draws.positive(shape);
  return unary(draws, (x) => 1 / Math.sqrt(x), {}, positive);
});

/** By its series, which is exact enough up to 6 in double precision. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let sum = x;
  for (let n = 1, term = x; n < 200; ++n) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

testOperator('erf', (draws) => {
  const x = [0, 0.5, 1, -1, 2];
  const known = [0, 0.5204999, 0.8427008, -0.8427008, 0.9953223];
  return [
    ...unary(draws, erf),
    { inputs: [tensor('f32', [5], x)], wanted: [tensor('f32', [5], known)] },
  ];
});

testOperator('softplus', (draws) => [
  ...unary(draws, (x) => Math.log(1 + Math.exp(x))),
  { inputs: [tensor('f32', [2], [-30, 0])], wanted: [tensor('f32', [2], [0, Math.LN2])] },
  { inputs: [scalar('f32', 40)], wanted: [scalar('f32', 40)] },
]);

function pair(
  a: GraphTensor,
  b: GraphTensor,
  type: TensorType,
  f: (a: number, b: number) => number,
): OperatorCase {
  const shape = broadcastShape(a.shape, b.shape);
  const y = filled(type, shape, (index) =>
    f(at(a, broadcastIndex(a.shape, index)), at(b, broadcastIndex(b.shape, index))),
  );
  return { inputs: [a, b], wanted: [y] };
}

const shapes: readonly (readonly [a: number[], b: number[]])[] = [
  [[], []],
  [[5], [5]],
  [[2, 3], []],
  [[], [2, 3]],
  [[2, 3, 4], [4]],
  [[4], [2, 3, 4]],
  [
    [2, 3, 4],
    [3, 1],
  ],
  [
    [2, 1, 4],
    [3, 1],
  ],
  [
    [1, 3, 2, 1],
    [2, 1, 1, 3],
  ],
];

const broadcast = (
  f: (a: number, b: number) => number,
  draw: (shape: number[]) => GraphTensor,
  type: TensorType = 'f32',
) => shapes.map(([a, b]) => pair(draw(a), draw(b), type, f));

/** What types become of two: each row in both orders. */
const mixed: readonly (readonly [TensorType, TensorType, TensorType])[] = [
  ['f32', 'f64', 'f64'],
  ['f32', 'i8', 'f32'],
  ['f32', 'u16', 'f32'],
  ['f32', 'i32', 'f32'],
  ['f32', 'i64', 'f64'],
  ['f64', 'u8', 'f64'],
  ['f32', 'bool', 'f32'],
  ['i32', 'bool', 'i32'],
  ['i8', 'i16', 'i16'],
  ['i32', 'i64', 'i64'],
  ['i8', 'u8', 'i8'],
  ['i32', 'u32', 'i32'],
  ['i16', 'u8', 'i16'],
  ['i64', 'u32', 'i64'],
  ['u16', 'i8', 'i16'],
  ['u32', 'i16', 'i32'],
  ['u8', 'u16', 'i16'],
  ['u8', 'u32', 'u32'],
  ['u16', 'u32', 'u32'],
];

/** Small whole numbers, which every type holds. */
const mixes = (draws: Draws, f: (a: number, b: number) => number): OperatorCase[] =>
  mixed.flatMap(([one, other, type]) => {
    const draw = (of: TensorType, least: number) => draws.whole(of, [2, 3], least, least + 1);
    const larger = (of: TensorType) => draw(of, of === 'bool' ? 1 : 4);
    return [pair(larger(one), draw(other, 0), type, f), pair(larger(other), draw(one, 0), type, f)];
  });

testOperator('sub', (draws) => {
  const minus = (a: number, b: number): number => a - b;
  return [
    ...broadcast(minus, (shape) => draws.floats(shape)),
    ...mixes(draws, minus),
    pair(draws.whole('i32', [4], -9, 9), draws.whole('i32', [4], -9, 9), 'i32', minus),
    pair(draws.whole('i64', [4], -9, 9), draws.whole('i64', [4], -9, 9), 'i64', minus),
  ];
});

testOperator('mod', (draws) => {
  const rest = (a: number, b: number): number => a % b;
  const above = (type: TensorType) => (shape: number[]) => draws.whole(type, shape, 1, 20);
  return [
    ...broadcast(rest, (shape) => draws.positive(shape, 0.5)),
    ...broadcast(rest, above('i32'), 'i32'),
    ...broadcast(rest, above('i64'), 'i64'),
    pair(above('u8')([5]), above('u8')([5]), 'u8', rest),
    pair(above('f32')([5]), above('i32')([5]), 'f32', rest),
    pair(draws.whole('i32', [8], -20, 20), above('i32')([8]), 'i32', rest),
    pair(draws.whole('f32', [8], -20, 20), above('f32')([8]), 'f32', rest),
  ];
});

testOperator('maximum', (draws) => [
  ...broadcast(Math.max, (shape) => draws.floats(shape)),
  ...broadcast(Math.max, (shape) => draws.whole('i32', shape, -9, 9), 'i32'),
  ...mixes(draws, Math.max),
]);

testOperator('equal', (draws) => {
  const isSame = (a: number, b: number): number => Number(a === b);
  const few = (type: TensorType) => (shape: number[]) => draws.whole(type, shape, 0, 2);
  return [
    ...broadcast(isSame, few('f32'), 'bool'),
    ...broadcast(isSame, few('i32'), 'bool'),
    ...broadcast(isSame, few('i64'), 'bool'),
    pair(few('f32')([9]), few('i32')([9]), 'bool', isSame),
    pair(few('u8')([9]), few('i16')([9]), 'bool', isSame),
  ];
});

testOperator('where', (draws) => {
  const choose = (shape: number[], cond: number[], a: number[], b: number[], type: TensorType) => {
    const chosen = draws.whole('bool', cond, 0, 1);
    const [yes, no] = [draws.whole(type, a, 1, 9), draws.whole(type, b, 10, 19)];
    const y = filled(type, shape, (index) => {
      const x = at(chosen, broadcastIndex(cond, index)) === 0 ? no : yes;
      return at(x, broadcastIndex(x.shape, index));
    });
    return { inputs: [chosen, yes, no], wanted: [y] };
  };
  return (['f32', 'i32', 'i64'] as const).flatMap((type) => [
    choose([7], [7], [7], [7], type),
    choose([2, 3], [2, 3], [], [3], type),
    choose([2, 3, 4], [3, 1], [2, 1, 4], [4], type),
    choose([2, 3], [], [2, 1], [2, 3], type),
  ]);
});

testOperator('ceil', (draws) => unary(draws, Math.ceil));
testOperator('floor', (draws) => unary(draws, Math.floor));
testOperator('tanh', (draws) => unary(draws, Math.tanh));

testOperator('pow', (draws) => [
  ...[2, 3, 0].flatMap((y) => unary(draws, (x) => x ** y, { y })),
  ...unary(draws, Math.sqrt, { y: 0.5 }, (shape) => draws.positive(shape)),
]);

testOperator('div', (draws) =>
  broadcast(
    (a, b) => a / b,
    (shape) => draws.positive(shape, 0.5),
  ),
);
