import type { SigningKey } from './api/types.js';
import { loadCrypto } from './sources/load_crypto.js';
import { unwrapOutcome } from './api/outcome.js';

/** A new Ed25519 pair for signModel() and publicKeys. Throws SusurrusError where WebCrypto does not know Ed25519. */
export async function generateSigningKey(): Promise<SigningKey> {
  return unwrapOutcome(await (await loadCrypto()).generateSigningKey());
}
