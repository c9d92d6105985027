// The signature of an APR2 file: Ed25519 over SHA-256 of header, metadata and index. Those hold the digests of everything else.
import { fileError, type SusurrusError } from '../../src/api/errors.js';
import { flagsAt, type Apr2Front } from './apr2_core.js';
import { areEqual, toHex } from './hex.js';
import {
  digestsKey,
  readPieceDigests,
  signatureBlockBytes,
  type PieceDigests,
} from './piece_digests.js';
import { sha256, withEd25519 } from './web_crypto.js';

export const signatureBytes = 64;
const algorithm = { name: 'Ed25519' } as const;

/** What is signed. */
export function signedMessage(
  header: Uint8Array,
  metadata: Uint8Array,
  index: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(header.length + metadata.length + index.length);
  all.set(header);
  all.set(metadata, header.length);
  all.set(index, header.length + metadata.length);
  return sha256(all);
}

/** The signature block at the beginning of a signed file's data. */
export function splitBlock(block: Uint8Array<ArrayBuffer>): {
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly publicKey: Uint8Array<ArrayBuffer>;
} {
  return {
    signature: block.subarray(0, signatureBytes),
    publicKey: block.subarray(signatureBytes, signatureBlockBytes),
  };
}

/**
 * Checks a file's signature and returns its digests, which it vouches for. Without `trusted` every signer will do. Throws
 * `signature_invalid` where there is none, where it is wrong, or where its key is not trusted.
 */
export async function checkSignature(
  front: Apr2Front,
  block: Uint8Array<ArrayBuffer>,
  trusted: readonly Uint8Array[] | undefined,
): Promise<{ readonly signer: string; readonly digests: PieceDigests }> {
  const { dataOffset, metadataOffset } = front.header;
  const digests = await readPieceDigests(front);
  if (!digests) {
    throw signatureError(metadataOffset, digestsKey, 'the digests that are signed', 'none');
  }
  const early = front.tensors.find(({ offset, size }) => size > 0 && offset < signatureBlockBytes);
  if (early) {
    throw fileError('malformed', 'a tensor lies over the signature', {
      reason: 'layout',
      offset: dataOffset + early.offset,
      subject: early.name,
      expected: `an offset of at least ${signatureBlockBytes}`,
      got: String(early.offset),
    });
  }
  const { signature, publicKey } = splitBlock(block);
  const signer = toHex(publicKey);
  if (trusted && !trusted.some((key) => areEqual(key, publicKey))) {
    const expected = trusted.length === 1 ? toHex(trusted[0]!) : `one of ${trusted.length} keys`;
    throw signatureError(dataOffset + signatureBytes, 'public key', expected, signer);
  }
  const message = await signedMessage(front.headerBytes, front.metadataBytes, front.indexBytes);
  if (!(await isSigned(publicKey, signature, message))) {
    throw signatureError(dataOffset, 'signature', `one of header, metadata and index by ${signer}`);
  }
  return { signer, digests };
}

/** The error for a file that must be signed but is not. */
export const noSignature = (): SusurrusError =>
  signatureError(flagsAt, 'SIGNED', 'a signature', 'none');

export function signatureError(
  offset: number,
  subject: string,
  expected: string,
  got?: string,
): SusurrusError {
  return fileError(
    'signature_invalid',
    'the signature does not verify, or its signer is not trusted',
    { reason: 'signature', offset, subject, expected, ...(got !== undefined && { got }) },
  );
}

/** Also returns false for bytes that are no key. */
function isSigned(
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return withEd25519(async (subtle) => {
    try {
      const key = await subtle.importKey('raw', publicKey, algorithm, false, ['verify']);
      return await subtle.verify(algorithm, key, signature, message);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotSupportedError') throw error;
      return false;
    }
  });
}
