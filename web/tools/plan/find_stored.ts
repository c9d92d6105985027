// Finds a cached model, in a page's cache or in Node's cache of URLs.
import { usualType } from '../../src/sources/model_name.js';
import type { StoredRequest } from '../../src/platform/stored_model.js';
import { groupOf, downloadEnding, idOf, type ModelStore } from '../cache/model_store.js';
import { wantedModel } from '../cache/wanted.js';
import type { HubOrigin } from '../cache/calls.js';
import type { RepositoryFiles } from '../hub/repository_files.js';
import type { FoundModel } from './plan_model.js';

/** `base`: the URL against which relative ones are resolved. `openRepository`: for models by name. */
export async function findStored(
  request: Omit<StoredRequest, 'onProgress'>,
  base: string | undefined,
  openStore: () => Promise<ModelStore | undefined>,
  openRepository: (origin: HubOrigin, signal: AbortSignal) => Promise<RepositoryFiles>,
): Promise<FoundModel> {
  const { key, title, from } = await wantedModel(request, base, openStore);
  const store = request.cache === false ? undefined : await openStore();
  const id = await idOf(key);
  const kept = await store?.kept(id).catch(() => undefined);
  const found = (await store?.files.list().catch(() => [])) ?? [];
  const isPart = (name: string): boolean =>
    'url' in from
      ? name === `${id}.apr`
      : name.endsWith(downloadEnding) && groupOf(name) === groupOf(id);
  const partBytes = found
    .filter(({ name }) => isPart(name))
    .reduce((sum, { byteCount }) => sum + byteCount, 0);
  const { dtype = usualType } = key;
  const common = { title, kept, partBytes, dtype, token: from.token };
  return 'url' in from
    ? { ...common, url: from.url }
    : {
        ...common,
        readyType: from.dtype,
        openRepository: async (signal) => ({ files: await openRepository(from, signal) }),
      };
}
