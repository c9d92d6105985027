import type { Progress, Variant } from '../../src/index.js';

/** Options that loadModel() and openModule() both take. */
export interface LoadCall {
  readonly signal: AbortSignal;
  readonly onProgress: (event: Progress) => void;
  readonly variant?: Variant;
}

/** `onPart` gets the part that is loaded. `?variant=simd` or `?variant=relaxed` in the page's URL selects that binary. */
export function loadCall(signal: AbortSignal, onPart: (part: number) => void): LoadCall {
  const wanted = new URLSearchParams(location.search).get('variant');
  return {
    signal,
    onProgress: ({ overall }) => {
      if (!signal.aborted) onPart(overall);
    },
    ...(wanted && { variant: wanted as Variant }),
  };
}
