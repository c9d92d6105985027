// What stands before the tensors of an APR2 file, as far as seals concern it: header, metadata and index. The core's reader
// gets the same bytes afterwards and refuses whatever else may be wrong with them, so what is unusable here is only passed on.
import { fileError } from '../errors.js';
import type { ByteQueue } from './byte_queue.js';
import { readApr2Index, type Apr2Index } from './apr2_index.js';

export const headerBytes = 32;
export const footerBytes = 16;

export const flagBits = {
  aligned64: 0x02,
  aligned32: 0x04,
  encrypted: 0x10,
  signed: 0x20,
} as const;
const knownFlags = 0xff;

/** Field offsets of the header. */
export const fieldOffsets = {
  flags: 8,
  metadataOffset: 12,
  metadataSize: 16,
  indexOffset: 20,
  indexSize: 24,
  dataOffset: 28,
} as const;

const mostMetadataBytes = 64 << 20;
const mostIndexBytes = 16 << 20;
/** Bytes between the sections, which the front holds too. */
const mostGapBytes = 1 << 20;

export interface Apr2Header {
  readonly flags: number;
  readonly metadataOffset: number;
  readonly metadataEnd: number;
  readonly indexOffset: number;
  readonly indexEnd: number;
  readonly dataOffset: number;
}

export interface Apr2Front {
  readonly header: Apr2Header;
  readonly headerBytes: Uint8Array<ArrayBuffer>;
  readonly metadataBytes: Uint8Array<ArrayBuffer>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly indexBytes: Uint8Array<ArrayBuffer>;
  readonly index: Apr2Index;
}

export const hasFlag = ({ header }: Apr2Front, flag: number): boolean =>
  (header.flags & flag) !== 0;

/** Undefined where the core refuses the header. */
function readApr2Header(bytes: Uint8Array): Apr2Header | undefined {
  if (bytes.length < headerBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  const word = (offset: number): number => view.getUint32(offset, true);
  const isApr2 = word(0) === 0x32525041 && view.getUint16(4, true) === 2;
  const header = {
    flags: word(fieldOffsets.flags),
    metadataOffset: word(fieldOffsets.metadataOffset),
    metadataEnd: word(fieldOffsets.metadataOffset) + word(fieldOffsets.metadataSize),
    indexOffset: word(fieldOffsets.indexOffset),
    indexEnd: word(fieldOffsets.indexOffset) + word(fieldOffsets.indexSize),
    dataOffset: word(fieldOffsets.dataOffset),
  };
  const metadataSize = word(fieldOffsets.metadataSize);
  const indexSize = word(fieldOffsets.indexSize);
  const isUsable =
    isApr2 &&
    (header.flags & ~knownFlags) === 0 &&
    metadataSize <= mostMetadataBytes &&
    indexSize >= 8 &&
    indexSize <= mostIndexBytes &&
    header.metadataOffset >= headerBytes &&
    header.metadataEnd <= header.indexOffset &&
    header.indexEnd <= header.dataOffset;
  return isUsable ? header : undefined;
}

/** Looks at header, metadata and index, and takes nothing; undefined where they are cut, or nothing that the core accepts. */
export async function readApr2Front(queue: ByteQueue): Promise<Apr2Front | undefined> {
  const header = readApr2Header(await queue.peek(headerBytes));
  if (!header) return undefined;
  const { metadataOffset, metadataEnd, indexOffset, indexEnd, dataOffset } = header;
  const mostBytes =
    headerBytes + (metadataEnd - metadataOffset) + (indexEnd - indexOffset) + mostGapBytes;
  if (dataOffset > mostBytes) {
    throw fileError('malformed', 'the bytes contradict the format', {
      reason: 'layout',
      offset: fieldOffsets.dataOffset,
      subject: 'data_offset',
      expected: `at most ${mostBytes} in a sealed file`,
      got: String(dataOffset),
    });
  }
  const bytes = await queue.peek(indexEnd);
  if (bytes.length < indexEnd) return undefined;
  const metadataBytes = bytes.subarray(metadataOffset, metadataEnd);
  const metadata = readMetadata(metadataBytes);
  if (!metadata) return undefined;
  const indexBytes = bytes.subarray(indexOffset, indexEnd);
  return {
    header,
    headerBytes: bytes.subarray(0, headerBytes),
    metadataBytes,
    metadata,
    indexBytes,
    index: readApr2Index(indexBytes),
  };
}

function readMetadata(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
