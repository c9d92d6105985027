// The files of a hub's folder, as a page gets a folder picked or dropped: converted while they are loaded, as a model by its name is.
import { invalidOption } from '../api/errors.js';
import type { Watched } from '../api/progress_callback.js';
import { abortedOr, onAbort } from '../api/signals.js';
import type { LoadOptions } from '../api/types.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import { findManifest } from './file_list.js';
import { usualType } from './model_name.js';

/** Weights that a hub's folder may hold; those that are not read are refused by the conversion. */
const weights = /\.(safetensors|bin|npz)$/i;

/** A picked folder's files have paths in it; others have names alone, and Node's nothing else. */
const folderOf = (file: File): string =>
  ((file as Partial<File>).webkitRelativePath ?? '').slice(0, -file.name.length);
const depthOf = (folder: string): number => folder.split('/').length;

/** The files of the folder that holds config.json and weights; undefined where there is none, or a manifest of shards. */
export async function hubFolderIn(files: readonly unknown[]): Promise<readonly File[] | undefined> {
  const named = files.filter((file): file is File => file instanceof Blob && 'name' in file);
  if (named.length < files.length) return undefined;
  const folders = named.filter(({ name }) => name === 'config.json').map(folderOf);
  const [folder, other] = folders.sort((a, b) => depthOf(a) - depthOf(b));
  if (folder === undefined || (await findManifest(named))) return undefined;
  const inside = named.filter((file) => folderOf(file) === folder);
  if (!inside.some(({ name }) => weights.test(name))) return undefined;
  if (other !== undefined && depthOf(other) === depthOf(folder)) {
    throw invalidOption('source', 'the folder of one model', `${folder} and ${other}`);
  }
  return inside;
}

/** Reading the source converts the files, piece by piece; whoever leaves it ends that. */
export async function openConverted(
  files: readonly File[],
  platform: Pick<Platform, 'openFiles'>,
  { dtype = usualType, onProgress, signal }: Watched<LoadOptions>,
): Promise<OpenedSource> {
  const link = platform.openFiles();
  const stopListening = onAbort(signal, () => link.close());
  const close = (): void => {
    stopListening();
    link.close();
  };
  /** Closes it, too, where the work fails. */
  const orClosed = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      close();
      throw abortedOr(signal, error);
    }
  };
  await orClosed(async () => {
    await link.call('start', undefined);
    // Trained weights hardly shrink, and without compression one pass over them is enough.
    await link.call('convert', { source: files, options: { dtype, compress: 'none' } });
  });
  const chunks: AsyncIterableIterator<Uint8Array, undefined> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      orClosed(async () => {
        for (;;) {
          const { bytes, progress, result } = await link.call('nextOutput', undefined);
          if (progress) onProgress?.(progress);
          if (bytes) return { done: false, value: bytes };
          if (!result) continue;
          close();
          return { done: true, value: undefined };
        }
      }),
    return() {
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { chunks, givesAway: true, name: `${files.length} files` };
}
