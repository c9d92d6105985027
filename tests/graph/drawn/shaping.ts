// Operators that move elements, or make them from shapes.
import type { GraphTensor } from '../../support/onnx_writer.js';
import {
  countOf,
  drawnBy,
  integers,
  scalar,
  tensor,
  weight,
  type Draw,
  type DrawTable,
} from './draws.js';

const transpose: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const perm = draws.shuffled(shape.map((_, axis) => axis));
  return { op, inputs: [draws.floats(shape)], attributes: draws.is(0.8) ? { perm } : {} };
};

/** A factor of -1 follows from the others, 0 copies unless zeros are allowed. */
const reshape: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const target: number[] = draws.is(0.3)
    ? shape.map((dim) => (draws.is(0.3) ? 0 : dim))
    : draws.shuffled(shape);
  if (draws.is()) target[draws.integer(0, target.length - 1)] = -1;
  const allowed = target.includes(0) ? {} : { allowzero: draws.integer(0, 1) };
  return { op, inputs: [draws.floats(shape), weight(integers(target))], attributes: allowed };
};

/** Lists are attributes before version 10. */
const slice: Draw = (draws, op) => {
  const shape = draws.shape(1, 4, 8);
  const axes = draws.axes(shape.length);
  const starts = draws.integerList(axes.length, -10, 9);
  const ends = draws.integerList(axes.length, -12, 11);
  const x = draws.floats(shape);
  if (draws.is(0.3)) {
    const plain = axes.map((axis) => (axis + shape.length) % shape.length);
    return { op, inputs: [x], attributes: { starts, ends, axes: plain }, opset: 9 };
  }
  const steps = axes.map(() => draws.one([-3, -2, -1, 1, 2, 3]));
  const lists = [starts, ends, axes, steps].map((list) => weight(integers(list)));
  return { op, inputs: [x, ...lists] };
};

const concat: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const axis = draws.axis(shape);
  const parts = draws.list(draws.integer(1, 4), () => {
    const dims = [...shape];
    dims[axis < 0 ? axis + shape.length : axis] = draws.integer(1, 4);
    return draws.floats(dims);
  });
  return { op, inputs: parts, attributes: { axis } };
};

/** Sizes are an attribute before version 13. */
const split: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const axis = draws.axis(shape);
  const sizes = draws.integerList(draws.integer(1, 3), 1, 3);
  shape[axis < 0 ? axis + shape.length : axis] = sizes.reduce((sum, size) => sum + size, 0);
  const x = draws.floats(shape);
  const outputs = sizes.length;
  const isOld = draws.is(0.3);
  if (isOld) return { op, inputs: [x], attributes: { axis, split: sizes }, outputs, opset: 11 };
  return { op, inputs: [x, weight(integers(sizes))], attributes: { axis }, outputs };
};

const gather: Draw = (draws, op) => {
  const shape = draws.shape(1, 3);
  const axis = draws.axis(shape);
  const size = shape.at(axis) ?? 1;
  const type = draws.one(['i32', 'i64'] as const);
  const places = draws.whole(type, draws.shape(0, 2), -size, size - 1);
  return {
    op,
    inputs: [draws.floats(shape), draws.is() ? places : weight(places)],
    attributes: { axis },
  };
};

const gatherElements: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const axis = draws.axis(shape);
  const size = shape.at(axis) ?? 1;
  const dims = shape.map((dim) => draws.integer(1, dim));
  dims[axis < 0 ? axis + shape.length : axis] = draws.integer(1, 5);
  const places = draws.whole('i64', dims, -size, size - 1);
  return { op, inputs: [draws.floats(shape), places], attributes: { axis } };
};

/** Indices of the first `depth` dimensions, `count` of them. */
function manyIndices(shape: readonly number[], flat: readonly number[], depth: number): number[] {
  return flat.flatMap((index) => {
    let left = index;
    const places: number[] = [];
    for (let axis = depth; axis-- > 0;) {
      const dim = shape[axis] ?? 1;
      places.unshift(left % dim);
      left = Math.floor(left / dim);
    }
    return places;
  });
}

const gatherNd: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const depth = draws.integer(1, shape.length);
  const outer = draws.shape(0, 2);
  const all = countOf(shape.slice(0, depth));
  const flat = draws.integerList(countOf(outer), 0, all - 1);
  const places = tensor('i64', [...outer, depth], manyIndices(shape, flat, depth));
  return { op, inputs: [draws.floats(shape), places] };
};

/** Each place once: which of two comes last is open. */
const scatterNd: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const depth = draws.integer(1, shape.length);
  const all = Array.from({ length: countOf(shape.slice(0, depth)) }, (_, index) => index);
  const flat = draws.shuffled(all).slice(0, draws.integer(1, all.length));
  const places = tensor('i64', [flat.length, depth], manyIndices(shape, flat, depth));
  return {
    op,
    inputs: [draws.floats(shape), places, draws.floats([flat.length, ...shape.slice(depth)])],
  };
};

