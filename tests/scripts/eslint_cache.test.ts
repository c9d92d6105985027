// ESLint's results are reused only while nothing that types come from has changed.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { eslintCache, typeFingerprint } from '../../scripts/toolchain/eslint_cache.mjs';

const folder = mkdtempSync(join(tmpdir(), 'susurrus-eslint-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test('the cache is dropped when a source of types changes, and only then', () => {
  for (const path of ['web/src/a.ts', 'tests/b.test.ts', 'scripts/c.mjs', 'web/e.d.mts']) {
    write(path, 'export {};');
  }
  write('tsconfig.json', '{}');
  const first = eslintCache(folder);
  writeFileSync(first, '{}');
  for (const path of ['web/demo/style.css', 'docs/e.md', 'build/wasm/f.d.ts', 'src/g.cc']) {
    write(path, 'text');
    expect(eslintCache(folder)).toBe(first);
  }
  const seen = new Set([typeFingerprint(folder)]);
  for (const path of [
    ...['web/src/a.ts', 'tests/b.test.ts', 'scripts/c.mjs', 'web/e.d.mts', 'tsconfig.json'],
    ...['web/src/new.ts', 'package-lock.json'],
  ]) {
    write(path, 'export const changed = 1;');
    expect(seen.has(typeFingerprint(folder))).toBe(false);
    seen.add(typeFingerprint(folder));
  }
  const second = eslintCache(folder);
  expect(existsSync(first)).toBe(false);
  writeFileSync(second, '{}');
  expect(eslintCache(folder)).toBe(second);
  expect(readdirSync(dirname(second))).toEqual([second.slice(dirname(second).length + 1)]);
});
