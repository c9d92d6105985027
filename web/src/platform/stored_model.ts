// Cached models: the interface between loading and the cache of a page or of Node.
import type { KeptModel, LoadOptions } from '../api/types.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import type { OpenedSource } from './platform.js';

export interface StoredRequest extends Pick<
  LoadOptions,
  'dtype' | 'revision' | 'hub' | 'token' | 'cache' | 'family'
> {
  /** A name (sources/model_name.ts), or the absolute URL of a model file. */
  readonly model: { readonly name: string } | { readonly url: string };
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The model is fetched only to be cached: rejects with `wrong_state` as soon as it turns out that it cannot be. */
  readonly mustKeep?: boolean;
  /** Ignores what is cached. */
  readonly isFresh?: boolean | undefined;
}

/** A model by its name or URL, from the cache or the network. Close it when loading ends, whether it succeeds or fails. */
export interface StoredModel {
  open(): Promise<OpenedSource>;
  /** Whether bytes of the open source come from the cache, so that they may have to be fetched again. */
  readonly usesKept: boolean;
  /**
   * Returns how to open the model again after an error that cached or downloaded bytes may have caused: at first only the parts with wrong
   * digests are fetched again, then everything. Undefined if the error is final.
   */
  again(error: unknown): (() => Promise<OpenedSource>) | undefined;
  /** Call when the whole file is verified: it then counts as cached. Returns sentences for the user if it could not be cached. */
  keep(): Promise<readonly string[]>;
  /** The cached model, as listModels() returns it. */
  kept(): Promise<KeptModel | undefined>;
  /** Ends all work. Downloaded bytes stay for the next load. */
  close(): Promise<void>;
}
