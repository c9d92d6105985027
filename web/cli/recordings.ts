import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { checkSource, isFile, isStdin } from './audio_source.js';
import { sourceError, unreadable } from './file_bytes.js';
import { usageError } from './usage_error.js';

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
  /** A path, a URL, or - for stdin. */
  readonly file: string;
  /** The folder of its transcripts below the output folder: '' unless a folder that was named holds it deeper. */
  readonly below: string;
}

/**
 * Files, URLs and stdin as they are named, and of each folder the recordings at any depth, in the order of their names. Throws
 * SusurrusError.
 */
export async function recordingsIn(paths: readonly string[]): Promise<readonly Recording[]> {
  if (paths.filter(isStdin).length > 1) throw usageError('stdin is one recording: give - once');
  const found: Recording[] = [];
  for (const path of paths) {
    await checkSource(path);
    // Nobody waits for a model, or downloads one, to hear that it is not there. Of several, the others are heard.
    const facts = await factsOf(path, paths.length === 1);
    const recordings = facts?.isDirectory()
      ? await recordingsOf(path, '')
      : [{ file: path, below: '' }];
    if (recordings.length === 0) {
      throw sourceError(path, `there are no recordings in this folder (${endings.join(', ')})`);
    }
    for (const each of recordings) found.push(each);
  }
  return found;
}

async function factsOf(path: string, isNeeded: boolean): Promise<Stats | undefined> {
  if (!isFile(path)) return undefined;
  return stat(path).catch((error: unknown) => {
    if (isNeeded) throw unreadable(path, error);
    return undefined;
  });
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
    throw sourceError(folder, String(error));
  }
}
