// The folder of pulled models: one file each, named after repository and type.
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { sourceFailed } from '../../src/api/errors.js';
import type { KeptModel, WeightType } from '../../src/api/types.js';
import { weightTypes } from '../../src/api/generated/dtypes.js';
import { removeAbandonedFiles } from './partial_files.js';
import { titleOf, type Repository } from './repository.js';

/** The cache's folder: XDG_CACHE_HOME's, or ~/.cache. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'susurrus');
}

/** A model that was downloaded by its name. Its address is the title that its file is named after. */
export interface PulledModel extends KeptModel {
  readonly dtype: WeightType;
  readonly path: string;
}

const modelsFolder = (cache: string): string => join(cache, 'models');

/** A name that any file system takes, and that can be read back. */
const asFileName = (title: string): string => encodeURIComponent(title).replaceAll('%', '=');
/** Undefined for a name that this package did not choose. */
function asTitle(name: string): string | undefined {
  try {
    return decodeURIComponent(name.replaceAll('=', '%'));
  } catch {
    return undefined;
  }
}

/** `hub`: where the model is from, unless that is the hub that the environment names. */
export function cachedPath(
  cache: string,
  repository: Repository,
  dtype: WeightType,
  hub?: string,
): string {
  return join(modelsFolder(cache), `${asFileName(titleAt(repository, hub))}.${dtype}.apr`);
}

const titleAt = (repository: Repository, hub?: string): string =>
  hub === undefined ? titleOf(repository) : `${hub} ${titleOf(repository)}`;

/** All revisions of a repository share it; short names have their own. */
const downloadsName = ({ name, short = name }: Repository): string => asFileName(short);

/** The folder of a repository's files while it is pulled; `state` is a commit, or identifies another origin. */
export const downloadsFolder = (cache: string, repository: Repository, state: string): string =>
  join(cache, 'downloads', downloadsName(repository), asFileName(state));

/** Removes what pulls of a repository have left, of whichever revision. What runs goes on. */
export const removeDownloads = (
  repository: Repository,
  cache: string = cacheFolder(process.env),
): Promise<void> => removeAbandonedFiles(join(cache, 'downloads', downloadsName(repository)));

/** The models in the cache, newest first. */
export async function pulledModels(
  cache: string = cacheFolder(process.env),
): Promise<PulledModel[]> {
  const folder = modelsFolder(cache);
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw sourceFailed(folder, String(error), {}, error);
  }
  const found = await Promise.all(names.map((name) => pulledModelAt(join(folder, name))));
  return found
    .filter((model) => model !== undefined)
    .sort((a, b) => b.keptAt.getTime() - a.keptAt.getTime());
}

/** Describes a model from the name of its file in the cache and from the file itself. */
export async function pulledModelAt(path: string): Promise<PulledModel | undefined> {
  const [, file = '', type] = /^(.+)\.([a-z0-9_]+)\.apr$/.exec(basename(path)) ?? [];
  const address = asTitle(file);
  const dtype = weightTypes.find((one) => one === type);
  if (!address || dtype === undefined) return undefined;
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return undefined;
  // The title has the revision, and the hub where that is not the usual one.
  const [, , name = address, revision = 'main'] = /^(.* )?([^@]+)(?:@(.+))?$/.exec(address) ?? [];
  const { size: byteCount, mtime: keptAt } = facts;
  return {
    name,
    address,
    revision,
    dtype,
    path,
    complete: true,
    byteCount,
    totalBytes: byteCount,
    keptAt,
  };
}

/** Those of a repository, from the same hub, newest first. */
export async function pulledModelsOf(
  repository: Repository,
  dtype: string | undefined,
  hub?: string,
): Promise<PulledModel[]> {
  const title = titleAt(repository, hub);
  const models = await pulledModels();
  return models.filter(
    (model) => model.address === title && (dtype === undefined || model.dtype === dtype),
  );
}
