import { SusurrusError } from '../src/node.js';
import { deleteModel, listModels } from '../src/node_cache.js';
import type { KeptModel } from '../src/node_cache.js';
import { parse, usageError } from './arguments.js';
import { forEachFile } from './several_files.js';
import { print, printJson, tell } from './terminal.js';

export const modelsArguments = {
  remove: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

export async function modelsCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, modelsArguments);
  const [action, ...named] = positionals;
  if (action !== undefined && action !== 'rm') {
    throw usageError(`models lists, or removes with rm NAME; it takes no '${action}'`);
  }
  if (action === 'rm' && named.length === 0) throw usageError('models rm needs at least one NAME');
  const removed = [...named, ...(values.remove ?? [])];
  // A wrong name says nothing about the others.
  await forEachFile(removed, signal, remove, () => false);
  if (removed.length > 0) return;
  const models = await listModels();
  if (values.json) printJson(`${JSON.stringify(models, null, 2)}\n`);
  else if (models.length === 0) tell('No models yet: susurrus pull tiny.en\n');
  else print(tableOf(models));
}

async function remove(name: string): Promise<void> {
  const models = await deleteModel(name);
  for (const { path = name } of models) tell(`${path} is removed.\n`);
  if (models.length > 0) return;
  throw new SusurrusError('invalid_argument', `There is no model ${name} in the cache.`, {
    reason: 'option',
    subject: 'model',
    got: name,
  });
}

/** As `models rm` takes it. */
const calledOf = ({ name, revision = 'main' }: KeptModel): string =>
  revision === 'main' || name.includes('@') ? name : `${name}@${revision}`;

function tableOf(models: readonly KeptModel[]): string {
  const width = Math.max(...models.map((model) => calledOf(model).length));
  const lines = models.map((model) => {
    const { dtype = '', byteCount, keptAt, path = 'not complete' } = model;
    const megabytes = `${(byteCount / 1e6).toFixed(1)} MB`.padStart(10);
    return `${calledOf(model).padEnd(width)}  ${dtype.padEnd(4)}  ${megabytes}  ${keptAt.toISOString().slice(0, 10)}  ${path}\n`;
  });
  return lines.join('');
}
