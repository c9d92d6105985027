// Places for the files of kept models. Each browser refuses some of them.
import type { DownloadFile } from '../../src/sources/download.js';

export interface FoundFile {
  readonly name: string;
  readonly byteCount: number;
  readonly changedAt: Date;
  /** Where files have paths. */
  readonly path?: string;
}

export interface ReadableFile {
  readonly byteCount: number;
  text(): Promise<string>;
  /** The file, or its path. */
  source(): Promise<Blob | string>;
}

type StoreKind = 'opfs' | 'cache-api' | 'folder';

/** Files by name. */
export interface StoreFiles {
  readonly kind: StoreKind;
  list(): Promise<readonly FoundFile[]>;
  /** Opens the file, or an empty one, for this caller alone. Throws FileInUse while another caller has it. */
  open(name: string): Promise<DownloadFile>;
  /** A file for reading, valid while it is not being written; undefined if there is none. */
  find(name: string): Promise<ReadableFile | undefined>;
  /** One that is not there counts as removed. */
  remove(name: string): Promise<void>;
  /** Bytes that there is room for; undefined if unknown. */
  room(): Promise<number | undefined>;
}

/** What messages call a place, what has failed there, and who else works in it. */
export const wordsFor = (
  kind: StoreKind | undefined,
): Readonly<Record<'place' | 'storage' | 'other', string>> =>
  kind === 'folder'
    ? { place: 'the disk', storage: "the cache's folder", other: 'another process' }
    : { place: 'the browser', storage: "the browser's storage", other: 'another tab' };

/** Another tab or process has the file open, or had it until just now. */
export class FileInUse extends Error {}

/** A whole small file, in place of what was there. */
export async function writeSmall(files: StoreFiles, name: string, text: string): Promise<void> {
  const file = await files.open(name);
  try {
    await file.clear();
    await file.write(new TextEncoder().encode(text), 0);
  } finally {
    await file.close(true);
  }
}

/** Room in the origin's storage; asked before a download, since a refusal in the middle is late. */
export async function roomOfOrigin(): Promise<number | undefined> {
  try {
    const { quota, usage } = await navigator.storage.estimate();
    return quota === undefined ? undefined : Math.max(0, quota - (usage ?? 0));
  } catch {
    return undefined;
  }
}
