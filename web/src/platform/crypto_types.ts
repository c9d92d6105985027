// What loading and inspecting exchange with the code that decrypts and verifies files (web/tools/crypto).

/** What is passed on of an encrypted file: `'plain'`: decrypted, for loading; `'stored'`: as it is, each piece once authenticated. */
export type Decryption = 'plain' | 'stored';

/** How protected files are read; `'ignored'`: bytes as they come, neither decrypted nor verified. */
export type Protection = Decryption | 'ignored';

/** Result of decrypting and verifying a file. */
export interface ProtectionReport {
  /** The public key, in hexadecimal digits, whose signature was verified. */
  signer?: string;
  /** The last bytes of padding are not the file's. */
  hasOtherPadding?: boolean;
}

/** A shard, and what the signatures of the shards before it state about the model. */
export interface ShardOrigin {
  readonly name: string;
  readonly model: SignedModel;
}

/** What the shards' signatures state together; filled in one shard after the other. */
export interface SignedModel {
  /** The first signed shard, and the digest of the whole model that it states. */
  first?: { readonly shard: string; readonly digest: string | undefined };
  /** The piece digests of all signed shards, in order. */
  readonly pieceDigests: Uint8Array<ArrayBuffer>[];
  signedCount: number;
}

export const newSignedModel = (): SignedModel => ({ pieceDigests: [], signedCount: 0 });

/** Whether a warning is about an unchecked signature; the caller may have checked it since. */
export const saysUnverified = (warning: string): boolean =>
  /(^|: )signature not checked$/.test(warning);
