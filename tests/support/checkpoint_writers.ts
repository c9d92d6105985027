// Golden models as other programs store them: SafeTensors by three families of names, GGUF by two.
import { readRanks } from '../../scripts/hub_vocabulary.mjs';
import { goldenDims, goldenRanks, goldenTensors, type GoldenTensor } from './golden_tensors.js';
import { sharedJson, type GoldenModel } from './goldens.js';
import { halves } from './halves.js';
import { storedBytes, storedType, tensorTypes, type GgmlType } from './ggml_writer.js';

/** F16 SafeTensors, in this order. */
export const halfSafetensors = (tensors: readonly GoldenTensor[]): Uint8Array =>
  safetensorsFile(tensors, 'f16');

/** bf16 is the upper half of an f32's bits. */
const encoders = {
  f32: (values: Float32Array): Buffer => Buffer.from(values.slice().buffer),
  f16: (values: Float32Array): Buffer => Buffer.from(halves(values).buffer),
  bf16: (values: Float32Array): Buffer => {
    const bits = new Uint32Array(values.slice().buffer);
    const uppers = new Uint16Array(bits.length);
    for (let i = 0; i < bits.length; ++i) uppers[i] = bits[i]! >>> 16;
    return Buffer.from(uppers.buffer);
  },
};

/** SafeTensors in this order. */
export function safetensorsFile(
  tensors: readonly GoldenTensor[],
  dtype: keyof typeof encoders,
): Uint8Array {
  const header: Record<string, unknown> = {};
  const data = tensors.map(({ values }) => encoders[dtype](values));
  let offset = 0;
  for (const [i, { name, shape }] of tensors.entries()) {
    const end = offset + data[i]!.length;
    header[name] = { dtype: dtype.toUpperCase(), shape, data_offsets: [offset, end] };
    offset = end;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...data]);
}

let nameMap: Readonly<Record<string, string>> | undefined;

/** The hub's name for OpenAI's, by the list beside the goldens, which shows layer 0. */
export function hubName(name: string): string {
  const layer = /blocks\.(\d+)\./.exec(name)?.[1] ?? '0';
  nameMap ??= sharedJson('golden/models/name_map.json') as Record<string, string>;
  const first = nameMap[name.replace(/blocks\.\d+\./, 'blocks.0.')];
  if (first === undefined) throw new Error(`name_map.json has no ${name}`);
  return `model.${first.replace(/^model\./, '').replace('layers.0.', `layers.${layer}.`)}`;
}

export const hubTensors = (model: GoldenModel): GoldenTensor[] =>
  goldenTensors(model).map((tensor) => ({ ...tensor, name: hubName(tensor.name) }));

/** MLX keeps a convolution's channels last and its own names of the two layers of a block's MLP. */
export const mlxTensors = (model: GoldenModel): GoldenTensor[] =>
  goldenTensors(model).map((tensor) => {
    const name = tensor.name.replace('.mlp.0.', '.mlp1.').replace('.mlp.2.', '.mlp2.');
    const [out, channels, kernel] = tensor.shape;
    if (out === undefined || channels === undefined || kernel === undefined) {
      return { ...tensor, name };
    }
    const values = new Float32Array(tensor.values.length);
    for (let o = 0; o < out; ++o) {
      for (let c = 0; c < channels; ++c) {
        for (let k = 0; k < kernel; ++k) {
          values[(o * kernel + k) * channels + c] = tensor.values[(o * channels + c) * kernel + k]!;
        }
      }
    }
    return { name, shape: [out, kernel, channels], values };
  });

export interface GgufOptions {
  readonly type: GgmlType;
  readonly names: 'openai' | 'hub';
  /** Without keys: as candle writes it, which leaves even the positions of the encoder out. */
  readonly isBare?: boolean;
}

const alignment = 32;
const padding = (length: number): Uint8Array =>
  new Uint8Array((alignment - (length % alignment)) % alignment);

export function ggufFile(
  model: GoldenModel,
  { type, names, isBare = false }: GgufOptions,
): Uint8Array {
  const dims = goldenDims(model);
  const u32 = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);
  const u64 = (value: number): Uint8Array =>
    new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
  const text = (value: string): Uint8Array => {
    const bytes = Buffer.from(value);
    return Buffer.concat([u64(bytes.length), bytes]);
  };
  const number = (key: string, value: number): Uint8Array =>
    Buffer.concat([text(key), u32(4), u32(value)]);
  const tokens = readRanks(goldenRanks(model)).map(byteLevel);
  const keys = [
    Buffer.concat([text('general.architecture'), u32(8), text('whisper')]),
    number('whisper.encoder.attention.head_count', dims.n_audio_head),
    number('whisper.decoder.attention.head_count', dims.n_text_head),
    number('general.quantization_version', 2),
    Buffer.concat([
      ...[text('tokenizer.ggml.tokens'), u32(9), u32(8), u64(tokens.length)],
      ...tokens.map(text),
    ]),
  ];
  const written = isBare ? [] : keys;
  const tensors = goldenTensors(model);
  const index: Uint8Array[] = [];
  const data: Uint8Array[] = [];
  let offset = 0;
  for (const tensor of tensors) {
    const stored = storedType(tensor, type);
    const bytes = storedBytes(tensor.values, stored);
    index.push(
      text(names === 'hub' ? hubName(tensor.name) : tensor.name),
      u32(tensor.shape.length),
      ...[...tensor.shape].reverse().map(u64),
      u32(tensorTypes[stored]),
      u64(offset),
    );
    data.push(bytes, padding(bytes.length));
    offset += bytes.length + padding(bytes.length).length;
  }
  const front = Buffer.concat([
    ...[Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(written.length)],
    ...[...written, ...index],
  ]);
  return Buffer.concat([front, padding(front.length), ...data]);
}

/** GPT-2's printable stand-in for each byte. */
const standIns: readonly number[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
      ? byte
      : next++,
  );
})();

/** A token in GPT-2's printable writing; its input has one character per byte. */
const byteLevel = (token: string): string =>
  String.fromCharCode(...Array.from(token, (byte) => standIns[byte.charCodeAt(0)]!));
