// Identifies processes: process ids are reused, in containers always the same few.
import { readFile } from 'node:fs/promises';

/** Returns when a process started, in ticks since boot; undefined if there is no such process, and on systems other than Linux. */
export async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets, which may hold anything.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** Whether the process with that id and start still runs; undefined if a process has the id and its start is unknown. */
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
