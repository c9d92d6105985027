// APR2 through the core's reader (files.wasm): the layout of a file, footers, and CRC-32. The core runs synchronously in this thread, since
// a worker would need a copy of every chunk.
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import { unwrap } from '../../src/wasm/emscripten_module.js';
import { fileError, SusurrusError } from '../../src/api/errors.js';
import type { Apr2Layout, Crc32 } from '../files/files.mjs';
import { openFilesModule, type FilesModule } from '../files/module.js';
import { isObject, type JsonObject } from '../../src/api/json_object.js';

export const footerBytes = 16;
const headerBytes = 32;
/** Offsets of header fields, for errors. */
export const flagsAt = 8;
const dataOffsetAt = 28;
/** Bytes between the sections, which are held in memory with them. */
const mostGapBytes = 1 << 20;

export interface Apr2Header {
  readonly isEncrypted: boolean;
  readonly isSigned: boolean;
  readonly metadataOffset: number;
  readonly metadataEnd: number;
  readonly indexOffset: number;
  readonly indexEnd: number;
  readonly dataOffset: number;
}

/** An entry of the index. */
export interface Apr2Tensor {
  readonly name: string;
  /** As they are stored; the type is dtype, number of dimensions, and dimensions. */
  readonly nameBytes: Uint8Array<ArrayBuffer>;
  readonly typeBytes: Uint8Array<ArrayBuffer>;
  /** Positions in the index: of the entry, and of its u64 offset and u64 size. */
  readonly entryAt: number;
  readonly placeAt: number;
  /** From the data's beginning. */
  readonly offset: number;
  readonly size: number;
  /** Bytes of all values; absent for a compressed tensor. */
  readonly plainSize?: number;
}

/** The part of a file before its tensors. */
export interface Apr2Front {
  readonly core: Apr2Core;
  readonly header: Apr2Header;
  readonly headerBytes: Uint8Array<ArrayBuffer>;
  readonly metadataBytes: Uint8Array<ArrayBuffer>;
  readonly metadata: JsonObject;
  readonly indexBytes: Uint8Array<ArrayBuffer>;
  readonly tensors: readonly Apr2Tensor[];
}

export interface FoundFooter {
  /** In the bytes that were searched. */
  readonly end: number;
  readonly crc32: number;
}

export class Apr2Core {
  readonly #module: FilesModule;
  /** Holds no state between two methods of this class. */
  readonly #layout: Apr2Layout;

  constructor(module: FilesModule) {
    this.#module = module;
    this.#layout = new module.Apr2Layout();
  }

  static async open(compile: () => Promise<WebAssembly.Module>): Promise<Apr2Core> {
    return new Apr2Core(await openFilesModule(await compile()));
  }

