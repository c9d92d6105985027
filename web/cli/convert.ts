import { outputFormats } from '../src/api/generated/formats.js';
import { apr1WeightTypes, convertModel, upgradeModel, weightTypes } from '../src/node_files.js';
import type { ConvertOptions, ConvertResult } from '../src/node_files.js';
import {
  asByteCount,
  choice,
  filterbankChoices,
  parse,
  usageError,
  weightType,
} from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { lossTable } from './loss_table.js';
import { tellResult } from './shard.js';
import { printJson, tell } from './terminal.js';

/** The options of upgrade; convert has them too. */
export const upgradeArguments = {
  dtype: { type: 'string' },
  quantize: { type: 'string' },
  compress: { type: 'string' },
  vocabulary: { type: 'string' },
  filterbank: { type: 'string' },
  'shard-size': { type: 'string' },
  alignment: { type: 'string' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

export const convertArguments = {
  ...upgradeArguments,
  format: { type: 'string' },
  metadata: { type: 'string' },
} as const;

interface Values {
  readonly dtype?: string;
  readonly quantize?: string;
  readonly compress?: string;
  readonly vocabulary?: string;
  readonly filterbank?: string;
  readonly 'shard-size'?: string;
  readonly alignment?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export async function convertCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, convertArguments);
  const format = choice('format', values.format, outputFormats);
  const types = format === 'apr1' ? apr1WeightTypes : weightTypes;
  const options = {
    ...optionsOf(values, types, signal),
    ...(format && { format }),
    ...(values.metadata !== undefined && { metadata: values.metadata }),
  };
  await run('convert', positionals, values, (source, destination, onProgress) =>
    convertModel(source, destination, { ...options, onProgress }),
  );
}

export async function upgradeCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, upgradeArguments);
  const options = optionsOf(values, weightTypes, signal);
  await run('upgrade', positionals, values, (source, destination, onProgress) =>
    upgradeModel(source, destination, { ...options, onProgress }),
  );
}

function optionsOf<Type extends NonNullable<ConvertOptions['dtype']>>(
  values: Values,
  types: readonly Type[],
  signal: AbortSignal,
) {
  const dtype = weightType(values, types);
  const compress = choice('compress', values.compress, ['lz4', 'none']);
  const alignment = choice('alignment', values.alignment, ['64', '32']);
  const filterbank = choice('filterbank', values.filterbank, filterbankChoices);
  const shardSize = values['shard-size'];
  return {
    signal,
    force: values.force ?? false,
    ...(dtype && { dtype }),
    ...(compress && { compress }),
    ...(alignment && { alignment: alignment === '32' ? (32 as const) : (64 as const) }),
    ...(shardSize !== undefined && { shardSize: asByteCount(shardSize, 'shard-size') }),
    ...(values.vocabulary !== undefined && { vocabulary: values.vocabulary }),
    ...(filterbank && { filterbank }),
  };
}

async function run(
  command: string,
  [source, destination, ...rest]: readonly string[],
  { json = false }: Values,
  convert: (
    source: string,
    destination: string,
    onProgress: NonNullable<ConvertOptions['onProgress']>,
  ) => Promise<ConvertResult>,
): Promise<void> {
  if (source === undefined || destination === undefined || rest.length > 0) {
    throw usageError(`${command} needs SRC and DST`);
  }
  const bar = new ProgressBar('converting');
  const result = await convert(source, destination, bar.update).finally(() => bar.clear());
  tellResult(destination, result);
  if (json) {
    printJson(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  const lines = lossTable(result.tensors);
  if (lines.length > 0) tell(`relative errors:\n${lines.join('\n')}\n`);
}
