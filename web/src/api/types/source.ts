// Sources and destinations of models, and the keys that decrypt or verify them.
import type { WeightType } from '../generated/dtypes.js';

/**
 * A model file: a URL, a `Request` or `Response`, a file, bytes, or a stream; in Node also a path. The shards of a manifest are
 * read from the same folder; a list of files, such as an `<input>` has, has the manifest and its shards in any order. For
 * loadModel() and plan() it may instead have the files of a Hugging Face folder (config.json, the tokenizer's files, safetensors), which
 * are converted while they are loaded.
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
  | readonly File[]
  | FileListLike;

/** The members of a FileList that are used: the files of an `<input type="file">`, or of a drop. */
export interface FileListLike {
  readonly length: number;
  /** Returns one of the files. */
  item(index: number): File | null;
}

/** A short name, perhaps with a type of weights: `'base:f16'`. */
export type WhisperName = WhisperShortName | `${WhisperShortName}:${WeightType}`;

/** OpenAI's models, and the one for tests. */
export type WhisperShortName =
  | 'digits'
  | 'tiny'
  | 'tiny.en'
  | 'base'
  | 'base.en'
  | 'small'
  | 'small.en'
  | 'medium'
  | 'medium.en'
  | 'large'
  | 'large-v1'
  | 'large-v2'
  | 'large-v3'
  | 'large-v3-turbo'
  | 'turbo';

/** A model file that can be read more than once. */
export type RereadableSource = string | URL | Blob | ArrayBuffer | ArrayBufferView;

/**
 * A source of conversion: the path or URL of a file or folder (the URL of a folder ends in a slash), a file, or the files of a
 * folder. Paths are for Node only.
 */
export type ConvertSource = string | URL | Blob | readonly Blob[] | FileListLike;

/** Destination of a new file: a stream or, in Node, a path. The file appears at the path when it is complete. */
export type ModelDestination = WritableStream<Uint8Array> | string | URL;

/** An AES-256 key of 32 bytes, an AES-GCM CryptoKey of that length, or the passphrase that the key is derived from. */
export type ModelKey = CryptoKey | Uint8Array | { readonly passphrase: string };

/** Keys for encrypted and signed model files. */
export interface SealOptions {
  /** Decrypts an encrypted file; other files ignore it. */
  readonly key?: ModelKey;
  /** Ed25519 public keys, 32 bytes or 64 hexadecimal digits each: the file must be signed by one of them. */
  readonly publicKeys?: readonly (Uint8Array | string)[];
  /**
   * Default: true with `publicKeys`, else false. `true` without `publicKeys`: the file must be signed, by any key. `false` with
   * `publicKeys`: an unsigned file is accepted, one with a wrong signature is not.
   */
  readonly requireSignature?: boolean;
}
