// Files of downloads that are not finished. Each belongs to one pull, whose machine and process its name tells. What a pull
// leaves behind the next one takes over by renaming it, which only one can do.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface PartialFile {
  readonly path: string;
  /** For reading and writing; the caller must close it. */
  readonly file: FileHandle;
}

/** A pull that has not written for this long is dead: for processes that cannot be checked. */
const abandonedMilliseconds = 24 * 60 * 60 * 1000;
const oldMilliseconds = 30 * abandonedMilliseconds;
const host =
  hostname()
    .replaceAll(/[^\w-]/g, '_')
    .slice(0, 40) || 'host';
/** Process id of files that an orderly end left behind. */
const noProcess = 0;

const partialPath = (path: string, pid: number): string =>
  `${path}.${host}.${pid}.${randomBytes(6).toString('hex')}.part`;

/** A file of one's own for the download of `path`: the longest that earlier pulls left behind, or an empty one. */
export async function takePartialFile(path: string): Promise<PartialFile> {
  for (let attempts = 0; ; ++attempts) {
    try {
      await mkdir(dirname(path), { recursive: true });
      const own = await takeAbandoned(path);
      if (own !== undefined) return { path: own, file: await open(own, 'r+') };
      const fresh = partialPath(path, process.pid);
      return { path: fresh, file: await open(fresh, 'wx+') };
    } catch (error) {
      // Another pull that ended may have removed the folder between two of these steps.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isGone || attempts > 20) throw error;
    }
  }
}

/** For the next pull, where there is something in it. `partial` is closed. */
export async function leavePartialFile(path: string, partial: string): Promise<void> {
  const facts = await stat(partial).catch(() => undefined);
  if (facts && facts.size > 0) await moved(partial, partialPath(path, noProcess));
  else await rm(partial, { force: true });
}

/** Of a repository, all revisions: those that no pull will go on with any more. */
export async function removeOldPartialFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const path = join(folder, name);
    const facts = name.endsWith('.part') ? await stat(path).catch(() => undefined) : undefined;
    if (facts && Date.now() - facts.mtimeMs > oldMilliseconds) await rm(path, { force: true });
  }
}

async function takeAbandoned(path: string): Promise<string | undefined> {
  let own: string | undefined;
  for (const abandoned of await findAbandoned(path)) {
    const taken = partialPath(path, process.pid);
    if (!(await moved(abandoned, taken))) continue;
    if (own === undefined) own = taken;
    else await rm(taken, { force: true });
  }
  return own;
}

/** The longest first. */
async function findAbandoned(path: string): Promise<string[]> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const found: { readonly path: string; readonly size: number }[] = [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const [, at, pid] =
      /^([\w-]+)\.(\d+)\.[0-9a-f]{12}\.part$/.exec(name.slice(prefix.length)) ?? [];
    if (at === undefined) continue;
    const partial = join(folder, name);
    const facts = await stat(partial).catch(() => undefined);
    if (!facts) continue;
    const isOld = Date.now() - facts.mtimeMs > abandonedMilliseconds;
    const isFree = Number(pid) === noProcess || (at === host && !isRunning(Number(pid)));
    if (isOld || isFree) found.push({ path: partial, size: facts.size });
  }
  return found.sort((a, b) => b.size - a.size).map((one) => one.path);
}

/** Whether a process of this machine is there. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It exists, and belongs to another pull.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
