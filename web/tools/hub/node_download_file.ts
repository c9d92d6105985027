import type { FileHandle } from 'node:fs/promises';
import type { DownloadFile } from '../../src/sources/download.js';

/** An open file that a download is written to. `leave` is called when it is closed: what becomes of it. */
export async function downloadFile(
  file: FileHandle,
  leave: (isKept: boolean) => Promise<void>,
): Promise<DownloadFile> {
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
      await leave(isKept);
    },
  };
}
