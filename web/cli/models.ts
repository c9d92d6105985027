import { cachedModels, removeCachedModels } from '../src/node.js';
import type { CachedModel } from '../src/node.js';
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
  const remove = async (name: string): Promise<void> => {
    for (const { path } of await removeCachedModels(name)) tell(`${path} is removed.\n`);
  };
  // A wrong name says nothing about the others.
  await forEachFile(removed, signal, remove, () => false);
  if (removed.length > 0) return;
  const models = await cachedModels();
  if (values.json) printJson(`${JSON.stringify(models, null, 2)}\n`);
  else if (models.length === 0) tell('No models yet: susurrus pull tiny.en\n');
  else print(tableOf(models));
}

function tableOf(models: readonly CachedModel[]): string {
  const width = Math.max(...models.map(({ name }) => name.length));
  const lines = models.map(({ name, dtype, byteCount, pulledAt, path }) => {
    const megabytes = `${(byteCount / 1e6).toFixed(1)} MB`.padStart(10);
    return `${name.padEnd(width)}  ${dtype.padEnd(4)}  ${megabytes}  ${pulledAt.toISOString().slice(0, 10)}  ${path}\n`;
  });
  return lines.join('');
}
