// Builds an ONNX model of opset 14 (field numbers: onnx.proto3), node by node.
import { Message } from './protobuf.mjs';

/** @typedef {number | { readonly integer: number } | readonly number[]} Attribute */
/** @typedef {Float32Array | Uint8Array | Int8Array | Int32Array | BigInt64Array} Values */

const elementTypes = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7 };
const attributeTypes = { float: 1, integer: 2, integers: 7 };

const typeOf = (values) => {
  const constructors = [Float32Array, Uint8Array, Int8Array, Int32Array, BigInt64Array];
  return Object.keys(elementTypes)[constructors.findIndex((one) => values instanceof one)];
};

/** A number is a float attribute, {integer} and a list are integers. */
function attribute(name, value) {
  const message = new Message().string(1, name);
  if (typeof value === 'number') return message.float(2, value).integer(20, attributeTypes.float);
  if (!Array.isArray(value)) {
    return message.integer(3, value.integer).integer(20, attributeTypes.integer);
  }
  value.forEach((one) => message.integer(8, one));
  return message.integer(20, attributeTypes.integers);
}

function valueInfo(name, type, dims) {
  const shape = new Message();
  for (const dim of dims) {
    const message = new Message();
    shape.message(1, typeof dim === 'string' ? message.string(2, dim) : message.integer(1, dim));
  }
  const tensor = new Message().integer(1, elementTypes[type]).message(2, shape);
  return new Message().string(1, name).message(2, new Message().message(1, tensor));
}

export class OnnxGraph {
  #graph = new Message();
  #names = new Set();
  #nextName = 0;

  /** @param {string} name */
  constructor(name) {
    this.#graph.string(2, name);
  }

  /**
   * Dims are numbers, or names of sides that vary. Returns the name.
   * @type {(name: string, type: string, dims: readonly (number | string)[]) => string}
   */
  input(name, type, dims) {
    this.#graph.message(11, valueInfo(name, type, dims));
    return name;
  }
  /**
   * Declares that the graph gives what `value` names, as `name`.
   * @type {(value: string, name: string, type: string, dims: readonly (number | string)[]) => void}
   */
  output(value, name, type, dims) {
    this.#graph.message(12, valueInfo(name, type, dims));
    this.node('Identity', [value], {}, [name]);
  }
  /**
   * A constant tensor, once for each name; `make` gives its dims and a typed array of its values. Returns the name.
   * @type {(name: string, make: () => { dims: readonly number[]; values: Values }) => string}
   */
  constant(name, make) {
    if (this.#names.has(name)) return name;
    this.#names.add(name);
    const { dims, values } = make();
    if (values.length !== dims.reduce((product, side) => product * side, 1)) {
      throw new RangeError(`${name} is not of the shape [${dims}].`);
    }
    const tensor = new Message();
    dims.forEach((dim) => tensor.integer(1, dim));
    tensor.integer(2, elementTypes[typeOf(values)]).string(8, name);
    tensor.bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#graph.message(5, tensor);
    return name;
  }
  /** @type {(value: number) => string} */
  scalar(value) {
    return this.constant(`scalar ${value}`, () => ({ dims: [], values: Float32Array.of(value) }));
  }
  /**
   * A list of whole numbers, such as a shape.
   * @type {(...list: number[]) => string}
   */
  integers(...list) {
    const values = BigInt64Array.from(list, BigInt);
    return this.constant(`integers ${list}`, () => ({ dims: [list.length], values }));
  }

  /** Adds a node and returns the name of its output, or all when `outputs` is a number or a list of names. */
  node(operator, inputs, attributes = {}, outputs = undefined) {
    const fresh = () => `${operator} ${++this.#nextName}`;
    const names = Array.isArray(outputs) ? outputs : Array.from({ length: outputs ?? 1 }, fresh);
    const node = new Message();
    inputs.forEach((name) => node.string(1, name));
    names.forEach((name) => node.string(2, name));
    node.string(4, operator);
    Object.entries(attributes).forEach(([name, value]) => node.message(5, attribute(name, value)));
    this.#graph.message(1, node);
    return outputs === undefined ? names[0] : names;
  }

  /**
   * The file's bytes, piece by piece.
   * @type {() => readonly Uint8Array[]}
   */
  finish() {
    const opset = new Message().string(1, '').integer(2, 14);
    return new Message()
      .integer(1, 7)
      .string(2, 'susurrus bench')
      .message(7, this.#graph)
      .message(8, opset).chunks;
  }
}