/** Pads are an attribute before version 11. Reflection needs a dimension larger than the pad. */
const pad: Draw = (draws, op) => {
  const shape = draws.shape(1).map((dim) => dim + 2);
  const mode = draws.one(['constant', 'reflect', 'edge']);
  const pads = draws.integerList(2 * shape.length, mode === 'constant' ? -1 : 0, 2);
  const x = draws.floats(shape);
  if (draws.is(0.3)) {
    return { op, inputs: [x], attributes: { mode, pads, value: { float: 0.5 } }, opset: 10 };
  }
  const value = mode === 'constant' && draws.is() ? [weight(scalar('f32', 1.5))] : [];
  return { op, inputs: [x, weight(integers(pads)), ...value], attributes: { mode } };
};

const expand: Draw = (draws, op) => {
  const shape = draws.shape();
  const narrow = draws.narrower(shape);
  return { op, inputs: [draws.floats(narrow), weight(integers(shape))] };
};

/** Axes are an attribute before version 13. */
const squeeze: Draw = (draws, op) => {
  const shape = draws.shape(1);
  const axes = draws.axes(shape.length);
  for (const axis of axes) shape[axis < 0 ? axis + shape.length : axis] = 1;
  const x = draws.floats(shape);
  if (draws.is(0.2)) return { op, inputs: [x] };
  if (draws.is()) return { op, inputs: [x], attributes: { axes }, opset: 11 };
  return { op, inputs: [x, weight(integers(axes))] };
};

const unsqueeze: Draw = (draws, op) => {
  const shape = draws.shape(0, 3);
  const axes = draws.axes(shape.length + draws.integer(1, 2)).slice(0, 1);
  const x = draws.floats(shape);
  const rank = shape.length + 1;
  const fitting = axes.map((axis) => Math.max(-rank, Math.min(rank - 1, axis)));
  if (draws.is()) return { op, inputs: [x], attributes: { axes: fitting }, opset: 11 };
  return { op, inputs: [x, weight(integers(fitting))] };
};

const range: Draw = (draws, op) => {
  const type = draws.one(['i32', 'i64', 'f32'] as const);
  const step = type === 'f32' ? draws.one([-0.5, 0.5, 1.25]) : draws.one([-3, -2, -1, 1, 2, 3]);
  const start = draws.integer(-5, 5);
  const limit = start + Math.sign(step) * draws.integer(1, 14);
  return { op, inputs: [start, limit, step].map((value) => weight(scalar(type, value))) };
};

const oneHot: Draw = (draws, op) => {
  const depth = draws.integer(1, 5);
  const shape = draws.shape(0, 3);
  const places = draws.whole('i64', shape, -depth, depth - 1);
  const values = weight(tensor('f32', [2], [0.5, 2.5]));
  return {
    op,
    inputs: [places, weight(scalar('i64', depth)), values],
    attributes: { axis: draws.integer(-shape.length - 1, shape.length) },
  };
};

const constant: Draw = (draws, op) => {
  const kind = draws.integer(0, 4);
  const shape = draws.shape();
  if (kind === 0) return { op, inputs: [], attributes: { value: { tensor: draws.floats(shape) } } };
  if (kind === 1) return { op, inputs: [], attributes: { value_float: { float: 2.5 } } };
  if (kind === 2) return { op, inputs: [], attributes: { value_int: -7 } };
  if (kind === 3) return { op, inputs: [], attributes: { value_floats: { floats: [1.5, -2] } } };
  return { op, inputs: [], attributes: { value_ints: [3, -4, 5] } };
};

const constantOfShape: Draw = (draws, op) => {
  const value: GraphTensor = draws.is() ? tensor('i64', [1], [7]) : tensor('f32', [1], [1.5]);
  return {
    op,
    inputs: [weight(integers(draws.shape(1)))],
    attributes: draws.is(0.7) ? { value: { tensor: value } } : {},
  };
};

/** The branches are graphs of the attributes; the condition is in the file. */
const branches: Draw = (draws, op) => {
  const branch = (value: number) => ({
    graph: {
      nodes: [
        {
          op: 'Constant',
          inputs: [],
          outputs: [`branch${value}`],
          attributes: { value: { tensor: tensor('f32', [2], [value, draws.integer(-9, 9)]) } },
        },
      ],
      outputs: [`branch${value}`],
    },
  });
  return {
    op,
    inputs: [weight(scalar('bool', draws.integer(0, 1)))],
    attributes: { then_branch: branch(1), else_branch: branch(2) },
  };
};

export const shaping: DrawTable = {
  Transpose: transpose,
  Reshape: reshape,
  Slice: slice,
  Concat: concat,
  Split: split,
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherNd,
  ScatterND: scatterNd,
  Pad: pad,
  Expand: expand,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Range: range,
  OneHot: oneHot,
  Constant: constant,
  ConstantOfShape: constantOfShape,
  If: branches,
  Flatten: (draws, op) => {
    const shape = draws.shape(1);
    return {
      op,
      inputs: [draws.floats(shape)],
      attributes: { axis: draws.integer(-shape.length, shape.length) },
    };
  },
  Tile: (draws, op) => {
    const shape = draws.shape(1);
    const repeats = weight(integers(draws.integerList(shape.length, 1, 3)));
    return { op, inputs: [draws.floats(shape), repeats] };
  },
  ...drawnBy(['Identity', 'Dropout', 'Shape', 'Size'], (draws, op) => ({
    op,
    inputs: [draws.floats(draws.shape(1))],
  })),
};
