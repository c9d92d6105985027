import { cachedModels, removeCachedModels } from '../src/node.js';
import type { CachedModel } from '../src/node.js';
import { parse, usageError } from './arguments.js';
import { forEachFile } from './several_files.js';
import { print, printJson, tell } from './terminal.js';

export async function modelsCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    remove: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  if (positionals.length > 0) throw usageError('models takes options only');
  const remove = async (name: string): Promise<void> => {
    for (const { path } of await removeCachedModels(name)) tell(`${path} is removed.\n`);
  };
  // A wrong name says nothing about the others.
  await forEachFile(values.remove ?? [], signal, remove, () => false);
  if (values.remove !== undefined) return;
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
