// Models by name, for the scripts that run or pack one: the package must be built.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, StepError } from './toolchain/steps.mjs';
import {
  ensureTrainedModel,
  hasTrainedFolder,
  isTrainedName,
  NoTrainedModel,
} from './trained_model.mjs';

/** Runs the command line that was just built; its output is the user's. Returns its status. */
export function susurrus(args) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(root, 'dist/cli.mjs'), ...args], {
      stdio: 'inherit',
    });
    child.on('error', failed);
    child.on('close', (code) => done(code ?? 128));
  });
}

/** OpenAI's models have its repositories' names, or short ones without an owner. */
const openAis = /^(openai\/whisper-|[^/]+$)/;

/** A hub's model, "OWNER/NAME[@REVISION]", as a part of the name of a package, which npm restricts. */
export function packageName(model) {
  const [repository, ...revision] = model.replace(/^openai\/whisper-/, '').split('@');
  return [basename(repository), ...revision]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-');
}

/** A model that was pulled, by a name as `susurrus pull` takes it. */
async function pulledModel(name) {
  const { listModels } = await import('../dist/cache.node.mjs');
  const isNamed = name.includes('@');
  const found = (await listModels(name)).find(
    ({ path, revision }) => path !== undefined && (isNamed || revision === 'main'),
  );
  if (!found) return undefined;
  const title = found.revision === 'main' ? found.name : `${found.name}@${found.revision}`;
  return { name: packageName(title), path: found.path, isOpenAis: openAis.test(found.name) };
}

async function pull(name) {
  const status = await susurrus(['pull', name, '--dtype', 'q8_0']);
  return status === 0 ? pulledModel(name) : undefined;
}

/** The model that Python packages hold; undefined, with the reason on the console, where they cannot be had. */
async function packagedModel(options) {
  try {
    return { name: options.name, path: await ensureTrainedModel(options), isOpenAis: true };
  } catch (error) {
    if (!(error instanceof NoTrainedModel)) throw error;
    console.log(`\n${error.message}`);
    return undefined;
  }
}

/**
 * Trained weights of a model that trained_model.mjs knows: those that are here, else fetched. Undefined where they cannot be had.
 * tiny.en, which npm start takes unasked, comes from its package first: without a hub, its retries take half a minute.
 * @param {import('./trained_model.mjs').TrainedOptions} options
 */
export async function findTrainedModel(options = {}) {
  const { name = 'tiny.en' } = options;
  const pulled = await pulledModel(name);
  if (pulled) return pulled;
  const packaged = () => packagedModel({ ...options, name });
  if (name === 'tiny.en' || hasTrainedFolder({ ...options, name })) {
    const found = await packaged();
    if (found) return found;
    console.log('Trying the Hugging Face hub.');
    return pull(name);
  }
  const found = await pull(name);
  if (found) return found;
  console.log(`Trying the Python packages of ${name}.`);
  return packaged();
}

/**
 * A model file, or a model's name, which is pulled where it was not yet: { name, path, isOpenAis }. A file's name does not tell
 * whose weights it holds.
 */
export async function findModel(wanted) {
  if (existsSync(wanted)) return { name: basename(wanted, '.apr'), path: wanted, isOpenAis: false };
  const model = isTrainedName(wanted)
    ? await findTrainedModel({ name: wanted })
    : ((await pulledModel(wanted)) ?? (await pull(wanted)));
  if (!model) throw new StepError(`There is no model ${wanted}; the reason stands above.`);
  return model;
}
