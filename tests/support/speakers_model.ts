import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, test } from '@jest/globals';
import type * as SpeakersEntry from '../../web/src/node_speakers.js';
import { projectRoot } from './shared_folder.js';

export const speakersPath = join(projectRoot, 'models/speakers.apr');

/** susurrus/speakers as it is built for Node. */
export const speakersEntry = async (): Promise<typeof SpeakersEntry> =>
  (await import(
    pathToFileURL(join(projectRoot, 'dist/speakers.node.mjs')).href
  )) as typeof SpeakersEntry;

/** A `describe` for suites of the networks, whose file the build leaves out where it cannot fetch their package. */
export function describeWithSpeakers(name: string, body: () => void): void {
  if (existsSync(speakersPath)) {
    describe(name, body);
    return;
  }
  console.warn(`Skipped, for want of models/speakers.apr: ${name}`);
  const skipped = test.skip;
  describe(name, () => {
    skipped('needs models/speakers.apr', () => undefined);
  });
}
