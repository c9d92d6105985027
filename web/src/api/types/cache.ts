// Cached models: susurrus/cache.
import type { WeightType } from '../generated/dtypes.js';
import type { HubOptions } from './hub.js';
import type { LoadOptions } from './load.js';
import type { Progress } from './progress.js';
import type { SealOptions } from './source.js';

/** A cached model, or a partial download of one. */
export interface KeptModel {
  /** The model's name ("openai/whisper-base"), or the URL of its file. */
  readonly name: string;
  /** Its origin: the URL of the file, or the hub's URL and the repository. */
  readonly address: string;
  readonly revision?: string;
  /** Type of the weights, for a model by name. */
  readonly dtype?: WeightType;
  /** False for a partial download, which the next load continues. */
  readonly complete: boolean;
  /** Space that it takes in the cache, including partial downloads. */
  readonly byteCount: number;
  /** Size of the whole file, once it is known. */
  readonly totalBytes?: number;
  readonly keptAt: Date;
  /** In Node: path of the file, once it is complete. */
  readonly path?: string;
}

/** Options of downloadModel(). All but `onProgress` and `signal` are those of loadModel(). */
export interface DownloadOptions
  extends HubOptions, SealOptions, Pick<LoadOptions, 'revision' | 'signal'> {
  /** Reports the phases `'download'`, `'convert'` and, for a model that is cached already, `'cache'`. */
  readonly onProgress?: (event: Progress) => void;
}

/** Result of downloadModel(): the model, as listModels() returns it afterwards. */
export interface DownloadedModel extends KeptModel {
  /** Whether the whole model was cached before the call. It has been verified again. */
  readonly alreadyKept: boolean;
  /**
   * Origin of the download: the hub's repository (`'ggerganov/whisper.cpp'`) or a URL. Absent if nothing was downloaded, or if another tab
   * downloaded it meanwhile.
   */
  readonly source?: string;
  /** Tensors of the whole model. */
  readonly tensorCount: number;
  /** Deviations of the file that do no harm. */
  readonly warnings: readonly string[];
}

/** Options of downloadModel() in Node. */
export interface NodeDownloadOptions extends Omit<DownloadOptions, 'dtype'> {
  /** `'apr1'`, which needs `output`, is for programs that read nothing newer; `'apr2'` if absent. */
  readonly format?: 'apr2' | 'apr1';
  /** As for loadModel(); for APR1 `'f32'`, `'f16'` (the default) or `'int8'`, for all weights. */
  readonly dtype?: WeightType | 'int8';
  /** Path of a model file that is written instead of one in the cache. Only for models by name. */
  readonly output?: string | URL;
  /** Downloads a cached model again; overwrites an existing output. */
  readonly force?: boolean;
}

/** The result of downloadModel() in Node. */
export interface NodeDownloadedModel extends DownloadedModel {
  /** The model's file. */
  readonly path: string;
}

/** Where models are cached, and how much space there is. */
export interface CacheSpace {
  /**
   * `'opfs'`: the origin's private file system; `'cache-api'`: the Cache API, if the browser denies that; `'none'`: it denies both, so
   * that nothing is cached; `'folder'`: in Node.
   */
  readonly kind: 'opfs' | 'cache-api' | 'folder' | 'none';
  /** Bytes of all cached models and partial downloads. */
  readonly modelBytes: number;
  /** Bytes that are free, if the browser reports it. */
  readonly availableBytes?: number;
  /** Whether the browser promises not to evict cached models: see persist(). */
  readonly persistent: boolean;
}
