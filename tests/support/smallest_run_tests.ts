// The tests of scripts' smallest runs, for the suites that have them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectRoot } from './shared_folder.js';
import type { SmallestRun } from './smallest_runs.js';
import { commandOf, missingNeeds, runScript, smallestRuns } from './smallest_runs.js';

/** `scripts` of package.json. */
export const { scripts: npmScripts } = JSON.parse(
  readFileSync(join(projectRoot, 'package.json'), 'utf8'),
) as { scripts: Record<string, string> };

/** A test for each run of the table, in the browser or without one; what lacks something here is skipped, and says so. */
export async function testSmallestRuns(isBrowser: boolean): Promise<void> {
  const runs = Object.entries(smallestRuns).filter(
    (entry): entry is [string, SmallestRun] =>
      'args' in entry[1] && (entry[1].isBrowser ?? false) === isBrowser,
  );
  const missing = await missingNeeds(runs.map(([, run]) => run));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'susurrus-run-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  for (const [name, { args, prints, status = 0, needs = [], leaves = [] }] of runs) {
    const lacking = needs.filter((need) => missing.has(need));
    const why = lacking.length > 0 ? ` (needs ${lacking.join(', ')})` : '';
    if (why) console.warn(`Skipped: the smallest run of ${name}${why}`);
    (why ? test.skip : test)(`${name} ${args.join(' ')}${why}`, () => {
      const run = runScript([...commandOf(name, npmScripts), ...args], folder);
      expect(run).toEqual({ status, output: expect.stringMatching(prints) });
      for (const file of leaves) expect(existsSync(join(folder, file))).toBe(true);
    });
  }
}
