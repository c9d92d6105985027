import { apr1WeightTypes, weightTypes } from '../src/node_files.js';
import { downloadModel } from '../src/node_cache.js';
import type { NodeDownloadedModel, NodeDownloadOptions } from '../src/node_cache.js';
import { choice, parse, usageError, weightType } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { tellResult } from './shard.js';
import { printable, tell } from './terminal.js';

export const pullArguments = {
  format: { type: 'string' },
  dtype: { type: 'string' },
  quantize: { type: 'string' },
  output: { type: 'string' },
  force: { type: 'boolean' },
} as const;

export async function pullCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, pullArguments);
  const [repository, ...rest] = positionals;
  if (repository === undefined || rest.length > 0) throw usageError('pull needs one REPO');
  const format = choice('format', values.format, ['apr2', 'apr1']);
  const types = format === 'apr1' ? apr1WeightTypes : weightTypes;
  const dtype = weightType(values, types);
  const result = await pullWithBars(repository, {
    signal,
    ...(format && { format }),
    ...(dtype && { dtype }),
    ...(values.output !== undefined && { output: values.output }),
    ...(values.force !== undefined && { force: values.force }),
  });
  if (result.alreadyKept) tell(`susurrus: ${printable(repository)} is here already\n`);
  tellResult(result.path, result);
  if (values.output === undefined) {
    tell(`susurrus transcribe AUDIO --model ${repository} uses it.\n`);
  }
}

/** An index of weights, which may come first, is smaller, and tells nothing of their size. */
const leastWeights = 1e4;

/** Downloads and converts with progress bars. Says what comes from where, and how large it is. */
export async function pullWithBars(
  repository: string,
  options: NodeDownloadOptions,
): Promise<NodeDownloadedModel> {
  const bars = { download: new ProgressBar('downloading'), convert: new ProgressBar('converting') };
  let isSaid = false;
  let isHere = false;
  return downloadModel(repository, {
    ...options,
    onProgress: (event) => {
      if (event.phase === 'download') {
        const { source = 'the hub', total = 0 } = event;
        if (!isSaid && total > leastWeights) {
          isSaid = true;
          const size = `${(total / 1e6).toFixed(total < 1e7 ? 2 : 0)} MB`;
          tell(
            `susurrus: downloading ${printable(repository)} from ${printable(source)}, ${size}\n`,
          );
        }
        bars.download.update(event);
        isHere = event.fraction === 1;
        if (isHere) bars.download.clear();
      } else if (event.phase === 'convert' && isHere) bars.convert.update(event);
    },
  }).finally(() => {
    for (const bar of Object.values(bars)) bar.clear();
  });
}
