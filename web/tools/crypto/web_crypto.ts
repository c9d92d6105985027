// WebCrypto, as far as it is there.
import { SusurrusError } from '../../src/api/errors.js';

/** Returns WebCrypto, or throws an error that names what is missing. */
export function webCrypto(): SubtleCrypto {
  // Pages that did not come over https have none.
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  if (subtle) return subtle;
  throw lacking(
    'crypto.subtle',
    'there is no WebCrypto here; browsers have it in secure contexts only (https or localhost)',
  );
}

export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await webCrypto().digest('SHA-256', bytes));

/** Work with Ed25519 keys, which not every browser's WebCrypto knows. */
export async function withEd25519<T>(work: (subtle: SubtleCrypto) => Promise<T>): Promise<T> {
  const subtle = webCrypto();
  try {
    return await work(subtle);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') {
      throw lacking('Ed25519', 'the WebCrypto here does not know Ed25519 signatures', error);
    }
    throw error;
  }
}

function lacking(subject: string, problem: string, cause?: unknown): SusurrusError {
  return new SusurrusError(
    'unsupported_environment',
    `Encrypted and signed models need more than this environment has: ${problem}.`,
    { reason: 'environment', subject },
    cause,
  );
}
