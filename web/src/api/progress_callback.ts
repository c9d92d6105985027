import { OverallProgress, type PhaseProgress, type ProgressPlan } from './overall_progress.js';
import { abortedOr } from './signals.js';
import type { Progress } from './types.js';

export interface WithProgress {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** Options whose callback is told of phases; the caller's hears of the whole call, too. */
export type Watched<Options extends WithProgress> = Omit<Options, 'onProgress'> & {
  readonly onProgress?: (event: PhaseProgress) => void;
};

/**
 * Does work that reports to the caller's `onProgress` and ends with the caller's `signal`. What the callback throws stops the work. That
 * error, or the signal's reason, is what the work rejects with, unchanged: layers in between may have wrapped it. The last report says
 * that all is done: `finish` makes it sooner, for work that must still close something if the callback throws.
 */
export async function withProgress<Options extends WithProgress, T>(
  plan: ProgressPlan,
  options: Options,
  work: (options: Watched<Options>, finish: () => void) => Promise<T>,
): Promise<T> {
  // Options that are not checked yet may be anything.
  const { onProgress, signal } = (options as Options | null | undefined) ?? ({} as Options);
  const progress = new OverallProgress(plan);
  let last: Progress | undefined;
  let thrown: { readonly error: unknown } | undefined;
  const tell = (event: Progress): void => {
    if (thrown) throw thrown.error;
    last = event;
    try {
      onProgress?.(event);
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  const report = (event: PhaseProgress): void => tell({ ...event, overall: progress.add(event) });
  const finish = (): void => {
    progress.finish();
    if (last && last.overall < 1) tell({ ...last, overall: 1 });
  };
  const unlessThrown = <Outcome>(outcome: () => Outcome): Outcome => {
    if (thrown) throw thrown.error;
    return outcome();
  };
  try {
    const isWatched = typeof onProgress === 'function';
    const watched: unknown = isWatched ? { ...options, onProgress: report } : options;
    const result = await work(watched as Watched<Options>, finish);
    return unlessThrown(() => {
      finish();
      return result;
    });
  } catch (error) {
    return unlessThrown(() => {
      throw abortedOr(signal, error);
    });
  }
}
