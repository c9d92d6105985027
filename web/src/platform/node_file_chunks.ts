// A file's bytes in order, in large pieces.
import { open, type FileHandle } from 'node:fs/promises';
import { readAhead } from './read_ahead.js';
import type { OpenedSource } from './platform.js';

/** A quarter of this costs a fifth more time; four times as much gains little. */
const pieceBytes = 1 << 20;

/** Memory of pieces that come back is read into again: new pages of memory cost as much as reading into them. */
export function fileChunks(path: string): Required<Pick<OpenedSource, 'chunks' | 'recycle'>> {
  const free: ArrayBufferLike[] = [];
  /** Bytes of the pieces that were given out. */
  const lent = new WeakMap<ArrayBufferLike, number>();
  let opened: Promise<FileHandle> | undefined;
  let isOver = false;

  const close = async (): Promise<void> => {
    isOver = true;
    const file = await opened?.catch(() => undefined);
    opened = undefined;
    await file?.close();
  };
  const pieces: AsyncIterableIterator<Uint8Array, undefined> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isOver) return { done: true, value: undefined };
      const file = await (opened ??= open(path));
      const buffer = free.pop() ?? new ArrayBuffer(pieceBytes);
      const { bytesRead } = await file.read(new Uint8Array(buffer), 0, pieceBytes, null);
      if (bytesRead > 0) {
        lent.set(buffer, bytesRead);
        return { done: false, value: new Uint8Array(buffer, 0, bytesRead) };
      }
      await close();
      return { done: true, value: undefined };
    },
    async return() {
      await close();
      return { done: true, value: undefined };
    },
  };
  return {
    chunks: readAhead(pieces),
    recycle({ buffer, length }) {
      if (lent.get(buffer) !== length) return; // a part of a piece, or none of these
      lent.delete(buffer);
      free.push(buffer);
    },
  };
}
