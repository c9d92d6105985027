// Reads several tensors with few requests: neighbours in a file share a range, and ranges are requested in parallel.
import type { InspectedTensor } from '../../src/api/types.js';
import { readRange, type SourceFolder } from '../../src/platform/source_folder.js';
import type { TensorPlace } from './skim.js';

export interface WantedTensor {
  readonly tensor: InspectedTensor;
  readonly place: TensorPlace;
  /** What is read of the file for it; its own bytes if absent. */
  readonly range?: { readonly begin: number; readonly end: number };
}

/** Tensors that are read with one request. */
export interface TensorRange<T extends WantedTensor> {
  readonly file: string;
  readonly begin: number;
  readonly end: number;
  readonly tensors: readonly T[];
}

/** Gaps up to this size are read too: that costs less than another request. */
const mostGapBytes = 1 << 16;
/** Limit of a range, which bounds the memory of a request. */
const mostRangeBytes = 16 << 20;

/** `tensors` are sorted by file and offset. */
export function rangesOf<T extends WantedTensor>(tensors: readonly T[]): TensorRange<T>[] {
  const ranges: { file: string; begin: number; end: number; tensors: T[] }[] = [];
  for (const one of tensors) {
    const { file } = one.place;
    const { offset, size } = one.tensor;
    const { begin, end } = one.range ?? { begin: offset, end: offset + size };
    const last = ranges.at(-1);
    if (
      last?.file === file &&
      begin - last.end <= mostGapBytes &&
      Math.max(end, last.end) - last.begin <= mostRangeBytes
    ) {
      last.end = Math.max(end, last.end);
      last.tensors.push(one);
    } else {
      ranges.push({ file, begin, end, tensors: [one] });
    }
  }
  return ranges;
}

/** Whether the range is a single tensor above the limit, which is decoded while it arrives. */
export const isStreamed = ({
  begin,
  end,
}: Pick<TensorRange<WantedTensor>, 'begin' | 'end'>): boolean => end - begin > mostRangeBytes;

/** Size of the pieces in which fetched bytes are passed on. */
const pieceBytes = 1 << 20;

/** Fetches the range and returns a folder that reads it from memory. */
export async function fetchRange(
  folder: SourceFolder,
  { file, begin, end }: Pick<TensorRange<WantedTensor>, 'file' | 'begin' | 'end'>,
): Promise<SourceFolder> {
  const held = await readRange(folder, file, begin, end - begin);
  return {
    ...folder,
    // Copies, since posting a view to a worker would send the whole buffer.
    async *read(_, offset, byteCount) {
      const last = offset + byteCount - begin;
      for (let at = offset - begin; at < Math.min(last, held.length); at += pieceBytes) {
        yield await Promise.resolve(held.slice(at, Math.min(at + pieceBytes, last)));
      }
    },
  };
}

/** Runs at most `count` tasks at a time; the others queue in order. */
export function atMost(count: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < count) ++running;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else --running;
    }
  };
}
