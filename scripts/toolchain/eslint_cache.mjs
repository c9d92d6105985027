// Where ESLint caches its results. Rules that use types depend on more files than the one they check, which ESLint does not know:
// its results hold only as long as none of them changes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

const folders = ['web', 'tests', 'scripts'];
const typed = /\.(ts|mts|mjs)$/;
const settings = ['tsconfig.json', 'package-lock.json'];

/** Changes with every file that the types of linted files may come from. */
export function typeFingerprint(base = root) {
  const paths = folders
    .filter((folder) => existsSync(join(base, folder)))
    .flatMap((folder) =>
      readdirSync(join(base, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => typed.test(path))
        .map((path) => `${folder}/${path}`),
    )
    .sort();
  const hash = createHash('sha256');
  for (const path of [...paths, ...settings].filter((path) => existsSync(join(base, path)))) {
    const bytes = readFileSync(join(base, path));
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex').slice(0, 16);
}

/** The cache for the files as they are now; removes those for other states. */
export function eslintCache(base = root) {
  const folder = join(base, 'build/eslint');
  const name = `${typeFingerprint(base)}.json`;
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(folder)) {
    if (other !== name) rmSync(join(folder, other), { recursive: true });
  }
  return join(folder, name);
}
