import type { SigningKey } from './api/types.js';
import { loadCrypto } from './sources/load_crypto.js';
import { unwrapOutcome } from './api/outcome.js';

/**
 * Makes an Ed25519 pair of 32 bytes each: the private key for signModel(), the public one for `publicKeys`.
 *
 * @throws SusurrusError `unsupported_environment` where WebCrypto does not support Ed25519.
 * @example
 * ```js
 * const { privateKey, publicKey } = await generateSigningKey();
 * console.log(privateKey.length, publicKey.length);
 * ```
 */
export async function generateSigningKey(): Promise<SigningKey> {
  return unwrapOutcome(await (await loadCrypto()).generateSigningKey());
}
