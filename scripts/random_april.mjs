// Writes an .april file of random weights with the dimensions and operators of the published models: exact work, no sense. For
// benchmarks, and tests of what large files take.
//
//   node scripts/random_april.mjs FILE.april [--layers 12] [--hidden 1024] [--projection 512] [--tokens 500] [--seed N]
//
// A seed always gives the same bytes. Weights are written one by one, so memory is limited to the largest.
import { closeSync, openSync, writeSync } from 'node:fs';
import {
  integerAttribute,
  integerType,
  listAttribute,
  OnnxNetwork,
  valueInfo,
} from './onnx_network.mjs';
import { randomSource } from './random_model.mjs';
import { integerOption, isProgram, main, readArguments, StepError } from './toolchain/steps.mjs';

const segmentSize = 9;
const bands = 80;
const contextSize = 2;

function encoderNetwork({ layers, hidden, projection }) {
  const network = new OnnxNetwork();
  const add = (...names) => names.reduce((sum, name) => network.node('Add', [sum, name]));
  // Subsampling: 9 frames of 80 bands become one vector.
  let x = network.node('Unsqueeze', ['x'], [listAttribute('axes', [1])]);
  for (const [from, to, stride] of [
    [1, 8, 1],
    [8, 32, 2],
    [32, 128, 2],
  ]) {
    x = network.node(
      'Conv',
      [x, network.weight([to, from, 3, 3], 1 / Math.sqrt(9 * from)), network.weight([to], 0.05)],
      [listAttribute('kernel_shape', [3, 3]), listAttribute('strides', [stride, stride])],
    );
    x = network.doubleSwish(x);
  }
  // 80 bands become 78, 38, 18.
  const columns = 128 * 18;
  x = network.node('Transpose', [x], [listAttribute('perm', [0, 2, 1, 3])]);
  x = network.node('Reshape', [x, network.integers([1, 1, columns])]);
  x = network.basicNorm(network.linear(x, projection, columns));

  const states = { h: [], c: [] };
  const layerOf = (name, layer) =>
    network.node('Slice', [
      name,
      network.integers([layer]),
      network.integers([layer + 1]),
      network.integers([0]),
    ]);
  for (let layer = 0; layer < layers; ++layer) {
    const gates = add(
      network.linear(x, 4 * hidden, projection),
      network.linear(layerOf('h', layer), 4 * hidden, projection),
    );
    const [input, forget, cell, output] = network.node(
      'Split',
      [gates],
      [integerAttribute('axis', 2)],
      ['i', 'f', 'g', 'o'].map((gate) => `${gate}_${layer}`),
    );
    const kept = network.node('Mul', [network.node('Sigmoid', [forget]), layerOf('c', layer)]);
    const added = network.node('Mul', [
      network.node('Sigmoid', [input]),
      network.node('Tanh', [cell]),
    ]);
    const c = add(kept, added);
    const spoken = network.node('Mul', [
      network.node('Sigmoid', [output]),
      network.node('Tanh', [c]),
    ]);
    const h = network.node('MatMul', [
      spoken,
      network.weight([hidden, projection], 1 / Math.sqrt(hidden)),
    ]);
    states.h.push(h);
    states.c.push(c);
    const y = add(x, h);
    const wide = network.doubleSwish(network.linear(y, 4 * projection, projection));
    x = network.basicNorm(add(y, network.linear(wide, projection, 4 * projection)));
  }
  network.node(
    'Add',
    [
      network.node('MatMul', [
        x,
        network.weight([projection, projection], 1 / Math.sqrt(projection)),
      ]),
      network.weight([projection], 0.05),
    ],
    [],
    ['encoder_out'],
  );
  for (const [state, width] of [
    ['h', projection],
    ['c', hidden],
  ]) {
    network.node('Concat', states[state], [integerAttribute('axis', 0)], [`next_${state}`]);
    network.inputs.push(valueInfo(11, state, [layers, 1, width]));
    network.outputs.push(valueInfo(12, `next_${state}`, [layers, 1, width]));
  }
  network.inputs.unshift(valueInfo(11, 'x', [1, segmentSize, bands]));
  network.outputs.unshift(valueInfo(12, 'encoder_out', [1, 1, projection]));
  return network;
}

function decoderNetwork({ projection, tokens }) {
  const network = new OnnxNetwork();
  const rows = network.node('Gather', [network.weight([tokens, projection], 1), 'context']);
  const turned = network.node('Transpose', [rows], [listAttribute('perm', [0, 2, 1])]);
  const mixed = network.node(
    'Conv',
    [turned, network.weight([projection, 1, contextSize], 0.7)],
    [listAttribute('kernel_shape', [contextSize]), integerAttribute('group', projection)],
  );
  const back = network.node(
    'Transpose',
    [network.node('Relu', [mixed])],
    [listAttribute('perm', [0, 2, 1])],
  );
  const product = network.node('MatMul', [
    back,
    network.weight([projection, projection], 1 / Math.sqrt(projection)),
  ]);
  network.node('Add', [product, network.weight([projection], 0.05)], [], ['decoder_out']);
  network.inputs.push(valueInfo(11, 'context', [1, contextSize], integerType));
  network.outputs.push(valueInfo(12, 'decoder_out', [1, 1, projection]));
  return network;
}

