// TenniS operators that sample images at places between their cells, or cut patches out of them.
import type { GraphTensor } from '../../support/onnx_writer.js';
import { tensor, weight } from '../drawn/draws.js';
import {
  at,
  constants,
  filled,
  replaced,
  testOperator,
  type OperatorCase,
} from './operator_cases.js';

/** How a place between cells is read: as tennis.md numbers them. */
type Sampling = 0 | 1 | 2 | 3;
const [linear, cubic, nearest, hard] = [0, 1, 2, 3] as const;
/** Cells and their weights along one axis. */
type Taps = readonly (readonly [cell: number, weight: number])[];

const clamped = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

/** The weight of a cell `distance` away. */
function cubicWeight(distance: number): number {
  const [a, t] = [-0.75, Math.abs(distance)];
  if (t <= 1) return (a + 2) * t ** 3 - (a + 3) * t ** 2 + 1;
  return t < 2 ? a * (t ** 3 - 5 * t ** 2 + 8 * t - 4) : 0;
}

/** The place of a centre in `size` cells. */
function taps(place: number, size: number, sampling: Sampling): Taps {
  if (sampling === hard) return [[clamped(Math.trunc(place), 0, size - 1), 1]];
  if (sampling === nearest) return [[clamped(Math.floor(place + 0.5), 0, size - 1), 1]];
  if (sampling === linear) {
    const inside = clamped(place, 0, size - 1);
    const cell = Math.floor(inside);
    return [
      [cell, 1 - (inside - cell)],
      [Math.min(cell + 1, size - 1), inside - cell],
    ];
  }
  const floor = Math.floor(place);
  const cell = clamped(floor, 1, size - 3);
  const fraction = cell === floor ? place - floor : 0;
  return [-1, 0, 1, 2].map((step) => [cell + step, cubicWeight(step - fraction)]);
}

/** x where its axes `axis` and `axis + 1` are read at the taps of each. */
const sampled = (
  x: GraphTensor,
  axis: number,
  index: readonly number[],
  [rows, columns]: readonly [Taps, Taps],
): number => {
  let sum = 0;
  for (const [row, share] of rows) {
    for (const [column, part] of columns) {
      sum += share * part * at(x, replaced(replaced(index, axis, row), axis + 1, column));
    }
  }
  return sum;
};

/** `_resize2d`: cells have centres, but for type 3. */
function resized(x: GraphTensor, axis: number, size: readonly number[], sampling: Sampling) {
  const shape = replaced(replaced(x.shape, axis, size[0] as number), axis + 1, size[1] as number);
  const along = (index: readonly number[], which: number): Taps => {
    const [own, i] = [x.shape[which] as number, index[which] as number];
    const count = shape[which] as number;
    const { fround } = Math;
    if (sampling === hard) return taps(fround(fround(own / count) * i), own, sampling);
    const centre = (own * (2 * i + 1)) / (2 * count) - 0.5;
    const inside = Math.max(0, Math.min(centre, own - 1 - 1e-5));
    return taps(sampling === linear ? inside : centre, own, sampling);
  };
  return filled('f32', shape, (index) =>
    sampled(x, axis, index, [along(index, axis), along(index, axis + 1)]),
  );
}

testOperator('sample2d_v2', (draws) => {
  const sample = (shape: number[], axis: number, scale: number[], type?: Sampling) => {
    const x = draws.floats(shape);
    const scales = shape.map((_, i) => scale[i - axis] ?? 1);
    const size = scale.map((by, i) => Math.floor((shape[axis + i] as number) * by));
    return {
      inputs: [x, weight(tensor('f32', [scales.length], scales))],
      attributes: type === undefined ? {} : { type },
      wanted: [resized(x, axis, size, type ?? hard)],
    };
  };
  return [
    sample([2, 3, 4, 5], 2, [2, 2]),
    sample([1, 2, 5, 4], 2, [1.5, 0.5]),
    ...[linear, cubic, nearest, hard].flatMap((type) => [
      sample([2, 2, 5, 6], 2, [2, 2], type),
      sample([1, 2, 8, 6], 2, [0.5, 1.5], type),
      sample([1, 6, 5, 3], 1, [1.5, 2.5], type),
    ]),
    sample([1, 1, 3, 1], 2, [2, 3], linear),
  ];
});

testOperator('resize_nearest_neighbor', (draws) => {
  const resize = (shape: number[], dim: number, size: number[], align_corners?: boolean) => {
    const x = draws.floats(shape);
    const axis = (dim + shape.length) % shape.length;
    return {
      inputs: [x, constants(...size)],
      attributes: align_corners === undefined ? { dim } : { dim, align_corners },
      wanted: [resized(x, axis, size, nearest)],
    };
  };
  return [
    resize([2, 3, 4, 5], 2, [8, 10]),
    resize([2, 4, 5, 3], 1, [2, 7]),
    resize([1, 2, 5, 5], -2, [2, 2]),
    resize([2, 4, 6, 3], -3, [7, 4], false),
    resize([1, 4, 4, 2], 1, [8, 8], true), // which is ignored
    resize([3, 4], 0, [6, 4]),
  ];
});

