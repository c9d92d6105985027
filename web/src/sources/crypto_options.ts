// The options that open sealed models. What they may be is known where they are used, which is loaded when there are any.
import type { SealOptions } from '../api/types.js';
import type { Check } from '../api/options.js';
import { loadCrypto } from './load_crypto.js';
import { unwrapOutcome } from '../api/outcome.js';

const checkedLater: Check = ['', () => true];

/** For checkOptions(); checkSealOptions() does the rest. */
export const sealChecks = {
  key: checkedLater,
  publicKeys: checkedLater,
  requireSignature: checkedLater,
};

export const hasSealOptions = (options: SealOptions): boolean =>
  [options.key, options.publicKeys, options.requireSignature].some((value) => value !== undefined);

export async function checkSealOptions(options: SealOptions): Promise<void> {
  if (!hasSealOptions(options)) return;
  const { key, publicKeys, requireSignature } = options;
  const crypto = await loadCrypto();
  unwrapOutcome(await crypto.checkKeys({ key, publicKeys, requireSignature } as SealOptions));
}
