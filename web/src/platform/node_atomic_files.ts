// Atomic writes: files get their names only when complete; of several, all or none.
import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sourceFailed, SusurrusError } from '../api/errors.js';
import { sleep } from '../api/signals.js';

export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** Ends the file before and begins this one. `mode` as open() takes it. */
export type CreateAtomically = (path: string, mode?: number) => Promise<WriteBytes>;

interface NewFile {
  readonly path: string;
  readonly temporary: string;
}

/** Errors of file systems without hard links, or without them for this file. */
export const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);
/** Holders rename some files, which takes milliseconds; a lock of this age belongs to a process that was killed. */
const staleLockMilliseconds = 10_000;
const lockPollMilliseconds = 20;

export const codeOf = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | undefined)?.code;

/**
 * Lets `fill` write files of one folder, one after the other, under temporary names; when all went well they get their own
 * names. Without `force` a file that exists is rejected, also one that appears meanwhile. If anything fails, what was there
 * before is there again and the temporary files are gone. Throws what `fill` throws, or SusurrusError.
 */
export async function writeAtomically<T>(
  force: boolean,
  fill: (create: CreateAtomically) => Promise<T>,
): Promise<T> {
  const files: NewFile[] = [];
  let current: FileHandle | undefined;
  const closeCurrent = async (): Promise<void> => {
    const file = current;
    current = undefined;
    await file?.close();
  };
  try {
    const result = await fill(async (path, mode) => {
      await closeCurrent();
      await refuseExisting(path, force);
      const temporary = besides(path, 'unfinished');
      // 'wx' refuses to follow a link at that path.
      const file = await tried(path, () => open(temporary, 'wx', mode));
      files.push({ path, temporary });
      current = file;
      return (bytes) => tried(path, () => writeAll(file, bytes));
    });
    await closeCurrent();
    await placeAll(files, force);
    return result;
  } finally {
    await closeCurrent().catch(() => undefined);
    for (const { temporary } of files) await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}

/** A unique name in the same folder; long names are cut to what file systems allow. */
const besides = (path: string, purpose: string): string =>
  join(
    dirname(path),
    `${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.${purpose}`,
  );

async function placeAll(files: readonly NewFile[], force: boolean): Promise<void> {
  const [first] = files;
  if (!first) return;
  if (files.length === 1) return tried(first.path, () => place(first, force));
  // Two sets of files with the same names must not mix.
  const release = await tried(first.path, () => lockFolder(dirname(first.path)));
  const placed: { readonly path: string; readonly backup: string | undefined }[] = [];
  try {
    for (const file of files) {
      const { path } = file;
      await tried(path, async () => {
        // A folder may have appeared, which renaming would move out of the way.
        await refuseExisting(path, force);
        const backup = force ? await backUp(path) : undefined;
        if (backup !== undefined) placed.push({ path, backup });
        await place(file, force);
        if (backup === undefined) placed.push({ path, backup });
      });
    }
    for (const { backup } of placed) if (backup !== undefined) await rm(backup, { force: true });
  } catch (error) {
    for (const { path, backup } of placed.reverse()) await restore(path, backup);
    throw error;
  } finally {
    await release();
  }
}

/** Gives a file its name. */
async function place({ path, temporary }: NewFile, force: boolean): Promise<void> {
  if (force) return rename(temporary, path);
  try {
    // Unlike rename() it never replaces anything.
    await link(temporary, path);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EEXIST') throw existsAlready(path);
    if (!noLinks.has(code)) throw error;
    await refuseExisting(path, false);
    await rename(temporary, path);
  }
}

/** A second name for a file that is about to be replaced; undefined if there is none. */
async function backUp(path: string): Promise<string | undefined> {
  const backup = besides(path, 'replaced');
  try {
    await link(path, backup).catch((error: unknown) => {
      if (!noLinks.has(codeOf(error) ?? '')) throw error;
      return rename(path, backup);
    });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return backup;
}

async function restore(path: string, backup: string | undefined): Promise<void> {
  if (backup === undefined) {
    await rm(path, { force: true }).catch(() => undefined);
    return;
  }
  await rename(backup, path).catch(() => undefined);
  // Where both are names of one file, renaming leaves both; if it failed, the backup is all that is left.
  const [old, kept] = await Promise.all([path, backup].map((one) => stat(one).catch(() => null)));
  if (old && kept && old.ino === kept.ino) await rm(backup, { force: true }).catch(() => undefined);
}

/** Returns a function that releases the lock. */
async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, '.susurrus.lock');
  for (;;) {
    try {
      await (await open(path, 'wx')).close();
      return () => rm(path, { force: true }).catch(() => undefined);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const held = await stat(path).catch(() => undefined);
    // A clock that was set back makes it one of the future.
    if (held && Math.abs(Date.now() - held.mtimeMs) > staleLockMilliseconds) {
      await rm(path, { force: true });
    } else {
      await sleep(lockPollMilliseconds);
    }
  }
}

export async function refuseExisting(path: string, force: boolean): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (!existing) return;
  if (existing.isDirectory()) throw sourceFailed(path, 'this is a folder; name a file');
  if (!existing.isFile()) throw sourceFailed(path, 'this is a device or a pipe; name a file');
  if (!force) throw existsAlready(path);
}

const existsAlready = (path: string): SusurrusError =>
  new SusurrusError(
    'invalid_argument',
    `${path} exists already; it is overwritten only with --force ({force: true}).`,
    { reason: 'option', subject: 'force', expected: 'true', got: path },
  );

/** A failure of the file system as an error of ours. */
async function tried<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SusurrusError) throw error;
    throw sourceFailed(path, `it could not be written: ${String(error)}`, {}, error);
  }
}
