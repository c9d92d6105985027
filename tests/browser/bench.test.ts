// npm run bench in Chromium: that it works, not how fast anything is.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser } from '../../scripts/bench/browser_place.mjs';
import { limit } from '../support/limits.js';
import { projectRoot } from '../support/shared_folder.js';
import { describeWithTrained } from '../support/trained_model.js';

interface Row {
  readonly where: string;
  readonly weights: string;
  readonly text: string;
  readonly [time: string]: string | number;
}

/** What a quick run in the browser has measured, of our package alone. */
function benchInBrowser(...args: string[]): { where?: string; rows: Row[] } {
  const usual = ['--browser', '--quick', '--no-peers', '--variant', 'simd', '--threads', '1'];
  const printed = execFileSync(
    process.execPath,
    [join(projectRoot, 'scripts/bench/bench.mjs'), ...args, ...usual, '--json'],
    { encoding: 'utf8', maxBuffer: 2 ** 24, timeout: limit(60_000) },
  );
  // A step that took long, as the conversion of a model, says so before.
  return JSON.parse(printed.slice(printed.indexOf('{\n'))) as { where?: string; rows: Row[] };
}

test('every stage of a small model is measured', () => {
  const { where, rows } = benchInBrowser('--dtype', 'q8_0');
  expect(where).toMatch(/^headless Chromium \d/);
  expect(rows.map(({ weights }) => weights)).toEqual(['q8_0']);
  expect(rows[0]!['encodeMs']).toBeGreaterThan(0);
});

test('engines and threads are measured, in pages with and without isolation', () => {
  const printed = execFileSync(
    process.execPath,
    [
      join(projectRoot, 'scripts/bench/engines.mjs'),
      ...['--places', 'chromium', '--minutes', '0.2', '--json'],
      ...['models/digits.apr', 'web/demo/sample.wav'],
    ],
    { cwd: projectRoot, encoding: 'utf8', timeout: limit(60_000) },
  );
  const rows = JSON.parse(printed.slice(printed.indexOf('[\n'))) as {
    setting: { title: string; isIsolated?: boolean };
    whole: number;
    isSame: boolean;
  }[];
  expect(rows.map(({ setting }) => [setting.title, setting.isIsolated === true])).toEqual([
    ['one thread', false],
    ['2 engines', false],
    ['two threads', true],
    ['2 engines', true],
  ]);
  expect(rows.every(({ whole, isSame }) => whole > 0 && isSame)).toBe(true);
});

describeWithTrained('with trained weights', () => {
  test('a recording is measured', () => {
    const { rows } = benchInBrowser('trained', '--audio', 'web/demo/sample.wav');
    expect(rows.map(({ where }) => where)).toEqual([expect.stringContaining('Chromium')]);
    expect(rows[0]!.text.trim()).not.toBe('');
    for (const time of ['loadMs', 'firstMs', 'laterMs']) expect(rows[0]![time]).toBeGreaterThan(0);
  });
});

describe('a worker that fails', () => {
  let folder: string;
  beforeAll(() => {
    // The bench's server has this folder.
    mkdirSync(join(projectRoot, 'build/bench'), { recursive: true });
    folder = mkdtempSync(join(projectRoot, 'build/bench/worker-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** How a job of this worker fails. */
  async function failureOf(program: string): Promise<string> {
    writeFileSync(join(folder, 'program.mjs'), program);
    const place = await openBrowser(`/${relative(projectRoot, folder)}/program.mjs`);
    try {
      return await place.run({ kind: 'limits' }).then(String, String);
    } finally {
      await place.close();
    }
  }

  test('names the module that could not be loaded', async () => {
    const failure = await failureOf("import '/scripts/moved.mjs';");
    expect(failure).toContain('did not start');
    expect(failure).toContain('not served: /scripts/moved.mjs');
  });

  test('says what it threw, and where', async () => {
    const failure = await failureOf("globalThis.onmessage = () => { throw new Error('broken'); };");
    expect(failure).toMatch(/broken \(http:.*\/program\.mjs:1\)/);
  });
});
