// susurrus/cache in Node.
import { downloadInNode } from '../tools/cache/node_download.js';
import type { NodeDownloadedModel, NodeDownloadOptions } from './api/types.js';
import { node } from './node_platform.js';

export { cacheSpace, deleteModel, listModels, persist } from '../tools/cache/node_manage.js';
export type * from './public_cache.js';

/**
 * Downloads a model by its name, or a model file by its URL, verifies it and caches it, without starting an engine. Afterwards
 * `loadModel(name)`, or `loadModel(url, { cache: true })`, needs no network for it. A repository of the Hugging Face hub
 * (`'openai/whisper-tiny.en@main'`, `'tiny.en'`) is converted while it downloads, and every file is checked against the hub's digest before the
 * model is cached. An interrupted download is continued by the next call. A cached model is read and verified, and damaged parts are
 * downloaded again. Respects HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and XDG_CACHE_HOME.
 *
 * Calls at once for the same model by name, `loadModel()` included, share one download: each has its own signal, progress and error, and the
 * download ends when the last of them is aborted. Another process downloads a name for itself, to files of its own, and puts the complete
 * model in place in one step; a URL that another process is downloading is waited for.
 *
 * @throws SusurrusError `wrong_state` if the model cannot be cached, for lack of space for example; otherwise as loadModel(): `invalid_argument`,
 *   `source_failed`, `checksum_mismatch` … An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { byteCount, alreadyKept } = await downloadModel('base', {
 *   onProgress: ({ overall }) => console.log(overall),
 * });
 * console.log(byteCount, alreadyKept);
 * ```
 */
export function downloadModel(
  model: string | URL,
  options: NodeDownloadOptions = {},
): Promise<NodeDownloadedModel> {
  return downloadInNode(node, model, options);
}
