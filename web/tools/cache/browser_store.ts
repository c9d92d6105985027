// A page's store: whichever place its browser gives it.
import { openWorker } from '../../src/worker/client.js';
import type { StoreLink } from './calls.js';
import { ModelStore } from './model_store.js';
import { openOpfs } from './opfs_files.js';
import { openPieces } from './piece_files.js';

/** Undefined where the browser gives none. */
export async function openBrowserStore(): Promise<ModelStore | undefined> {
  const files = (await openOpfs()) ?? (await openPieces());
  return files && new ModelStore(files);
}

/** A worker that downloads and keeps one model; `converts`: one of the hub. */
export const openStoreWorker = (converts: boolean): StoreLink =>
  openWorker(
    converts
      ? new Worker(new URL('./worker.hub.mjs', import.meta.url), { type: 'module' })
      : new Worker(new URL('./worker.cache.mjs', import.meta.url), { type: 'module' }),
  );
