/**
 * The models that are kept: downloading, listing and deleting them.
 * @module susurrus/cache
 */
import type { DownloadedModel, DownloadOptions } from './api/types.js';
import { importAgain } from './platform/import_again.js';

export { cacheSpace, deleteModel, listModels, persist } from '../tools/cache/manage.js';
export type * from './public_cache.js';

const loadDownload = /* @__PURE__ */ importAgain(() => import('./page_download.js'));

/**
 * Downloads a model by its name, or a model file by its URL, verifies it and keeps it, without an engine: afterwards
 * `loadModel(name)`, or `loadModel(url, { cache: true })`, needs no network for it. What is kept already is read and verified, and
 * fetched again where it is wrong. If it is stopped, the next call, or loadModel(), goes on from there. Throws SusurrusError
 * (`wrong_state` where there is no room for it, before or while it arrives).
 */
export async function downloadModel(
  model: string | URL,
  options: DownloadOptions = {},
): Promise<DownloadedModel> {
  return (await loadDownload()).downloadInPage(model, options);
}
