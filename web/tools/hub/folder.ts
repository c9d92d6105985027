// A repository as the converter sees it: a folder whose files come when they are read.
import { join } from 'node:path';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import type { HubClient, HubFile, HubListing } from './client.js';
import { PartialDownload } from './partial_download.js';
import { titleOf, type Repository } from './repository.js';

/** Weights are read while they arrive; everything else when it is whole and checked. */
const isWeights = (name: string): boolean => name.endsWith('.safetensors');

export interface HubFolder extends SourceFolder {
  /** Resolves when every file that was begun is whole and checked. */
  arrived(): Promise<void>;
  /** When nothing is read any more: ends the downloads, and keeps for the next pull what they brought, or removes it. */
  close(isKept: boolean): Promise<void>;
}

export interface HubFolderOptions {
  /** Where files lie until they are no longer needed. */
  readonly downloads: string;
  readonly signal: AbortSignal;
  /** Hears of every byte that is here, and of how many come. What it throws ends that download. */
  readonly onBytes: (arrived: number, expected: number) => void;
  /** Hears of the failure of any download, whether or not its file is being read. */
  readonly onFailure: (error: unknown) => void;
}

export function openHubFolder(
  client: HubClient,
  repository: Repository,
  listing: HubListing,
  { downloads, signal, onBytes, onFailure }: HubFolderOptions,
): HubFolder {
  const files = new Map(listing.files.map((file) => [file.name, file]));
  const begun = new Map<string, PartialDownload>();
  let arrived = 0;
  let expected = 0;
  const begin = (facts: HubFile): PartialDownload => {
    expected += facts.byteCount;
    const download = new PartialDownload({
      path: join(downloads, facts.name),
      facts,
      openFrom: (offset) => client.open(repository, listing.commit, facts.name, offset),
      onBytes: (byteCount) => onBytes((arrived += byteCount), expected),
      signal,
    });
    download.arrived.catch(onFailure);
    return download;
  };
  return {
    name: titleOf(repository),
    byteCount: (name) => Promise.resolve(files.get(name)?.byteCount),
    async *read(name, offset, byteCount) {
      const facts = files.get(name);
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
