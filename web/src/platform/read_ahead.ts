/** The same chunks; while one of them is used, the next one is on its way already. */
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
      ahead?.catch(() => undefined); // who asks for it is told
      return step;
    },
    async return() {
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
}
