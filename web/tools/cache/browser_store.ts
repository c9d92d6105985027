// A page's store: whichever place its browser gives it.
import { ModelStore } from './model_store.js';
import { openOpfs } from './opfs_files.js';
import { openPieces } from './piece_files.js';

/** Undefined where the browser gives none. */
export async function openBrowserStore(): Promise<ModelStore | undefined> {
  const files = (await openOpfs()) ?? (await openPieces());
  return files && new ModelStore(files);
}
