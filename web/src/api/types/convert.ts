// Conversion, and splitting models into shards.
import type { WeightType } from '../generated/dtypes.js';
import type { OutputFormat } from '../generated/formats.js';
import type { FilterbankChoice } from './load.js';
import type { Progress } from './progress.js';

/** Options of convertModel() and upgradeModel(). */
export interface ConvertOptions {
  /** The format to write; `'apr2'` if absent. */
  readonly format?: OutputFormat;
  /**
   * Type of the large weights. For APR2 the default is `'q8_0'`; a source with quantised blocks keeps them, and an APR2 or APR1
   * source gets a type that holds its values exactly. `'apr1'` takes `'f32'`, `'f16'` (the default) and `'int8'`, for all
   * weights. `'safetensors'` takes `'f32'`, `'f16'` and `'bf16'`, for all weights; by default each keeps its type, and quantised
   * blocks are rejected. `'ggml'` takes all but `'bf16'`; the default is the smallest lossless type.
   */
  readonly dtype?: WeightType | 'int8';
  /** Compression of APR2 (`'lz4'` if absent) and APR1 (`'none'` if absent). */
  readonly compress?: 'lz4' | 'none';
  /** A `.tiktoken` rank file, for sources without a vocabulary. In Node also a path. */
  readonly vocabulary?: string | URL | Blob | ArrayBuffer | Uint8Array;
  /** Which mel filterbank is written; `'auto'` if absent. */
  readonly filterbank?: FilterbankChoice;
  /** The `config.json` for a SafeTensors file without one in its folder. In Node also a path. */
  readonly metadata?: string | Blob | ArrayBuffer | Uint8Array;
  /** Splits the model into shards of at most so many bytes (up to 2 GiB); the destination becomes their manifest. */
  readonly shardSize?: number;
  /** Alignment of the tensors in the file, in bytes; 64 if absent. */
  readonly alignment?: 64 | 32;
  /** Overwrites a destination that exists. */
  readonly force?: boolean;
  /** Reports the phases `'inspect'`, if the source is verified first, and `'convert'`. */
  readonly onProgress?: (event: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Options of unshardModel(). */
export type RepackOptions = Pick<ConvertOptions, 'alignment' | 'force' | 'onProgress' | 'signal'>;

/** Options of shardModel(). */
export interface ShardOptions extends RepackOptions {
  /** Size limit of a shard in bytes, up to 2 GiB. */
  readonly size: number;
}

/** Result of shardModel() and unshardModel(). */
export interface RepackResult {
  /** Bytes of the files written. */
  readonly byteCount: number;
  readonly tensorCount: number;
  /** For a model in shards, the names of the shards and then of the manifest; for a hub folder, those of all its files. */
  readonly files?: readonly string[];
  readonly warnings: readonly string[];
}

/** Result of convertModel() and upgradeModel(). */
export interface ConvertResult extends RepackResult {
  readonly tensors: readonly WrittenTensor[];
}

/** How a tensor was converted. */
export interface WrittenTensor {
  /** OpenAI's name. */
  readonly name: string;
  readonly dtype: string;
  /** Relative RMS error: the root of the sum of squared errors over the root of the sum of squares. 0 is lossless. */
  readonly relativeError: number;
}
