// Files in the origin's private file system. Writing needs a worker, where handles are synchronous in every browser that has them.
import type { DownloadFile } from '../../src/sources/download.js';
import { FileInUse, roomOfOrigin, type FoundFile, type StoreFiles } from './store_files.js';

/** One of the DOM's types for workers. In older browsers some calls return promises. */
interface SyncAccessHandle {
  getSize(): number | Promise<number>;
  read(into: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(byteCount: number): void | Promise<void>;
  flush(): void | Promise<void>;
  close(): void | Promise<void>;
}
type FileHandle = FileSystemFileHandle & {
  createSyncAccessHandle?: () => Promise<SyncAccessHandle>;
};

const folderName = 'susurrus';

/** Undefined where the browser has no such file system, or refuses it. */
export async function openOpfs(): Promise<StoreFiles | undefined> {
  let folder: FileSystemDirectoryHandle;
  try {
    const root = await navigator.storage.getDirectory();
    folder = await root.getDirectoryHandle(folderName, { create: true });
  } catch {
    return undefined;
  }
  return {
    kind: 'opfs',
    room: roomOfOrigin,
    async list() {
      const found: FoundFile[] = [];
      // Lists change under our hands: other tabs add and remove files.
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind !== 'file') continue;
        const file = await handle.getFile().catch(() => undefined);
        if (!file) continue;
        found.push({ name, byteCount: file.size, changedAt: new Date(file.lastModified) });
      }
      return found;
    },
    async open(name) {
      const handle: FileHandle = await folder.getFileHandle(name, { create: true });
      try {
        const access = await handle.createSyncAccessHandle?.();
        if (!access) throw new Error('there are no synchronous handles');
        return await fileOf(access, () => remove(folder, name));
      } catch (error) {
        const isTaken = nameOf(error) === 'NoModificationAllowedError';
        throw isTaken ? new FileInUse(name) : error;
      }
    },
    async find(name) {
      try {
        const file = await (await folder.getFileHandle(name)).getFile();
        return {
          byteCount: file.size,
          text: () => file.text(),
          source: () => Promise.resolve(file),
        };
      } catch (error) {
        if (nameOf(error) === 'NotFoundError') return undefined;
        throw error;
      }
    },
    remove: (name) => remove(folder, name),
  };
}

/** Whether files can be written here, which only trying tells: some browsers have the calls and refuse them. */
export async function canWriteOpfs(): Promise<boolean> {
  const name = `probe-${crypto.randomUUID()}`;
  try {
    const root = await navigator.storage.getDirectory();
    const handle: FileHandle = await root.getFileHandle(name, { create: true });
    try {
      await (await handle.createSyncAccessHandle?.())?.close();
      return handle.createSyncAccessHandle !== undefined;
    } finally {
      await root.removeEntry(name);
    }
  } catch {
    return false;
  }
}

async function remove(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await folder.removeEntry(name);
  } catch (error) {
    if (nameOf(error) !== 'NotFoundError') throw error;
  }
}

async function fileOf(
  access: SyncAccessHandle,
  removeFile: () => Promise<void>,
): Promise<DownloadFile> {
  return {
    byteCount: await access.getSize(),
    // Some browsers write less than asked for when the room is used up, others throw.
    write(bytes, at) {
      for (let done = 0; done < bytes.length;) {
        const count = access.write(bytes.subarray(done), { at: at + done });
        if (count === 0) throw new DOMException('nothing was written', 'QuotaExceededError');
        done += count;
      }
      return Promise.resolve();
    },
    read: (into, at) => Promise.resolve(access.read(into, { at })),
    async clear() {
      await access.truncate(0);
    },
    async close(isKept) {
      if (isKept) await access.flush();
      await access.close();
      if (!isKept) await removeFile();
    },
  };
}

const nameOf = (error: unknown): string | undefined =>
  error instanceof Error || error instanceof DOMException ? error.name : undefined;
