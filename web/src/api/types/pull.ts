// Models from the hub.
import type { WeightType } from '../generated/dtypes.js';
import type { ConvertResult } from './convert.js';
import type { ProgressEvent } from './progress.js';

/** Where a model that is given by its name comes from. */
export interface HubOptions {
  /** Type of the large weights; if absent, the one that is kept already, else `'q8_0'`. */
  readonly dtype?: WeightType;
  /**
   * Another server with the Hugging Face hub's interface, such as a mirror or a proxy; or the address of files of one's own, with
   * `{model}` (OWNER/NAME) or `{name}` (NAME) in it, and `{revision}` and `{dtype}` if wanted. Such an address is that of a folder
   * with the hub's files if it ends in a slash (`'/models/{model}/'`), else that of a model file (`'/models/{name}.{dtype}.apr'`).
   */
  readonly hub?: string | URL;
  /** For private and gated repositories; sent to `hub` and nobody else. */
  readonly token?: string;
}

/** Options of pullModel(). */
export interface PullOptions extends Omit<HubOptions, 'dtype'> {
  /** `'apr1'`, which needs `output`, is for programs that read nothing newer; `'apr2'` if absent. */
  readonly format?: 'apr2' | 'apr1';
  /** Type of the large weights; `'q8_0'` if absent; of APR1 `'f32'`, `'f16'` (if absent) or `'int8'`, for all weights. */
  readonly dtype?: WeightType | 'int8';
  /** Path of the model file; without it the model goes to the cache. */
  readonly output?: string | URL;
  /** Overwrites an output that exists. */
  readonly force?: boolean;
  /** Phases `'download'` and `'convert'`. */
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** The result of pullModel(). */
export interface PullResult extends ConvertResult {
  /** The model's file. */
  readonly path: string;
  /** The repository that it was downloaded from: `'ggerganov/whisper.cpp'`. */
  readonly source: string;
}

/** A model that was pulled. */
export interface CachedModel {
  /** `'tiny.en'`, or `'openai/whisper-tiny.en'` with `@REVISION` unless that is main: as it was asked for. */
  readonly name: string;
  readonly dtype: WeightType;
  readonly path: string;
  readonly byteCount: number;
  readonly pulledAt: Date;
}
