import { extract, inspect } from '../src/node_files.js';
import type { ExtractedPart, Inspection } from '../src/node_files.js';
import { parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { tell } from './terminal.js';

export const extractArguments = { force: { type: 'boolean' } } as const;

export async function extractCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, extractArguments);
  const [source, name, destination, ...rest] = positionals;
  if (source === undefined || name === undefined || destination === undefined || rest.length > 0) {
    throw usageError('extract needs FILE, NAME and OUT');
  }
  const facts = await inspect(source, { signal });
  const bar = new ProgressBar(facts.networks ? 'verifying' : 'writing');
  const { byteCount } = await extract(source, partNamed(name, facts), destination, {
    signal,
    force: values.force ?? false,
    onProgress: bar.update,
  }).finally(() => bar.clear());
  tell(`${destination}: ${name}, ${byteCount.toLocaleString('en')} bytes\n`);
}

const isPart = (name: string): name is ExtractedPart =>
  ['vocabulary', 'tokens', 'filterbank'].includes(name) || name.startsWith('section:');

/** A tensor or a network has its plain name here, and comes before a part of that name. */
function partNamed(name: string, { tensors, networks }: Inspection): ExtractedPart {
  const isOne = [...tensors, ...(networks ?? [])].some((one) => one.name === name);
  if (isPart(name) && !isOne) return name;
  return `${networks ? 'network' : 'tensor'}:${name}`;
}
