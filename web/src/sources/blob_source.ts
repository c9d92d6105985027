import { orAborted } from '../api/signals.js';
import type { OpenedSource } from '../platform/platform.js';
import { readAhead } from '../platform/read_ahead.js';

export function blobSource(blob: Blob): OpenedSource {
  return {
    chunks: readAhead(streamChunks(blob.stream())),
    byteCount: blob.size,
    givesAway: true,
    readAt: async (begin, end) => new Uint8Array(await blob.slice(begin, end).arrayBuffer()),
    ...('name' in blob && { name: String(blob.name) }),
  };
}

/**
 * A stream's chunks; leaving the loop cancels the stream. It is locked at once: Node cancels the body of a response that is
 * garbage collected before it is read. Every read races the signal: a body that is aborted may never settle (Node 20).
 */
export function streamChunks(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncIterableIterator<Uint8Array, undefined> {
  const reader = stream.getReader();
  let isOver = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const { done, value } = await orAborted(reader.read(), signal);
      if (!done) return { done, value };
      isOver = true;
      reader.releaseLock();
      return { done: true, value: undefined };
    },
    async return() {
      if (!isOver) {
        isOver = true;
        // A stream that failed cannot be cancelled; its error is reported elsewhere.
        const cancelled = reader.cancel().catch(() => undefined);
        // Nor does one that was aborted have to answer, and it has a read that waits.
        if (signal?.aborted) return { done: true, value: undefined };
        await cancelled;
        reader.releaseLock();
      }
      return { done: true, value: undefined };
    },
  };
}
