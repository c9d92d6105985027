// A download's file that goes on in memory when its storage takes no more.
import type { DownloadFile } from '../../src/sources/download.js';

const blockBytes = 1 << 20;

/** `disk`: absent where nothing is stored. Bytes are written in order, as downloads do. */
export function spillingFile(disk?: DownloadFile): DownloadFile {
  /** Where memory begins. */
  let begin = disk ? Infinity : 0;
  let end = disk?.byteCount ?? 0;
  const blocks: Uint8Array[] = [];
  const writeMemory = (bytes: Uint8Array, at: number): void => {
    for (let done = 0; done < bytes.length;) {
      const place = at + done - begin;
      const block = (blocks[Math.floor(place / blockBytes)] ??= new Uint8Array(blockBytes));
      const part = bytes.subarray(done, done + blockBytes - (place % blockBytes));
      block.set(part, place % blockBytes);
      done += part.length;
    }
  };
  return {
    byteCount: end,
    async write(bytes, at) {
      end = at + bytes.length;
      if (disk && begin === Infinity) {
        try {
          await disk.write(bytes, at);
          return;
        } catch {
          begin = at;
        }
      }
      writeMemory(bytes, at);
    },
    async read(into, at) {
      const wanted = into.subarray(0, Math.max(0, end - at));
      if (disk && at < begin) return disk.read(wanted.subarray(0, begin - at), at);
      const place = at - begin;
      const block = blocks[Math.floor(place / blockBytes)];
      const part = block?.subarray(place % blockBytes).subarray(0, wanted.length);
      if (part) into.set(part);
      return part?.length ?? 0;
    },
    async clear() {
      await disk?.clear();
      blocks.length = 0;
      begin = disk ? Infinity : 0;
      end = 0;
    },
    async close(isKept) {
      blocks.length = 0;
      // What did not fit only takes room from others.
      await disk?.close(isKept && begin === Infinity);
    },
  };
}
