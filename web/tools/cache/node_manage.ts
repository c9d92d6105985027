// The functions of susurrus/cache in Node that list and delete cached models.
import { rm } from 'node:fs/promises';
import { wrongState } from '../../src/api/errors.js';
import type { CacheSpace, KeptModel } from '../../src/api/types.js';
import { isModelName } from '../../src/sources/model_name.js';
import { pulledModels, removeDownloads } from '../hub/model_cache.js';
import { findRepository, parseNamedModel, type Repository } from '../hub/repository.js';
import { matcherOf } from './matching.js';
import { openNodeStore } from './node_store.js';
import { FileInUse } from './store_files.js';

interface Kept {
  readonly model: KeptModel;
  readonly remove: () => Promise<void>;
}

async function allModels(): Promise<readonly Kept[]> {
  const store = await openNodeStore();
  const ofUrls = (await store.list()).map(({ id, model }) => ({
    model,
    remove: () => store.remove(id),
  }));
  const pulled = (await pulledModels()).map((model) => ({
    model,
    remove: () => rm(model.path, { force: true }),
  }));
  return [...ofUrls, ...pulled].sort((a, b) => b.model.keptAt.getTime() - a.model.keptAt.getTime());
}

/**
 * Returns the cached models, newest first, and the partial downloads among them: all, or those that `model` selects, as for
 * deleteModel().
 *
 * @throws SusurrusError `invalid_argument` for anything but a name or a URL.
 * @example
 * ```js
 * for (const { name, complete, byteCount } of await listModels()) console.log(name, complete, byteCount);
 * ```
 */
export async function listModels(model?: string | URL): Promise<readonly KeptModel[]> {
  const isMeant = model === undefined ? () => true : matcherOf(model, undefined);
  return (await allModels()).map(({ model: kept }) => kept).filter(isMeant);
}

/**
 * Deletes cached models: one that listModels() returned, all types and revisions of a name, or the one of a URL; with a repository's models,
 * its partial downloads. Returns what was deleted, an empty list if there was nothing.
 *
 * @throws SusurrusError `invalid_argument` for anything but a name, a URL or a result of listModels(); `wrong_state` while another process
 *   downloads it.
 * @example
 * ```js
 * const deleted = await deleteModel('base');
 * console.log(deleted.length);
 * ```
 */
export async function deleteModel(model: string | URL | KeptModel): Promise<readonly KeptModel[]> {
  const isMeant = matcherOf(model, undefined);
  const repository = repositoryOf(model);
  if (repository !== undefined) await removeDownloads(repository);
  const meant = (await allModels()).filter((kept) => isMeant(kept.model));
  for (const { model: kept, remove } of meant) {
    await remove().catch((error: unknown) => {
      if (!(error instanceof FileInUse)) throw error;
      throw wrongState(`${kept.name} is being downloaded by another process.`, kept.name);
    });
  }
  return meant.map(({ model: kept }) => kept);
}

function repositoryOf(model: string | URL | KeptModel): Repository | undefined {
  if (model instanceof URL) return undefined;
  if (typeof model !== 'string') return findRepository(model.name);
  return isModelName(model) ? parseNamedModel(model, {}).repository : undefined;
}

/**
 * Resolves to `true`: in Node nothing evicts cached models.
 *
 * @example
 * ```js
 * console.log(await persist());
 * ```
 */
export const persist = (): Promise<boolean> => Promise.resolve(true);

/**
 * Returns where models are cached, how much space they take and how much is left.
 *
 * @example
 * ```js
 * const { modelBytes, availableBytes } = await cacheSpace();
 * console.log(modelBytes, availableBytes);
 * ```
 */
export async function cacheSpace(): Promise<CacheSpace> {
  const store = await openNodeStore();
  const availableBytes = await store.files.room();
  const models = await allModels();
  return {
    kind: 'folder',
    modelBytes: models.reduce((sum, { model }) => sum + model.byteCount, 0),
    ...(availableBytes !== undefined && { availableBytes }),
    persistent: true,
  };
}
