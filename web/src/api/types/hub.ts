// Models from the hub.
import type { WeightType } from '../generated/dtypes.js';

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
