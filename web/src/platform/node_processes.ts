// Which process a number means: numbers are given to others, in a container always the same ones.
import { readFile } from 'node:fs/promises';

/** When a process began, in ticks since the machine did. Linux alone tells it; undefined elsewhere, and of none. */
export async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets, which may hold anything.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** Whether the process of that number runs that began then; undefined when there is one, and nothing tells which. */
export async function isRunning(
  pid: number,
  start: string | undefined,
): Promise<boolean | undefined> {
  if (!isThere(pid)) return false;
  const now = await startOf(pid);
  return start === undefined || now === undefined ? undefined : start === now;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
