import { shardModel, unshardModel } from '../src/node_files.js';
import type { RepackResult } from '../src/node_files.js';
import type { Progress } from '../src/node.js';
import { asByteCount, choice, parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { printable, tell } from './terminal.js';

export const unshardArguments = {
  output: { type: 'string' },
  alignment: { type: 'string' },
  force: { type: 'boolean' },
} as const;

export const shardArguments = { ...unshardArguments, size: { type: 'string' } } as const;

interface Values {
  readonly output?: string;
  readonly alignment?: string;
  readonly force?: boolean;
}

export async function shardCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, shardArguments);
  const { size } = values;
  if (size === undefined) throw usageError('shard needs --size, such as 500M', 'size');
  const byteCount = asByteCount(size, 'size');
  await repack('shard', 'FOLDER', positionals, values, (file, folder, options) =>
    shardModel(file, folder, { ...options, signal, size: byteCount }),
  );
}

export async function unshardCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, unshardArguments);
  await repack('unshard', 'FILE', positionals, values, (manifest, file, options) =>
    unshardModel(manifest, file, { ...options, signal }),
  );
}

async function repack(
  command: string,
  outputKind: string,
  positionals: readonly string[],
  values: Values,
  work: (
    source: string,
    output: string,
    options: {
      readonly force: boolean;
      readonly alignment?: 64 | 32;
      readonly onProgress: (event: Progress) => void;
    },
  ) => Promise<RepackResult>,
): Promise<void> {
  const [source, ...rest] = positionals;
  if (source === undefined || rest.length > 0) throw usageError(`${command} needs one FILE`);
  const { output, force = false } = values;
  if (output === undefined) throw usageError(`${command} needs --output ${outputKind}`, 'output');
  const alignment = choice('alignment', values.alignment, ['64', '32']);
  const bars = { inspect: new ProgressBar('verifying'), convert: new ProgressBar('writing') };
  const clear = (): void => Object.values(bars).forEach((bar) => bar.clear());
  const result = await work(source, output, {
    force,
    ...(alignment && { alignment: alignment === '32' ? 32 : 64 }),
    onProgress: (event) => {
      if (event.phase === 'convert') bars.inspect.clear();
      bars[event.phase === 'convert' ? 'convert' : 'inspect'].update(event);
    },
  }).finally(clear);
  tellResult(output, result);
}

/** What was written, and warnings, on stderr. */
export function tellResult(output: string, result: RepackResult): void {
  const { byteCount, tensorCount, files, warnings } = result;
  for (const warning of warnings) tell(`susurrus: ${printable(warning)}\n`);
  tell(
    `${output}: ${tensorCount} tensors${inFiles(files)}, ${byteCount.toLocaleString('en')} bytes\n`,
  );
}

/** A manifest's shards are counted, or the files of a folder. */
function inFiles(files: RepackResult['files']): string {
  if (!files) return '';
  const shards = files.filter((name) => /-\d{5}-of-\d{5}\.\w+$/.test(name));
  return shards.length > 0 ? ` in ${shards.length} shards` : ` in ${files.length} files`;
}
