// A repository as the converter sees it: a folder whose files come when they are read.
import { join } from 'node:path';
import type { SourceFolder } from '../convert/source_folder.js';
import { ArrivingFile } from './arriving_file.js';
import type { HubClient, HubFile, HubListing } from './client.js';
import { titleOf, type Repository } from './repository.js';

/** Weights are read while they arrive; everything else when it is whole and checked. */
const isWeights = (name: string): boolean => name.endsWith('.safetensors');

export interface HubFolder extends SourceFolder {
  /** Resolves when every file that was begun is whole and checked. */
  arrived(): Promise<void>;
}

/** `downloads` is where files lie until nobody needs them; `onBytes` hears of every byte that is here, and of how many come. */
export function openHubFolder(
  client: HubClient,
  repository: Repository,
  listing: HubListing,
  downloads: string,
  onBytes: (arrived: number, expected: number) => void,
): HubFolder {
  const files = new Map(listing.files.map((file) => [file.name, file]));
  const begun = new Map<string, ArrivingFile>();
  let arrived = 0;
  let expected = 0;
  const begin = (facts: HubFile): ArrivingFile => {
    expected += facts.byteCount;
    return new ArrivingFile(
      join(downloads, facts.name),
      facts,
      (offset) => client.open(repository, listing.commit, facts.name, offset),
      (byteCount) => onBytes((arrived += byteCount), expected),
    );
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
  };
}
