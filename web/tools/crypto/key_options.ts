// Checks the caller's keys and converts them.
import type { SealOptions } from '../../src/api/types.js';
import { checkOptions, flag, isText, listOf, type Check } from '../../src/api/options.js';
import { fromHex } from './hex.js';
import type { FileKeys } from './decrypt_and_verify.js';

const isAesKey = (value: unknown): boolean =>
  typeof CryptoKey !== 'undefined' &&
  value instanceof CryptoKey &&
  value.algorithm.name === 'AES-GCM' &&
  (value.algorithm as AesKeyAlgorithm).length === 256;

export const keyCheck: Check = [
  '32 bytes, an AES-GCM CryptoKey of 256 bits, or {passphrase} without lone surrogates',
  (value) =>
    (value instanceof Uint8Array && value.length === 32) || isAesKey(value) || hasPassphrase(value),
];

const hasPassphrase = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'passphrase' in value &&
  isText(value.passphrase) &&
  value.passphrase !== '';

const isPublicKey = (value: unknown): boolean =>
  (value instanceof Uint8Array ? value : fromHex(value))?.length === 32;

/** For checkOptions(), where a function knows that its options are about encryption and signatures. */
export const keyChecks = {
  key: keyCheck,
  publicKeys: listOf(
    'Ed25519 public keys of 32 bytes or 64 hexadecimal digits',
    isPublicKey,
    Infinity,
    1,
  ),
  requireSignature: flag,
} satisfies Record<string, Check>;

/** Rejects invalid keys. */
export function checkKeys({ key, publicKeys, requireSignature }: SealOptions): void {
  checkOptions({ key, publicKeys, requireSignature }, keyChecks);
}

/** The checked and converted options. */
export function fileKeys({ key, publicKeys, requireSignature }: SealOptions): FileKeys {
  return {
    key: key,
    publicKeys: publicKeys?.map((one) => (typeof one === 'string' ? fromHex(one)! : one)),
    isSignatureRequired: requireSignature ?? publicKeys !== undefined,
  };
}
