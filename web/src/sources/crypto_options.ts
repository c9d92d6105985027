// The options for encrypted and signed models. web/tools/crypto checks their values; it is loaded only when one is given.
import type { SealOptions } from '../api/types.js';
import type { Check } from '../api/options.js';
import { loadCrypto } from './load_crypto.js';
import { unwrapOutcome } from '../api/outcome.js';

const checkedLater: Check = ['', () => true];

/** For checkOptions(), which leaves the values to checkCryptoOptions(). */
export const cryptoOptionChecks = {
  key: checkedLater,
  publicKeys: checkedLater,
  requireSignature: checkedLater,
};

export const hasCryptoOptions = (options: SealOptions): boolean =>
  [options.key, options.publicKeys, options.requireSignature].some((value) => value !== undefined);

export async function checkCryptoOptions(options: SealOptions): Promise<void> {
  if (!hasCryptoOptions(options)) return;
  const { key, publicKeys, requireSignature } = options;
  const crypto = await loadCrypto();
  unwrapOutcome(await crypto.checkKeys({ key, publicKeys, requireSignature } as SealOptions));
}
