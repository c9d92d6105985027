// Options of loadModel().
import type { ProgressEvent } from './progress.js';
import type { SealOptions } from './source.js';

/** WebAssembly instructions that the engine is compiled for. */
export type Variant = 'simd' | 'relaxed';

export interface LoadOptions extends SealOptions {
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Stops the load at once. */
  readonly signal?: AbortSignal;
  /** Which binary runs; chosen by feature detection if absent. */
  readonly variant?: Variant;
  /**
   * Threads that compute, 1 to 8, or `'auto'`: as many as the machine has processors. In a page more than one need
   * cross-origin isolation; without it there is one, whatever is asked for. `'auto'` if absent in a page, 1 in Node. Results
   * do not depend on it.
   */
  readonly threads?: number | 'auto';
  /**
   * A `.tiktoken` rank file, for models without a vocabulary or with one that is wrong; it takes the place of the file's. A
   * text is its URL, in Node also its path.
   */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /** Which mel filterbank the model hears with; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
}

/**
 * `'embedded'`: the file's; `'whisper'`: the one that OpenAI's models were trained with; `'auto'`: the file's, but Whisper's
 * in place of HTK's in an APR1 file, which a known converter wrote by mistake. A file without any has Whisper's.
 */
export type FilterbankChoice = 'auto' | 'embedded' | 'whisper';
