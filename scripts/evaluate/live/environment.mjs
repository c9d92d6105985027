// A Python environment with faster-whisper, and the normaliser of openai-whisper, made where it is missing. Every file that pip
// installs has its hash in requirements.txt.
//
// SUSURRUS_LIVE_PYTHON names a Python that already has them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoReference, referenceFolder } from '../../reference/setup.mjs';
import { findOnPath, root, run, step } from '../../toolchain/steps.mjs';

const environment = join(referenceFolder, 'live');
const requirements = [
  join(import.meta.dirname, 'requirements.txt'),
  join(root, 'scripts/reference/openai-whisper.txt'),
];
const python =
  process.platform === 'win32'
    ? join(environment, 'Scripts/python.exe')
    : join(environment, 'bin/python');

/** The path of its Python. Fails with NoReference. */
export async function ensureLiveEnvironment() {
  const given = process.env.SUSURRUS_LIVE_PYTHON;
  if (given) return given;
  const hash = createHash('sha256');
  for (const path of requirements) hash.update(readFileSync(path));
  const wanted = hash.digest('hex');
  const stamp = join(environment, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  const base = findOnPath('python3') ?? findOnPath('python');
  if (!base) throw new NoReference('There is no Python here, which runs faster-whisper.');
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(referenceFolder, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-deps'];
  try {
    await step('making a Python environment', () => run(base, ['-m', 'venv', environment]));
    for (const path of requirements) {
      await step('installing faster-whisper and what it needs', () =>
        run(python, [...pip, '--require-hashes', '-r', path], { what: 'pip install' }),
      );
    }
  } catch (error) {
    throw new NoReference(
      error.message,
      'Can pip reach its index? PIP_INDEX_URL names another; SUSURRUS_LIVE_PYTHON a Python that has the packages.',
    );
  }
  writeFileSync(stamp, wanted);
  return python;
}
