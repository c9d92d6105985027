// TenniS operators that answer with shapes, or give the same elements another shape or type.
import type { TensorType } from '../../../web/src/api/types.js';
import { countOf, scalar, tensor, weight } from '../drawn/draws.js';
import {
  constants,
  dtypes,
  filled,
  list,
  reshaped,
  testOperator,
  type OperatorCase,
} from './operator_cases.js';

testOperator('_copy', (draws) =>
  [draws.floats([2, 3]), draws.whole('i32', [4], -9, 9), draws.floats([])].map((x) => ({
    inputs: [x],
    wanted: [x],
  })),
);

testOperator('_cast', (draws) => {
  const cast = (from: TensorType, to: TensorType, values: number[], wanted: number[]) => ({
    inputs: [tensor(from, [values.length], values)],
    attributes: { dtype: dtypes[to] },
    wanted: [tensor(to, [values.length], wanted)],
  });
  const kept = draws.integerList(5, 0, 100);
  return [
    cast('f32', 'i32', [1.9, -1.9, 0.5, -0.5, 7], [1, -1, 0, 0, 7]),
    cast('f32', 'i64', [2.75, -3.25], [2, -3]),
    cast('f64', 'u8', [200.7, 0.9], [200, 0]),
    cast('f32', 'bool', [0, 0.5, -2], [0, 1, 1]),
    cast('bool', 'f32', [0, 1], [0, 1]),
    cast('i32', 'i8', [300, -129, 5], [44, 127, 5]),
    cast('f32', 'f64', [0.5, -1.25], [0.5, -1.25]),
    cast('i32', 'i16', kept, kept),
    cast('i64', 'f32', kept, kept),
    cast('u8', 'u32', kept, kept),
    cast('f32', 'f32', kept, kept),
  ];
});

testOperator('to_float', (draws) =>
  (['f32', 'f64', 'i8', 'u8', 'i16', 'i32', 'i64', 'bool'] as const).map((type) => {
    const values = draws.integerList(6, 0, 1);
    return { inputs: [tensor(type, [2, 3], values)], wanted: [tensor('f32', [2, 3], values)] };
  }),
);

testOperator('_shape', (draws) =>
  [[], [1], [5], [2, 3, 4], [0, 3], [1, 2, 3, 4, 5]].map((shape) => ({
    inputs: [draws.floats(shape)],
    wanted: [list(...shape)],
  })),
);

testOperator('_dims', (draws) =>
  [[], [5], [2, 3, 4], [0, 3], [1, 2, 3, 4, 5]].map((shape) => ({
    inputs: [draws.whole('i32', shape, 0, 9)],
    wanted: [scalar('i32', shape.length)],
  })),
);

/** A case whose elements stay as they are. */
const sameElements =
  (x: (shape: number[]) => ReturnType<typeof list>) =>
  (from: number[], to: number[], rest: Partial<OperatorCase> = {}): OperatorCase => {
    const input = x(from);
    return {
      ...rest,
      inputs: [input, ...(rest.inputs ?? [])],
      wanted: [reshaped(input, to)],
    };
  };

testOperator('_reshape_v2', (draws) => {
  const same = sameElements((shape) => draws.floats(shape));
  const to = (...shape: number[]) => ({ inputs: [constants(...shape)] });
  const wide = { inputs: [weight(tensor('i64', [2], [-1, 6]))] };
  return [
    same([2, 3, 4], [6, 4], to(6, 4)),
    same([2, 3, 4], [2, 12], to(0, -1)),
    same([2, 3, 4], [4, 3, 2], to(-1, 0, 2)),
    same([2, 3, 4], [24], to(-1)),
    same([2, 3, 4], [2, 3, 4, 1], to(0, 0, 0, 1)),
    same([2, 3], [1, 6], wide),
    same([1], [], to()),
  ];
});

testOperator('flatten', (draws) => {
  const same = sameElements((shape) => draws.floats(shape));
  return [
    same([2, 3, 4, 5], [2, 60]),
    same([2, 3, 4], [24], { attributes: { dim: 0 } }),
    same([2, 3, 4, 5], [2, 3, 20], { attributes: { dim: 2 } }),
    same([2, 3, 4], [2, 3, 4], { attributes: { dim: 2 } }),
    same([3], [3, 1]),
    same([3], [3, 1, 1], { attributes: { dim: 2 } }),
    same([2, 3], [2, 3, 1], { attributes: { dim: 2 } }),
  ];
});