/** Whether a place has an inner value: that of one cell is asked of the cell, as in the worked row of sample2d. */
function isInside(place: number, size: number, sampling: Sampling): boolean {
  const whole = sampling === hard ? Math.trunc(place) : Math.trunc(place + Math.sign(place) / 2);
  const own = sampling === linear ? place : whole;
  return own >= 0 && own < size - 1;
}

interface Affine {
  readonly shape?: number[];
  readonly dim?: number;
  readonly size?: readonly number[];
  /** Rows of the matrix; the last is 0 0 1. */
  readonly matrix?: readonly number[];
  readonly outer_value?: number;
}

testOperator('affine_sample2d', (draws) => {
  const affine = (type: Sampling, given: Affine): OperatorCase => {
    const { shape = [1, 2, 5, 6], dim = 2, size = [4, 5], outer_value } = given;
    const matrix = [...(given.matrix ?? [1, 0, 0, 0, 1, 0]), 0, 0, 1];
    const x = draws.floats(shape);
    const axis = (dim + shape.length) % shape.length;
    const [height, width] = [shape[axis] as number, shape[axis + 1] as number];
    const to = replaced(replaced(shape, axis, size[0] as number), axis + 1, size[1] as number);
    const y = filled('f32', to, (index) => {
      const [own, other] = [index[axis + 1] as number, index[axis] as number];
      const [across, down] = [0, 3].map(
        (row) =>
          (matrix[row] as number) * own +
          (matrix[row + 1] as number) * other +
          (matrix[row + 2] as number),
      ) as [number, number];
      const isInner = isInside(across, width, type) && isInside(down, height, type);
      if (outer_value !== undefined && !isInner) return outer_value;
      // Without an outer value, places are moved into the image before they are read.
      const inside = [clamped(down, 0, height - 1), clamped(across, 0, width - 1)] as const;
      return sampled(x, axis, index, [taps(inside[0], height, type), taps(inside[1], width, type)]);
    });
    return {
      inputs: [x, constants(...size), weight(tensor('f32', [3, 3], matrix))],
      attributes: outer_value === undefined ? { type, dim } : { type, dim, outer_value },
      wanted: [y],
    };
  };
  const turned = [0.75, -0.5, 1.3125, 0.5, 0.75, -0.6875];
  return [linear, nearest, hard].flatMap((type) => [
    affine(type, {}),
    affine(type, { matrix: [0.75, 0, 0.125, 0, 0.75, 0.375] }),
    affine(type, { matrix: turned, size: [6, 7] }),
    affine(type, { matrix: turned, size: [6, 7], outer_value: 0 }),
    affine(type, { matrix: turned, size: [6, 7], outer_value: -1.5 }),
    affine(type, { outer_value: 9, size: [5, 6] }),
    affine(type, { shape: [2, 5, 6, 3], dim: 1, matrix: turned, outer_value: 2 }),
    affine(type, { shape: [2, 5, 6, 3], dim: -3, matrix: turned }),
    affine(type, { shape: [5, 6], dim: -2, matrix: [0.5, 0, 0, 0, 0.5, 0] }),
  ]);
});

testOperator('shape_index_patch', (draws) => {
  const { fround } = Math;
  const patch = (
    shape: number[],
    points: number,
    origin_patch: [number, number],
    origin: [number, number],
    positions?: number[],
  ): OperatorCase => {
    const [count, channels] = shape as [number, number];
    const x = draws.floats(shape);
    const places = positions ?? draws.list(count * points * 2, () => draws.integer(0, 63) / 64);
    const pos = tensor('f32', [count, 2 * points, 1, 1], places);
    const size = [0, 1].map((i) =>
      Math.trunc(
        ((origin_patch[i] as number) * (shape[2 + i] as number)) / (origin[i] as number) + 0.5,
      ),
    );
    const [high, wide] = size as [number, number];
    const y = filled('f32', [count, channels, high, points, wide], (index) => {
      const [n, c, row, point, column] = index as [number, number, number, number, number];
      const first = [1, 0].map((isY, i) => {
        const own = at(pos, [n, 2 * point + isY, 0, 0]);
        const r = fround(((size[i] as number) - 1) / 2);
        return Math.trunc(fround(fround(fround(own * ((shape[2 + i] as number) - 1)) - r) + 0.5));
      });
      const [v, h] = [(first[0] as number) + row, (first[1] as number) + column];
      const isInside = v >= 0 && v < (shape[2] as number) && h >= 0 && h < (shape[3] as number);
      return isInside ? at(x, [n, c, v, h]) : 0;
    });
    return { inputs: [x, pos], attributes: { origin_patch, origin }, wanted: [y] };
  };
  return [
    patch([2, 3, 8, 8], 2, [3, 3], [8, 8]),
    patch([1, 2, 9, 7], 5, [15, 15], [42, 30]),
    patch([2, 1, 6, 10], 3, [2, 4], [6, 10]),
    patch([1, 1, 5, 5], 4, [3, 2], [5, 5], [0, 0, 1, 1, 0.5, 0.25, 1, 0]),
    patch([1, 1, 5, 5], 2, [2, 3], [10, 5], [-0.5, 0.5, 1.5, 0.25]),
  ];
});
