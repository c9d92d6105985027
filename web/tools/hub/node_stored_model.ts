// Models by name in Node: reads the cache of `susurrus pull`, and pulls what it lacks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAboutBytes, notKept } from '../../src/sources/kept_errors.js';
import type { OpenedSource } from '../../src/platform/platform.js';
import type { StoredModel, StoredRequest } from '../../src/platform/stored_model.js';
import { checkFamily } from '../../src/sources/model_family.js';
import { pulledModelAt, pulledModelsOf } from './model_cache.js';
import { pullRepository } from './pull_model.js';
import { parseNamedModel, titleOf } from './repository.js';

/** `openPath` opens the model's file. */
export function openNamedModel(
  name: string,
  request: StoredRequest,
  openPath: (path: string) => Promise<OpenedSource>,
): StoredModel {
  const { repository, dtype } = parseNamedModel(name, request);
  const { cache = true, hub, token, family, onProgress, signal, isFresh = false } = request;
  let kept: string | undefined;
  let pulled: string | undefined;
  let temporary: string | undefined;
  const pull = async (output?: string): Promise<string> => {
    const { path } = await pullRepository(repository, {
      ...(dtype && { dtype }),
      ...(hub !== undefined && { hub }),
      ...(token !== undefined && { token }),
      ...(output !== undefined && { output }),
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
      onFamily: (found) => checkFamily(found, family),
    });
    pulled = path;
    return path;
  };
  return {
    async open() {
      if (cache === false) {
        temporary = await mkdtemp(join(tmpdir(), 'susurrus-'));
        return openPath(await pull(join(temporary, 'model.apr')));
      }
      const from = hub === undefined ? hub : String(hub);
      const [newest] = isFresh ? [] : await pulledModelsOf(repository, dtype, from);
      kept = newest?.path;
      if (kept !== undefined) return openPath(kept);
      if (cache === 'only') throw notKept(titleOf(repository), dtype);
      return openPath(await pull());
    },
    get usesKept() {
      return kept !== undefined;
    },
    again(error) {
      const wrong = kept;
      if (wrong === undefined || cache === 'only' || !isAboutBytes(error)) return undefined;
      kept = undefined;
      return async () => {
        await rm(wrong, { force: true });
        return openPath(await pull());
      };
    },
    keep: () => Promise.resolve([]),
    async kept() {
      const path = pulled ?? kept;
      return path === undefined ? undefined : pulledModelAt(path);
    },
    async close() {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    },
  };
}
