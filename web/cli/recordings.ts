import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { SusurrusError } from '../src/node.js';

/** What the decoders in Node read. */
const endings = [
  '.wav',
  '.flac',
  '.mp3',
  '.ogg',
  '.oga',
  '.opus',
  '.webm',
  '.aif',
  '.aiff',
  '.aifc',
];

export interface Recording {
  readonly file: string;
  /** The folder of its transcripts below the output folder: '' unless a folder that was named holds it deeper. */
  readonly below: string;
}

/** Files as they are named, and of each folder the recordings at any depth, in the order of their names. Throws SusurrusError. */
export async function recordingsIn(paths: readonly string[]): Promise<readonly Recording[]> {
  const found: Recording[] = [];
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined);
    const recordings = facts?.isDirectory()
      ? await recordingsOf(path, '')
      : [{ file: path, below: '' }];
    if (recordings.length === 0) {
      throw failed(path, `there are no recordings in this folder (${endings.join(', ')})`);
    }
    for (const each of recordings) found.push(each);
  }
  return found;
}

/** Hidden files are left out, and linked folders, which may lead in circles. */
async function recordingsOf(folder: string, below: string): Promise<Recording[]> {
  const found: Recording[] = [];
  for (const entry of await entriesOf(folder)) {
    const file = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) found.push(...(await recordingsOf(file, join(below, entry.name))));
    else if (endings.includes(extname(entry.name).toLowerCase())) found.push({ file, below });
  }
  return found;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw failed(folder, String(error));
  }
}

export async function readFileBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw failed(file, isAbsent ? 'there is no such file' : String(error));
  }
}

const failed = (path: string, problem: string): SusurrusError =>
  new SusurrusError('source_failed', `${path}: ${problem}`, { reason: 'source', subject: path });

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
