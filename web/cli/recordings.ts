import { readFile } from 'node:fs/promises';
import { SusurrusError } from '../src/node.js';

export async function readFileBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = isAbsent ? 'there is no such file' : String(error);
    throw new SusurrusError('source_failed', `${file}: ${problem}`, {
      reason: 'source',
      subject: file,
    });
  }
}

/** Reads a recording and passes it to `listen`; errors name the file. */
export async function withAudio<T>(
  file: string,
  listen: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const bytes = await readFileBytes(file);
  try {
    return await listen(bytes);
  } catch (error) {
    if (!(error instanceof SusurrusError) || error.details.reason === 'option') throw error;
    throw new SusurrusError(error.code, `${file}: ${error.message}`, error.details, error.cause);
  }
}
