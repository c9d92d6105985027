// How many threads an engine has.

/** The most that an engine supports; more would not help. */
export const mostThreads = 8;

export interface ThreadChoice {
  readonly threads: number;
  readonly threadsReason: string;
}

/** Whether a compiled engine is one with threads: these import a shared memory, the others have one of their own. */
export const hasThreads = (module: WebAssembly.Module): boolean =>
  WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');

/** The requested number where threads can share memory, else one. */
export function chooseThreads(
  wanted: number | 'auto',
  processors: number,
  canShare: boolean,
): ThreadChoice {
  if (wanted === 1) return { threads: 1, threadsReason: 'asked for, or the default' };
  if (!canShare) return { threads: 1, threadsReason: 'the page is not cross-origin isolated' };
  return wanted === 'auto'
    ? { threads: Math.min(processors, mostThreads), threadsReason: 'as many as processors' }
    : { threads: wanted, threadsReason: 'asked for' };
}
