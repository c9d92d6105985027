// Plans a model from the part of its file before the weights; reading stops there.
import { sourceFailed } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { OpenedSource } from '../../src/platform/platform.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import type { FilesLink, PlannedEngine, PlannedMemory } from '../../src/protocol/files.js';
import { release } from '../../src/sources/read_source.js';
import { skimPart } from '../inspection/skim.js';

/** The next parts are twice as large. */
const leastPartBytes = 1 << 16;
const mostPartBytes = 1 << 20;

export interface PlannedFile extends PlannedMemory {
  /** Size of all files of the model, if it is known. */
  readonly byteCount?: number;
}

/** Plans `file` of a folder whose files can be read in parts, and its shards if it is a manifest. `files` is started. */
export async function planFile(
  files: FilesLink,
  folder: SourceFolder,
  file: string,
  engine: PlannedEngine,
  signal: AbortSignal | undefined,
): Promise<PlannedFile> {
  const byteCount = await folder.byteCount(file);
  if (byteCount === undefined) throw sourceFailed(file, 'there is no such file');
  async function* parts(total: number): AsyncGenerator<Uint8Array> {
    for (let at = 0, size = leastPartBytes; at < total; size = Math.min(2 * size, mostPartBytes)) {
      const begin = at;
      for await (const bytes of folder.read(file, at, Math.min(size, total - at))) {
        at += bytes.length;
        yield bytes;
      }
      if (at === begin) throw sourceFailed(file, 'it became shorter while it was read');
    }
  }
  const isDescribed = await readBeginning(files, parts(byteCount), byteCount, signal);
  let total = byteCount;
  if (!isDescribed) {
    for (const part of await files.call('endFile', undefined)) {
      await skimPart(files, folder, part.name, { signal });
      total += part.byteCount;
    }
  }
  return { ...(await files.call('planModel', engine)), byteCount: total };
}

/** A source that is read forwards; it is closed as soon as the index is known. */
export async function planForwards(
  files: FilesLink,
  source: OpenedSource,
  engine: PlannedEngine,
  signal: AbortSignal | undefined,
): Promise<PlannedFile> {
  const { byteCount, name = 'source' } = source;
  try {
    const isDescribed = await readBeginning(files, source.chunks, byteCount, signal);
    const missing = isDescribed ? [] : await files.call('endFile', undefined);
    if (missing.length > 0) {
      throw sourceFailed(name, 'it is a manifest, whose shards can be read only in parts');
    }
  } finally {
    release(source);
  }
  return {
    ...(await files.call('planModel', engine)),
    ...(byteCount !== undefined && { byteCount }),
  };
}

/** Whether the plan is complete before the end of the file. */
async function readBeginning(
  files: FilesLink,
  chunks: AsyncIterable<Uint8Array>,
  byteCount: number | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  await files.call('beginFile', { byteCount, skims: 'all', runs: true });
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += leastPartBytes) {
      throwIfAborted(signal);
      const bytes = chunk.subarray(at, at + leastPartBytes);
      if ((await files.call('pushInspect', { bytes })).isDescribed) return true;
    }
  }
  return false;
}
