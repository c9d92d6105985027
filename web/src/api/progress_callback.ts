import { abortedOr } from './signals.js';
import type { ProgressEvent } from './types.js';

export interface WithProgress {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
}

/**
 * Does work that reports to the caller's `onProgress` and ends with the caller's `signal`. What the callback throws stops the work. That
 * error, or the signal's reason, is what the work rejects with, unchanged: layers in between may have wrapped it.
 */
export async function withProgress<Options extends WithProgress, T>(
  options: Options,
  work: (options: Options) => Promise<T>,
): Promise<T> {
  // Options that are not checked yet may be anything.
  const { onProgress, signal } = (options as Options | null | undefined) ?? ({} as Options);
  let thrown: { readonly error: unknown } | undefined;
  const guarded = (event: ProgressEvent): void => {
    if (thrown) throw thrown.error;
    try {
      onProgress?.(event);
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  const unlessThrown = <Outcome>(outcome: () => Outcome): Outcome => {
    if (thrown) throw thrown.error;
    return outcome();
  };
  try {
    const isWatched = typeof onProgress === 'function';
    const result = await work(isWatched ? { ...options, onProgress: guarded } : options);
    return unlessThrown(() => result);
  } catch (error) {
    return unlessThrown(() => {
      throw abortedOr(signal, error);
    });
  }
}
