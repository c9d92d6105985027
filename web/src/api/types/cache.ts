// Models that are kept: susurrus/cache.
import type { WeightType } from '../generated/dtypes.js';
import type { HubOptions } from './hub.js';
import type { LoadOptions } from './load.js';
import type { Progress } from './progress.js';
import type { SealOptions } from './source.js';

/** A model that is kept, or the beginning of one whose download broke off. */
export interface KeptModel {
  /** The model's name ("openai/whisper-base"), or the URL of its file. */
  readonly name: string;
  /** Where it is from: the URL of the file, or the hub's address and the repository. */
  readonly address: string;
  readonly revision?: string;
  /** Type of the weights, for a model by name. */
  readonly dtype?: WeightType;
  /** False while only a part is here, which the next load goes on from. */
  readonly complete: boolean;
  /** What it takes here, with what has been downloaded for a model that is not complete. */
  readonly byteCount: number;
  /** Size of the whole file, once it is known. */
  readonly totalBytes?: number;
  readonly keptAt: Date;
  /** In Node: where the file lies, once it is complete. */
  readonly path?: string;
}

/** Options of downloadModel(). All but `onProgress` and `signal` mean what they mean to loadModel(). */
export interface DownloadOptions
  extends HubOptions, SealOptions, Pick<LoadOptions, 'revision' | 'signal'> {
  /** Hears the phases `'download'`, `'convert'` and, of what is kept already, `'cache'`. */
  readonly onProgress?: (event: Progress) => void;
}

/** The result of downloadModel(): the model as listModels() has it from now on. */
export interface DownloadedModel extends KeptModel {
  /** Whether the whole model was here before the call. It has been verified once more. */
  readonly alreadyKept: boolean;
  /**
   * Where it was downloaded from: the hub's repository (`'ggerganov/whisper.cpp'`) or a URL. Absent where nothing was, or where another
   * tab downloaded it meanwhile.
   */
  readonly source?: string;
  /** Tensors of the whole model. */
  readonly tensorCount: number;
  /** What is odd about the file. */
  readonly warnings: readonly string[];
}

/** Options of downloadModel() in Node. */
export interface NodeDownloadOptions extends Omit<DownloadOptions, 'dtype'> {
  /** `'apr1'`, which needs `output`, is for programs that read nothing newer; `'apr2'` if absent. */
  readonly format?: 'apr2' | 'apr1';
  /** As for loadModel(); of APR1 `'f32'`, `'f16'` (if absent) or `'int8'`, for all weights. */
  readonly dtype?: WeightType | 'int8';
  /** Path of a model file that is written instead of one in the cache. Only for models by name. */
  readonly output?: string | URL;
  /** Downloads again what is kept already; overwrites an output that exists. */
  readonly force?: boolean;
}

/** The result of downloadModel() in Node. */
export interface NodeDownloadedModel extends DownloadedModel {
  /** The model's file. */
  readonly path: string;
}

/** The place for kept models. */
export interface CacheSpace {
  /**
   * `'opfs'`: the origin's private file system; `'cache-api'`: where the browser refuses that; `'none'`: it refuses both, and
   * nothing is kept; `'folder'`: in Node.
   */
  readonly kind: 'opfs' | 'cache-api' | 'folder' | 'none';
  /** Bytes of all cached models and partial downloads. */
  readonly modelBytes: number;
  /** Bytes that there is room for, where the browser tells. */
  readonly availableBytes?: number;
  /** Whether the browser promises not to evict what is kept: see persist(). */
  readonly isPersistent: boolean;
}
