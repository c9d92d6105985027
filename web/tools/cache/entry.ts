// Kept models in a page: code of its own, downloaded when a model is loaded by its name or from what is kept.
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { openBrowserStore } from './browser_store.js';
import type { StoreLink } from './calls.js';
import { soundRangesOf } from './sound_ranges.js';
import { openStoredModel } from './stored_model.js';
import { wantedModel } from './wanted.js';

const noPath = (): Promise<never> => Promise.reject(new Error('pages have no paths'));

/** `openLink`: a worker that downloads and keeps one model; `converts`: one of the hub. `compileFiles` compiles files.wasm. */
export async function openStored(
  request: StoredRequest,
  openLink: (converts: boolean) => StoreLink,
  compileFiles: () => Promise<WebAssembly.Module>,
): Promise<StoredModel> {
  const wanted = await wantedModel(request, location.href, openBrowserStore);
  return openStoredModel(wanted, request, {
    openStore: openBrowserStore,
    openLink,
    openPath: noPath,
    soundRanges: (file) => soundRangesOf(file, noPath, compileFiles),
  });
}
