// An APR2 writer in TypeScript, made from FORMAT.md alone: what it writes and what the engine reads must agree. Every
// field can be set wrong.
import { joined } from '../../web/src/api/joined.js';

export const flagBits = {
  compressed: 0x01,
  aligned64: 0x02,
  aligned32: 0x04,
  sharded: 0x08,
  encrypted: 0x10,
  signed: 0x20,
  quantized: 0x40,
  streaming: 0x80,
} as const;

export interface WrittenTensor {
  readonly name: string | Uint8Array;
  readonly dtype?: number;
  readonly dims: readonly (number | bigint)[];
  readonly stored: Uint8Array;
  readonly rawSize?: number;
  /** Which have no meaning. */
  readonly flags?: number;
  /** Where they shall not be what follows from the data. */
  readonly offset?: number | bigint;
  readonly size?: number | bigint;
}

export interface WrittenFile {
  readonly versionMajor?: number;
  readonly versionMinor?: number;
  readonly flags?: number;
  readonly metadata: unknown;
  readonly tensors: readonly WrittenTensor[];
  readonly reserved?: number;
  readonly tensorCount?: number;
  /** Behind the last entry, counted in index_size. */
  readonly indexTail?: Uint8Array;
  readonly padding?: number;
  /** Header fields by their byte offset, as u32. */
  readonly header?: Readonly<Record<number, number>>;
  /** Bytes between the last tensor and the footer. */
  readonly gapBytes?: number;
}

/** Little-endian numbers and bytes, appended. */
export class ByteList {
  private readonly parts: Uint8Array[] = [];
  length = 0;

  bytes(part: Uint8Array): this {
    this.parts.push(part);
    this.length += part.length;
    return this;
  }
  text(text: string): this {
    return this.bytes(new TextEncoder().encode(text));
  }
  u8(value: number): this {
    return this.bytes(Uint8Array.of(value));
  }
  u16(value: number): this {
    return this.bytes(Uint8Array.of(value & 0xff, value >> 8));
  }
  u32(value: number): this {
    const part = new Uint8Array(4);
    new DataView(part.buffer).setUint32(0, value, true);
    return this.bytes(part);
  }
  u64(value: number | bigint): this {
    const part = new Uint8Array(8);
    new DataView(part.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
    return this.bytes(part);
  }
  alignTo(alignment: number, fill = 0): this {
    const missing = (alignment - (this.length % alignment)) % alignment;
    return this.bytes(new Uint8Array(missing).fill(fill));
  }
  done(): Uint8Array {
    return joined(this.parts, Uint8Array);
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function writeIndex(file: WrittenFile): Uint8Array {
  const index = new ByteList().u32(file.tensorCount ?? file.tensors.length).u32(file.reserved ?? 0);
  let next = 0;
  for (const tensor of file.tensors) {
    const name =
      typeof tensor.name === 'string' ? new TextEncoder().encode(tensor.name) : tensor.name;
    index
      .u16(name.length)
      .bytes(name)
      .u8(tensor.dtype ?? 0)
      .u8(tensor.dims.length);
    for (const dim of tensor.dims) index.u64(dim);
    index
      .u64(tensor.offset ?? next)
      .u64(tensor.size ?? tensor.stored.length)
      .u64(tensor.rawSize ?? 0)
      .u32(tensor.flags ?? 0);
    next = Math.ceil((next + tensor.stored.length) / 64) * 64;
  }
  return index.bytes(file.indexTail ?? new Uint8Array()).done();
}

function metadataBytes(metadata: unknown): Uint8Array {
  if (metadata instanceof Uint8Array) return metadata;
  const text = typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  return new TextEncoder().encode(text);
}

export function writeApr2(file: WrittenFile): Uint8Array {
  const metadata = metadataBytes(file.metadata);
  const index = writeIndex(file);
  const indexOffset = 32 + metadata.length;
  const out = new ByteList()
    .text('APR2')
    .u16(file.versionMajor ?? 2)
    .u16(file.versionMinor ?? 0)
    .u32(file.flags ?? flagBits.aligned64)
    .u32(32)
    .u32(metadata.length)
    .u32(indexOffset)
    .u32(index.length)
    .u32(Math.ceil((indexOffset + index.length) / 64) * 64)
    .bytes(metadata)
    .bytes(index)
    .alignTo(64, file.padding);
  file.tensors.forEach((tensor, position) => {
    if (position > 0) out.alignTo(64, file.padding);
    out.bytes(tensor.stored);
  });
  const body = out.bytes(new Uint8Array(file.gapBytes ?? 0)).done();
  const view = new DataView(body.buffer);
  for (const [offset, value] of Object.entries(file.header ?? {})) {
    view.setUint32(Number(offset), value, true);
  }
  return withFooter(body);
}

/** `body` and its footer. */
export function withFooter(body: Uint8Array): Uint8Array {
  return new ByteList()
    .bytes(body)
    .u32(crc32(body))
    .text('2RPA')
    .u64(body.length + 16)
    .done();
}
