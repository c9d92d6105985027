// Modules of one TenniS operator: how they are written, run and compared with values worked out beside them.
import { expect, test } from '@jest/globals';
import { builtPackage } from '../../support/built_package.js';
import { crc32 } from '../../support/apr2_writer.js';
import type { GraphTensor } from '../../support/onnx_writer.js';
import { tennisNode, text, writeTennis, type Field } from '../../support/tennis_writer.js';
import { countOf, Draws, tensor, weight } from '../drawn/draws.js';
import type { TensorType } from '../../../web/src/api/types.js';

/** Numbers get a scalar's shape, lists that of a vector, lists of lists that of a matrix. */
type Attribute = boolean | number | string | readonly number[] | readonly number[][] | GraphTensor;

export interface OperatorCase {
  /** A weight is a constant of the module; so are shapes, sizes and counts, which must be known before it runs. */
  readonly inputs: readonly (GraphTensor | { readonly weight: GraphTensor })[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** The elements of a packed result, or the one result. */
  readonly wanted: readonly GraphTensor[];
}

/** What tennis.md calls the element types. */
export const dtypes: Readonly<Record<TensorType, number>> = {
  ...{ i8: 1, u8: 2, i16: 3, u16: 4, i32: 5, u32: 6, i64: 7, u64: 8 },
  ...{ f16: 9, f32: 10, f64: 11, bool: 21 },
};

function fieldOf({ type, shape, data }: GraphTensor): Field {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { dtype: dtypes[type], shape, data: bytes };
}

/** Python writes its own wide types, C++ those of 32 bits; both are legal. */
function attributeField(value: Attribute, isOfPython: boolean): Field {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'object' && 'data' in value) return fieldOf(value);
  if (typeof value === 'boolean') {
    return fieldOf(tensor(isOfPython ? 'bool' : 'i32', [], [Number(value)]));
  }
  const rows = typeof value === 'number' ? [] : [value.length];
  const first = typeof value === 'number' ? value : value[0];
  const shape = typeof first === 'object' ? [...rows, first.length] : rows;
  const values: number[] = [value].flat(2);
  const isWhole = values.every(Number.isInteger);
  const types = isWhole ? (['i32', 'i64'] as const) : (['f32', 'f64'] as const);
  return fieldOf(tensor(types[isOfPython ? 1 : 0], shape, values));
}

const tensorOf = (input: OperatorCase['inputs'][number]): GraphTensor =>
  'weight' in input ? input.weight : input;

/** All inputs are fed that can be, and attributes as C++ writes them; or the first is alone, and they are Python's. */
function written(op: string, { inputs, attributes = {} }: OperatorCase, isOfPython: boolean) {
  const fed = inputs.filter((input, i) => !('weight' in input) && (i === 0 || !isOfPython));
  const isFed = (i: number): boolean => fed.includes(inputs[i] as GraphTensor);
  const nodes = inputs.map((input, i) =>
    isFed(i)
      ? tennisNode('<param>', `x${i}`, [])
      : tennisNode('<const>', `x${i}`, [], ['value', fieldOf(tensorOf(input))]),
  );
  const parameters = Object.entries(attributes).map(
    ([name, value]) => [name, attributeField(value, isOfPython)] as const,
  );
  const indices = inputs.map((_, i) => i);
  const file = writeTennis({
    inputs: indices.filter(isFed),
    outputs: [inputs.length],
    nodes: [...nodes, tennisNode(op, 'y', indices, ...parameters)],
  });
  return { file, fed: fed.map(tensorOf) };
}

const largestDifference = 1e-5;

function isNear(got: number, wanted: number): boolean {
  if (Object.is(got, wanted) || got === wanted) return true;
  return Math.abs(got - wanted) <= largestDifference * Math.max(1, Math.abs(wanted));
}

function expectNear(what: string, got: GraphTensor, wanted: GraphTensor): void {
  const values = Array.from(got.data, Number);
  const isAllNear = wanted.data.every((value: number | bigint, i: number) =>
    isNear(values[i] as number, Number(value)),
  );
  if (!isAllNear)
    expect({ what, values }).toEqual({ what, values: Array.from(wanted.data, Number) });
}

const typeAndShape = ({ type, shape }: GraphTensor) => ({ type, shape });

/** One test: runs each case through the public API, written in two ways. */
export function testOperator(op: string, draw: (draws: Draws) => readonly OperatorCase[]): void {
  test(op, async () => {
    const { openModule } = await builtPackage();
    const seed = crc32(new TextEncoder().encode(op));
    for (const [index, one] of draw(new Draws(seed)).entries()) {
      for (const isOfPython of [false, true]) {
        const shapes = one.inputs
          .map(tensorOf)
          .map(({ type, shape }) => `${type}[${shape.join()}]`);
        const attributes = JSON.stringify(one.attributes ?? {}, (_, value: unknown) =>
          typeof value === 'bigint' ? Number(value) : value,
        );
        const what = `${op} ${index}: ${shapes.join(' ')} ${attributes}`;
        const { file, fed } = written(op, one, isOfPython);
        const module = await openModule(file);
        const got = await module.run(fed).catch((error: unknown) => {
          throw new Error(`${what}: ${String(error)}`, { cause: error });
        });
        module.dispose();
        expect({ what, results: got.map((y) => typeAndShape(y as GraphTensor)) }).toEqual({
          what,
          results: one.wanted.map(typeAndShape),
        });
        for (const [i, y] of one.wanted.entries()) expectNear(what, got[i] as GraphTensor, y);
      }
    }
  });
}

/** The element at an index. */
export function at({ shape, data }: GraphTensor, index: readonly number[]): number {
  const offset = shape.reduce((sum, dim, axis) => sum * dim + (index[axis] as number), 0);
  const inside = shape.every(
    (dim, axis) => (index[axis] as number) < dim && (index[axis] as number) >= 0,
  );
  if (!inside) throw new Error(`${index.join()} is outside of ${shape.join()}`);
  return Number(data[offset]);
}

/** A tensor whose elements follow from their indices. */
export function filled(
  type: TensorType,
  shape: readonly number[],
  element: (index: number[]) => number,
): GraphTensor {
  const index = shape.map(() => 0);
  const values = Array.from({ length: countOf(shape) }, () => {
    const value = element([...index]);
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      index[axis] = ((index[axis] as number) + 1) % (shape[axis] as number);
      if (index[axis] !== 0) break;
    }
    return value;
  });
  return tensor(type, shape, values);
}

/** Gives the elements another shape. */
export const reshaped = ({ type, data }: GraphTensor, shape: readonly number[]): GraphTensor => ({
  type,
  shape,
  data,
});

export const list = (...values: number[]): GraphTensor => tensor('i32', [values.length], values);
/** As constants of the module. */
export const constants = (...values: number[]): { readonly weight: GraphTensor } =>
  weight(list(...values));

/** The index of the element that is broadcast to `index`. */
export function broadcastIndex(shape: readonly number[], index: readonly number[]): number[] {
  const own = index.slice(index.length - shape.length);
  return shape.map((dim, axis) => (dim === 1 ? 0 : (own[axis] as number)));
}

export function broadcastShape(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  const dims = (shape: readonly number[]): number[] => [
    ...Array.from({ length: rank - shape.length }, () => 1),
    ...shape,
  ];
  const other = dims(b);
  return dims(a).map((dim, axis) => (dim === 1 ? (other[axis] as number) : dim));
}

/** `index` with another coordinate on one axis. */
export const replaced = (index: readonly number[], axis: number, coordinate: number): number[] =>
  index.map((own, i) => (i === axis ? coordinate : own));
