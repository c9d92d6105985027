/**
 * Runs `work` only as fast as what it gives is taken: each give() lasts until next() was called for it. The last next() has what
 * `work` returns, or throws what it throws.
 */
export function onDemand<T>(
  work: (give: (item: T) => Promise<void>) => Promise<T>,
): () => Promise<T | undefined> {
  const { readable, writable } = new TransformStream<T, T>();
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const give = (item: T): Promise<void> => writer.write(item);
  // next() reports the error.
  work(give)
    .then(give)
    .catch((error: unknown) => writer.abort(error).catch(() => undefined));
  return async () => (await reader.read()).value;
}
