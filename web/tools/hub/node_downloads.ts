// Downloads in Node: files in the cache's folder.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile } from './node_download_file.js';
import type { DownloadFile, DownloadPlace } from './partial_download.js';
import { leavePartialFile, takePartialFile } from './partial_files.js';

export const downloadsIn = (folder: string): DownloadPlace => ({
  take: (facts) => takeFile(join(folder, facts.name)),
  newHash(kind) {
    const hash = createHash(kind);
    return { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex') };
  },
});

async function takeFile(path: string): Promise<DownloadFile> {
  const { path: own, file } = await takePartialFile(path);
  return downloadFile(file, (isKept) =>
    isKept ? leavePartialFile(path, own) : rm(own, { force: true }),
  );
}
