// Encrypting, signing and verifying model files.
import type { Progress } from './progress.js';
import type { ModelKey, SealOptions } from './source.js';

/** Options of addPieceDigests(), and of all that write a copy. */
export interface RewriteOptions {
  /** Overwrites a file that exists. */
  readonly force?: boolean;
  /** Counts the bytes read in every pass over the source. */
  readonly onProgress?: (event: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Options of encryptModel(). */
export interface EncryptOptions extends RewriteOptions {
  readonly key: ModelKey;
}

/** Options of signModel(). */
export interface SignOptions extends RewriteOptions {
  /** An Ed25519 private key: 32 bytes (the seed of RFC 8032), or a pair of CryptoKeys. */
  readonly key: Uint8Array | CryptoKeyPair;
}

/** Result of addPieceDigests(), encryptModel() and signModel(). */
export interface RewriteResult {
  /** Bytes of the file written. */
  readonly byteCount: number;
  readonly tensorCount: number;
  readonly warnings: readonly string[];
}

/** Ed25519: the seed of RFC 8032, and the public key. */
export interface SigningKey {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The result of one check of a model file. */
export interface VerificationCheck {
  readonly name: 'structure' | 'checksum' | 'piece digests' | 'signature' | 'encryption';
  /** `'absent'`: the file has none; `'unchecked'`: no key was given, or the check was not possible. */
  readonly outcome: 'passed' | 'failed' | 'absent' | 'unchecked';
  readonly message: string;
  /** Byte offset of the error. */
  readonly offset?: number;
  /** Code and reason of the error, if the check failed. */
  readonly code?: string;
  readonly reason?: string;
}

/** Result of verifyModel(). */
export interface Verification {
  /** Whether no check failed. */
  readonly valid: boolean;
  readonly checks: readonly VerificationCheck[];
  /** Warnings of inspect(), except those about signatures; a valid file may have some. */
  readonly warnings: readonly string[];
}

export interface VerifyOptions extends SealOptions {
  /** Counts the bytes read in every pass over the file. */
  readonly onProgress?: (event: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Bytes [begin, end) of a file; without `end`, up to the end of the file. */
export interface ByteRange {
  readonly begin: number;
  readonly end?: number;
}

/** Which parts of an incomplete download are valid. */
export interface SoundRanges {
  /** Size of the whole file; absent if the beginning of the file is missing. */
  readonly byteCount?: number;
  /** Sorted and disjoint. */
  readonly sound: readonly ByteRange[];
  /** The remaining ranges, which must be fetched. */
  readonly missing: readonly ByteRange[];
}
