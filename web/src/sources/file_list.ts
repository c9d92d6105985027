// A model's files as a list, such as a page gets them dropped: the manifest and its shards, in any order.
import { invalidOption, sourceFailed } from '../api/errors.js';
import type { OpenedSource } from '../platform/platform.js';
import { blobSource } from './blob_source.js';

/** The files of a list, or of what an `<input>` has; undefined for anything else. */
export function filesOf(source: unknown): readonly unknown[] | undefined {
  if (Array.isArray(source)) return source as readonly unknown[];
  const isFileList = Object.prototype.toString.call(source) === '[object FileList]';
  return isFileList ? Array.from(source as ArrayLike<unknown>) : undefined;
}

/** Opens the manifest among them, or the only file. */
export async function openFileList(files: readonly unknown[]): Promise<OpenedSource> {
  const expected =
    'the files of one model, with their names: a manifest and its shards (or, for loadModel() and plan(), a folder of the hub with ' +
    'config.json and its weights)';
  const named = new Map<string, Blob>();
  for (const file of files) {
    if (!(file instanceof Blob) || !('name' in file)) throw invalidOption('source', expected, file);
    named.set(String(file.name), file);
  }
  const manifest = await findManifest([...named.values()]);
  if (!manifest) throw invalidOption('source', expected, files);
  return {
    ...blobSource(manifest),
    sibling: (name) => {
      const file = named.get(name);
      if (!file) return Promise.reject(sourceFailed(name, 'it is not among the files'));
      return Promise.resolve(blobSource(file));
    },
  };
}

export async function findManifest(files: readonly Blob[]): Promise<Blob | undefined> {
  if (files.length <= 1) return files[0];
  for (const file of files) {
    const start = await file.slice(0, 4096).text();
    if (/^\uFEFF?\s*\{/.test(start) && /"(shards|shard_count|sharded)"/.test(start)) return file;
  }
  return undefined;
}
