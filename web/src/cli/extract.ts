import { extractNetwork, extractTensor, inspect } from '../node.js';
import { parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';

export async function extractCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, { force: { type: 'boolean' } });
  const [source, name, destination, ...rest] = positionals;
  if (source === undefined || name === undefined || destination === undefined || rest.length > 0) {
    throw usageError('extract wants FILE, NAME and OUT');
  }
  const options = { signal, force: values.force ?? false };
  const { networks } = await inspect(source, { signal });
  const bar = new ProgressBar(networks ? 'verifying' : 'writing');
  const { size } = await (networks ? extractNetwork : extractTensor)(source, name, destination, {
    ...options,
    onProgress: bar.update,
  }).finally(() => bar.clear());
  process.stderr.write(`${destination}: ${name}, ${size.toLocaleString('en')} bytes\n`);
}
