import type { OpenedSource } from '../platform/platform.js';

export function blobSource(blob: Blob): OpenedSource {
  return {
    chunks: streamChunks(blob.stream()),
    byteCount: blob.size,
    ...('name' in blob && { name: String(blob.name) }),
  };
}

/** A stream's chunks; leaving the loop cancels the stream. */
export async function* streamChunks(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isFinished = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isFinished = true;
        return;
      }
      yield value;
    }
  } finally {
    // A stream that failed cannot be cancelled any more; its error is on its way already.
    if (!isFinished) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}
