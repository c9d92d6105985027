/** Reads one chunk ahead: fetches the next chunk while the caller uses the current one. */
export function readAhead(
  chunks: AsyncIterableIterator<Uint8Array, undefined>,
): AsyncIterableIterator<Uint8Array, undefined> {
  let ahead: Promise<IteratorResult<Uint8Array, undefined>> | undefined;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const step = await (ahead ?? chunks.next());
      ahead = step.done ? undefined : chunks.next();
      ahead?.catch(() => undefined); // reported when it is awaited
      return step;
    },
    async return() {
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
}
