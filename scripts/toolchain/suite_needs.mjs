// What has to be built before a suite of jest can run, read from what it imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './steps.mjs';

/** What is built natively, by suites that name it. */
const native = /build\/native|print_operators/;
/** What is bundled or built as WebAssembly: a path into dist/ or build/wasm, or an Emscripten module. */
const built =
  /\bdist['/.]|build\/wasm|^import [^;]*from '\.\/(engine|engine\.threads|networks|files)\.mjs'/m;
/** What is imported when a file is; types are gone by then, and what is imported later may never be. */
const imports = /(?:^|\n)(?:import|export)\s(?!type\b)[^;]*?from '(\.[^']+)'/g;

/** @type {Map<string, { text: string, imported: string[] }>} */
const read = new Map();

/** @param {string} path */
function fileAt(path) {
  const known = read.get(path);
  if (known) return known;
  const text = readFileSync(path, 'utf8').replaceAll(
    /^import type[^;]*;|^ *(\/\/|\*|\/\*\*).*$/gm,
    '',
  );
  const imported = [...text.matchAll(imports)]
    .map(([, one]) => resolve(dirname(path), one))
    .map((wanted) => [wanted.replace(/\.js$/, '.ts'), wanted].find(existsSync))
    .filter((found) => found !== undefined);
  read.set(path, { text, imported });
  return { text, imported };
}

/**
 * 'unit' for a suite that runs from the sources alone, 'package' for one that needs the package, 'native' for one that needs
 * native programs as well.
 * @type {(suite: string) => 'unit' | 'package' | 'native'}
 */
export function suiteNeeds(suite) {
  const seen = new Set();
  const left = [suite];
  let needs = /** @type {'unit' | 'package'} */ ('unit');
  for (let path = left.pop(); path; path = left.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { text, imported } = fileAt(path);
    if (native.test(text)) return 'native';
    if (built.test(text)) needs = 'package';
    left.push(...imported);
  }
  return needs;
}

/** All suites of Node by what they need, as paths from the root. */
export function suitesByNeed() {
  const folder = join(root, 'tests');
  const suites = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('browser'))
    .sort();
  const sorted = { unit: [], package: [], native: [] };
  for (const path of suites) {
    const suite = join(folder, path);
    sorted[suiteNeeds(suite)].push(relative(root, suite));
  }
  return sorted;
}
