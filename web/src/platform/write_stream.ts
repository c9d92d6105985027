/** Lets `fill` write into a stream, which is closed when all went well and aborted otherwise. */
export async function writeStream<T>(
  stream: WritableStream<Uint8Array>,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  const writer = stream.getWriter();
  try {
    // Copies: the stream's reader may keep or transfer them.
    const result = await fill((bytes) => writer.write(bytes.slice()));
    await writer.close();
    return result;
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  } finally {
    writer.releaseLock();
  }
}
