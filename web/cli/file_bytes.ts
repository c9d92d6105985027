// Files that are read whole.
import { readFile } from 'node:fs/promises';
import { SusurrusError } from '../src/node.js';

export async function readFileBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw sourceError(file, isAbsent ? 'there is no such file' : String(error));
  }
}

/** Something that cannot be read. */
export const sourceError = (path: string, problem: string): SusurrusError =>
  new SusurrusError('source_failed', `${path}: ${problem}`, { reason: 'source', subject: path });
