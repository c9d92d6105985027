// Conversion, and splitting models into shards.
import type { WeightType } from '../generated/dtypes.js';
import type { OutputFormat } from '../generated/formats.js';
import type { FilterbankChoice } from './load.js';
import type { ProgressEvent } from './progress.js';

export interface ConvertOptions {
  /** What is written; `'apr2'` if absent. */
  readonly format?: OutputFormat;
  /**
   * Type of the large weights. If absent `'f16'`, but the blocks of a source that has them, and of an APR2 or APR1 source that
   * becomes APR2 whatever holds its values exactly. `'apr1'` takes `'f32'`, `'f16'` (if absent) and `'int8'`, for all weights.
   * `'safetensors'` takes `'f32'`, `'f16'` and `'bf16'`, for all weights; if absent each keeps its type, and blocks are refused.
   * `'ggml'` takes all but `'bf16'`; if absent the smallest that loses nothing.
   */
  readonly dtype?: WeightType | 'int8';
  /** Of APR2, where it is `'lz4'` if absent, and of APR1, `'none'`. */
  readonly compress?: 'lz4' | 'none';
  /** A `.tiktoken` rank file, for sources without a vocabulary. In Node also a path. */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /** Which mel filterbank is written; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
  /** The `config.json` of a SafeTensors file that has none beside it. In Node also a path. */
  readonly metadata?: string | Blob | ArrayBuffer | Uint8Array;
  /** The most bytes of a file: the destination is then a manifest, with shards beside it. At most 2 GiB. */
  readonly shardSize?: number;
  /** Of every tensor in the file; 64 if absent. */
  readonly alignment?: 64 | 32;
  /** Overwrites a destination that exists. */
  readonly force?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** Options of unshardModel(). */
export type RepackOptions = Pick<ConvertOptions, 'alignment' | 'force' | 'onProgress' | 'signal'>;

/** Options of shardModel(). */
export interface ShardOptions extends RepackOptions {
  /** The most bytes of a shard. At most 2 GiB. */
  readonly size: number;
}

export interface RepackResult {
  /** Bytes of the files written. */
  readonly byteCount: number;
  readonly tensorCount: number;
  /** Of a model in shards: their names, then the manifest's. Of a folder of the hub: those of all its files. */
  readonly files?: readonly string[];
  readonly warnings: readonly string[];
}

export interface ConvertResult extends RepackResult {
  readonly tensors: readonly WrittenTensor[];
}

/** What became of a tensor. */
export interface WrittenTensor {
  /** OpenAI's. */
  readonly name: string;
  readonly dtype: string;
  /** What its values lost: the root of the sum of their squared errors, over that of their squares. 0: nothing. */
  readonly relativeError: number;
}
