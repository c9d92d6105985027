// Files that are read whole.
import { readFile } from 'node:fs/promises';
import { SusurrusError } from '../src/node.js';

export async function readFileBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** What is said of a file that the system does not give. */
export function unreadable(file: string, error: unknown): SusurrusError {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return sourceError(file, isAbsent ? 'there is no such file' : String(error));
}

/** Something that cannot be read. */
export const sourceError = (path: string, problem: string): SusurrusError =>
  new SusurrusError('source_failed', `${path}: ${problem}`, { reason: 'source', subject: path });
