// What loading and inspecting exchange with the code that decrypts and verifies files (web/tools/crypto).

/** How an encrypted file is given on: `'plain'` for loading; `'stored'` as it is, but each piece only when it has been authenticated. */
export type Decryption = 'plain' | 'stored';

/** The same; `'ignored'`: whatever the file is, as it comes. */
export type Seals = Decryption | 'ignored';

/** What was found out on the way through a file. */
export interface SealReport {
  /** The public key, in hexadecimal digits, whose signature was verified. */
  signer?: string;
  /** The last bytes of padding are not the file's. */
  hasOtherPadding?: boolean;
}

/** A file that is one of several, and what the signatures of those before it say of the model. */
export interface ShardOrigin {
  readonly name: string;
  readonly model: SignedModel;
}

/** What the shards' signatures say together: filled in one shard after the other. */
export interface SignedModel {
  /** The first signed shard, and the digest of the whole model that it states. */
  first?: { readonly shard: string; readonly digest: string | undefined };
  /** The piece digests of all signed shards, in order. */
  readonly pieceDigests: Uint8Array<ArrayBuffer>[];
  signedCount: number;
}

export const newSignedModel = (): SignedModel => ({ pieceDigests: [], signedCount: 0 });
