// Downloads in Node: files in the cache's folder.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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
  const { size } = await file.stat();
  return {
    byteCount: size,
    async write(bytes, at) {
      for (let done = 0; done < bytes.length;) {
        done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
      }
    },
    read: async (into, at) => (await file.read(into, 0, into.length, at)).bytesRead,
    clear: () => file.truncate(0),
    async close(isKept) {
      await file.close();
      if (isKept) await leavePartialFile(path, own);
      else await rm(own, { force: true });
    },
  };
}
