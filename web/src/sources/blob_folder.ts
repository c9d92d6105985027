// Files in memory or behind a Blob, of which any part can be read.
import type { SourceFolder } from '../platform/source_folder.js';
import { invalidOption } from '../api/errors.js';
import { streamChunks } from './blob_source.js';
import { findManifest } from './file_list.js';

/** What a worker is sent at a time. */
const pieceBytes = 1 << 20;

export const blobFolder = (blob: Blob): SourceFolder => {
  const name = 'name' in blob ? String(blob.name) : 'file';
  return { ...blobsFolder(new Map([[name, blob]]), name), weightsFile: name };
};

/** Files of one folder, such as a page gets them dropped; a manifest among them, or the only one there is, is the one meant. */
export async function fileListFolder(files: readonly unknown[]): Promise<SourceFolder> {
  const named = new Map<string, Blob>();
  for (const file of files) {
    if (!(file instanceof Blob) || !('name' in file)) {
      throw invalidOption('source', 'a list of files with names', file);
    }
    named.set(String(file.name), file);
  }
  if (named.size === 0) throw invalidOption('source', 'a list of files with names', files);
  const meant = (await findManifest([...named.values()])) as File | undefined;
  return {
    ...blobsFolder(named, 'the list of files'),
    ...(meant && { weightsFile: meant.name }),
  };
}

/** By the names of the files. */
export const blobsFolder = (blobs: ReadonlyMap<string, Blob>, name: string): SourceFolder => ({
  name,
  byteCount: (file) => Promise.resolve(blobs.get(file)?.size),
  async *read(file, offset, byteCount) {
    const part = blobs.get(file)?.slice(offset, offset + byteCount);
    if (part) yield* streamChunks(part.stream());
  },
});

export const memoryFolder = (bytes: Uint8Array): SourceFolder => ({
  name: 'source',
  weightsFile: 'source',
  byteCount: (file) => Promise.resolve(file === 'source' ? bytes.length : undefined),
  // eslint-disable-next-line @typescript-eslint/require-await
  async *read(_file, offset, byteCount) {
    const end = Math.min(offset + byteCount, bytes.length);
    for (let at = offset; at < end; at += pieceBytes) {
      yield bytes.subarray(at, Math.min(at + pieceBytes, end));
    }
  },
});
