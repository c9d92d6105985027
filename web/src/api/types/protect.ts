// Encrypting, signing and verifying model files.
import type { ProgressEvent } from './progress.js';
import type { ModelKey, SealOptions } from './source.js';

export interface RewriteOptions {
  /** Overwrites a file that exists. */
  readonly force?: boolean;
  /** Counts the bytes read, of every pass over the source. */
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

export interface EncryptOptions extends RewriteOptions {
  readonly key: ModelKey;
}

export interface SignOptions extends RewriteOptions {
  /** An Ed25519 private key: 32 bytes (the seed of RFC 8032), or a pair of CryptoKeys. */
  readonly key: Uint8Array | CryptoKeyPair;
}

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

/** One thing that was looked at in a model file. */
export interface VerificationCheck {
  readonly name: 'structure' | 'checksum' | 'piece digests' | 'signature' | 'encryption';
  /** `'absent'`: the file has none; `'unchecked'`: it could not be looked at, or nothing was given to check it by. */
  readonly outcome: 'passed' | 'failed' | 'absent' | 'unchecked';
  readonly message: string;
  /** Byte offset of the fault. */
  readonly offset?: number;
  /** The error's code and reason, of a check that failed. */
  readonly code?: string;
  readonly reason?: string;
}

export interface Verification {
  /** Nothing failed. */
  readonly isSound: boolean;
  readonly checks: readonly VerificationCheck[];
}

export interface VerifyOptions extends SealOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** Bytes [begin, end) of a file; without `end` to wherever it ends. */
export interface ByteRange {
  readonly begin: number;
  readonly end?: number;
}

/** What of a file that was downloaded in part can be kept. */
export interface SoundRanges {
  /** Of the whole file; absent while its beginning is not there. */
  readonly byteCount?: number;
  /** In order, not touching each other. */
  readonly sound: readonly ByteRange[];
  /** Everything else: what is to be fetched. */
  readonly missing: readonly ByteRange[];
}
