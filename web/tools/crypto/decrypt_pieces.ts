// One encrypted tensor: whether its size can be, and its pieces decrypted.
import type { ByteQueue } from '../../src/platform/byte_queue.js';
import { fileError, type ErrorReason, type SusurrusError } from '../../src/api/errors.js';
import type { Apr2Front, Apr2Tensor } from './apr2_core.js';
import {
  decryptedBytes,
  decryptionError,
  encryptedBytes,
  gcmParameters,
  noncePrefixBytes,
  pieceCount,
  tagBytes,
  type EncryptionScheme,
} from './encryption.js';
import { webCrypto } from './web_crypto.js';

export interface EncryptedTensor {
  readonly entry: Apr2Tensor;
  /** In the file. */
  readonly begin: number;
  readonly plainBytes: number;
}

/** Rejects wrong sizes that the core cannot detect, since it sees only the sizes without encryption. */
export function encryptedTensor(
  { header }: Pick<Apr2Front, 'header'>,
  entry: Apr2Tensor,
  { pieceBytes }: EncryptionScheme,
): EncryptedTensor {
  const plainBytes = decryptedBytes(entry.size, pieceBytes);
  // A compressed tensor may have any size that pieces can have.
  const expected =
    entry.plainSize === undefined ? undefined : encryptedBytes(entry.plainSize, pieceBytes);
  if (plainBytes === undefined || (expected ?? entry.size) !== entry.size) {
    throw malformed('size_mismatch', {
      offset: header.indexOffset + entry.entryAt,
      subject: entry.name,
      expected: expected === undefined ? 'whole pieces' : `size ${expected}`,
      got: String(entry.size),
    });
  }
  return { entry, begin: header.dataOffset + entry.offset, plainBytes };
}

export interface DecryptedPiece {
  readonly stored: Uint8Array<ArrayBuffer>;
  readonly plain: Uint8Array<ArrayBuffer>;
}

/**
 * The pieces of a tensor, which comes next in the queue; each is given when it has been authenticated. The first one's stored bytes
 * begin with the nonce. Returns false where the queue ends too early; what is left stays in it. Throws `decryption_failed`.
 */
export async function* decryptPieces(
  queue: ByteQueue,
  { entry, plainBytes }: EncryptedTensor,
  key: CryptoKey,
  { pieceBytes }: EncryptionScheme,
): AsyncGenerator<DecryptedPiece, boolean> {
  const pieces = pieceCount(plainBytes, pieceBytes);
  let noncePrefix = new Uint8Array();
  // A tensor without values still has its nonce.
  for (let piece = 0; piece < Math.max(1, pieces); ++piece) {
    const isLast = piece + 1 >= pieces;
    const textBytes = isLast ? plainBytes - piece * pieceBytes : pieceBytes;
    const prefixBytes = piece === 0 ? noncePrefixBytes : 0;
    const storedBytes = prefixBytes + textBytes + (pieces > 0 ? tagBytes : 0);
    const ahead = await queue.peek(storedBytes);
    if (ahead.length < storedBytes) return false;
    if (piece === 0) noncePrefix = ahead.slice(0, noncePrefixBytes);
    const offset = queue.position + prefixBytes;
    const stored = queue.take(storedBytes);
    const plain =
      pieces > 0
        ? await decrypted(
            stored.subarray(prefixBytes),
            key,
            gcmParameters(entry, noncePrefix, piece, isLast),
            { offset, subject: entry.name, piece },
          )
        : new Uint8Array();
    yield { stored, plain };
  }
  return true;
}

async function decrypted(
  stored: Uint8Array<ArrayBuffer>,
  key: CryptoKey,
  parameters: AesGcmParams,
  { offset, subject, piece }: { offset: number; subject: string; piece: number },
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await webCrypto().decrypt(parameters, key, stored));
  } catch (error) {
    const expected = `that the key opens piece ${piece}`;
    throw decryptionError(offset, subject, expected, 'a wrong tag', error);
  }
}

export function malformed(
  reason: ErrorReason,
  details: { offset: number; subject: string; expected: string; got?: string },
): SusurrusError {
  return fileError('malformed', 'the bytes contradict the format', { reason, ...details });
}
