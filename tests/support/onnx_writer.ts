// ONNX files written from the published protobuf schema, independently of the core.
import type { TensorData, TensorType } from '../../web/src/api/types.js';

export interface GraphTensor {
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export type OnnxAttribute =
  | number
  | string
  | readonly number[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly tensor: GraphTensor }
  | { readonly graph: OnnxGraph };

export interface OnnxNode {
  readonly op: string;
  readonly name?: string;
  /** Empty where left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
}

export interface OnnxInput {
  readonly name: string;
  readonly type: TensorType;
  /** A text is the name of an open dimension; without a shape any rank is taken. */
  readonly shape?: readonly (number | string)[];
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly inputs?: readonly OnnxInput[];
  readonly outputs: readonly string[];
  readonly initializers?: Readonly<Record<string, GraphTensor>>;
  /** Elements as lists of numbers rather than as bytes. */
  readonly hasTypedLists?: boolean;
}

const dataTypes: Readonly<Record<TensorType, number>> = {
  f32: 1,
  u8: 2,
  i8: 3,
  u16: 4,
  i16: 5,
  i32: 6,
  i64: 7,
  bool: 9,
  f16: 10,
  f64: 11,
  u32: 12,
  u64: 13,
};
export const onnxDataType = (type: TensorType): number => dataTypes[type];

/** The list that holds elements of a type when they are not bytes: its field, and how wide each is (0: varint). */
function listOf(type: TensorType): { field: number; width: 0 | 4 | 8 } {
  if (type === 'f32') return { field: 4, width: 4 };
  if (type === 'f64') return { field: 10, width: 8 };
  if (type === 'i64') return { field: 7, width: 0 };
  if (type === 'u64' || type === 'u32') return { field: 11, width: 0 };
  return { field: 5, width: 0 };
}

class Message {
  readonly #bytes: number[] = [];

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
  /** Negative numbers as 64 bits, as protobuf has them. */
  varint(value: number | bigint): this {
    let left = BigInt.asUintN(64, BigInt(value));
    for (; left >= 0x80n; left >>= 7n) this.#bytes.push(Number(left & 0x7fn) | 0x80);
    this.#bytes.push(Number(left));
    return this;
  }
  integer(field: number, value: number | bigint): this {
    return this.varint(field << 3).varint(value);
  }
  float(field: number, value: number): this {
    this.varint((field << 3) | 5);
    this.#bytes.push(...new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }
  raw(field: number, bytes: Uint8Array): this {
    this.varint((field << 3) | 2).varint(bytes.length);
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }
  text(field: number, content: string): this {
    return this.raw(field, new TextEncoder().encode(content));
  }
  message(field: number, content: Message): this {
    return this.raw(field, content.bytes);
  }
}

const bytesOf = ({ data }: GraphTensor): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function tensorMessage(tensor: GraphTensor, name: string, hasTypedLists: boolean): Message {
  const message = new Message();
  for (const dim of tensor.shape) message.integer(1, dim);
  message.integer(2, dataTypes[tensor.type]);
  if (name) message.text(8, name);
  if (!hasTypedLists) return message.raw(9, bytesOf(tensor));
  const { field, width } = listOf(tensor.type);
  if (width > 0) return message.raw(field, bytesOf(tensor));
  const list = new Message();
  for (const value of tensor.data) list.varint(value);
  return message.raw(field, list.bytes);
}

function attributeMessage(name: string, value: OnnxAttribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.integer(3, value).integer(20, 2);
  if (typeof value === 'string') return message.text(4, value).integer(20, 3);
  if ('float' in value) return message.float(2, value.float).integer(20, 1);
  if ('tensor' in value) {
    return message.message(5, tensorMessage(value.tensor, '', false)).integer(20, 4);
  }
  if ('graph' in value) return message.message(6, graphMessage(value.graph)).integer(20, 5);
  if ('floats' in value) {
    for (const number of value.floats) message.float(7, number);
    return message.integer(20, 6);
  }
  for (const number of value) message.integer(8, number);
  return message.integer(20, 7);
}

function nodeMessage(node: OnnxNode): Message {
  const message = new Message();
  for (const input of node.inputs) message.text(1, input);
  for (const output of node.outputs) message.text(2, output);
  if (node.name !== undefined) message.text(3, node.name);
  message.text(4, node.op);
  for (const [name, value] of Object.entries(node.attributes ?? {})) {
    message.message(5, attributeMessage(name, value));
  }
  return message;
}

function inputMessage({ name, type, shape }: OnnxInput): Message {
  const tensor = new Message().integer(1, dataTypes[type]);
  if (shape) {
    const dims = new Message();
    for (const dim of shape) {
      const one = new Message();
      dims.message(1, typeof dim === 'string' ? one.text(2, dim) : one.integer(1, dim));
    }
    tensor.message(2, dims);
  }
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

function graphMessage(graph: OnnxGraph): Message {
  const message = new Message();
  for (const node of graph.nodes) message.message(1, nodeMessage(node));
  message.text(2, 'graph');
  for (const [name, tensor] of Object.entries(graph.initializers ?? {})) {
    message.message(5, tensorMessage(tensor, name, graph.hasTypedLists ?? false));
  }
  for (const input of graph.inputs ?? []) message.message(11, inputMessage(input));
  for (const output of graph.outputs) message.message(12, new Message().text(1, output));
  return message;
}

/** A whole file. */
export function writeOnnx(graph: OnnxGraph, opset = 17): Uint8Array {
  return new Message()
    .integer(1, 8)
    .message(7, graphMessage(graph))
    .message(8, new Message().text(1, '').integer(2, opset)).bytes;
}
