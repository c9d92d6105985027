// susurrus/cache in Node.
import { downloadInNode } from '../tools/cache/node_download.js';
import type { NodeDownloadedModel, NodeDownloadOptions } from './api/types.js';
import { node } from './node_platform.js';

export { cacheSpace, deleteModel, listModels, persist } from '../tools/cache/node_manage.js';
export type * from './public_cache.js';

/**
 * Downloads a model by its name, or a model file by its URL, verifies it and keeps it, without an engine: afterwards
 * `loadModel(name)`, or `loadModel(url, { cache: true })`, needs no network for it. A repository of the Hugging Face hub
 * (`'openai/whisper-tiny.en@main'`, `'tiny.en'`) is converted while it arrives. What has arrived is kept when that is cut short, and not
 * asked for again; every file is checked against the hub's digest before the model appears. What is kept already is read and
 * verified, and fetched again where it is wrong. Obeys HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and XDG_CACHE_HOME. Throws SusurrusError.
 */
export function downloadModel(
  model: string | URL,
  options: NodeDownloadOptions = {},
): Promise<NodeDownloadedModel> {
  return downloadInNode(node, model, options);
}
