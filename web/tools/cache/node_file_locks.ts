// Locks of files in Node: a file beside each, which says who writes. A writer that is gone blocks no other.
import { randomBytes } from 'node:crypto';
import { link, open, readFile, readlink, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { codeOf, noLinks } from '../../src/platform/node_atomic_files.js';
import { isRunning, startOf } from '../../src/platform/node_processes.js';
import { FileInUse } from './store_files.js';

export const lockEnding = '.lock';

/** The holder of a lock. */
interface Holder {
  /** Where process numbers mean the same. */
  readonly place: string;
  readonly pid: number;
  /** When the process began: its number is given to others after it. Absent where the system does not tell. */
  readonly start?: string | undefined;
  readonly token: string;
}

/** A holder says so often that it is there, for those who cannot look at its process. */
const beatMilliseconds = 5_000;
const silentMilliseconds = 4 * beatMilliseconds;

/** Takes the lock at a path, and returns how to give it back. Throws FileInUse while another writer has it. */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  const holder: Holder = {
    ...{ place: await placeOf(), pid: process.pid, start: await startOf(process.pid) },
    token: randomBytes(8).toString('hex'),
  };
  const text = JSON.stringify(holder);
  while (!(await place(path, text))) {
    if (!(await removeStaleLock(path))) throw new FileInUse(path);
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, beatMilliseconds);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await textOf(path)) === text) await rm(path, { force: true });
  };
}

/** Removes a lock whose holder is gone. Returns whether there is none any more. */
export async function removeStaleLock(path: string): Promise<boolean> {
  const text = await textOf(path);
  if (text === undefined) return true;
  if (await isHeld(path, text)) return false;
  // Only one of several can move it; who moved another writer's lock by mistake puts it back.
  const moved = besides(path);
  try {
    await rename(path, moved);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
  const isOther = (await textOf(moved)) !== text;
  if (isOther) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true });
  return !isOther;
}

/** The file appears with its text in it. False if there is one already. */
async function place(path: string, text: string): Promise<boolean> {
  const temporary = besides(path);
  try {
    await writeNew(temporary, text);
    await link(temporary, path).catch((error: unknown) => {
      if (!noLinks.has(codeOf(error) ?? '')) throw error;
      return writeNew(path, text);
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

const besides = (path: string): string =>
  `${path.slice(0, -lockEnding.length)}.${randomBytes(6).toString('hex')}${lockEnding}`;

async function isHeld(path: string, text: string): Promise<boolean> {
  const holder = holderOf(text);
  // Locks appear with their text: one without it has no writer.
  if (!holder) return false;
  const { place, pid, start } = holder;
  const isItsProcess = place === (await placeOf()) ? await isRunning(pid, start) : undefined;
  if (isItsProcess !== undefined) return isItsProcess;
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && Math.abs(Date.now() - facts.mtimeMs) < silentMilliseconds;
}

function holderOf(text: string): Holder | undefined {
  try {
    const { place, pid, start, token } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    const isStart = start === undefined || typeof start === 'string';
    if (typeof place !== 'string' || typeof token !== 'string' || !isStart) return undefined;
    return Number.isSafeInteger(pid) && Number(pid) > 0
      ? { place, pid: Number(pid), start, token }
      : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

/** Containers that share a folder have numbers of their own, and perhaps one host name. */
async function placeOf(): Promise<string> {
  const names = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${hostname()} ${names}`;
}
