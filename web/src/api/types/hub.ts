// Models from the hub.
import type { WeightType } from '../generated/dtypes.js';

/** Origin of a model that is loaded by its name. */
export interface HubOptions {
  /** Type of the large weights; by default the one that is cached, else `'q8_0'`. */
  readonly dtype?: WeightType;
  /**
   * Another server with the Hugging Face hub's interface, such as a mirror or a proxy; or a URL template for your own files, with
   * `{model}` (OWNER/NAME) or `{name}` (NAME), and optionally `{revision}` and `{dtype}`. A template that ends in a slash is the URL of a
   * folder with the hub's files (`'/models/{model}/'`), any other that of a model file (`'/models/{name}.{dtype}.apr'`).
   */
  readonly hub?: string | URL;
  /** Access token for private and gated repositories; sent only to `hub`. */
  readonly token?: string;
}
