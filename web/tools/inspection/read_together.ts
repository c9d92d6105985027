// Several tensors in few requests: neighbours in a file are one range, and ranges are asked for at the same time.
import type { InspectedTensor } from '../../src/api/types.js';
import { readRange, type SourceFolder } from '../../src/platform/source_folder.js';
import type { TensorPlace } from './skim.js';

export interface WantedTensor {
  readonly tensor: InspectedTensor;
  readonly place: TensorPlace;
}

/** What is read with one request. */
export interface TensorRange<T extends WantedTensor> {
  readonly file: string;
  readonly begin: number;
  readonly end: number;
  readonly tensors: readonly T[];
}

/** So few bytes between two tensors are read too: they cost less than another request. */
const mostGapBytes = 1 << 16;
/** A range ends where it reaches this, so that one that is on its way takes little memory. */
const mostRangeBytes = 16 << 20;

/** `tensors` are in the order of their files. */
export function rangesOf<T extends WantedTensor>(tensors: readonly T[]): TensorRange<T>[] {
  const ranges: { file: string; begin: number; end: number; tensors: T[] }[] = [];
  for (const one of tensors) {
    const { file } = one.place;
    const { offset: begin, size } = one.tensor;
    const end = begin + size;
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

/** A single tensor that is too large to be held: it is decoded as it arrives. */
export const isStreamed = ({
  begin,
  end,
}: Pick<TensorRange<WantedTensor>, 'begin' | 'end'>): boolean => end - begin > mostRangeBytes;

/** Pieces in which bytes that are here go on. */
const pieceBytes = 1 << 20;

/** A folder whose reads of this range take nothing but its bytes, which are read now. */
export async function fetchRange(
  folder: SourceFolder,
  { file, begin, end }: Pick<TensorRange<WantedTensor>, 'file' | 'begin' | 'end'>,
): Promise<SourceFolder> {
  const held = await readRange(folder, file, begin, end - begin);
  return {
    ...folder,
    // Copies: a worker would be sent the whole buffer with each view.
    async *read(_, offset, byteCount) {
      const last = offset + byteCount - begin;
      for (let at = offset - begin; at < Math.min(last, held.length); at += pieceBytes) {
        yield await Promise.resolve(held.slice(at, Math.min(at + pieceBytes, last)));
      }
    },
  };
}

/** Lets at most `count` tasks run at the same time; the others wait in their order. */
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
