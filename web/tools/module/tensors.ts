// Tensors of a caller as the networks' module takes them, and back.
import { refuseDetached } from '../../src/api/detached.js';
import { invalidOption } from '../../src/api/errors.js';
import type { ModuleOutput, ModuleTensor, TensorData, TensorType } from '../../src/api/types.js';
import type { TensorFacts } from '../../src/protocol/networks.js';
import { joined } from '../../src/api/joined.js';

type ArrayClass = new (buffer: ArrayBuffer) => TensorData;

const classes: Readonly<Record<TensorType, ArrayClass>> = {
  f32: Float32Array,
  f64: Float64Array,
  f16: Uint16Array,
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  bool: Uint8Array,
};
const types = Object.keys(classes) as TensorType[];

/** Arrays of other frames of a page are of another class of the same name. */
const classNameOf = (data: unknown): string => Object.prototype.toString.call(data).slice(8, -1);

function factsOf(name: string, tensor: unknown): { facts: TensorFacts; bytes: Uint8Array } {
  const label = name || 'inputs';
  if (typeof tensor !== 'object' || tensor === null) {
    throw invalidOption(label, '{ data, shape }', tensor);
  }
  const { data, shape, type } = tensor as Partial<ModuleTensor>;
  const className = classNameOf(data);
  const usual = types.find(
    (one) => classes[one].name === className && one !== 'f16' && one !== 'bool',
  );
  if (data === undefined || usual === undefined) {
    throw invalidOption(`${label}.data`, 'a typed array', data);
  }
  refuseDetached(data, `${label}.data`);
  if (type !== undefined && (!types.includes(type) || classes[type].name !== className)) {
    throw invalidOption(`${label}.type`, `the type of a ${className}`, type);
  }
  const dims: unknown = shape ?? [data.length];
  const isShape =
    Array.isArray(dims) && dims.every((dim) => Number.isInteger(dim) && (dim as number) >= 0);
  if (!isShape) throw invalidOption(`${label}.shape`, 'a list of dimensions', shape);
  const list = dims as number[];
  const count = list.reduce((product, dim) => product * dim, 1);
  if (count !== data.length) {
    throw invalidOption(`${label}.shape`, `${data.length} elements in all`, list.join('×'));
  }
  return {
    facts: { name, type: type ?? usual, shape: list },
    bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
}

/** All inputs in one array, which has no other owner. */
export function packInputs(inputs: unknown): { facts: TensorFacts[]; data: Uint8Array } {
  if (typeof inputs !== 'object' || inputs === null) {
    throw invalidOption('inputs', 'tensors by name, or a list of them', inputs);
  }
  const parts = Array.isArray(inputs)
    ? inputs.map((tensor: unknown) => factsOf('', tensor))
    : Object.entries(inputs).map(([name, tensor]) => factsOf(name, tensor));
  const data = joined(
    parts.map(({ bytes }) => bytes),
    Uint8Array,
  );
  return { facts: parts.map(({ facts }) => facts), data };
}

export function unpackOutputs(outputs: readonly TensorFacts[], data: Uint8Array): ModuleOutput[] {
  let at = 0;
  return outputs.map(({ name, type, shape }) => {
    const ArrayType = classes[type as TensorType];
    const size = (ArrayType as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
    const byteCount = shape.reduce((product, dim) => product * dim, size);
    const bytes = data.slice(at, at + byteCount);
    at += byteCount;
    return { name, type: type as TensorType, shape, data: new ArrayType(bytes.buffer) };
  });
}
