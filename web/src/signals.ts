/** One signal that any of several aborts, with its reason. Released, it no longer listens. */
export function anyOf(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const releases = signals.map((from) => {
    if (!from) return () => undefined;
    const onAbort = (): void => controller.abort(from.reason);
    if (from.aborted) onAbort();
    else from.addEventListener('abort', onAbort, { once: true });
    return () => from.removeEventListener('abort', onAbort);
  });
  return { signal: controller.signal, release: () => releases.forEach((release) => release()) };
}
