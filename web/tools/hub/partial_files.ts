// Partial downloads. Each file belongs to one pull, and its name has the pull's machine and process. A later pull takes over the file of an
// ended one by renaming it, which only one process can do.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sourceFailed } from '../../src/api/errors.js';
import { removeEmptyFolders } from '../../src/platform/node_files.js';
import { isRunning, startOf } from '../../src/platform/node_processes.js';

export interface PartialFile {
  readonly path: string;
  /** For reading and writing; the caller must close it. */
  readonly file: FileHandle;
}

/** A pull that has not written for this long is dead: for processes that cannot be checked. */
const abandonedMilliseconds = 24 * 60 * 60 * 1000;
const oldMilliseconds = 30 * abandonedMilliseconds;
/** Asked for when it is wanted: Deno wants a permission for that. */
const hostOf = (): string =>
  hostname()
    .replaceAll(/[^\w-]/g, '_')
    .slice(0, 40) || 'host';
/** In place of the process of files that an orderly end left behind. */
const noProcess = '0-';
/** The number of this process, and when it began if that is known. */
const thisProcess = async (): Promise<string> =>
  `${process.pid}-${(await startOf(process.pid)) ?? ''}`;

const partialPath = (path: string, state: string, of: string): string =>
  `${path}.${state}.${hostOf()}.${of}.${randomBytes(6).toString('hex')}.part`;

/**
 * A file of one's own for the download of `path`: the longest that earlier pulls left behind of that state of it, 16 hex digits, or
 * an empty one. What they left of other states is removed.
 */
export async function takePartialFile(path: string, state: string): Promise<PartialFile> {
  for (let attempts = 0; ; ++attempts) {
    try {
      await mkdir(dirname(path), { recursive: true });
      const own = await takeAbandoned(path, state);
      if (own !== undefined) return { path: own, file: await open(own, 'r+') };
      const fresh = partialPath(path, state, await thisProcess());
      return { path: fresh, file: await open(fresh, 'wx+') };
    } catch (error) {
      // Another pull that ended may have removed the folder between two of these steps.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isGone && attempts <= 20) continue;
      throw sourceFailed(path, `no file of it can be made: ${String(error)}`, {}, error);
    }
  }
}

/** For the next pull, where there is something in it. `partial` is closed. */
export async function leavePartialFile(
  path: string,
  state: string,
  partial: string,
): Promise<void> {
  const facts = await stat(partial).catch(() => undefined);
  if (facts && facts.size > 0) await moved(partial, partialPath(path, state, noProcess));
  else await rm(partial, { force: true });
}

/** Removes old partial files of all revisions of a repository, which no pull will resume. */
export async function removeOldPartialFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const path = join(folder, name);
    const facts = name.endsWith('.part') ? await stat(path).catch(() => undefined) : undefined;
    if (facts && Date.now() - facts.mtimeMs > oldMilliseconds) await rm(path, { force: true });
  }
}

/** Below a folder: those that no pull is writing. */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const parts = names.filter((name) => partEnding.test(name));
  for (const path of new Set(parts.map((name) => join(folder, name.replace(partEnding, ''))))) {
    for (const { path: part } of await findAbandoned(path)) await rm(part, { force: true });
    await removeEmptyFolders(dirname(path), folder);
  }
}

async function takeAbandoned(path: string, state: string): Promise<string | undefined> {
  let own: string | undefined;
  for (const { path: abandoned, state: its } of await findAbandoned(path)) {
    const taken = partialPath(path, state, await thisProcess());
    if (!(await moved(abandoned, taken))) continue;
    if (own === undefined && its === state) own = taken;
    else await rm(taken, { force: true });
  }
  return own;
}

interface Abandoned {
  readonly path: string;
  readonly state: string;
  readonly size: number;
}

/** What partialPath() puts behind a file's name. */
const partEnding = /\.([0-9a-f]{16})\.([\w-]+)\.(\d+)-(\d*)\.[0-9a-f]{12}\.part$/;

/** The longest first. */
async function findAbandoned(path: string): Promise<Abandoned[]> {
  const folder = dirname(path);
  const found: Abandoned[] = [];
  for (const name of await readdir(folder)) {
    const [ending = '', state, at, pid, start] = partEnding.exec(name) ?? [];
    if (state === undefined || name !== basename(path) + ending) continue;
    const partial = join(folder, name);
    const facts = await stat(partial).catch(() => undefined);
    if (!facts) continue;
    const isOld = Date.now() - facts.mtimeMs > abandonedMilliseconds;
    const isFree =
      `${pid}-${start}` === noProcess ||
      (at === hostOf() && (await isRunning(Number(pid), start || undefined)) === false);
    if (isOld || isFree) found.push({ path: partial, state, size: facts.size });
  }
  return found.sort((a, b) => b.size - a.size);
}

/** Whether it was there and no other process moved it first. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch {
    return false;
  }
}
