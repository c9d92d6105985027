// TenniS operators that find elements by indices, or answer with indices.
import type { GraphTensor } from '../../support/onnx_writer.js';
import { tensor, type Draws } from '../drawn/draws.js';
import { at, filled, replaced, testOperator, type OperatorCase } from './operator_cases.js';

const f32 = (shape: readonly number[], element: (index: number[]) => number): GraphTensor =>
  filled('f32', shape, element);

/** Coordinates within a shape, one list along the last dimension for each place. */
const coordinates = (
  draws: Draws,
  shape: readonly number[],
  places: readonly number[],
  count: number,
  type: 'i32' | 'i64' = 'i32',
): GraphTensor =>
  filled(type, [...places, count], (index) =>
    draws.integer(0, (shape[index[index.length - 1] as number] as number) - 1),
  );

/** The list of coordinates at a place. */
const listAt = (indices: GraphTensor, place: readonly number[]): number[] =>
  Array.from({ length: indices.shape.at(-1) as number }, (_, i) => at(indices, [...place, i]));

testOperator('gatherv2', (draws) => {
  const gather = (shape: number[], places: number[], count: number, type?: 'i64'): OperatorCase => {
    const x = draws.floats(shape);
    const indices = coordinates(draws, shape, places, count, type);
    const y = f32([...places, ...shape.slice(count)], (index) =>
      at(x, [...listAt(indices, index.slice(0, places.length)), ...index.slice(places.length)]),
    );
    return { inputs: [x, indices], wanted: [y] };
  };
  return [
    gather([4, 3], [5], 1),
    gather([4, 3], [5], 2),
    gather([4, 3, 2], [2, 3], 2),
    gather([4, 3, 2], [2, 3], 3, 'i64'),
    gather([6], [2, 2], 1),
    gather([4, 3, 2], [], 2),
  ];
});

testOperator('gather_elements', (draws) => {
  const gather = (shape: number[], axis?: number, type: 'i32' | 'i64' = 'i32'): OperatorCase => {
    const x = draws.floats(shape);
    const along = ((axis ?? 0) + shape.length) % shape.length;
    const dim = shape[along] as number;
    const indices = draws.whole(type, replaced(shape, along, 1), 0, dim - 1);
    const y = f32(indices.shape, (index) => at(x, replaced(index, along, at(indices, index))));
    return { inputs: [x, indices], attributes: axis === undefined ? {} : { axis }, wanted: [y] };
  };
  return [
    gather([4, 3]),
    gather([4, 3], 1),
    gather([2, 5, 3], 1, 'i64'),
    gather([2, 5, 3], -1),
    gather([2, 5, 3], -3),
    gather([5], 0),
  ];
});

testOperator('scatter_nd', (draws) => {
  /** Indices are distinct, so that the order of the updates does not matter. */
  const scatter = (shape: number[], places: number[][], type: 'i32' | 'i64' = 'i32') => {
    const data = draws.floats(shape);
    const count = (places[0] as number[]).length;
    const indices = tensor(type, [places.length, count], places.flat());
    const updates = draws.floats([places.length, ...shape.slice(count)]);
    const y = f32(shape, (index) => {
      const found = places.findIndex((place) => place.every((own, axis) => own === index[axis]));
      return found < 0 ? at(data, index) : at(updates, [found, ...index.slice(count)]);
    });
    return { inputs: [data, indices, updates], wanted: [y] };
  };
  return [
    scatter([8], [[4], [3], [1], [7]]),
    scatter([4, 3], [[2], [0]]),
    scatter([4, 3], [[2, 1], [0, 0], [3, 2]]), // prettier-ignore
    scatter([2, 3, 4], [[1, 2], [0, 0]], 'i64'), // prettier-ignore
  ];
});

/** Numbers of which no two are the same. */
const distinct = (draws: Draws, shape: readonly number[], type: 'f32' | 'i32' = 'f32') => {
  const count = shape.reduce((product, dim) => product * dim, 1);
  const values = draws.shuffled(Array.from({ length: count }, (_, i) => i - count / 2));
  return tensor(type, shape, values.map(Math.floor));
};

testOperator('topkv2', (draws) => {
  const top = (shape: number[], number: number, sorted?: boolean, type: 'f32' | 'i32' = 'f32') => {
    const x = distinct(draws, shape, type);
    const last = shape.length - 1;
    const dim = shape[last] as number;
    const to = replaced(shape, last, Math.min(number, dim));
    const order = (index: readonly number[]): number =>
      Array.from({ length: dim }, (_, i) => i).sort(
        (a, b) => at(x, replaced(index, last, b)) - at(x, replaced(index, last, a)),
      )[index[last] as number] as number;
    return {
      inputs: [x],
      attributes: sorted === undefined ? { number } : { number, sorted },
      wanted: [
        filled(type, to, (index) => at(x, replaced(index, last, order(index)))),
        filled('i32', to, order),
      ],
    };
  };
  return [
    top([7], 3),
    top([7], 1),
    top([7], 9),
    top([2, 3, 5], 2),
    top([2, 6], 4, true),
    top([2, 6], 4, false),
    top([3, 4], 3, true, 'i32'),
  ];
});

testOperator('argmax', (draws) => {
  const largest = (shape: number[], dim: number, type: 'f32' | 'i32' = 'f32'): OperatorCase => {
    const x = distinct(draws, shape, type);
    const axis = (dim + shape.length) % shape.length;
    const y = filled('i32', shape.toSpliced(axis, 1), (index) => {
      const line = Array.from({ length: shape[axis] as number }, (_, i) =>
        at(x, index.toSpliced(axis, 0, i)),
      );
      return line.indexOf(Math.max(...line));
    });
    return { inputs: [x], attributes: { dim }, wanted: [y] };
  };
  return [
    largest([5], 0),
    largest([3, 4], 0),
    largest([3, 4], 1),
    largest([2, 3, 4], 1),
    largest([2, 3, 4], -1),
    largest([2, 3, 4], -3),
    largest([3, 5], 1, 'i32'),
  ];
});
