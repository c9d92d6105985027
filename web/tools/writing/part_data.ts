// Reads the contents of a part from any kind of source, as chunks of bytes in order.
import { invalidOption } from '../../src/api/errors.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import type { PlannedPart } from '../../src/protocol/files.js';
import type { PartChunk, PartData, PartSource } from '../../src/api/write_types.js';
import { chunkBytes, isChunk } from './fields.js';

/** Typed arrays that hold elements of each dtype, under its names in all formats. */
const arrays: Readonly<Record<string, readonly string[]>> = {
  f64: ['Float64Array'],
  fp64: ['Float64Array'],
  f32: ['Float32Array'],
  fp32: ['Float32Array'],
  f16: ['Uint16Array', 'Float16Array'],
  fp16: ['Uint16Array', 'Float16Array'],
  bf16: ['Uint16Array'],
  i64: ['BigInt64Array'],
  u64: ['BigUint64Array'],
  i32: ['Int32Array'],
  u32: ['Uint32Array'],
  i16: ['Int16Array'],
  u16: ['Uint16Array'],
  i8: ['Int8Array'],
  char16: ['Uint16Array'],
  char32: ['Uint32Array'],
};
/** Treated as stored bytes, whatever the dtype. */
const rawArrays: readonly string[] = ['Uint8Array', 'Uint8ClampedArray', 'DataView'];

export interface PartPiece {
  readonly bytes: Uint8Array;
  /** f32 values to be converted to the part's dtype. */
  readonly isFloats: boolean;
}

function pieceOf(chunk: unknown, { name, dtype }: PlannedPart): PartPiece {
  const own = arrays[dtype] ?? [];
  if (isChunk(chunk)) {
    const kind = Object.prototype.toString.call(chunk).slice(8, -1);
    const bytes = chunkBytes(chunk);
    if (kind === 'ArrayBuffer' || rawArrays.includes(kind) || own.includes(kind)) {
      return { bytes, isFloats: false };
    }
    if (kind === 'Float32Array') return { bytes, isFloats: true };
  }
  throw invalidOption(
    name,
    `given as ${[...own, 'Uint8Array'].join(' or ')}${dtype === '' ? '' : `, for ${dtype}`}`,
    chunk,
  );
}

/** Whether the source can be read again. */
export const isRereadable = (source: PartSource): boolean =>
  typeof source === 'function' ||
  isChunk(source) ||
  source instanceof Blob ||
  Array.isArray(source);

/** Wraps an exception from the caller's code, so that it can be rethrown unchanged. */
export class SourceError extends Error {
  static async unwrapped<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw error instanceof SourceError ? error.cause : error;
    }
  }
}

/** Runs the caller's code until it settles or the signal is aborted. */
async function asked<T>(yielder: YieldController, code: () => T | Promise<T>): Promise<T> {
  const run = async (): Promise<T> => {
    try {
      return await code();
    } catch (error) {
      throw new SourceError('The data source failed.', { cause: error });
    }
  };
  return yielder.wait(run());
}

/** Passes a part's pieces to `take` in order. Closes the source if reading stops before its end. */
export async function readPart(
  source: PartSource,
  part: PlannedPart,
  yielder: YieldController,
  take: (piece: PartPiece) => Promise<void>,
): Promise<void> {
  const data = typeof source === 'function' ? await asked(yielder, source) : source;
  const chunks = chunksOf(data, part);
  let isLeft = true;
  try {
    for (;;) {
      const { done, value } = await asked(yielder, () => chunks.next());
      if (done === true) break;
      await take(pieceOf(value, part));
    }
    isLeft = false;
  } catch (error) {
    if (error instanceof SourceError) isLeft = false;
    throw error;
  } finally {
    if (isLeft) void leave(chunks);
  }
}

type Chunks = AsyncIterator<PartChunk, unknown> | Iterator<PartChunk, unknown>;

function chunksOf(data: PartData | null | undefined, { name }: PlannedPart): Chunks {
  if (isChunk(data)) return [data].values();
  if (data instanceof Blob) return streamChunks(data.stream());
  if (data instanceof ReadableStream) {
    if (data.locked)
      throw invalidOption(name, 'a ReadableStream that is not locked to another reader', data);
    return streamChunks(data);
  }
  if (typeof data === 'object' && data !== null) {
    if (Symbol.asyncIterator in data) return data[Symbol.asyncIterator]();
    if (Symbol.iterator in data) return data[Symbol.iterator]();
  }
  throw invalidOption(
    name,
    'an array, a Blob, a ReadableStream or an iterable of arrays, or a function that gives one',
    data,
  );
}

/** Not every browser has async iteration of streams. */
function streamChunks(stream: ReadableStream<PartChunk>): AsyncIterator<PartChunk, unknown> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done, value };
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** Not awaited: a stuck source must not hold up the error that is already being thrown. */
async function leave(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The first error is the one to report.
  }
}
