// Kept models in a page: code of its own, downloaded when a model is loaded by its name or from what is kept. It is also the
// package's entry susurrus/cache.
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { openBrowserStore, openStoreWorker } from './browser_store.js';
import { openStoredModel } from './stored_model.js';
import { wantedModel } from './wanted.js';

export * from './manage.js';

export async function openStored(request: StoredRequest): Promise<StoredModel> {
  const wanted = await wantedModel(request, location.href, openBrowserStore);
  return openStoredModel(wanted, request, {
    openStore: openBrowserStore,
    openLink: openStoreWorker,
    openPath: () => Promise.reject(new Error('pages have no paths')),
  });
}
