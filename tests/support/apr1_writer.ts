// An APR1 writer in TypeScript for the layouts of that name, made from src/container/apr1/FORMAT.md alone: what it writes and
// what the engine reads must agree. Every field can be set wrong.
import { ByteList, crc32 } from './apr2_writer.js';
import { lz4Stream } from './lz4_blocks.js';
import { tinyDims, tinyMetadata, tinyWhisper, type WhisperDims } from './tiny_whisper.js';

export interface Apr1Tensor {
  readonly name: string | Uint8Array;
  readonly dims: readonly number[];
  readonly stored: Uint8Array;
  readonly scale?: number;
  /** Where they shall not be what follows from the data. */
  readonly offset?: number | bigint;
  readonly size?: number | bigint;
  readonly elementCount?: number | bigint;
  readonly rank?: number;
}

export interface Apr1File {
  /** The layout behind the magic `APR\0`. */
  readonly padded?: boolean;
  readonly version?: number;
  readonly modelType?: number;
  readonly quantization?: number;
  readonly compressed?: number;
  readonly tensorCount?: number;
  /** Besides those of the sections. */
  readonly flags?: number;
  readonly dims: WhisperDims;
  readonly tensors: readonly Apr1Tensor[];
  /** With their size fields. */
  readonly vocabulary?: Uint8Array | undefined;
  readonly filterbank?: Uint8Array | undefined;
  /** Between the last section and the checksum. */
  readonly gap?: Uint8Array;
  /** Bytes by their offset, before the checksum. */
  readonly patch?: Readonly<Record<number, number>>;
}

const elements = (dims: readonly number[]): number => dims.reduce((all, dim) => all * dim, 1);

const padded = (bytes: Uint8Array, length: number): Uint8Array => {
  const all = new Uint8Array(Math.max(length, bytes.length));
  all.set(bytes);
  return all;
};

export const withCrc = (body: Uint8Array): Uint8Array =>
  new ByteList().bytes(body).u32(crc32(body)).done();

function writeHeader(file: Apr1File): ByteList {
  const { dims } = file;
  const flags = (file.vocabulary ? 1 : 0) | (file.filterbank ? 2 : 0) | (file.flags ?? 0);
  const header = new ByteList()
    .text(file.padded ? 'APR\0' : 'APR1')
    .u16(file.version ?? (file.padded ? 2 : 1))
    .u8(file.modelType ?? 0)
    .u8(file.quantization ?? 0)
    .u8(file.compressed ?? 0)
    .u16(file.tensorCount ?? file.tensors.length)
    .u8(flags)
    .u32(dims.n_vocab)
    .u32(dims.n_audio_ctx)
    .u32(dims.n_audio_state)
    .u32(dims.n_audio_head)
    .u32(dims.n_audio_layer)
    .u32(dims.n_text_ctx)
    .u32(dims.n_text_state)
    .u32(dims.n_text_head)
    .u32(dims.n_text_layer)
    .u32(dims.n_mels);
  return file.padded ? header.bytes(new Uint8Array(16)) : header;
}

export function writeApr1(file: Apr1File): Uint8Array {
  const out = writeHeader(file);
  let next = 0;
  for (const tensor of file.tensors) {
    const name =
      typeof tensor.name === 'string' ? new TextEncoder().encode(tensor.name) : tensor.name;
    out
      .bytes(padded(name, 48))
      .u64(tensor.offset ?? next)
      .u64(tensor.size ?? tensor.stored.length)
      .u64(tensor.elementCount ?? elements(tensor.dims));
    for (let axis = 0; axis < 4; ++axis) out.u32(tensor.dims[axis] ?? 0);
    out.u8(tensor.rank ?? tensor.dims.length).bytes(new Uint8Array(7));
    next += tensor.stored.length;
  }
  if (file.quantization === 2) {
    for (const { scale = 1 } of file.tensors) {
      out.bytes(new Uint8Array(Float32Array.of(scale).buffer));
    }
  }
  for (const { stored } of file.tensors) out.bytes(stored);
  const none = new Uint8Array();
  const body = out
    .bytes(file.vocabulary ?? none)
    .bytes(file.filterbank ?? none)
    .bytes(file.gap ?? none)
    .done();
  for (const [offset, value] of Object.entries(file.patch ?? {})) body[Number(offset)] = value;
  return withCrc(body);
}

