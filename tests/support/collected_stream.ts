/** A stream that keeps what is written into it. */
export function collectedStream() {
  const parts: Uint8Array[] = [];
  const state = { isClosed: false, abortedBy: undefined as unknown };
  const stream = new WritableStream<Uint8Array>({
    write: (part) => void parts.push(part),
    close: () => void (state.isClosed = true),
    abort: (reason: unknown) => void (state.abortedBy = reason),
  });
  return { stream, state, bytes: (): Uint8Array => new Uint8Array(Buffer.concat(parts)) };
}