  crc32(): RunningCrc32 {
    return new RunningCrc32(new this.#module.Crc32());
  }

  /**
   * Reads header, metadata and index without taking bytes from the queue. Undefined if the file is truncated there or the core rejects it;
   * the core's reader, which gets the same bytes, then reports the error.
   */
  async readFront(queue: ByteQueue): Promise<Apr2Front | undefined> {
    const header = this.#readHeader(await queue.peek(headerBytes));
    if (!header) return undefined;
    const { metadataOffset, metadataEnd, indexOffset, indexEnd, dataOffset } = header;
    const most =
      headerBytes + (metadataEnd - metadataOffset) + (indexEnd - indexOffset) + mostGapBytes;
    if (dataOffset > most) {
      throw fileError('malformed', 'the bytes contradict the format', {
        reason: 'layout',
        offset: dataOffsetAt,
        subject: 'data_offset',
        expected: `at most ${most} in a file that is encrypted, signed or has digests`,
        got: String(dataOffset),
      });
    }
    const bytes = await queue.peek(indexEnd);
    if (bytes.length < indexEnd) return undefined;
    const metadataBytes = bytes.subarray(metadataOffset, metadataEnd);
    const metadata = readMetadata(metadataBytes);
    const indexBytes = bytes.subarray(indexOffset, indexEnd);
    const front = bytes.subarray(0, headerBytes);
    const tensors = metadata && this.#readIndex(front, indexBytes);
    return (
      tensors && {
        core: this,
        header,
        headerBytes: front,
        metadataBytes,
        metadata,
        indexBytes,
        tensors,
      }
    );
  }

  /** The header of a file without ENCRYPTED. */
  plainHeader(front: Apr2Front): Uint8Array<ArrayBuffer> {
    this.#readHeader(front.headerBytes);
    return this.#layout.plainHeader().slice();
  }

  /** The header of a file rewritten with other metadata. */
  newHeader(
    front: Apr2Front,
    { isEncrypted, isSigned }: Pick<Apr2Header, 'isEncrypted' | 'isSigned'>,
    metadataByteCount: number,
  ): { readonly bytes: Uint8Array<ArrayBuffer>; readonly dataOffset: number } {
    this.#readHeader(front.headerBytes);
    const bytes = this.#layout.newHeader(isEncrypted, isSigned, metadataByteCount).slice();
    const { dataOffset } = JSON.parse(this.#layout.header()) as Apr2Header;
    return { bytes: bytes, dataOffset };
  }

  /** The first footer among at most a mebibyte and 64 bytes; `position` is the offset of the first of them in the file. */
  findFooter(bytes: Uint8Array, position: number): FoundFooter | undefined {
    fill(this.#layout, bytes);
    const found = this.#layout.findFooter(bytes.length, position);
    return found === '' ? undefined : (JSON.parse(found) as FoundFooter);
  }

  footer(crc32: number, fileByteCount: number): Uint8Array<ArrayBuffer> {
    return this.#layout.footer(crc32, fileByteCount).slice();
  }

  #readHeader(bytes: Uint8Array): Apr2Header | undefined {
    fill(this.#layout, bytes);
    return isAccepted(this.#layout.readHeader(bytes.length))
      ? (JSON.parse(this.#layout.header()) as Apr2Header)
      : undefined;
  }

  #readIndex(
    header: Uint8Array,
    index: Uint8Array<ArrayBuffer>,
  ): readonly Apr2Tensor[] | undefined {
    this.#readHeader(header);
    for (let at = 0; at < index.length;) {
      const count = fillSome(this.#layout, index.subarray(at));
      if (!isAccepted(this.#layout.pushIndex(count))) return undefined;
      at += count;
    }
    const entries = JSON.parse(this.#layout.entries()) as CoreEntry[];
    return entries.map(({ nameAt, typeAt, ...entry }) => ({
      ...entry,
      nameBytes: index.subarray(nameAt, typeAt),
      typeBytes: index.subarray(typeAt, entry.placeAt),
    }));
  }
}

type CoreEntry = Omit<Apr2Tensor, 'nameBytes' | 'typeBytes'> & {
  readonly nameAt: number;
  readonly typeAt: number;
};

/** CRC-32 of bytes in pieces. */
export class RunningCrc32 {
  readonly #crc: Crc32;

  constructor(crc: Crc32) {
    this.#crc = crc;
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const count = fillSome(this.#crc, bytes.subarray(at));
      unwrap(this.#crc.update(count));
      at += count;
    }
  }

  /** CRC-32 of everything so far. */
  get value(): number {
    return this.#crc.value();
  }

  /** The four bytes, as a little-endian number, that would make `value` this one. */
  bytesTo(value: number): number {
    return this.#crc.patch(value);
  }
}

interface Target {
  inputWindow(byteCount: number): Uint8Array;
}

/** Fills as many of these bytes into the window as it takes. */
function fillSome(target: Target, bytes: Uint8Array): number {
  // A fresh view each time: any call may move the heap.
  const window = target.inputWindow(bytes.length);
  if (window.length === 0 && bytes.length > 0) {
    throw new SusurrusError('out_of_memory', 'There is no memory for a window.', {
      reason: 'memory',
      subject: 'input window',
      got: String(bytes.length),
    });
  }
  window.set(bytes.subarray(0, window.length));
  return window.length;
}

function fill(target: Target, bytes: Uint8Array): void {
  const count = fillSome(target, bytes);
  if (count < bytes.length) throw new RangeError(`${bytes.length} bytes for a window of ${count}`);
}

/** Throws if the core has no memory for the check. */
function isAccepted(error: string): boolean {
  if (error === '') return true;
  if ((JSON.parse(error) as { code: string }).code === 'out_of_memory') unwrap(error);
  return false;
}

function readMetadata(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
