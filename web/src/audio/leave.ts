/** Tells a stream that no more of it is wanted. Not awaited: a stream that hangs must not block its reader. */
export function leave(source: { return?(value: undefined): unknown }): void {
  try {
    void Promise.resolve(source.return?.(undefined)).catch(() => undefined);
  } catch {
    // It is left all the same.
  }
}
