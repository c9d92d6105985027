import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PullOptions, PullResult } from '../../src/api/types.js';
import { convertFolder } from '../convert/convert_model.js';
import { weightTypes } from '../../src/api/generated/dtypes.js';
import { invalidOption } from '../../src/api/errors.js';
import { checkOptions, progressCheck, signalCheck } from '../../src/api/options.js';
import { removeEmptyFolders } from '../../src/platform/node_files.js';
import { abortedOr, anyOf } from '../../src/api/signals.js';
import { cachedPath, cacheFolder, downloadsFolder } from './model_cache.js';
import { HubClient, hubSettings } from './client.js';
import { openHubFolder, type HubFolder } from './folder.js';
import { removeOldPartialFiles } from './partial_files.js';
import { parseRepository } from './repository.js';

/**
 * Downloads a Whisper repository of the Hugging Face hub ("openai/whisper-tiny.en@main", "tiny.en") and converts it while it
 * arrives. What has arrived is kept when that is cut short, and not asked for again; every file is checked against the hub's digest
 * before the model appears. Obeys HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and XDG_CACHE_HOME. Throws SusurrusError.
 */
export async function pullModel(name: string, options: PullOptions = {}): Promise<PullResult> {
  checkOptions(options, {
    dtype: [
      `one of ${weightTypes.join(', ')}`,
      (value) => weightTypes.some((type) => type === value),
    ],
    output: ['a path', (value) => typeof value === 'string' || value instanceof URL],
    force: ['true or false', (value) => typeof value === 'boolean'],
    onProgress: progressCheck,
    signal: signalCheck,
  });
  if (typeof name !== 'string') throw invalidOption('name', 'a repository', name);
  const { dtype = 'f16', output, force = output === undefined, onProgress, signal } = options;
  const repository = parseRepository(name);
  const cache = cacheFolder(process.env);
  const path = output ?? cachedPath(cache, repository, dtype);

  // The first failure ends everything: no download may go on unseen.
  const ending = new AbortController();
  const either = anyOf([signal, ending.signal]);
  const failures: unknown[] = [];
  let folder: HubFolder | undefined;
  try {
    const client = new HubClient(hubSettings(process.env), either.signal);
    const listing = await client.list(repository);
    const downloads = downloadsFolder(cache, repository, listing.commit);
    folder = openHubFolder(client, repository, listing, {
      downloads,
      signal: either.signal,
      onBytes: (loaded, total) =>
        onProgress?.({
          phase: 'download',
          loaded,
          total,
          fraction: total === 0 ? 1 : loaded / total,
        }),
      onFailure: (error) => {
        failures.push(error);
        ending.abort();
      },
    });
    if (output === undefined) await mkdir(dirname(String(path)), { recursive: true });
    const opened = folder;
    const result = await convertFolder(folder, path, {
      ...{ dtype, force, signal: either.signal },
      ...(onProgress && { onProgress }),
      beforeItAppears: () => opened.arrived(),
    });
    await folder.close(false);
    await removeOldPartialFiles(dirname(downloads));
    await removeEmptyFolders(downloads, dirname(downloads));
    return { ...result, path: String(path) };
  } catch (error) {
    // A download's error comes first: it is the cause of the conversion's.
    const [first] = [...failures, error];
    ending.abort();
    await folder?.close(true);
    throw abortedOr(signal, first);
  } finally {
    either.release();
  }
}
