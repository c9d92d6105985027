import { extractNetwork, extractPart, extractTensor, inspect } from '../src/node.js';
import type { ExtractedPart, Inspection } from '../src/node.js';
import { parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { tell } from './terminal.js';

export const extractArguments = { force: { type: 'boolean' } } as const;

const parts: readonly ExtractedPart[] = ['vocabulary', 'tokens', 'filterbank'];

export async function extractCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, extractArguments);
  const [source, name, destination, ...rest] = positionals;
  if (source === undefined || name === undefined || destination === undefined || rest.length > 0) {
    throw usageError('extract needs FILE, NAME and OUT');
  }
  const facts = await inspect(source, { signal });
  const bar = new ProgressBar(facts.networks ? 'verifying' : 'writing');
  const options = { signal, force: values.force ?? false, onProgress: bar.update };
  const part = partNamed(name, facts);
  const byteCount = await (
    part
      ? extractPart(source, part, destination, options)
      : (facts.networks ? extractNetwork : extractTensor)(source, name, destination, options).then(
          ({ size }) => size,
        )
  ).finally(() => bar.clear());
  tell(`${destination}: ${name}, ${byteCount.toLocaleString('en')} bytes\n`);
}

const isSection = (name: string): name is `section:${string}` => name.startsWith('section:');

/** Unless a tensor or a network has that name. */
function partNamed(
  name: string,
  { tensors, networks = [] }: Inspection,
): ExtractedPart | undefined {
  if ([...tensors, ...networks].some((one) => one.name === name)) return undefined;
  return isSection(name) ? name : parts.find((part) => part === name);
}
