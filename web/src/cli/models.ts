import { cachedModels, removeCachedModels } from '../node.js';
import type { CachedModel } from '../node.js';
import { parse, usageError } from './arguments.js';

export async function modelsCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, {
    remove: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  if (positionals.length > 0) throw usageError('models takes options only');
  for (const name of values.remove ?? []) {
    for (const model of await removeCachedModels(name)) {
      process.stderr.write(`${model.path} is removed.\n`);
    }
  }
  if (values.remove !== undefined) return;
  const models = await cachedModels();
  if (values.json) process.stdout.write(`${JSON.stringify(models, null, 2)}\n`);
  else if (models.length === 0) process.stderr.write('No models yet: susurrus pull tiny.en\n');
  else process.stdout.write(tableOf(models));
}

function tableOf(models: readonly CachedModel[]): string {
  const width = Math.max(...models.map(({ name }) => name.length));
  const lines = models.map(({ name, dtype, byteCount, pulledAt, path }) => {
    const megabytes = `${(byteCount / 1e6).toFixed(1)} MB`.padStart(10);
    return `${name.padEnd(width)}  ${dtype.padEnd(4)}  ${megabytes}  ${pulledAt.toISOString().slice(0, 10)}  ${path}\n`;
  });
  return lines.join('');
}
