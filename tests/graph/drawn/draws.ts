// What drawn graphs are made of: numbers from a fixed seed, tensors, shapes.
import type { TensorType } from '../../../web/src/api/types.js';
import type { GraphTensor, OnnxAttribute } from '../../support/onnx_writer.js';

/** A graph of one node. */
export interface DrawnGraph {
  readonly op: string;
  /** null where left out. Weights are in the file, the others are given. */
  readonly inputs: readonly (GraphTensor | { readonly weight: GraphTensor } | null)[];
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
  /** How many; one unless given. */
  readonly outputs?: number;
  /** 17 unless given. */
  readonly opset?: number;
}

const arrays = {
  f32: Float32Array,
  f64: Float64Array,
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  bool: Uint8Array,
};

/** Integers of 64 bits are given as numbers. */
export function tensor(type: TensorType, shape: readonly number[], values: number[]): GraphTensor {
  if (type === 'i64') return { type, shape, data: BigInt64Array.from(values, BigInt) };
  if (type === 'u64') return { type, shape, data: BigUint64Array.from(values, BigInt) };
  if (type === 'f16') throw new Error('f16 are bits');
  return { type, shape, data: arrays[type].from(values) };
}

export const integers = (values: number[]): GraphTensor => tensor('i64', [values.length], values);
export const scalar = (type: TensorType, value: number): GraphTensor => tensor(type, [], [value]);
export const weight = (of: GraphTensor): { readonly weight: GraphTensor } => ({ weight: of });
export const countOf = (shape: readonly number[]): number =>
  shape.reduce((product, dim) => product * dim, 1);

export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1 (mulberry32). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** Both ends are drawn too. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1));
  }
  is(probability = 0.5): boolean {
    return this.unit() < probability;
  }
  one<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }
  list<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
  integerList(count: number, least: number, most: number): number[] {
    return this.list(count, () => this.integer(least, most));
  }
  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, key: this.unit() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }
  /** Dimensions of 1 to `most`. */
  shape(leastRank = 0, mostRank = 4, most = 4): number[] {
    return this.integerList(this.integer(leastRank, mostRank), 1, most);
  }
  /** One that broadcasts to `shape`. */
  narrower(shape: readonly number[]): number[] {
    const dims = shape.map((dim) => (this.is(0.7) ? dim : 1));
    return dims.slice(this.integer(0, dims.length));
  }
  /** From the end where negative. */
  axis(shape: readonly number[]): number {
    return this.integer(-shape.length, shape.length - 1);
  }
  /** Some of the axes, in order or from the end. */
  axes(rank: number): number[] {
    const all = this.shuffled(Array.from({ length: rank }, (_, axis) => axis));
    return all
      .slice(0, this.integer(1, rank))
      .sort((a, b) => a - b)
      .map((axis) => (this.is(0.3) ? axis - rank : axis));
  }
  /** Normally distributed with a deviation of 2. */
  floats(shape: readonly number[], scale = 2, offset = 0): GraphTensor {
    const normal = (): number =>
      Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
    return tensor(
      'f32',
      shape,
      this.list(countOf(shape), () => normal() * scale + offset),
    );
  }
  positive(shape: readonly number[], least = 0.01): GraphTensor {
    return tensor(
      'f32',
      shape,
      this.list(countOf(shape), () => least + this.unit() * 3),
    );
  }
  whole(type: TensorType, shape: readonly number[], least: number, most: number): GraphTensor {
    return tensor(type, shape, this.integerList(countOf(shape), least, most));
  }
}

/** Draws a graph of the operator. */
export type Draw = (draws: Draws, op: string) => DrawnGraph;
/** How each operator is drawn. */
export type DrawTable = Readonly<Record<string, Draw>>;

export function drawnBy(ops: readonly string[], draw: Draw): DrawTable {
  return Object.fromEntries(ops.map((op) => [op, draw]));
}
