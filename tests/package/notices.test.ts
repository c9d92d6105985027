// The table of THIRD-PARTY-NOTICES.md says of each npm package which files of dist/ contain it, and in which version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectRoot } from '../support/shared_folder.js';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
/** Written by the build: a file of dist/ and the packages that esbuild put into it. */
const contents = JSON.parse(read('build/dist.packages.json')) as Record<string, string[]>;
const packages = [...new Set(Object.values(contents).flat())].sort();
const notices = read('THIRD-PARTY-NOTICES.md');

describe('third-party notices', () => {
  test('some packages are within the bundles', () => {
    expect(packages).toEqual(expect.arrayContaining(['@noble/hashes', 'mediabunny']));
  });

  test.each(packages)('%s: version, licence and every file', (name) => {
    const manifest = JSON.parse(read(`node_modules/${name}/package.json`)) as Record<
      string,
      string
    >;
    const label = `[${name.replace(/^@(\w+)\//, '$1-')}]`;
    const rows = notices.split('\n').filter((line) => line.startsWith(`| ${label}`));
    const [, what, where, licence] = rows[0]?.split('|').map((cell) => cell.trim()) ?? [];
    expect(rows).toHaveLength(1);
    expect(what).toContain(` ${manifest.version}`);
    expect(licence?.replaceAll(' ', '-')).toBe(manifest.license?.replaceAll(' ', '-'));
    expect(where?.match(/[\w.]+\.mjs/g)?.sort()).toEqual(
      Object.keys(contents)
        .filter((file) => contents[file]?.includes(name))
        .sort(),
    );
  });
});
