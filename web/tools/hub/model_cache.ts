// Where models that were pulled are kept, and how they are found again: one file each, named after repository and type.
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sourceFailed, SusurrusError } from '../../src/api/errors.js';
import type { CachedModel, WeightType } from '../../src/api/types.js';
import { weightTypes } from '../../src/api/generated/dtypes.js';
import { removeAbandonedFiles } from './partial_files.js';
import { findRepository, parseRepository, titleOf, type Repository } from './repository.js';

/** The cache's folder: XDG_CACHE_HOME's, or ~/.cache. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'susurrus');
}

const modelsFolder = (cache: string): string => join(cache, 'models');

/** A name that any file system takes, and that can be read back. */
const asFileName = (title: string): string => encodeURIComponent(title).replaceAll('%', '=');
/** Undefined where it is no name of ours. */
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

/** Where a repository's files lie while it is pulled; `state` is a commit, or tells where else they are from. */
export const downloadsFolder = (cache: string, repository: Repository, state: string): string =>
  join(cache, 'downloads', downloadsName(repository), asFileName(state));

/** Removes what pulls of a repository have left, of whichever revision. What runs goes on. */
export const removeDownloads = (
  repository: Repository,
  cache: string = cacheFolder(process.env),
): Promise<void> => removeAbandonedFiles(join(cache, 'downloads', downloadsName(repository)));

/** The models in the cache, newest first. */
export async function cachedModels(
  cache: string = cacheFolder(process.env),
): Promise<CachedModel[]> {
  const folder = modelsFolder(cache);
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw sourceFailed(folder, String(error), {}, error);
  }
  const found = await Promise.all(names.map((name) => cachedModel(folder, name)));
  return found
    .filter((model) => model !== undefined)
    .sort((a, b) => b.pulledAt.getTime() - a.pulledAt.getTime());
}

async function cachedModel(folder: string, file: string): Promise<CachedModel | undefined> {
  const [, name = '', type] = /^(.+)\.([a-z0-9_]+)\.apr$/.exec(file) ?? [];
  const title = asTitle(name);
  const dtype = weightTypes.find((one) => one === type);
  if (!title || dtype === undefined) return undefined;
  const path = join(folder, file);
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return undefined;
  return {
    ...{ name: title, dtype, path },
    ...{ byteCount: facts.size, pulledAt: facts.mtime },
  };
}

/** The models that a person's word means: a repository, perhaps with :TYPE behind it, in the short forms too. */
export async function cachedModelsNamed(text: string, cache?: string): Promise<CachedModel[]> {
  const [, called = '', type] = /^(.*?)(?::([a-z0-9_]+))?$/s.exec(text) ?? [];
  const repository = findRepository(called);
  return repository ? cachedModelsOf(repository, type, undefined, cache) : [];
}

/** Those of a repository, from the same hub, newest first. */
export async function cachedModelsOf(
  repository: Repository,
  dtype: string | undefined,
  hub?: string,
  cache?: string,
): Promise<CachedModel[]> {
  const name = titleAt(repository, hub);
  const models = await cachedModels(cache);
  return models.filter(
    (model) => model.name === name && (dtype === undefined || model.dtype === dtype),
  );
}

/** Removes every model of that name. Answers what is gone. Throws SusurrusError when there is none. */
export async function removeCachedModels(text: string, cache?: string): Promise<CachedModel[]> {
  parseRepository(text.replace(/:[a-z0-9_]+$/, ''));
  const models = await cachedModelsNamed(text, cache);
  if (models.length === 0) {
    throw new SusurrusError('invalid_argument', `There is no model ${text} in the cache.`, {
      reason: 'option',
      subject: 'repository',
      got: text,
    });
  }
  for (const { path } of models) await rm(path, { force: true });
  return models;
}
