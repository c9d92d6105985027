import { verifyModel } from '../src/node_files.js';
import { parse, usageError } from './arguments.js';
import { readCryptoOptions, cryptoArguments } from './key_files.js';
import { ProgressBar } from './progress_bar.js';
import { FileReports, forEachFile } from './several_files.js';
import { printable } from './terminal.js';

export const verifyArguments = { ...cryptoArguments, json: { type: 'boolean' } } as const;

/** Exit status 1 when something failed. */
export async function verifyCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals: files } = parse(args, verifyArguments);
  if (files.length === 0) throw usageError('verify needs at least one FILE');
  const keys = await readCryptoOptions(values);
  const output = new FileReports(files, values.json ?? false);
  await forEachFile(files, signal, async (file) => {
    const bar = new ProgressBar('reading');
    const { valid, checks, warnings } = await verifyModel(file, {
      ...keys,
      signal,
      onProgress: bar.update,
    }).finally(() => bar.clear());
    const lines = [
      ...checks.map(
        ({ name, outcome, message }) =>
          `${outcome.padEnd(9)} ${name.padEnd(13)} ${printable(message)}\n`,
      ),
      ...warnings.map((warning) => `warning   ${printable(warning)}\n`),
    ];
    output.add(file, { valid, checks, warnings }, lines.join(''));
    if (!valid) process.exitCode ??= 1;
  }).finally(() => output.finish());
}
