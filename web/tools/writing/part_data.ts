// The contents of a part, however they are given: chunks in order, each as bytes.
import { invalidOption } from '../../src/api/errors.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import type { PlannedPart } from '../../src/protocol/files.js';
import type { PartChunk, PartData, PartSource } from '../../src/api/write_types.js';
import { chunkBytes, isChunk } from './fields.js';

/** Typed arrays whose elements are a type's, by the type's names in all formats. */
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
/** These are bytes, whatever the type. */
const rawArrays: readonly string[] = ['Uint8Array', 'Uint8ClampedArray', 'DataView'];

export interface PartPiece {
  readonly bytes: Uint8Array;
  /** f32 values that are to become another type. */
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

/** Whether it can be read once more. */
export const isRereadable = (source: PartSource): boolean =>
  typeof source === 'function' ||
  isChunk(source) ||
  source instanceof Blob ||
  Array.isArray(source);

/** Around what the caller's own code threw, so that it comes out as it is. */
export class SourceError extends Error {
  static async unwrapped<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw error instanceof SourceError ? error.cause : error;
    }
  }
}

/** Runs the caller's code, as long as that takes or until the signal is aborted. */
async function asked<T>(yielder: YieldController, code: () => T | Promise<T>): Promise<T> {
  const run = async (): Promise<T> => {
    try {
      return await code();
    } catch (error) {
      throw new SourceError('The data could not be had.', { cause: error });
    }
  };
  return yielder.wait(run());
}

/** Gives a part's pieces to `take`, one after the other. A source that is left before its end is told so. */
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
    if (data.locked) throw invalidOption(name, 'a ReadableStream that nobody else reads', data);
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

/** Streams are no iterables in every browser. */
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

/** Not awaited: its failure may be why the source is being closed. */
async function leave(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // Another error is under way.
  }
}
