// Models that are kept: susurrus/cache.
import type { WeightType } from '../generated/dtypes.js';

/** A model that is kept, or the beginning of one whose download broke off. */
export interface KeptModel {
  /** The model's name ("openai/whisper-base"), or the URL of its file. */
  readonly name: string;
  /** Where it is from: the URL of the file, or the hub's address and the repository. */
  readonly address: string;
  readonly revision?: string;
  /** Of a model by name. */
  readonly dtype?: WeightType;
  /** False while only a part is here, which the next load goes on from. */
  readonly complete: boolean;
  /** What it takes here, with what has been downloaded for a model that is not complete. */
  readonly byteCount: number;
  /** Of the whole file, once that is known. */
  readonly totalBytes?: number;
  readonly keptAt: Date;
}

/** The place for kept models. */
export interface CacheSpace {
  /**
   * `'opfs'`: the origin's private file system; `'cache-api'`: where the browser refuses that; `'none'`: it refuses both, and
   * nothing is kept; `'folder'`: in Node.
   */
  readonly kind: 'opfs' | 'cache-api' | 'folder' | 'none';
  /** Of all kept models and parts. */
  readonly modelBytes: number;
  /** Bytes that there is room for, where the browser tells. */
  readonly availableBytes?: number;
  /** Whether the browser promises not to evict what is kept: see persist(). */
  readonly isPersistent: boolean;
}
