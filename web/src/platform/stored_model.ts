// Models that are kept: what loading asks of a store, wherever that is.
import type { KeptModel, LoadOptions } from '../api/types.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import type { OpenedSource } from './platform.js';

export interface StoredRequest extends Pick<
  LoadOptions,
  'dtype' | 'revision' | 'hub' | 'token' | 'cache'
> {
  /** A name (sources/model_name.ts), or the absolute URL of a model file. */
  readonly model: { readonly name: string } | { readonly url: string };
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The model is fetched only to be kept: what cannot be kept is refused (`wrong_state`) as soon as that shows. */
  readonly mustKeep?: boolean;
  /** Nothing that is kept is used. */
  readonly isFresh?: boolean | undefined;
}

/** A model by its name or URL: from what is kept, else from the network. Close it when loading is over, however it ended. */
export interface StoredModel {
  open(): Promise<OpenedSource>;
  /** Whether bytes of what is open were kept, so that they may have to be fetched again. */
  readonly usesKept: boolean;
  /**
   * After a failure: opens it once more, where what was kept or arrived may be to blame. First only what the file's digests say
   * is wrong is fetched again, then all of it. Undefined where the failure stands.
   */
  again(error: unknown): (() => Promise<OpenedSource>) | undefined;
  /** When the whole file is verified: from now on it counts as kept. Returns why it could not be kept, for people. */
  keep(): Promise<readonly string[]>;
  /** What is kept of the model, as lists show it. */
  kept(): Promise<KeptModel | undefined>;
  /** Ends all work. What has arrived stays for the next load. */
  close(): Promise<void>;
}
