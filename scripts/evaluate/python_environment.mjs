// Python environments of the evaluations, made where they are missing. Every file that pip installs has its hash in a list.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoReference, referenceFolder } from '../reference/setup.mjs';
import { findOnPath, run, step } from '../toolchain/steps.mjs';

/**
 * The path of the environment's Python, or of the one that the variable names. Fails with NoReference.
 * @type {(wanted: { name: string; requirements: readonly string[]; variable: string; packages: string }) => Promise<string>}
 */
export async function ensurePython({ name, requirements, variable, packages }) {
  const given = process.env[variable];
  if (given) return given;
  const environment = join(referenceFolder, name);
  const python =
    process.platform === 'win32'
      ? join(environment, 'Scripts/python.exe')
      : join(environment, 'bin/python');
  const hash = createHash('sha256');
  for (const path of requirements) hash.update(readFileSync(path));
  const wanted = hash.digest('hex');
  const stamp = join(environment, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  const base = findOnPath('python3') ?? findOnPath('python');
  if (!base) throw new NoReference(`There is no Python here, which runs ${packages}.`);
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(referenceFolder, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-deps'];
  try {
    await step('making a Python environment', () => run(base, ['-m', 'venv', environment]));
    for (const path of requirements) {
      await step(`installing ${packages} and what it needs`, () =>
        run(python, [...pip, '--require-hashes', '-r', path], { what: 'pip install' }),
      );
    }
  } catch (error) {
    throw new NoReference(
      error.message,
      `Can pip reach its index? PIP_INDEX_URL names another; ${variable} a Python that has the packages.`,
    );
  }
  writeFileSync(stamp, wanted);
  return python;
}
