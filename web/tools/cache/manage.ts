// What susurrus/cache offers in a page: what is kept, and how to be rid of it.
import { wrongState } from '../../src/api/errors.js';
import type { CacheSpace, KeptModel } from '../../src/api/types.js';
import { openBrowserStore } from './browser_store.js';
import { isLocked } from './locks.js';
import { matcherOf } from './matching.js';
import { groupOf } from './model_store.js';
import { FileInUse } from './store_files.js';

/**
 * The models that are kept, newest first, and the beginnings of those whose download broke off: all, or those that `model` means, as
 * deleteModel() takes it. Throws SusurrusError.
 */
export async function listModels(model?: string | URL): Promise<readonly KeptModel[]> {
  const isMeant = model === undefined ? () => true : matcherOf(model, location.href);
  const listed = (await (await openBrowserStore())?.list()) ?? [];
  return listed.map(({ model: kept }) => kept).filter(isMeant);
}

/**
 * Deletes what is kept of a model: one that listModels() gave, or all types and revisions of a name, or what is kept of a URL. Returns
 * what was deleted; nothing is no error. Throws SusurrusError (`wrong_state`) while another tab downloads it.
 */
export async function deleteModel(model: string | URL | KeptModel): Promise<readonly KeptModel[]> {
  const store = await openBrowserStore();
  const isMeant = matcherOf(model, location.href);
  const meant = ((await store?.list()) ?? []).filter(({ model: kept }) => isMeant(kept));
  for (const { id, model: kept } of meant) {
    const { name } = kept;
    const refuse = () => wrongState(`${name} is being downloaded or loaded in another tab.`, name);
    if (await isLocked(groupOf(id))) throw refuse();
    try {
      await store?.remove(id);
    } catch (error) {
      throw error instanceof FileInUse ? refuse() : error;
    }
  }
  return meant.map(({ model: kept }) => kept);
}

/**
 * Asks the browser not to evict what this origin keeps, models among it. Some browsers ask the user. Returns whether it promises; call
 * it from a click, before a large download.
 */
export async function persist(): Promise<boolean> {
  try {
    return (await isPersistent()) || (await navigator.storage.persist());
  } catch {
    return false;
  }
}

/** Not every browser has this, and some refuse it. */
async function isPersistent(): Promise<boolean> {
  try {
    return await navigator.storage.persisted();
  } catch {
    return false;
  }
}

/** Where models are kept, what they take, and what there is room for. */
export async function cacheSpace(): Promise<CacheSpace> {
  const store = await openBrowserStore();
  const files = (await store?.files.list()) ?? [];
  const availableBytes = await store?.files.room();
  return {
    kind: store?.files.kind ?? 'none',
    modelBytes: files.reduce((sum, { byteCount }) => sum + byteCount, 0),
    ...(availableBytes !== undefined && { availableBytes }),
    isPersistent: await isPersistent(),
  };
}
