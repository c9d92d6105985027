// Options of loadModel().
import type { Progress } from './progress.js';
import type { ModelFamily } from './model.js';
import type { HubOptions } from './hub.js';
import type { FileListLike, ModelSource, SealOptions } from './source.js';

/** WebAssembly instructions that the engine is compiled for. */
export type Variant = 'simd' | 'relaxed';

export interface LoadOptions extends SealOptions, HubOptions {
  /**
   * The family that the model must have; the result's type is that family's. A model of another one is rejected with `unsupported_feature`
   * when its header has arrived, which ends the download. For a file that a user chooses, check `model.family` instead.
   */
  readonly family?: ModelFamily;
  /** Branch, tag or commit of the repository, for a model by name; `'main'` if absent. */
  readonly revision?: string;
  /**
   * Whether the model is cached for the next visit and read from the cache: `true`, `false`, or `'only'`, which never uses the network.
   * Models by name are cached by default, those of URLs only with `true`. In pages the cache is in the origin's private file system, in
   * Node in the folder of `susurrus pull`. Cached models are not compared with the server again: see `susurrus/cache`.
   */
  readonly cache?: boolean | 'only';
  /**
   * Resolves as soon as the model's header has been read, while its weights are still downloading; `model.loaded` resolves when they are
   * complete and verified. Calls wait for the weights that they need. `transcribe`, `decode` and `detectLanguage` encode the first window
   * meanwhile; no text is returned before the file is verified. Has no effect on other formats than APR2 and on cached models.
   */
  readonly early?: boolean;
  /** Reports each phase's bytes. An exception stops the load. */
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
   * How many engines transcribe a recording together where `transcribe()` does not say. `'auto'`, the default: by processors and memory,
   * made when a recording is long enough, and ended after a minute without work. A number, 1 to 16: they are ready once the model is, and
   * stay with it. Each engine has its weights once more in memory.
   */
  readonly workers?: number | 'auto';
  /**
   * Ends the model's worker and frees its memory when the model was not used for so many seconds. The next call loads it again with the
   * same options, from the cache, the file, the bytes or the URL, and waits for that; `onProgress` reports it, and the call's own `signal`
   * stops it. Streams and responses are rejected, since they can be read only once.
   */
  readonly autoSleep?: number;
  /**
   * A `.tiktoken` rank file that replaces the model's vocabulary, for models with a missing or wrong one. A string is a URL or,
   * in Node, a path.
   */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /**
   * For a BW2L model: the words that its text may have, each on a line with its tokens, separated by tabs or spaces. transcribe() then
   * uses a beam search.
   */
  readonly lexicon?: TextSource;
  /**
   * For a BW2L model: an n-gram model as ARPA text, of the lexicon's words or, without a lexicon, of tokens. transcribe() then uses
   * a beam search.
   */
  readonly languageModel?: TextSource;
  /** The mel filterbank to use; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
  /**
   * A compiled engine, from `susurrus/engine.simd.wasm` or another of the package's files, so that the package does not fetch one. Files
   * with `-threads` need shared memory.
   */
  readonly module?: WebAssembly.Module;
  /** In a page: where the package's files are, for this model. setAssets() sets it for all calls. Node ignores it. */
  readonly assets?: Assets;
}

/** One file: a URL, a `Request` or `Response`, a file, bytes, or a stream; in Node also a path. */
export type TextSource = Exclude<ModelSource, readonly File[] | FileListLike>;

/** Where the package's own files are, for pages whose bundler does not copy them. */
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
