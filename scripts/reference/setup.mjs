// The reference: the unmodified Python package openai-whisper in an environment of its own, made where it is missing.
//
//   node scripts/reference/setup.mjs
//
// SUSURRUS_REFERENCE_PYTHON names a Python that already has it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath, isProgram, root, run, step, StepError } from '../toolchain/steps.mjs';
import { ReferenceProcess } from './reference_process.mjs';

export const referenceFolder = join(root, '.reference');
const environment = join(referenceFolder, 'env');
const stamp = join(environment, 'installed');
const requirements = ['openai-whisper.txt', 'requirements.txt'].map((name) =>
  join(import.meta.dirname, name),
);

const version = '20250625';
/** Digest of the package's files, computed as in scripts/reference/python/worker.py. */
const digest = 'cd8e68a6b0796a2f82ce62007ab5c8228e71ac1fb057e82d006699be40fb2350';

/** Status of a run that could not be made, since there is no reference here. */
export const noReferenceStatus = 77;

/** The reference cannot be had; nothing was compared. */
export class NoReference extends StepError {}

async function inEnvironment(name, args, advice) {
  try {
    await step(name, () => run(pythonOf(environment), args, { what: name }));
  } catch (error) {
    throw new NoReference(error.message, advice);
  }
}

const pythonOf = (folder) =>
  process.platform === 'win32' ? join(folder, 'Scripts/python.exe') : join(folder, 'bin/python');

/** Makes the environment unless it is there already; the path of its Python. */
async function ensureEnvironment() {
  const hash = createHash('sha256');
  for (const path of requirements) hash.update(readFileSync(path));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return pythonOf(environment);

  const python = findOnPath('python3') ?? findOnPath('python');
  if (!python) {
    throw new NoReference(
      'There is no Python here.',
      'The reference needs Python 3.11 or later (https://python.org).',
    );
  }
  rmSync(environment, { recursive: true, force: true });
  try {
    await step('making a Python environment', () =>
      run(python, ['-m', 'venv', environment], { what: `${python} -m venv` }),
    );
  } catch (error) {
    throw new NoReference(
      error.message,
      'Debian and Ubuntu have venv in the package python3-venv.',
    );
  }
  const advice =
    'Can pip reach its index? PIP_INDEX_URL and PIP_EXTRA_INDEX_URL name others; ' +
    'SUSURRUS_REFERENCE_PYTHON names a Python that has the package.';
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check'];
  const [whisper, others] = requirements;
  const bare = ['--no-deps', '--require-hashes'];
  await inEnvironment('installing openai-whisper', [...pip, ...bare, '-r', whisper], advice);
  await inEnvironment('installing what it needs', [...pip, '-r', others], advice);
  writeFileSync(stamp, wanted);
  return pythonOf(environment);
}

/** Asks the package what it is, and refuses any other than the reference. */
async function checked(python) {
  const reference = new ReferenceProcess(python);
  try {
    const about = await reference.need({ command: 'about' });
    if (about.version === version && about.digest === digest) return { python, about };
    throw new NoReference(
      `${python} has openai-whisper ${about.version}${about.version === version ? ', changed' : ''}.`,
      `The reference is ${version}, unmodified.`,
    );
  } catch (error) {
    if (error instanceof NoReference) throw error;
    throw new NoReference(`${python} does not run the reference.\n${error.message}`);
  } finally {
    reference.close();
  }
}

/** Returns { python, about }: a Python that has the unmodified reference. Fails with NoReference. */
export async function ensureReference() {
  return checked(process.env.SUSURRUS_REFERENCE_PYTHON ?? (await ensureEnvironment()));
}

/** The reference, ready for questions. Fails with NoReference. */
export async function openReference() {
  const { python } = await ensureReference();
  return new ReferenceProcess(python);
}

/** As main() of the other scripts, with a status of its own where the reference cannot be had. */
export async function mainWithReference(body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    console.error(`\n${error.message}`);
    if (error instanceof NoReference) {
      console.error('Nothing was compared: the reference cannot be had here.');
    }
    process.exitCode = error instanceof NoReference ? noReferenceStatus : 2;
  }
}

if (isProgram(import.meta)) {
  await mainWithReference(async () => {
    const { python, about } = await ensureReference();
    console.log(`openai-whisper ${about.version} runs in ${python}.`);
  });
}
