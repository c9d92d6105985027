// Which file a person means by a model: a path, a URL, or a name.
import { stat } from 'node:fs/promises';
import { SusurrusError } from '../src/node.js';
import { listModels } from '../src/node_cache.js';
import type { KeptModel } from '../src/node_cache.js';
import { weightTypes } from '../src/node_files.js';
import { isModelName } from '../src/sources/model_name.js';
import { choice } from './arguments.js';
import { pullWithBars } from './pull.js';
import { printable, tell } from './terminal.js';

/** The model of a command without --model: SUSURRUS_MODEL's, else the one that was pulled last, else base. Says on stderr which it is. */
export async function usualModelFile(signal: AbortSignal): Promise<string> {
  const { SUSURRUS_MODEL: chosen } = process.env;
  if (chosen) return modelFile(chosen, signal);
  const newest = (await listModels()).find(({ path, dtype }) => path && dtype);
  if (newest?.path !== undefined && newest.dtype !== undefined) {
    const name = `${newest.name}:${newest.dtype}`;
    tell(`susurrus: using ${printable(name)}, the model pulled last; --model chooses another\n`);
    return newest.path;
  }
  try {
    return await modelFile('base', signal);
  } catch (error) {
    if (!(error instanceof SusurrusError) || error.details.reason !== 'source') throw error;
    const message = `${error.message.replace(/\.$/, '')}. ${waysToAModel}`;
    throw new SusurrusError(error.code, message, error.details, error);
  }
}

const waysToAModel =
  'There is no model on this machine yet. Run `susurrus pull base` where there is a network (HF_ENDPOINT names a mirror of the hub), ' +
  'name a model file with --model FILE, or set SUSURRUS_MODEL to its path.';

/** Path or URL for a model, by loadModel()'s rules. A name that is not cached is downloaded once, for all later processes too. */
export async function modelFile(model: string, signal: AbortSignal): Promise<string> {
  const found = await keptFile(model);
  if (found !== undefined) return found;
  const [, name = model, dtype] = /^(.*):(\w+)$/.exec(model) ?? [];
  const type = choice('dtype', dtype, weightTypes);
  const { path } = await pullWithBars(name, { signal, ...(type && { dtype: type }) });
  tell(`susurrus: ${printable(model)} is kept in ${printable(path)}\n`);
  return path;
}

/**
 * A file or URL as it is; the name of a model that was pulled becomes its path, that of the newest where there are several. Says
 * on stderr which one it is where both have the name: a file comes first, but not a folder, which is no model. Undefined for a name
 * that is not here.
 */
async function keptFile(model: string): Promise<string | undefined> {
  if (!isModelName(model) || model === 'digits') return model;
  const newest = await keptModel(model);
  const facts = await stat(model).catch(() => undefined);
  if (newest && facts) {
    const used = facts.isDirectory()
      ? `is the pulled model ${newest.path}, not the folder of this name`
      : 'is the file of this name, not the model that was pulled';
    tell(`susurrus: ${printable(`${model} ${used}`)}\n`);
  }
  return facts && !facts.isDirectory() ? model : newest?.path;
}

/** Whose file loadModel() takes for that name: from the usual hub, and a short name without a revision is no repository in full. */
async function keptModel(model: string): Promise<KeptModel | undefined> {
  const hasRevision = model.includes('@');
  const isInFull = hasRevision || model.includes('/');
  return (await listModels(model)).find(
    ({ path, name, address, revision }) =>
      path !== undefined &&
      !/ |:\/\//.test(address) &&
      name.includes('/') === isInFull &&
      (hasRevision || revision === 'main'),
  );
}
