import { apr1WeightTypes, convertModel, upgradeModel, weightTypes } from '../node.js';
import type { ConvertOptions, ConvertResult } from '../node.js';
import { choice, parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';

const shared = {
  dtype: { type: 'string' },
  compress: { type: 'string' },
  vocabulary: { type: 'string' },
  force: { type: 'boolean' },
} as const;

interface Values {
  readonly dtype?: string;
  readonly compress?: string;
  readonly vocabulary?: string;
  readonly force?: boolean;
}

export async function convertCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, { ...shared, format: { type: 'string' } });
  const format = choice('format', values.format, ['apr2', 'apr1']);
  const types = format === 'apr1' ? apr1WeightTypes : weightTypes;
  const options = { ...optionsOf(values, types, signal), ...(format && { format }) };
  await run('convert', positionals, (source, destination, onProgress) =>
    convertModel(source, destination, { ...options, onProgress }),
  );
}

export async function upgradeCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, shared);
  const options = optionsOf(values, weightTypes, signal);
  await run('upgrade', positionals, (source, destination, onProgress) =>
    upgradeModel(source, destination, { ...options, onProgress }),
  );
}

function optionsOf(
  values: Values,
  types: readonly NonNullable<ConvertOptions['dtype']>[],
  signal: AbortSignal,
) {
  const dtype = choice('dtype', values.dtype, types);
  const compress = choice('compress', values.compress, ['lz4', 'none']);
  return {
    signal,
    force: values.force ?? false,
    ...(dtype && { dtype }),
    ...(compress && { compress }),
    ...(values.vocabulary !== undefined && { vocabulary: values.vocabulary }),
  };
}

async function run(
  command: string,
  [source, destination, ...rest]: readonly string[],
  convert: (
    source: string,
    destination: string,
    onProgress: NonNullable<ConvertOptions['onProgress']>,
  ) => Promise<ConvertResult>,
): Promise<void> {
  if (source === undefined || destination === undefined || rest.length > 0) {
    throw usageError(`${command} wants SRC and DST`);
  }
  const bar = new ProgressBar('converting');
  const { byteCount, tensorCount, warnings } = await convert(
    source,
    destination,
    bar.update,
  ).finally(() => bar.clear());
  for (const warning of warnings) process.stderr.write(`susurrus: ${warning}\n`);
  process.stderr.write(
    `${destination}: ${tensorCount} tensors, ${byteCount.toLocaleString('en')} bytes\n`,
  );
}
