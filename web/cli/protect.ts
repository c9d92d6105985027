// sign, encrypt and digests: each reads a model file and writes another.
import { addPieceDigests, encryptModel, signModel } from '../src/node_files.js';
import type { RewriteOptions, RewriteResult } from '../src/node_files.js';
import { parse, usageError } from './arguments.js';
import { readKeyFile, readModelKey } from './key_files.js';
import { ProgressBar } from './progress_bar.js';
import { printable, tell } from './terminal.js';

export const digestsArguments = { output: { type: 'string' }, force: { type: 'boolean' } } as const;

export const signArguments = { ...digestsArguments, key: { type: 'string' } } as const;

export const encryptArguments = {
  ...signArguments,
  'passphrase-file': { type: 'string' },
} as const;

export async function signCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, signArguments);
  const { key: file } = values;
  if (file === undefined) throw usageError('sign needs --key KEY', 'key');
  const key = await readKeyFile(file, 'private');
  await transform(['sign', 'signing'], positionals, values, signal, (source, output, options) =>
    signModel(source, output, { ...options, key }),
  );
}

export async function encryptCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, encryptArguments);
  const key = await readModelKey(values);
  if (!key) throw usageError('encrypt needs --key KEY or --passphrase-file FILE', 'key');
  await transform(
    ['encrypt', 'encrypting'],
    positionals,
    values,
    signal,
    (source, output, options) => encryptModel(source, output, { ...options, key }),
  );
}

export async function digestsCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, digestsArguments);
  await transform(['digests', 'digesting'], positionals, values, signal, addPieceDigests);
}

async function transform(
  [command, label]: readonly [string, string],
  positionals: readonly string[],
  { output, force = false }: { readonly output?: string; readonly force?: boolean },
  signal: AbortSignal,
  work: (source: string, output: string, options: RewriteOptions) => Promise<RewriteResult>,
): Promise<void> {
  const [source, ...rest] = positionals;
  if (source === undefined || rest.length > 0) throw usageError(`${command} needs one FILE`);
  if (output === undefined) throw usageError(`${command} needs --output OUT`, 'output');
  const bar = new ProgressBar(label);
  const { byteCount, tensorCount, warnings } = await work(source, output, {
    signal,
    force,
    onProgress: bar.update,
  }).finally(() => bar.clear());
  for (const warning of warnings) tell(`susurrus: ${printable(warning)}\n`);
  tell(`${output}: ${tensorCount} tensors, ${byteCount.toLocaleString('en')} bytes\n`);
}
