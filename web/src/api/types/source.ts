// Where models come from and go to, and the keys that open them.

/**
 * Bytes of a model file: a URL, anything that `fetch` gives or takes, a file, memory, or a stream. In Node also a path. The
 * shards of a manifest are found beside its path or URL; a list of files holds the manifest and its shards, in any order.
 */
export type ModelSource =
  | string
  | URL
  | Request
  | Response
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | readonly File[];

/** A model file that can be read more than once. */
export type RereadableSource = string | URL | Blob | ArrayBuffer | ArrayBufferView;

/**
 * What is converted: the path or URL of a file or folder (a URL of a folder ends in a slash), a file, or the files of a folder.
 * Pages take no paths.
 */
export type ConvertSource = string | URL | Blob | readonly Blob[];

/** Where a new file goes: any stream for bytes; in Node also a path, whose file appears when it is whole. */
export type ModelDestination = WritableStream<Uint8Array> | string | URL;

/** An AES-256 key of 32 bytes, an AES-GCM CryptoKey of that length, or the passphrase that the key is derived from. */
export type ModelKey = CryptoKey | Uint8Array | { readonly passphrase: string };

/** What opens model files that are encrypted or signed. */
export interface SealOptions {
  /** Opens an encrypted file; others are read as they are. */
  readonly key?: ModelKey;
  /** Ed25519 public keys, 32 bytes or 64 hexadecimal digits each: the file must be signed by one of them. */
  readonly publicKeys?: readonly (Uint8Array | string)[];
  /**
   * Absent: with `publicKeys` true, without them false. `true` without `publicKeys`: the file must be signed, by any key; `false`
   * with them: a file without signature will do, one with a wrong signature will not.
   */
  readonly requireSignature?: boolean;
}
