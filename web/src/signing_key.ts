import type { SigningKey } from './api_types.js';
import { loadSeal, unwrapOutcome } from './seal/load_seal.js';

/** A new Ed25519 pair for signModel() and publicKeys. Throws SusurrusError where WebCrypto does not know Ed25519. */
export async function generateSigningKey(): Promise<SigningKey> {
  return unwrapOutcome(await (await loadSeal()).generateSigningKey());
}
