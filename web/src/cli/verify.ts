import { verifyModel } from '../node.js';
import { parse, usageError } from './arguments.js';
import { readSealOptions, sealArguments } from './key_files.js';
import { ProgressBar } from './progress_bar.js';

/** Exit status 1 when something failed. */
export async function verifyCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, { ...sealArguments, json: { type: 'boolean' } });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw usageError('verify wants one FILE');
  const keys = await readSealOptions(values);
  const bar = new ProgressBar('reading');
  const { isSound, checks } = await verifyModel(file, {
    ...keys,
    signal,
    onProgress: bar.update,
  }).finally(() => bar.clear());
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ is_sound: isSound, checks }, null, 2)}\n`);
  } else {
    for (const { name, outcome, message } of checks) {
      process.stdout.write(`${outcome.padEnd(9)} ${name.padEnd(13)} ${message}\n`);
    }
  }
  if (!isSound) process.exitCode = 1;
}