testOperator('flatten2d', (draws) => {
  const same = sameElements((shape) => draws.floats(shape));
  const all = [2, 3, 4, 5];
  const after = (dim: number): number[] => [countOf(all.slice(0, dim)), countOf(all.slice(dim))];
  return [
    same(all, after(1)),
    ...[0, 1, 2, 3].map((dim) => same(all, after(dim), { attributes: { dim } })),
    same([3], [3, 1]),
  ];
});

testOperator('_expand', (draws) => {
  const same = sameElements((shape) => draws.floats(shape));
  const to = (dims: number, attributes: OperatorCase['attributes'] = {}) => ({
    inputs: [weight(scalar('i32', dims))],
    attributes,
  });
  return [
    same([2, 3], [1, 1, 2, 3], to(4)),
    same([2, 3], [2, 3], to(2)),
    same([2, 3], [2, 3], to(1)),
    same([2, 3], [1, 2, 3, 1], to(4, { front: 1 })),
    same([2, 3], [2, 3, 1, 1], to(4, { front: 0 })),
    same([2, 3], [1, 2, 3, 1], to(4, { front: 1, end: 1 })),
    same([2, 3], [2, 3, 1, 1], to(4, { inverse: true })),
    same([2, 3], [1, 2, 3, 1], to(4, { end: 1, inverse: true })),
    same([2, 3], [1, 1, 2, 3], to(4, { end: 0, inverse: true })),
    same([2, 3], [1, 2, 3], to(3, { front: 2, end: 2 })),
    same([], [1, 1], to(2)),
  ];
});

testOperator('squeeze', (draws) => {
  const same = sameElements((shape) => draws.floats(shape));
  return [
    same([1, 2, 1, 3, 1], [2, 3]),
    same([2, 3], [2, 3]),
    same([1, 1], []),
    same([1, 2, 1, 3, 1], [2, 1, 3, 1], { attributes: { axes: [0] } }),
    same([1, 2, 1, 3, 1], [1, 2, 3], { attributes: { axes: [2, 4] } }),
    same([1, 2, 1, 3, 1], [1, 2, 1, 3], { attributes: { axes: [-1] } }),
    same([1, 2, 1, 3], [1, 2, 3], { attributes: { axes: [-2] } }),
  ];
});

testOperator('unsqueeze', (draws) => {
  const same = sameElements((shape) => draws.floats(shape));
  return [
    same([2, 3], [1, 2, 3], { attributes: { axes: [0] } }),
    same([2, 3], [2, 1, 3], { attributes: { axes: [1] } }),
    same([2, 3], [2, 3, 1], { attributes: { axes: [2] } }),
    same([2, 3], [1, 2, 1, 3], { attributes: { axes: [0, 2] } }),
    // One after another: the second axis counts the first new one.
    same([2, 3], [1, 2, 1, 3], { attributes: { axes: [1, 0] } }),
    same([2, 3], [2, 3, 1], { attributes: { axes: [-1] } }),
    same([], [1], { attributes: { axes: [0] } }),
  ];
});

testOperator('constant_of_shape', () => {
  const five = (type: TensorType) => scalar(type, 5);
  return [
    { inputs: [constants(2, 3)], wanted: [filled('f32', [2, 3], () => 0)] },
    { inputs: [constants()], wanted: [scalar('f32', 0)] },
    { inputs: [weight(tensor('i64', [1], [4]))], wanted: [filled('f32', [4], () => 0)] },
    ...(['f32', 'f64', 'i32', 'i64', 'u8'] as const).map((type) => ({
      inputs: [constants(2, 1, 3)],
      attributes: { value: five(type) },
      wanted: [filled(type, [2, 1, 3], () => 5)],
    })),
    {
      inputs: [constants(2)],
      attributes: { value: tensor('f32', [1], [-1.5]) },
      wanted: [tensor('f32', [2], [-1.5, -1.5])],
    },
  ];
});

testOperator('range', () => {
  const range = (type: TensorType, from: number[], wanted: number[]) => ({
    inputs: from.map((value) => weight(scalar(type, value))),
    wanted: [tensor(type, [wanted.length], wanted)],
  });
  return [
    range('i32', [0, 5, 1], [0, 1, 2, 3, 4]),
    range('i32', [1, 8, 3], [1, 4, 7]),
    range('i32', [1, 7, 3], [1, 4]),
    range('i32', [5, 0, -2], [5, 3, 1]),
    range('i64', [-2, 2, 2], [-2, 0]),
    range('f32', [0, 1, 0.25], [0, 0.25, 0.5, 0.75]),
    range('f32', [0.5, 2.75, 1], [0.5, 1.5, 2.5]),
    range('f32', [1, -1, -0.75], [1, 0.25, -0.5]),
  ];
});