function joinerNetwork({ projection, tokens }) {
  const network = new OnnxNetwork();
  const sum = network.node('Tanh', [network.node('Add', ['encoder_out', 'decoder_out'])]);
  const product = network.node('MatMul', [
    sum,
    network.weight([projection, tokens], 1 / Math.sqrt(projection)),
  ]);
  network.node('Add', [product, network.weight([tokens], 0.05)], [], ['logits']);
  for (const name of ['encoder_out', 'decoder_out']) {
    network.inputs.push(valueInfo(11, name, [1, 1, projection]));
  }
  network.outputs.push(valueInfo(12, 'logits', [1, 1, tokens]));
  return network;
}

function paramsBytes(tokens) {
  const numbers = [1, segmentSize, 4, bands, 16000, 10, 25, 1, 20, 0, 0, tokens, 0];
  const bytes = [Buffer.from('PARAMS\0\0'), Buffer.from(Int32Array.from(numbers).buffer)];
  for (let token = 0; token < tokens; ++token) {
    const text = Buffer.from(token === 0 ? '<blk>' : `${token % 3 === 0 ? ' ' : ''}t${token}`);
    bytes.push(Buffer.from(Int32Array.of(text.length).buffer), text);
  }
  return Buffer.concat(bytes);
}

function headerBytes(networks, paramsLength) {
  const text = (value) => [
    Buffer.from(BigUint64Array.of(BigInt(value.length)).buffer),
    Buffer.from(value),
  ];
  const texts = [Buffer.from('en\0\0\0\0\0\0'), ...text('random'), ...text('random weights')];
  const headerLength =
    texts.reduce((sum, part) => sum + part.length, 0) + 4 + 16 + 8 + 16 * networks.length;
  const words = (...values) => Buffer.from(BigUint64Array.from(values, BigInt).buffer);
  let at = 20 + headerLength;
  const entries = networks.map(({ byteCount }) => {
    const entry = words(at, byteCount);
    at += byteCount;
    return entry;
  });
  return Buffer.concat([
    Buffer.from('APRILMDL'),
    Buffer.from(Uint32Array.of(1).buffer),
    words(headerLength),
    ...texts,
    Buffer.from(Uint32Array.of(1).buffer),
    words(at, paramsLength, networks.length),
    ...entries,
  ]);
}

function elementsOf({ dims, deviation, middle, values }, random) {
  if (values) return Buffer.from(BigInt64Array.from(values, BigInt).buffer);
  const elements = new Float32Array(dims.reduce((product, dim) => product * dim));
  const width = deviation * Math.sqrt(3);
  for (let i = 0; i < elements.length; ++i) elements[i] = middle + width * random();
  return Buffer.from(elements.buffer);
}

/**
 * Dimensions of the published models unless they are given.
 * @param {string} path
 */
export function writeRandomApril(
  path,
  { layers = 12, hidden = 1024, projection = 512, tokens = 500, seed = 1 } = {},
) {
  const dims = { layers, hidden, projection, tokens };
  const networks = [encoderNetwork(dims), decoderNetwork(dims), joinerNetwork(dims)];
  const parts = networks.map((network) => network.parts());
  const params = paramsBytes(tokens);
  const random = randomSource(seed);
  const file = openSync(path, 'w');
  const write = (bytes) => {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  };
  write(headerBytes(parts, params.length));
  for (const [i, { begin, tensors, end }] of parts.entries()) {
    write(begin);
    for (const [j, { head }] of tensors.entries()) {
      write(head);
      write(elementsOf(networks[i].weights[j], random));
    }
    write(end);
  }
  write(params);
  closeSync(file);
}

if (isProgram(import.meta)) {
  await main(() => {
    const number = { type: 'string' };
    const { values, positionals } = readArguments({
      allowPositionals: true,
      options: { layers: number, hidden: number, projection: number, tokens: number, seed: number },
    });
    if (positionals.length !== 1) {
      throw new StepError(
        'No file is named.',
        'Usage: node scripts/random_april.mjs FILE.april [--layers N] [--hidden N] [--projection N] [--tokens N] [--seed N]',
      );
    }
    const most = { layers: 64, hidden: 4096, projection: 4096, tokens: 16383, seed: 2 ** 31 };
    const options = Object.fromEntries(
      Object.entries(most).map(([name, limit]) => [
        name,
        integerOption(name, values[name], 1, limit),
      ]),
    );
    writeRandomApril(positionals[0], options);
  });
}
