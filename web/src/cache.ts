/**
 * The cache of models: download, list and delete them.
 * @module susurrus/cache
 */
import type { DownloadedModel, DownloadOptions } from './api/types.js';
import { importAgain } from './platform/import_again.js';

export { cacheSpace, deleteModel, listModels, persist } from '../tools/cache/manage.js';
export type * from './public_cache.js';

const loadDownload = /* @__PURE__ */ importAgain(() => import('./page_download.js'));

/**
 * Downloads a model by its name, or a model file by its URL, verifies it and caches it, without starting an engine. Afterwards
 * `loadModel(name)`, or `loadModel(url, { cache: true })`, needs no network for it. A cached model is read and verified, and damaged parts
 * are downloaded again. If the download is interrupted, the next call, or loadModel(), continues it.
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
export async function downloadModel(
  model: string | URL,
  options: DownloadOptions = {},
): Promise<DownloadedModel> {
  return (await loadDownload()).downloadInPage(model, options);
}
