// Writes .april files and the ONNX networks in them, from the description of the formats alone.
import { i32, joined, u32, u64, u8, type Part } from './little_endian.js';

export interface OnnxEnd {
  readonly name: string;
  readonly shape: readonly number[];
  /** 1 f32, 7 i64. */
  readonly type?: number;
}

function varint(value: number): Uint8Array {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Uint8Array.of(...bytes, value);
}
const number = (field: number, value: number): Part => [varint(field * 8), varint(value)];
function message(field: number, ...parts: readonly Part[]): Part {
  const bytes = joined(...parts);
  return [varint(field * 8 + 2), varint(bytes.length), bytes];
}

const end = (field: number, { name, shape, type = 1 }: OnnxEnd): Part => {
  const dims = shape.map((size) => message(1, number(1, size)));
  return message(
    field,
    message(1, name),
    message(2, message(1, number(1, type), message(2, ...dims))),
  );
};

export function onnx(
  operators: readonly string[],
  inputs: readonly OnnxEnd[],
  outputs: readonly OnnxEnd[],
): Uint8Array {
  return joined(
    number(1, 6),
    message(
      7,
      ...operators.map((name) => message(1, message(4, name))),
      message(5, number(1, 2), number(2, 1), message(8, 'weight'), message(9, new Uint8Array(8))),
      ...inputs.map((value) => end(11, value)),
      ...outputs.map((value) => end(12, value)),
    ),
    message(8, number(2, 11)),
  );
}

export interface AprilFile {
  readonly language: string;
  readonly name: string;
  readonly description: string;
  readonly params: readonly number[];
  readonly tokens: readonly string[];
  readonly networks: readonly Uint8Array[];
}

export const smallApril: AprilFile = {
  language: 'pl',
  name: 'Mały model',
  description: 'Three networks that compute nothing',
  params: [1, 9, 4, 80, 16000, 10, 25, 1, 20, 0, 0, 3, 0],
  tokens: ['<blk>', ' a', 'ż'],
  networks: [
    onnx(
      ['MatMul', 'Add', 'MatMul'],
      [
        { name: 'x', shape: [1, 9, 80] },
        { name: 'h', shape: [2, 1, 8] },
        { name: 'c', shape: [2, 1, 16] },
      ],
      [
        { name: 'encoder_out', shape: [1, 1, 8] },
        { name: 'next_h', shape: [2, 1, 8] },
        { name: 'next_c', shape: [2, 1, 16] },
      ],
    ),
    onnx(
      ['Gather', 'Conv', 'Relu'],
      [{ name: 'context', shape: [1, 2], type: 7 }],
      [{ name: 'decoder_out', shape: [1, 1, 8] }],
    ),
    onnx(
      ['Add', 'Tanh', 'Gemm'],
      [
        { name: 'encoder_out', shape: [1, 1, 8] },
        { name: 'decoder_out', shape: [1, 1, 8] },
      ],
      [{ name: 'logits', shape: [1, 1, 3] }],
    ),
  ],
};

export function writeApril(file: AprilFile): Uint8Array {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const name = bytesOf(file.name);
  const description = bytesOf(file.description);
  const params = joined(
    'PARAMS',
    u8(0),
    u8(0),
    ...file.params.map(i32),
    ...file.tokens.map((token) => [i32(bytesOf(token).length), token]),
  );
  const headerSize = 100 + name.length + description.length;
  let offset = 20 + headerSize;
  const entries = [...file.networks, params].map((part) => {
    const entry = joined(u64(offset), u64(part.length));
    offset += part.length;
    return entry;
  });
  return joined(
    'APRILMDL',
    u32(1),
    u64(headerSize),
    bytesOf(file.language.padEnd(8, '\0')),
    u64(name.length),
    name,
    u64(description.length),
    description,
    u32(1),
    entries[3] ?? '',
    u64(3),
    entries.slice(0, 3),
    file.networks,
    params,
  );
}
