// Models that a person brought as files, or converted here: the browser keeps them in a file system of its own.
import type { ModelInfo } from '../../src/index.js';

/** Beside the folder of the package, which knows the models that it downloads. */
const folderName = 'susurrus-own-models';
/** Names the files, and is written last: without it a model is a part. */
const listName = 'files.json';

export interface OwnModel {
  readonly name: string;
  readonly byteCount: number;
  readonly files: readonly [File, ...File[]];
}

const folder = async (create = false): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, { create });

/** Any name as that of a folder. */
const folderOf = (name: string): string => encodeURIComponent(name).replaceAll('.', '%2E');

/** By their names. Nothing where the browser keeps no files. */
export async function ownModels(): Promise<readonly OwnModel[]> {
  const found: OwnModel[] = [];
  try {
    for await (const [name, handle] of (await folder()).entries()) {
      const own = await read(decodeURIComponent(name), handle as FileSystemDirectoryHandle);
      if (own) found.push(own);
    }
  } catch {
    // Those that were found are all that can be had.
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

/** Undefined for one that was not written to its end. */
async function read(name: string, place: FileSystemDirectoryHandle): Promise<OwnModel | undefined> {
  try {
    const list = await (await place.getFileHandle(listName)).getFile();
    const names = JSON.parse(await list.text()) as readonly string[];
    const files = await Promise.all(
      names.map(async (each, i) => {
        const file = await (await place.getFileHandle(String(i))).getFile();
        return new File([file], each);
      }),
    );
    const [first, ...others] = files;
    if (!first) return undefined;
    const byteCount = files.reduce((sum, { size }) => sum + size, 0);
    return { name, byteCount, files: [first, ...others] };
  } catch {
    return undefined;
  }
}

/** Takes the place of one with this name. Undefined where there is no room or no file system. */
export async function keepOwn(name: string, files: readonly File[]): Promise<OwnModel | undefined> {
  const byteCount = files.reduce((sum, { size }) => sum + size, 0);
  try {
    const { quota = Infinity, usage = 0 } = await navigator.storage.estimate();
    if (quota - usage < byteCount) return undefined;
    const all = await folder(true);
    await removeFrom(all, name);
    const place = await all.getDirectoryHandle(folderOf(name), { create: true });
    try {
      for (const [i, file] of files.entries()) await write(place, String(i), file);
      await write(place, listName, new Blob([JSON.stringify(files.map((file) => file.name))]));
    } catch {
      // A part only takes room from others.
      await removeFrom(all, name);
      return undefined;
    }
    return await read(name, place);
  } catch {
    return undefined;
  }
}

export async function removeOwn(name: string): Promise<void> {
  await removeFrom(await folder(true), name);
}

/** All of them, and parts of those that were never written to their end. */
export async function removeAllOwn(): Promise<void> {
  // A browser without a file system has kept none.
  const root = await navigator.storage.getDirectory().catch(() => undefined);
  if (root) await removeEntry(root, folderName);
}

async function write(place: FileSystemDirectoryHandle, name: string, bytes: Blob): Promise<void> {
  const handle = await place.getFileHandle(name, { create: true });
  await bytes.stream().pipeTo(await handle.createWritable());
}

const removeFrom = (all: FileSystemDirectoryHandle, name: string): Promise<void> =>
  removeEntry(all, folderOf(name));

/** What is not there is as good as removed. */
async function removeEntry(all: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await all.removeEntry(name, { recursive: true });
  } catch (error) {
    if ((error as Partial<DOMException>).name !== 'NotFoundError') throw error;
  }
}

/** The encoder's layers tell the sizes of Whisper apart, but for the large ones. */
const sizes: Readonly<Record<number, string>> = { 4: 'tiny', 6: 'base', 12: 'small', 24: 'medium' };

/** What a converted model is called: "tiny.en (from model.bin)". */
export function convertedName({ dims, multilingual }: ModelInfo, from: string): string {
  const layers = dims?.nAudioLayer ?? 0;
  const size = layers === 32 ? 'large' : sizes[layers];
  const stem = from.replace(/\.[^.]*$/, '');
  const known = size && `${size}${multilingual || layers === 32 ? '' : '.en'}`;
  return `${known ?? stem} (from ${from})`;
}
