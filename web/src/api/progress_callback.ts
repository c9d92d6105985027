import type { ProgressEvent } from './types.js';

export interface WithProgress {
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
}

/**
 * Does work that reports to the caller's `onProgress`. What that throws stops the work and is what the work rejects with, unchanged:
 * without this, layers in between would wrap it, retry, or take it for a failure of the file.
 */
export async function withProgress<Options extends WithProgress, T>(
  options: Options,
  work: (options: Options) => Promise<T>,
): Promise<T> {
  // Options that are not checked yet may be anything.
  const onProgress = (options as Options | null | undefined)?.onProgress;
  if (typeof onProgress !== 'function') return work(options);
  let thrown: { readonly error: unknown } | undefined;
  const guarded = (event: ProgressEvent): void => {
    if (thrown) throw thrown.error;
    try {
      onProgress(event);
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
    const result = await work({ ...options, onProgress: guarded });
    return unlessThrown(() => result);
  } catch (error) {
    return unlessThrown(() => {
      throw error;
    });
  }
}
