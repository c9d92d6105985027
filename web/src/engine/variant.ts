import { simd } from 'wasm-feature-detect';
import type { Variant } from '../api/types.js';
import { SusurrusError } from '../api/errors.js';
import { checkWasmAllowed } from '../platform/wasm_allowed.js';
import { relaxedDot } from './relaxed_dot.js';

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

/** Without its own instruction the relaxed dot product has fewer bits than plain SIMD's, and is no faster. */
const choices: Readonly<Record<ReturnType<typeof relaxedDot>, VariantChoice>> = {
  fast: { variant: 'relaxed', reason: 'relaxed SIMD is available' },
  slow: {
    variant: 'simd',
    reason: 'relaxed SIMD is available, but slower on this processor',
  },
  none: { variant: 'simd', reason: 'relaxed SIMD is not available' },
};

/** The fastest binary that runs here, or the one that is wanted. */
export async function chooseVariant(wanted: Variant | undefined): Promise<VariantChoice> {
  checkWasmAllowed();
  if (!(await simd())) throw unsupported('WebAssembly SIMD');
  const dot = relaxedDot();
  if (wanted === 'relaxed' && dot === 'none') throw unsupported('WebAssembly relaxed SIMD');
  if (wanted) return { variant: wanted, reason: 'asked for' };
  return choices[dot];
}
