// Files that the browser keeps for this page in a file system of its own: models that a person brought, recordings of transcripts.

/** Files that were kept under one name. */
export interface KeptFiles {
  readonly name: string;
  readonly byteCount: number;
  readonly files: readonly [File, ...File[]];
}

/** What the file system forgets of a file. */
type Listed = Pick<File, 'name' | 'type' | 'lastModified'>;

/** Names the files, and is written last: without it they are a part. */
const listName = 'files.json';

export class FileFolder {
  readonly #name: string;

  /** `name`: that of the folder, which no other program of this origin uses. */
  constructor(name: string) {
    this.#name = name;
  }

  /** By their names. Nothing where the browser keeps no files. */
  async all(): Promise<readonly KeptFiles[]> {
    const found: KeptFiles[] = [];
    try {
      const all = await this.#open();
      for (const name of await namesIn(all)) {
        const kept = await readFrom(all, name);
        if (kept) found.push(kept);
      }
    } catch {
      // Those that were found are all that can be had.
    }
    return found.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Undefined where there are none, or not all of them. */
  async read(name: string): Promise<KeptFiles | undefined> {
    try {
      return await readFrom(await this.#open(), name);
    } catch {
      return undefined;
    }
  }

  /**
   * Takes the place of what has this name. Undefined where there is no room or no file system, or when `isWanted` says no, which is
   * asked when no other tab changes the folder.
   */
  async keep(
    name: string,
    files: readonly File[],
    isWanted = () => Promise.resolve(true),
  ): Promise<KeptFiles | undefined> {
    const byteCount = files.reduce((sum, { size }) => sum + size, 0);
    try {
      return await this.#alone(async () => {
        if (!(await isWanted())) return undefined;
        const { quota = Infinity, usage = 0 } = await navigator.storage.estimate();
        if (quota - usage < byteCount) return undefined;
        const all = await this.#open(true);
        await removeFrom(all, name);
        try {
          await writeTo(all, name, files);
        } catch {
          // A part only takes room from others.
          await removeFrom(all, name);
        }
        return await readFrom(all, name);
      });
    } catch {
      return undefined;
    }
  }

  async remove(name: string): Promise<void> {
    await this.#alone(async () => removeFrom(await this.#open(true), name));
  }

  /** All of them, and parts of those that were never written to their end. */
  async removeAll(): Promise<void> {
    // A browser without a file system has kept none.
    const root = await rootFolder().catch(() => undefined);
    if (root) await this.#alone(() => removeEntry(root, this.#name));
  }

  /** Removes parts, and those of the names that `pickLost` returns. Resolves with whether there were any. */
  async sweep(
    pickLost: (names: readonly string[]) => Promise<readonly string[]>,
  ): Promise<boolean> {
    try {
      return await this.#alone(async () => {
        const all = await this.#open();
        const names = await namesIn(all);
        const lost = new Set(await pickLost(names));
        for (const name of names) if (!(await readFrom(all, name))) lost.add(name);
        for (const name of lost) await removeFrom(all, name);
        return lost.size > 0;
      });
    } catch {
      // The next visit sweeps again.
      return false;
    }
  }

  async #open(create = false): Promise<FileSystemDirectoryHandle> {
    return (await rootFolder()).getDirectoryHandle(this.#name, { create });
  }

  /** While no other tab writes or removes. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    return navigator.locks.request(this.#name, work);
  }
}

const rootFolder = async (): Promise<FileSystemDirectoryHandle> => navigator.storage.getDirectory();

/** Any name as that of a folder. */
const folderOf = (name: string): string => encodeURIComponent(name).replaceAll('.', '%2E');

async function namesIn(all: FileSystemDirectoryHandle): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of all.keys()) names.push(decodeURIComponent(name));
  return names;
}

/** Undefined for what was not written to its end. */
async function readFrom(
  all: FileSystemDirectoryHandle,
  name: string,
): Promise<KeptFiles | undefined> {
  try {
    const place = await all.getDirectoryHandle(folderOf(name));
    const list = await (await place.getFileHandle(listName)).getFile();
    const listed = JSON.parse(await list.text()) as readonly Listed[];
    const files = await Promise.all(
      listed.map(async (each, i) => {
        const file = await (await place.getFileHandle(String(i))).getFile();
        return new File([file], each.name, each);
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

async function writeTo(
  all: FileSystemDirectoryHandle,
  name: string,
  files: readonly File[],
): Promise<void> {
  const place = await all.getDirectoryHandle(folderOf(name), { create: true });
  for (const [i, file] of files.entries()) await write(place, String(i), file);
  const listed = files.map(({ name, type, lastModified }): Listed => ({
    name,
    type,
    lastModified,
  }));
  await write(place, listName, new Blob([JSON.stringify(listed)]));
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
