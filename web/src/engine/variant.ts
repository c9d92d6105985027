import { relaxedSimd, simd } from 'wasm-feature-detect';
import type { Variant } from '../api/types.js';
import { SusurrusError } from '../api/errors.js';

/** A choice among the binaries, and why. */
export interface VariantChoice {
  readonly variant: Variant;
  readonly reason: string;
}

const unsupported = (expected: string): SusurrusError =>
  new SusurrusError(
    'unsupported_environment',
    `This environment lacks ${expected}. WebAssembly SIMD is in Chrome 91, Firefox 89, Safari 16.4 and Node 16.4 and later; relaxed SIMD in Chrome 114 and Node 22.`,
    { reason: 'environment', expected },
  );

/** The fastest binary that runs here, or the one that is wanted. */
export async function chooseVariant(wanted: Variant | undefined): Promise<VariantChoice> {
  if (!(await simd())) throw unsupported('WebAssembly SIMD');
  const hasRelaxed = await relaxedSimd();
  if (wanted === 'relaxed' && !hasRelaxed) throw unsupported('WebAssembly relaxed SIMD');
  if (wanted) return { variant: wanted, reason: 'asked for' };
  return hasRelaxed
    ? { variant: 'relaxed', reason: 'relaxed SIMD is available' }
    : { variant: 'simd', reason: 'relaxed SIMD is not available' };
}
