import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type {
  ConvertResult,
  ModelFamily,
  NodeDownloadOptions,
  WeightType,
} from '../../src/api/types.js';
import { convertFolder } from '../convert/convert_model.js';
import { sourceFailed } from '../../src/api/errors.js';
import type { Watched } from '../../src/api/progress_callback.js';
import { abortedOr } from '../../src/api/signals.js';
import { removeEmptyFolders, writeWhole } from '../../src/platform/node_files.js';
import { familyOf } from '../../src/sources/model_family.js';
import { usualType } from '../../src/sources/model_name.js';
import { cachedPath, cacheFolder, downloadsFolder } from './model_cache.js';
import { HubClient, publicHub, type HubSettings } from './client.js';
import { withHubFolder, type HubFolder } from './folder.js';
import { downloadsIn } from './node_downloads.js';
import { ownFiles } from './own_files.js';
import { removeOldPartialFiles } from './partial_files.js';
import { decodeTemplate, isTemplate, type Repository } from './repository.js';
import { filesOfModel } from './official_models.js';
import { pullTogether, type PullListener } from './shared_pulls.js';
import { readyModel, type RepositoryFiles } from './repository_files.js';

/** The options of downloadModel() that matter here. */
type PullOptions = Pick<
  NodeDownloadOptions,
  'format' | 'dtype' | 'output' | 'force' | 'hub' | 'token' | 'onProgress' | 'signal'
> &
  Pick<PullListener, 'onFamily'>;

interface PullResult extends ConvertResult {
  /** The model's file. */
  readonly path: string;
  /** The repository that it was downloaded from: `'ggerganov/whisper.cpp'`. */
  readonly source: string;
}

/**
 * Downloads a repository and converts it meanwhile, into the cache, once for all calls at a time, or to `output`. If it is interrupted, the
 * partial downloads are kept. Every file is checked against the hub's digest before the model appears. The options must be valid.
 */
export async function pullRepository(
  repository: Repository,
  options: Watched<PullOptions>,
): Promise<PullResult> {
  const { dtype, output, hub } = options;
  if (output !== undefined) return pullTo(output, repository, options);
  const cache = cacheFolder(process.env);
  // The cache holds APR2, which has no int8.
  const kept = dtype === undefined || dtype === 'int8' ? usualType : dtype;
  const path = cachedPath(cache, repository, kept, hub && String(hub));
  const key = JSON.stringify([path, dtype, hubSettings(process.env, options)]);
  return pullTogether(key, options, (told, signal) =>
    pullTo(path, repository, { ...options, ...told, signal }),
  );
}

/** Address and credentials of the hub, from the same variables as its own tools: HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE. */
function hubSettings(
  env: Readonly<Record<string, string | undefined>>,
  { hub, token }: Watched<PullOptions>,
): HubSettings {
  const endpoint = String(hub ?? (env.HF_ENDPOINT || publicHub)).replace(/\/+$/, '');
  return {
    endpoint,
    isOffline: /^(1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? ''),
    // The variable's token is for the variable's hub.
    token: token ?? (hub === undefined ? env.HF_TOKEN || undefined : undefined),
    tokenName: hub === undefined ? 'HF_TOKEN' : 'the option token',
  };
}

/** For the hub that `options` name, or the environment. */
export const tokenOf = (options: Pick<PullOptions, 'token'>): string | undefined =>
  hubSettings(process.env, options).token;

/** Opens the files for weights of that type, at the place that options and environment give. */
export async function filesOf(
  repository: Repository,
  dtype: WeightType,
  options: Watched<PullOptions>,
  signal: AbortSignal | undefined,
): Promise<RepositoryFiles> {
  const settings = hubSettings(process.env, options);
  const hub = decodeTemplate(options.hub ?? '');
  if (!isTemplate(hub)) {
    const client = new HubClient(settings, signal);
    return filesOfModel(repository, dtype, (one) => client.list(one));
  }
  if (settings.isOffline) throw sourceFailed(hub, 'HF_HUB_OFFLINE forbids to ask');
  return ownFiles(hub, repository, options.token, signal);
}

/** The folder of their partial downloads. */
export function downloadsOf(repository: Repository, { commit, place }: RepositoryFiles): string {
  const state = commit ?? createHash('sha256').update(place).digest('hex');
  return downloadsFolder(cacheFolder(process.env), repository, state);
}

async function pullTo(
  path: string | URL,
  repository: Repository,
  options: Watched<PullOptions>,
): Promise<PullResult> {
  const { format = 'apr2', dtype, output, force = output === undefined } = options;
  const { onProgress, signal } = options;
  const onFamily = once(options.onFamily);
  const type = dtype ?? (format === 'apr1' ? 'f16' : usualType);
  // APR1's int8 has another scale than blocks have.
  const from = type === 'int8' ? 'f16' : type;
  const files = await filesOf(repository, from, options, signal).catch((error: unknown) => {
    throw abortedOr(signal, error);
  });
  const downloads = downloadsOf(repository, files);
  if (output === undefined) await makeFolder(dirname(String(path)));
  const result = await withHubFolder(
    repository,
    files,
    { downloads: downloadsIn(downloads), onProgress, signal },
    async (folder, ending) => {
      const ready = format === 'apr1' ? undefined : readyModel(files, dtype);
      if (ready !== undefined) return copyFile(folder, ready, path, force, onFamily);
      return convertFolder(folder, path, {
        format,
        dtype: type,
        force,
        signal: ending,
        onProgress: (event) => {
          // The converter makes Whispers alone, and has found one when it begins to write.
          if (event.phase === 'convert') onFamily('whisper');
          onProgress?.(event);
        },
        beforeItAppears: () => folder.arrived(),
      });
    },
  );
  await removeOldPartialFiles(dirname(downloads));
  await removeEmptyFolders(downloads, dirname(downloads));
  return { ...result, path: String(path), source: files.title };
}

/** Passes the first call on. */
function once<T>(act: ((value: T) => void) | undefined): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    act?.(value);
  };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw sourceFailed(folder, `it could not be made: ${String(error)}`, {}, error);
  }
}

/** A model file of the repository as it is. */
async function copyFile(
  folder: HubFolder,
  name: string,
  path: string | URL,
  force: boolean,
  onFamily: (family: ModelFamily | undefined) => void,
): Promise<ConvertResult> {
  const byteCount = (await folder.byteCount(name)) ?? 0;
  return writeWhole(path, force, async (write) => {
    for await (const piece of folder.read(name, 0, byteCount)) {
      onFamily(familyOf(piece));
      await write(piece);
    }
    await folder.arrived();
    return { byteCount, tensorCount: 0, tensors: [], warnings: [] };
  });
}
