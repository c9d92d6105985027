// An audio file at a path, read in parts.
import { open, stat, type FileHandle } from 'node:fs/promises';
import { sourceFailed } from '../api/errors.js';
import type { EncodedFile } from '../protocol/audio.js';
import { codeOf } from './node_atomic_files.js';

/** Each read opens the file for itself, so that there is nothing to close. */
export async function openNodeFile(path: string): Promise<EncodedFile> {
  let facts;
  try {
    facts = await stat(path);
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT';
    throw sourceFailed(path, isAbsent ? 'there is no such file' : String(error), {}, error);
  }
  if (facts.isDirectory()) throw sourceFailed(path, 'this is a folder, not an audio file');
  return {
    size: facts.size,
    slice: (begin, end) => ({
      arrayBuffer: async () => {
        let file: FileHandle | undefined;
        try {
          file = await open(path);
          const { buffer, bytesRead } = await file.read(
            new Uint8Array(end - begin),
            0,
            end - begin,
            begin,
          );
          return buffer.buffer.slice(0, bytesRead);
        } catch (error) {
          throw sourceFailed(path, String(error), { offset: begin }, error);
        } finally {
          await file?.close();
        }
      },
    }),
  };
}
