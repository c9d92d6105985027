// ONNX files, put together node by node: what scripts/random_april.mjs makes its networks of.

const floatType = 1;
export const integerType = 7;

// Protobuf: varints, and fields of numbers, texts and messages.

function varint(value) {
  const bytes = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}
const numberField = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const lengthField = (field, length) => Buffer.concat([varint(field * 8 + 2), varint(length)]);
function bytesField(field, ...parts) {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([lengthField(field, bytes.length), bytes]);
}

export const integerAttribute = (name, value) =>
  bytesField(5, bytesField(1, name), numberField(3, value), numberField(20, 2));
export const listAttribute = (name, values) =>
  bytesField(
    5,
    bytesField(1, name),
    ...values.map((value) => numberField(8, value)),
    numberField(20, 7),
  );

export function valueInfo(field, name, dims, type = floatType) {
  const shape = dims.map((dim) => bytesField(1, numberField(1, dim)));
  return bytesField(
    field,
    bytesField(1, name),
    bytesField(2, bytesField(1, numberField(1, type), bytesField(2, ...shape))),
  );
}

/** A network that is put together node by node; weights are only listed. */
export class OnnxNetwork {
  nodes = [];
  weights = [];
  inputs = [];
  outputs = [];
  #count = 0;

  /** Returns the name of its output, or the names if there are several. */
  node(op, inputs, attributes = [], outputs = [`${op}_${this.#count++}`]) {
    this.nodes.push(
      bytesField(
        1,
        ...inputs.map((name) => bytesField(1, name)),
        ...outputs.map((name) => bytesField(2, name)),
        bytesField(3, outputs[0]),
        bytesField(4, op),
        ...attributes,
      ),
    );
    return outputs.length === 1 ? outputs[0] : outputs;
  }

  /** Uniform around `middle`, with this deviation. */
  weight(dims, deviation, middle = 0) {
    const name = `weight_${this.weights.length}`;
    this.weights.push({ name, dims, deviation, middle });
    return name;
  }

  integers(values) {
    const name = `integers_${this.weights.length}`;
    this.weights.push({ name, dims: [values.length], values });
    return name;
  }

  constant(value) {
    return this.weight([1], 0, value);
  }

  linear(x, to, from) {
    const product = this.node('MatMul', [x, this.weight([from, to], 1 / Math.sqrt(from))]);
    return this.node('Add', [product, this.weight([to], 0.05)]);
  }

  /** x · sigmoid(x − 1) */
  doubleSwish(x) {
    const gate = this.node('Sigmoid', [this.node('Sub', [x, this.constant(1)])]);
    return this.node('Mul', [x, gate]);
  }

  basicNorm(x) {
    const square = this.node('Pow', [x, this.constant(2)]);
    const mean = this.node('ReduceMean', [square], [listAttribute('axes', [2])]);
    const scale = this.node('Pow', [
      this.node('Add', [mean, this.constant(0.25)]),
      this.constant(-0.5),
    ]);
    return this.node('Mul', [x, scale]);
  }

  /** The bytes in front of each weight's elements, and behind the last one's. */
  parts() {
    const tensors = this.weights.map(({ name, dims, values }) => {
      const fields = Buffer.concat([
        ...dims.map((dim) => numberField(1, dim)),
        numberField(2, values ? integerType : floatType),
        bytesField(8, name),
      ]);
      const length = dims.reduce((product, dim) => product * dim, values ? 8 : 4);
      const head = Buffer.concat([fields, lengthField(9, length)]);
      return { head: Buffer.concat([lengthField(5, head.length + length), head]), length };
    });
    const front = Buffer.concat([...this.nodes, bytesField(2, 'network')]);
    const values = Buffer.concat([...this.inputs, ...this.outputs]);
    const graphLength = tensors.reduce(
      (sum, { head, length }) => sum + head.length + length,
      front.length + values.length,
    );
    const begin = Buffer.concat([numberField(1, 6), lengthField(7, graphLength), front]);
    const end = Buffer.concat([values, bytesField(8, bytesField(1, ''), numberField(2, 11))]);
    return {
      begin,
      tensors,
      end,
      byteCount: begin.length + graphLength - front.length + end.length - values.length,
    };
  }
}
