// Options of loadModel().
import type { Progress } from './progress.js';
import type { ModelFamily } from './model.js';
import type { HubOptions } from './hub.js';
import type { FileListLike, ModelSource, SealOptions } from './source.js';

/** WebAssembly instructions that the engine is compiled for. */
export type Variant = 'simd' | 'relaxed';

export interface LoadOptions extends SealOptions, HubOptions {
  /**
   * The family that the model must have, which the model's type then says; another one is rejected with `unsupported_feature`. A file
   * that users choose may be of any family: read `model.family` there.
   */
  readonly family?: ModelFamily;
  /** Branch, tag or commit of the repository, for a model by name; `'main'` if absent. */
  readonly revision?: string;
  /**
   * Whether the model is kept for the next visit, and taken from what is kept: `true`, `false`, or `'only'`, which never uses the
   * network. Models by name are kept by default, those of URLs only with `true`. In pages they are kept in the origin's own file
   * system, in Node in the folder of `susurrus pull`. What is kept is not compared with the server again: see `susurrus/cache`.
   */
  readonly cache?: boolean | 'only';
  /**
   * Resolve as soon as the model's header has been read, with its weights still arriving: `model.loaded` tells when all is here and
   * verified. Calls wait for what they need. `transcribe`, `decode` and `detectLanguage` encode the first window meanwhile; no text
   * comes before the file is verified. Files that are not APR2, and what is kept from an earlier visit, are loaded first as without it.
   */
  readonly early?: boolean;
  /** Called with each phase's bytes; what it throws stops the load. */
  readonly onProgress?: (event: Progress) => void;
  /** Stops the load at once, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The engine binary to run; chosen by feature detection if absent. */
  readonly variant?: Variant;
  /**
   * Number of compute threads, 1 to 8, or `'auto'`: as many as the machine has processors. In a page, several threads need
   * cross-origin isolation; without it one is used. Defaults: `'auto'` in a page, 1 in Node. Results do not depend on it.
   */
  readonly threads?: number | 'auto';
  /**
   * Ends the model's worker, and frees its memory, when it was not used for so many seconds. The next call loads the model again with
   * the same options, from where it was: what is kept, the file, the bytes, or the URL once more. Until then the call waits; `onProgress`
   * is told, and the call's own `signal` stops it. Streams and responses are rejected, since they can be read once.
   */
  readonly autoSleep?: number;
  /**
   * A `.tiktoken` rank file that replaces the model's vocabulary, for models with a missing or wrong one. A string is a URL or,
   * in Node, a path.
   */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /**
   * For a BW2L model: the words that it may write, each on a line with its tokens, separated by tabs or spaces. transcribe() then
   * searches with a beam.
   */
  readonly lexicon?: TextSource;
  /**
   * For a BW2L model: an n-gram model as ARPA text, of the lexicon's words or, without a lexicon, of tokens. transcribe() then searches
   * with a beam.
   */
  readonly languageModel?: TextSource;
  /** The mel filterbank to use; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
  /**
   * An engine that you have compiled, `susurrus/engine.simd.wasm` or another, where the package shall not fetch its own. One of
   * the files with `-threads` runs only where memory can be shared.
   */
  readonly module?: WebAssembly.Module;
  /** In a page: where the package's files lie, for this model. setAssets() says it for all calls. Node ignores it. */
  readonly assets?: Assets;
}

/** One file: a URL, a `Request` or `Response`, a file, bytes, or a stream; in Node also a path. */
export type TextSource = Exclude<ModelSource, readonly File[] | FileListLike>;

/** Where the package's own files lie, for pages whose bundler does not bring them along. */
export interface Assets {
  /**
   * The folder that holds `worker.mjs` and the `.wasm` files: the package's `dist/` or a copy of it, on any origin. A string may
   * be relative to the page.
   */
  readonly base: string | URL;
}

/**
 * `'embedded'`: the file's; `'whisper'`: the one that OpenAI's models were trained with; `'auto'`: the file's, except that
 * Whisper's replaces the HTK filterbank that a known converter wrote into APR1 files by mistake. A file without a filterbank
 * gets Whisper's.
 */
export type FilterbankChoice = 'auto' | 'embedded' | 'whisper';
