import type { DownloadFile } from './partial_download.js';

/** Whether the file has these bytes at that place. */
export async function isThere(file: DownloadFile, bytes: Uint8Array, at: number): Promise<boolean> {
  const own = new Uint8Array(bytes.length);
  for (let done = 0; done < own.length;) {
    const count = await file.read(own.subarray(done), at + done);
    if (count === 0) return false;
    done += count;
  }
  return own.every((byte, i) => byte === bytes[i]);
}
