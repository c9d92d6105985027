// What susurrus/cache offers in Node: the same, of models that were pulled and of URLs.
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
 * The models that are kept, newest first, and the beginnings of those whose download broke off: all, or those that `model` means, as
 * deleteModel() takes it. Throws SusurrusError.
 */
export async function listModels(model?: string | URL): Promise<readonly KeptModel[]> {
  const isMeant = model === undefined ? () => true : matcherOf(model, undefined);
  return (await allModels()).map(({ model: kept }) => kept).filter(isMeant);
}

/**
 * Deletes what is kept of a model: one that listModels() gave, or all types and revisions of a name, or what is kept of a URL. Answers
 * what was deleted; nothing is no error. What a download left that broke off is deleted with its repository. Throws SusurrusError.
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

/** Nothing evicts files in Node. */
export const persist = (): Promise<boolean> => Promise.resolve(true);

/** Where models are kept, what they take, and what there is room for. */
export async function cacheSpace(): Promise<CacheSpace> {
  const store = await openNodeStore();
  const availableBytes = await store.files.room();
  const models = await allModels();
  return {
    kind: 'folder',
    modelBytes: models.reduce((sum, { model }) => sum + model.byteCount, 0),
    ...(availableBytes !== undefined && { availableBytes }),
    isPersistent: true,
  };
}
