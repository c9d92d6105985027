import { abortedOr } from '../api/signals.js';

/** Lets `fill` write into a stream, which is closed when all went well and otherwise aborted, with the signal's reason where there is one. */
export async function writeStream<T>(
  stream: WritableStream<Uint8Array>,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const writer = stream.getWriter();
  try {
    // Copies: the stream's reader may keep or transfer them.
    const result = await fill((bytes) => writer.write(bytes.slice()));
    await writer.close();
    return result;
  } catch (error) {
    const failure = abortedOr(signal, error);
    await writer.abort(failure).catch(() => undefined);
    throw failure;
  } finally {
    writer.releaseLock();
  }
}
