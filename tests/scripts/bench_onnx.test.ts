import { describe, expect, test } from '@jest/globals';
import { OnnxGraph } from '../../scripts/bench/onnx/graph.mjs';
import { Message } from '../../scripts/bench/onnx/protobuf.mjs';
import {
  encoderNetwork,
  promptNetwork,
  quantised,
  stepNetwork,
} from '../../scripts/bench/onnx/whisper.mjs';

const bytesOf = (chunks: readonly Uint8Array[]): Buffer => Buffer.concat(chunks);

/** Fields of an encoded message: numbers, or bytes. */
function fields(bytes: Buffer): [number, bigint | Buffer][] {
  const found: [number, bigint | Buffer][] = [];
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    if ((tag & 7) === 0) {
      found.push([tag >> 3, varint()]);
    } else {
      const length = (tag & 7) === 5 ? 4 : Number(varint());
      found.push([tag >> 3, bytes.subarray(at, (at += length))]);
    }
  }
  return found;
}
const all = (message: [number, bigint | Buffer][], field: number): Buffer[] =>
  message.filter(([number]) => number === field).map(([, value]) => value as Buffer);
const texts = (message: [number, bigint | Buffer][], field: number): string[] =>
  all(message, field).map(String);

describe('protocol buffers', () => {
  test('are encoded as their specification shows', () => {
    const hex = (message: Message): string => bytesOf(message.chunks).toString('hex');
    expect(hex(new Message().integer(1, 150))).toBe('089601');
    expect(hex(new Message().string(2, 'testing'))).toBe('120774657374696e67');
    expect(hex(new Message().message(3, new Message().integer(1, 150)))).toBe('1a03089601');
    expect(hex(new Message().integer(1, -1))).toBe('08ffffffffffffffffff01');
    expect(hex(new Message().float(16, 1))).toBe('85010000803f');
  });
});

describe('ONNX', () => {
  test('constants must have as many values as their shape says', () => {
    const graph = new OnnxGraph('test');
    const make = () => ({ dims: [2, 3], values: new Float32Array(5) });
    expect(() => graph.constant('x', make)).toThrow(RangeError);
  });

  test('int8 weights have one scale, the largest value is 127', () => {
    const { scale, values } = quantised(Float32Array.of(-2, 1, 0.004));
    expect(scale).toBeCloseTo(2 / 127);
    expect(Array.from(values)).toEqual([-127, 64, 0]);
  });

  const dims = {
    ...{ nVocab: 40, nAudioCtx: 6, nTextCtx: 16, nMels: 4 },
    ...{ nAudioLayer: 2, nTextLayer: 3, nAudioState: 64, nTextState: 64 },
  };
  /** The hub's shapes, and no other name. */
  const shapes: [RegExp, number[]][] = [
    [/^encoder\.conv1\.weight$/, [64, 4, 3]],
    [/^encoder\.conv2\.weight$/, [64, 64, 3]],
    [/^encoder\.embed_positions\.weight$/, [6, 64]],
    [/^decoder\.embed_positions\.weight$/, [16, 64]],
    [/^decoder\.embed_tokens\.weight$/, [40, 64]],
    [/\.fc1\.weight$/, [256, 64]],
    [/\.fc1\.bias$/, [256]],
    [/\.fc2\.weight$/, [64, 256]],
    [/^\w+\.layers\.\d\.(self|encoder)_attn\.[qkv]_proj\.weight$/, [64, 64]],
    [/^\w+\.layers\.\d\.(self|encoder)_attn\.out_proj\.weight$/, [64, 64]],
    [/norm\.(weight|bias)$|conv\d\.bias$|fc2\.bias$|[qv]_proj\.bias$|out_proj\.bias$/, [64]],
  ];
  const tensor = (name: string) => {
    const shape = shapes.find(([pattern]) => pattern.test(name))?.[1];
    if (!shape) throw new Error(`There is no tensor ${name}.`);
    const count = shape.reduce((product, side) => product * side, 1);
    return { shape, values: new Float32Array(count).fill(0.5) };
  };
  const caches = (kind: string): string[] =>
    [0, 1, 2].flatMap((layer) => [`${kind}.${layer}.key`, `${kind}.${layer}.value`]);
  const networks = {
    encoder: { make: encoderNetwork, inputs: ['mel'], outputs: ['states'], products: 12 },
    prompt: {
      ...{ make: promptNetwork, inputs: ['tokens', 'states'], products: 31 },
      outputs: ['logits', ...caches('self'), ...caches('cross')],
    },
    step: {
      ...{ make: stepNetwork, outputs: ['logits', ...caches('self')], products: 25 },
      inputs: ['tokens', 'position', ...caches('past'), ...caches('cross')],
    },
  };

  describe.each(Object.entries(networks))('%s', (_, { make, inputs, outputs, products }) => {
    test.each(['fp32', 'int8'] as const)('in %s is well formed', (precision) => {
      const model = fields(bytesOf(make(tensor, dims, precision)));
      const [opset] = all(model, 8).map(fields);
      expect(opset).toContainEqual([2, 14n]);
      const graph = fields(all(model, 7)[0] ?? Buffer.alloc(0));
      const named = (field: number): string[] =>
        all(graph, field).flatMap((info) => texts(fields(info), 1));
      expect(named(11).sort()).toEqual([...inputs].sort());
      expect(named(12).sort()).toEqual([...outputs].sort());

      const bytesEach = new Map([1, 3, 7].map((type, i) => [BigInt(type), [4, 1, 8][i] ?? 0]));
      const known = new Set(inputs);
      for (const initialiser of all(graph, 5).map(fields)) {
        const sides = initialiser.filter(([field]) => field === 1).map(([, side]) => Number(side));
        const type = initialiser.find(([field]) => field === 2)?.[1] as bigint;
        const count = sides.reduce((product, side) => product * side, 1);
        expect(all(initialiser, 9)[0]).toHaveLength(count * (bytesEach.get(type) ?? NaN));
        known.add(texts(initialiser, 8)[0] ?? '');
      }
      const constants = new Set(known);
      inputs.forEach((input) => constants.delete(input));

      // Nodes use what came before them, and name everything once.
      let withWeights = 0;
      for (const node of all(graph, 1).map(fields)) {
        const used = texts(node, 1);
        for (const name of used) expect(known).toContain(name);
        for (const name of texts(node, 2)) {
          expect(known).not.toContain(name);
          known.add(name);
        }
        const [operator = ''] = texts(node, 4);
        const isProduct = precision === 'int8' ? 'MatMulInteger' : 'MatMul';
        if (operator === isProduct && constants.has(used[1] ?? '')) ++withWeights;
        else expect(['MatMulInteger'].includes(operator)).toBe(false);
        if (precision === 'int8' && operator === 'MatMul') {
          expect(constants).not.toContain(used[1]);
        }
      }
      expect(withWeights).toBe(products);
      for (const output of outputs) expect(known).toContain(output);
    });
  });
});
