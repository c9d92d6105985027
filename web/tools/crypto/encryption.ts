// How an APR2 file's tensors are encrypted: AES-256-GCM, piece by piece.
import type { ModelKey } from '../../src/api/types.js';
import { describe, fileError, type SusurrusError } from '../../src/api/errors.js';
import { isObject } from '../../src/api/json_object.js';
import { flagsAt, type Apr2Front, type Apr2Tensor } from './apr2_core.js';
import { fromHex } from './hex.js';
import { isPieceSize, pieceSizeRange } from './piece_digests.js';
import { webCrypto } from './web_crypto.js';

export const encryptionKey = 'encryption';
export const cipher = 'AES-256-GCM';
const passwordKdf = 'PBKDF2-HMAC-SHA256';
export const fewestIterations = 600_000;
/** Half a minute on a slow machine; more would be a denial of service. */
const mostIterations = 10_000_000;
export const saltBytes = 16;
const mostSaltBytes = 1024;

/** In front of a tensor's first piece; a piece's nonce is these and its number. */
export const noncePrefixBytes = 8;
export const tagBytes = 16;

export interface Kdf {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

export interface EncryptionScheme {
  readonly pieceBytes: number;
  /** Absent where the key is used as it is. */
  readonly kdf: Kdf | undefined;
}

/** Throws `decryption_failed` for unknown schemes. */
export function readScheme({ metadata, header }: Apr2Front): EncryptionScheme {
  const refuse = (field: string, expected: string, got: unknown): SusurrusError =>
    decryptionError(
      header.metadataOffset,
      field ? `${encryptionKey}.${field}` : encryptionKey,
      expected,
      describe(got),
    );
  const stated = metadata[encryptionKey];
  if (!isObject(stated)) throw refuse('', 'what the encryption is', stated);
  const { version, piece_size: pieceBytes, kdf, iterations } = stated;
  if (version !== 1) throw refuse('version', '1', version);
  if (stated.cipher !== cipher) throw refuse('cipher', cipher, stated.cipher);
  if (!isPieceSize(pieceBytes)) throw refuse('piece_size', pieceSizeRange, pieceBytes);
  if (kdf === 'none') return { pieceBytes, kdf: undefined };
  if (kdf !== passwordKdf) throw refuse('kdf', `none or ${passwordKdf}`, kdf);
  const salt = fromHex(stated.salt);
  if (!salt || salt.length < saltBytes || salt.length > mostSaltBytes) {
    throw refuse('salt', `${saltBytes} to ${mostSaltBytes} bytes in hexadecimal`, stated.salt);
  }
  if (
    !Number.isInteger(iterations) ||
    Number(iterations) < fewestIterations ||
    Number(iterations) > mostIterations
  ) {
    throw refuse('iterations', `${fewestIterations} to ${mostIterations}`, iterations);
  }
  return { pieceBytes, kdf: { salt, iterations: Number(iterations) } };
}

/** The AES key; undefined where what is given is not of the scheme's kind. */
export async function deriveKey(
  key: ModelKey,
  kdf: Kdf | undefined,
  usage: 'encrypt' | 'decrypt',
): Promise<CryptoKey | undefined> {
  const subtle = webCrypto();
  const aes = { name: 'AES-GCM', length: 256 } as const;
  if ('passphrase' in key) {
    if (!kdf) return undefined;
    const passphrase = new TextEncoder().encode(key.passphrase);
    const material = await subtle.importKey('raw', passphrase, 'PBKDF2', false, ['deriveKey']);
    const parameters = { name: 'PBKDF2', hash: 'SHA-256', ...kdf };
    return subtle.deriveKey(parameters, material, aes, false, [usage]);
  }
  if (kdf) return undefined;
  if (!(key instanceof Uint8Array)) return key;
  // A copy: the caller's bytes may be in shared memory.
  return subtle.importKey('raw', Uint8Array.from(key), aes, false, [usage]);
}

/** The key of a file with this scheme. Throws `decryption_failed` where what is given is not of the scheme's kind. */
export async function decryptionKey(key: ModelKey, { kdf }: EncryptionScheme): Promise<CryptoKey> {
  const aes = await deriveKey(key, kdf, 'decrypt');
  if (aes) return aes;
  const expected = kdf ? 'a passphrase' : 'a key of 32 bytes';
  throw decryptionError(flagsAt, 'key', expected, 'another kind of key');
}

/** The encryption as the metadata describe it. */
export const statedScheme = (
  pieceBytes: number,
  kdf: Kdf | undefined,
  saltHex: string,
): object => ({
  version: 1,
  cipher,
  piece_size: pieceBytes,
  ...(kdf ? { kdf: passwordKdf, salt: saltHex, iterations: kdf.iterations } : { kdf: 'none' }),
});

export const pieceCount = (plainBytes: number, pieceBytes: number): number =>
  Math.ceil(plainBytes / pieceBytes);

/** Stored bytes of a tensor, for the bytes that are encrypted. */
export const encryptedBytes = (plainBytes: number, pieceBytes: number): number =>
  noncePrefixBytes + plainBytes + tagBytes * pieceCount(plainBytes, pieceBytes);

/** The reverse; undefined where no tensor is stored in so many. */
export function decryptedBytes(storedBytes: number, pieceBytes: number): number | undefined {
  const pieces = Math.ceil((storedBytes - noncePrefixBytes) / (pieceBytes + tagBytes));
  const plainBytes = storedBytes - noncePrefixBytes - tagBytes * pieces;
  return plainBytes >= 0 && encryptedBytes(plainBytes, pieceBytes) === storedBytes
    ? plainBytes
    : undefined;
}

/** AES-GCM's additional data: a piece decrypts only as this piece of this tensor of this type and shape. */
export function gcmParameters(
  { nameBytes, typeBytes }: Pick<Apr2Tensor, 'nameBytes' | 'typeBytes'>,
  noncePrefix: Uint8Array,
  piece: number,
  isLast: boolean,
): AesGcmParams {
  const iv = new Uint8Array(noncePrefixBytes + 4);
  iv.set(noncePrefix);
  new DataView(iv.buffer).setUint32(noncePrefixBytes, piece, true);
  const typeAt = nameBytes.length + 1;
  const numberAt = typeAt + typeBytes.length;
  const additionalData = new Uint8Array(numberAt + 5);
  additionalData.set(nameBytes);
  additionalData.set(typeBytes, typeAt);
  new DataView(additionalData.buffer).setUint32(numberAt, piece, true);
  additionalData[numberAt + 4] = isLast ? 1 : 0;
  return { name: 'AES-GCM', iv, additionalData, tagLength: 8 * tagBytes };
}

export function decryptionError(
  offset: number,
  subject: string,
  expected: string,
  got?: string,
  cause?: unknown,
): SusurrusError {
  return fileError(
    'decryption_failed',
    'wrong key, or a piece that does not authenticate',
    { reason: 'decrypt', offset, subject, expected, ...(got !== undefined && { got }) },
    cause,
  );
}
