// plan() in Node.
import { readdir, stat } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import type { StoredRequest } from '../../src/platform/stored_model.js';
import { usualType } from '../../src/sources/model_name.js';
import { openNodeStore } from '../cache/node_store.js';
import { pulledModelsOf } from '../hub/model_cache.js';
import { downloadsOf, filesOf, tokenOf } from '../hub/pull_model.js';
import { isFileTemplate, parseNamedModel, titleOf } from '../hub/repository.js';
import { findStored } from './find_stored.js';
import type { FoundModel, PlanEnvironment } from './plan_model.js';
import type { Device } from './verdict.js';

export const nodeEnvironment: PlanEnvironment = {
  async device(): Promise<Device> {
    const storageBytes = await (await openNodeStore()).files.room();
    return {
      memoryBytes: Math.min(totalmem(), limitOfProcess() || Infinity),
      freeBytes: Math.min(freemem(), limitOfProcess() || Infinity),
      ...(storageBytes !== undefined && { storageBytes }),
    };
  },
  find: (request) =>
    'name' in request.model && !isFileTemplate(request.hub)
      ? findNamed(request.model.name, request)
      : findStored(request, undefined, openNodeStore, () =>
          Promise.reject(new TypeError('names are found otherwise')),
        ),
};

/** A container's, where there is one; Node 20 and later. */
const limitOfProcess = (): number =>
  (process as { constrainedMemory?: () => number }).constrainedMemory?.() ?? 0;

/** Finds the model in the folder of `susurrus pull`. */
async function findNamed(
  name: string,
  request: Omit<StoredRequest, 'onProgress'>,
): Promise<FoundModel> {
  const { repository, dtype } = parseNamedModel(name, request);
  const { hub, cache } = request;
  const [newest] =
    cache === false ? [] : await pulledModelsOf(repository, dtype, hub && String(hub));
  const type = dtype ?? newest?.dtype ?? usualType;
  const settings = {
    ...(hub !== undefined && { hub }),
    ...(request.token !== undefined && { token: request.token }),
  };
  return {
    title: titleOf(repository),
    kept: newest?.path,
    partBytes: 0,
    dtype: type,
    readyType: dtype,
    token: tokenOf(settings),
    async openRepository(signal) {
      const files = await filesOf(repository, type, settings, signal);
      return { files, partBytes: await bytesIn(downloadsOf(repository, files)) };
    },
  };
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map(async (name) => {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    return facts?.isFile() ? facts.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
