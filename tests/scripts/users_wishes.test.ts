// docs/dev/users-wishes.md names tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectRoot } from '../support/shared_folder.js';

const text = readFileSync(join(projectRoot, 'docs/dev/users-wishes.md'), 'utf8');

interface Row {
  readonly number: string;
  readonly mark: string;
  readonly tests: readonly { readonly suite: string; readonly name: string }[];
}

const rows: readonly Row[] = [...text.matchAll(/^\| (\d+a?) +\|(.*)\|$/gm)].map(
  ([, number = '', rest = '']) => {
    const cells = rest.split('|').map((cell) => cell.trim());
    const named = [...(cells[3] ?? '').matchAll(/`([\w/]+)` "([^"]+)"/g)];
    const tests = named.map(([, suite = '', name = '']) => ({ suite, name }));
    return { number, mark: (cells[1] ?? '').replaceAll('*', ''), tests };
  },
);

/** The tests of a suite, by the names that its file gives them. */
function namesOf(suite: string): readonly string[] {
  const paths = [`${suite}.test.ts`, `${suite}.ts`, `${suite}_test.cc`];
  const path = paths.map((name) => join(projectRoot, 'tests', name)).find(existsSync);
  if (path === undefined) return [];
  const source = readFileSync(path, 'utf8');
  const named = path.endsWith('.cc')
    ? source.matchAll(/SUSURRUS_TEST\((\w+)\)/g)
    : source.matchAll(/\(\s*(?:\w+,\s*)?(?:'([^'\n]+)'|"([^"\n]+)"|`([^\n]+)`),\s*(?:async )?\(/g);
  return [...named].map((match) => match.slice(1).join(''));
}

test('every number is there once, in order', () => {
  const withLetter = new Set([40, 54, 109]);
  const numbers = Array.from({ length: 110 }, (_, i) => i + 1).flatMap((number) =>
    withLetter.has(number) ? [`${number}`, `${number}a`] : [`${number}`],
  );
  expect(rows.map(({ number }) => number)).toEqual(numbers);
  expect(numbers).toHaveLength(113);
});

test('every mark is one that the page explains', () => {
  const known = ['yes', 'partly', 'no', 'device'];
  expect(rows.filter(({ mark }) => !known.includes(mark))).toEqual([]);
});

describe('what is answered', () => {
  test.each(rows.filter(({ mark }) => ['yes', 'partly', 'device'].includes(mark)))(
    '$number names its tests',
    ({ tests }) => {
      expect(tests.length).toBeGreaterThan(0);
    },
  );
});

test('every test that is named exists', () => {
  const named = rows.flatMap(({ number, tests }) => tests.map((one) => ({ number, ...one })));
  expect(named.length).toBeGreaterThan(113);
  expect(named.filter(({ suite, name }) => !namesOf(suite).includes(name))).toEqual([]);
  expect(namesOf('api/listening')).not.toContain('nothing of this name');
});
