// Every script that CONTRIBUTING.md or package.json names has a smallest run, and it works.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { projectRoot } from '../support/shared_folder.js';
import { npmScripts, testSmallestRuns } from '../support/smallest_run_tests.js';
import { smallestRuns } from '../support/smallest_runs.js';

const contributing = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8');

test('every script has one', () => {
  const named = [...contributing.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  const files = [...contributing.matchAll(/scripts\/[\w/-]+\.(?:mjs|sh)/g)].map(([path]) => path);
  const wanted = new Set([...named, ...files, ...Object.keys(npmScripts)]);
  const isKnown = (name: string): boolean => name in npmScripts || name.startsWith('scripts/');
  expect([...wanted].filter((name) => !isKnown(name))).toEqual([]);
  expect([...wanted].filter((name) => !(name in smallestRuns))).toEqual([]);
  // Nor one of a script that is gone.
  expect(Object.keys(smallestRuns).filter((name) => !wanted.has(name))).toEqual([]);
});

test('what else runs a script is there', () => {
  for (const [name, run] of Object.entries(smallestRuns)) {
    if ('runBy' in run)
      expect([name, existsSync(join(projectRoot, run.runBy))]).toEqual([name, true]);
  }
});

await testSmallestRuns(false);
