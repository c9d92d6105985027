import type { Variant } from '../../src/index.js';

/** Options that loadModel() and openModule() both take. */
export interface LoadCall {
  readonly signal: AbortSignal;
  readonly onProgress: (event: { readonly fraction?: number }) => void;
  readonly variant?: Variant;
}

/** `onPart` gets the part that is loaded. `?variant=simd` or `?variant=relaxed` in the page's address asks for that binary. */
export function loadCall(signal: AbortSignal, onPart: (part: number) => void): LoadCall {
  const wanted = new URLSearchParams(location.search).get('variant');
  return {
    signal,
    onProgress: ({ fraction }) => {
      if (!signal.aborted && fraction !== undefined) onPart(fraction);
    },
    ...(wanted && { variant: wanted as Variant }),
  };
}