type Bytes = Uint8Array;

/** A vocabulary section, merges as pairs of tokens. */
export function vocabularySection(
  tokens: readonly Bytes[],
  merges: readonly (readonly [Bytes, Bytes])[] = [],
): Uint8Array {
  const inner = new ByteList().u32(tokens.length).u32(merges.length);
  for (const part of [...tokens, ...merges.flat()]) inner.u16(part.length).bytes(part);
  return new ByteList().u32(inner.length).bytes(inner.done()).done();
}

/** Rows of weights for 201 frequencies. */
export function filterbankSection(nMels: number, weights: Float32Array, nFreqs = 201): Uint8Array {
  return new ByteList()
    .u32(8 + 4 * weights.length)
    .u32(nMels)
    .u32(nFreqs)
    .bytes(new Uint8Array(weights.slice().buffer))
    .done();
}

/** The layout with JSON texts in front of f32 data. */
export function writeApr1Json(
  metadata: unknown,
  tensors: readonly Apr1Tensor[],
  change: { readonly index?: unknown; readonly count?: number } = {},
): Uint8Array {
  const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  let offset = 0;
  const index = tensors.map(({ name, dims, stored }) => {
    const entry = { name, dtype: 'F32', shape: dims, offset, size: stored.length };
    offset += stored.length;
    return entry;
  });
  const head = text(metadata);
  const list = text(change.index ?? index);
  const out = new ByteList()
    .text('APR1')
    .u32(head.length)
    .bytes(head)
    .u32(change.count ?? tensors.length)
    .u32(list.length)
    .bytes(list);
  for (const { stored } of tensors) out.bytes(stored);
  return withCrc(out.done());
}

/** GPT-2's printable stand-ins, read back. */
function bytesOfText(text: string): Uint8Array {
  const isPlain = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  const bytes = new Map<number, number>();
  for (let byte = 0; byte < 256; ++byte) bytes.set(isPlain(byte) ? byte : next++, byte);
  return Uint8Array.from(text, (char) => bytes.get(char.codePointAt(0)!)!);
}

export const tinyTokens: readonly Uint8Array[] = tinyMetadata.vocab.map(bytesOfText);

/** The value of an element times 127 over the largest, as the first writers of int8 rounded. */
function integers(values: Float32Array): { stored: Uint8Array; scale: number } {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest === 0 ? 1 : Math.fround(largest / 127);
  const q = Int8Array.from(
    values,
    (value) => Math.sign(value) * Math.round(Math.abs(value) / scale),
  );
  return { stored: new Uint8Array(q.buffer), scale };
}

/** Halves of multiples of 1/16 below 1, which are exact. */
function halves(values: Float32Array): Uint8Array {
  const bits = Uint16Array.from(values, (value) => {
    if (value === 0) return 0;
    const exponent = Math.floor(Math.log2(Math.abs(value)));
    const mantissa = (Math.abs(value) / 2 ** exponent - 1) * 1024;
    return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | mantissa;
  });
  return new Uint8Array(bits.buffer);
}

/** The smallest Whisper's tensors as f32 (0), f16 (1) or int8 (2). */
export function tinyApr1Tensors(quantization = 0): Apr1Tensor[] {
  return tinyWhisper().tensors.map(({ name, dims, stored }) => {
    const values = new Float32Array(stored.slice().buffer);
    const tensor = { name, dims: dims.map(Number) };
    if (quantization === 2) return { ...tensor, ...integers(values) };
    return { ...tensor, stored: quantization === 1 ? halves(values) : stored };
  });
}

/** The smallest Whisper in APR1. */
export function tinyApr1(quantization = 0, compress = false): Apr1File {
  const tensors = tinyApr1Tensors(quantization);
  return {
    quantization,
    compressed: compress ? 1 : 0,
    dims: tinyDims,
    tensors: compress
      ? tensors.map((tensor) => ({ ...tensor, stored: lz4Stream(tensor.stored) }))
      : tensors,
    vocabulary: vocabularySection(tinyTokens),
  };
}
