// Downloads in Node: files in the cache's folder.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DownloadFile } from '../../src/sources/download.js';
import { downloadFile } from './node_download_file.js';
import type { DownloadPlace } from './partial_download.js';
import { leavePartialFile, takePartialFile } from './partial_files.js';
import type { HubFile } from './repository_files.js';

export const downloadsIn = (folder: string): DownloadPlace => ({
  take: (facts) => takeFile(join(folder, facts.name), stateOf(facts)),
  newHash(kind) {
    const hash = createHash(kind);
    return { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex') };
  },
});

/** Parts of other states of the file are never gone on with. */
function stateOf({ digest, validator, byteCount }: HubFile): string {
  const state = JSON.stringify([digest?.hex, validator, byteCount]);
  return createHash('sha256').update(state).digest('hex').slice(0, 16);
}

async function takeFile(path: string, state: string): Promise<DownloadFile> {
  const { path: own, file } = await takePartialFile(path, state);
  return downloadFile(file, (isKept) =>
    isKept ? leavePartialFile(path, state, own) : rm(own, { force: true }),
  );
}
