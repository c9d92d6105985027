// A repository as the converter sees it: a folder whose files come when they are read.
import { abortedOr, anyOf } from '../../src/api/signals.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { isAboutContent } from '../../src/sources/kept_errors.js';
import { PartialDownload, type DownloadPlace } from './partial_download.js';
import { titleOf, type Repository } from './repository.js';
import type { HubFile, RepositoryFiles } from './repository_files.js';

/** Weights are read while they download; all other files once they are complete and verified. */
const isWeights = (name: string): boolean => /\.(safetensors|bin|apr)$/i.test(name);

export interface HubFolder extends SourceFolder {
  /** Resolves when every file whose download began is complete and verified. */
  arrived(): Promise<void>;
  /**
   * Ends the downloads, once nothing is read any more. Keeps all partial files or the verified ones for the next pull, or removes them.
   */
  close(isKept: boolean | 'ifVerified'): Promise<void>;
}

export interface RepositoryOptions {
  readonly downloads: DownloadPlace;
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `read` with the folder of a repository, whose files are downloaded when they are read. The partial files are kept if it fails, and
 * removed otherwise. The first failure ends all downloads.
 */
export async function withHubFolder<T>(
  repository: Repository,
  files: RepositoryFiles,
  { downloads, onProgress, signal }: RepositoryOptions,
  read: (folder: HubFolder, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const either = anyOf([signal, ending.signal]);
  const failures: unknown[] = [];
  const folder = openHubFolder(repository, files, {
    downloads,
    signal: either.signal,
    onBytes: (loaded, total) =>
      onProgress?.({
        phase: 'download',
        source: files.title,
        loaded,
        total,
        fraction: total === 0 ? 1 : loaded / total,
      }),
    onFailure: (error) => {
      failures.push(error);
      ending.abort();
    },
  });
  try {
    const result = await read(folder, either.signal);
    await folder.close(false);
    return result;
  } catch (error) {
    // A download's error comes first: it is the cause of the reader's.
    const [first] = [...failures, error];
    ending.abort();
    const failure = abortedOr(signal, first);
    // A download that its reader rejects must not be continued: it may be a login page under the file's name.
    const isRefused = !signal?.aborted && failures.length === 0 && isAboutContent(error);
    await folder.close(isRefused ? 'ifVerified' : true);
    throw failure;
  } finally {
    either.release();
  }
}

interface HubFolderOptions {
  /** The place of the downloaded files, until they are no longer needed. */
  readonly downloads: DownloadPlace;
  readonly signal: AbortSignal;
  /** Called with the bytes received and those expected. An exception ends that download. */
  readonly onBytes: (arrived: number, expected: number) => void;
  /** Called when any download fails, whether or not its file is being read. */
  readonly onFailure: (error: unknown) => void;
}

function openHubFolder(
  repository: Repository,
  files: RepositoryFiles,
  { downloads, signal, onBytes, onFailure }: HubFolderOptions,
): HubFolder {
  const begun = new Map<string, PartialDownload>();
  let arrived = 0;
  let expected = 0;
  const begin = (facts: HubFile): PartialDownload => {
    expected += facts.byteCount;
    const download = new PartialDownload({
      place: downloads,
      facts,
      openFrom: (offset) => files.open(facts, offset, signal),
      onBytes: (byteCount) => onBytes((arrived += byteCount), expected),
      signal,
    });
    download.arrived.catch(onFailure);
    return download;
  };
  return {
    name: titleOf(repository),
    ...(files.weightsFile !== undefined && { weightsFile: files.weightsFile }),
    byteCount: async (name) => (await files.find(name))?.byteCount,
    async *read(name, offset, byteCount) {
      const facts = await files.find(name);
      if (!facts || byteCount === 0) return;
      let file = begun.get(name);
      if (!file) begun.set(name, (file = begin(facts)));
      if (!isWeights(name)) await file.arrived;
      yield* file.read(offset, byteCount);
    },
    async arrived() {
      await Promise.all(Array.from(begun.values(), (file) => file.arrived));
    },
    async close(isKept) {
      await Promise.all(Array.from(begun.values(), (file) => file.close(isKept)));
    },
  };
}
