// sign, encrypt and digests: each reads a model file and writes another.
import { addPieceDigests, encryptModel, signModel } from '../src/node.js';
import type { RewriteOptions, RewriteResult } from '../src/node.js';
import { parse, usageError } from './arguments.js';
import { readKeyFile, readModelKey } from './key_files.js';
import { ProgressBar } from './progress_bar.js';
import { printable, tell } from './terminal.js';

const outputArguments = { output: { type: 'string' }, force: { type: 'boolean' } } as const;

export async function signCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, { ...outputArguments, key: { type: 'string' } });
  const { key: file } = values;
  if (file === undefined) throw usageError('sign wants --key KEY', 'key');
  const key = await readKeyFile(file, 'private');
  await transform('signing', positionals, values, signal, (source, output, options) =>
    signModel(source, output, { ...options, key }),
  );
}

export async function encryptCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    ...outputArguments,
    key: { type: 'string' },
    'passphrase-file': { type: 'string' },
  });
  const key = await readModelKey(values);
  if (!key) throw usageError('encrypt wants --key KEY or --passphrase-file FILE', 'key');
  await transform('encrypting', positionals, values, signal, (source, output, options) =>
    encryptModel(source, output, { ...options, key }),
  );
}

export async function digestsCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, outputArguments);
  await transform('digesting', positionals, values, signal, addPieceDigests);
}

async function transform(
  label: string,
  positionals: readonly string[],
  { output, force = false }: { readonly output?: string; readonly force?: boolean },
  signal: AbortSignal,
  work: (source: string, output: string, options: RewriteOptions) => Promise<RewriteResult>,
): Promise<void> {
  const [source, ...rest] = positionals;
  if (source === undefined || rest.length > 0) throw usageError('one FILE is wanted');
  if (output === undefined) throw usageError('--output OUT is wanted', 'output');
  const bar = new ProgressBar(label);
  const { byteCount, tensorCount, warnings } = await work(source, output, {
    signal,
    force,
    onProgress: bar.update,
  }).finally(() => bar.clear());
  for (const warning of warnings) tell(`susurrus: ${printable(warning)}\n`);
  tell(`${output}: ${tensorCount} tensors, ${byteCount.toLocaleString('en')} bytes\n`);
}
