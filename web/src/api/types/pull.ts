// Models from the hub.
import type { WeightType } from '../generated/dtypes.js';
import type { ConvertResult } from './convert.js';
import type { ProgressEvent } from './progress.js';

/** Options of pullModel(). */
export interface PullOptions {
  /** Type of the large weights; `'f16'` if absent. */
  readonly dtype?: WeightType;
  /** Path of the model file; without it the model goes to the cache. */
  readonly output?: string | URL;
  /** Overwrites an output that exists. */
  readonly force?: boolean;
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly signal?: AbortSignal;
}

/** The result of pullModel(). */
export interface PullResult extends ConvertResult {
  /** The model's file. */
  readonly path: string;
}

/** A model that was pulled. */
export interface CachedModel {
  /** "openai/whisper-tiny.en", with @REVISION unless that is main. */
  readonly name: string;
  readonly dtype: WeightType;
  readonly path: string;
  readonly byteCount: number;
  readonly pulledAt: Date;
}
