// A page's store: whichever place its browser gives it.
import { ModelStore } from './model_store.js';
import { canWriteOpfs, openOpfs } from './opfs_files.js';
import { hasPieces, openPieces, removePieces } from './piece_files.js';
import type { StoreFiles } from './store_files.js';

/** For reading, listing and deleting. Undefined where the browser gives none. */
export async function openBrowserStore(): Promise<ModelStore | undefined> {
  // Only a worker finds out whether the file system can be written. If not, it took the Cache API.
  return storeOf((await hasPieces()) ? undefined : await openOpfs());
}

/** For a worker, which writes. */
export async function openWritableStore(): Promise<ModelStore | undefined> {
  const files = (await canWriteOpfs()) ? await openOpfs() : undefined;
  // What an earlier version of the browser kept would hide the rest.
  if (files) await removePieces();
  return storeOf(files);
}

async function storeOf(opfs: StoreFiles | undefined): Promise<ModelStore | undefined> {
  const files = opfs ?? (await openPieces());
  return files && new ModelStore(files);
}
