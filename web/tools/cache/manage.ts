// The functions of susurrus/cache in a page that list and delete cached models.
import { wrongState } from '../../src/api/errors.js';
import type { CacheSpace, KeptModel } from '../../src/api/types.js';
import { openBrowserStore } from './browser_store.js';
import { isLocked } from './locks.js';
import { matcherOf } from './matching.js';
import { groupOf } from './model_store.js';
import { FileInUse } from './store_files.js';

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
  const isMeant = model === undefined ? () => true : matcherOf(model, location.href);
  const listed = (await (await openBrowserStore())?.list()) ?? [];
  return listed.map(({ model: kept }) => kept).filter(isMeant);
}

/**
 * Deletes cached models: one that listModels() returned, all types and revisions of a name, or the one of a URL. Returns what was deleted,
 * an empty list if there was nothing.
 *
 * @throws SusurrusError `invalid_argument` for anything but a name, a URL or a result of listModels(); `wrong_state` while another tab
 *   downloads or loads it.
 * @example
 * ```js
 * const deleted = await deleteModel('base');
 * console.log(deleted.length);
 * ```
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
 * Asks the browser not to evict this origin's storage, including cached models, and returns whether it agrees. Some browsers ask the
 * user: call it from a click, before a large download.
 *
 * @example
 * ```js
 * if (!(await persist())) console.log('The browser may evict the model.');
 * ```
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
  const store = await openBrowserStore();
  const files = (await store?.files.list()) ?? [];
  const availableBytes = await store?.files.room();
  return {
    kind: store?.files.kind ?? 'none',
    modelBytes: files.reduce((sum, { byteCount }) => sum + byteCount, 0),
    ...(availableBytes !== undefined && { availableBytes }),
    persistent: await isPersistent(),
  };
}
