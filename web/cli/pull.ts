import { apr1WeightTypes, pullModel, weightTypes } from '../src/node.js';
import type { PullOptions, PullResult } from '../src/node.js';
import { choice, parse, usageError, weightType } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { tellResult } from './shard.js';
import { tell } from './terminal.js';

export async function pullCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    format: { type: 'string' },
    dtype: { type: 'string' },
    quantize: { type: 'string' },
    output: { type: 'string' },
    force: { type: 'boolean' },
  });
  const [repository, ...rest] = positionals;
  if (repository === undefined || rest.length > 0) throw usageError('pull wants one REPO');
  const format = choice('format', values.format, ['apr2', 'apr1']);
  const types = format === 'apr1' ? apr1WeightTypes : weightTypes;
  const dtype = weightType(values, types);
  const result = await pullWithBars(repository, {
    signal,
    ...(format && { format }),
    ...(dtype && { dtype }),
    ...(values.output !== undefined && { output: values.output, force: values.force ?? false }),
  });
  tellResult(result.path, result);
  if (values.output === undefined) {
    tell(`susurrus transcribe AUDIO --model ${repository} uses it.\n`);
  }
}

/** Downloads and converts with progress bars. */
export async function pullWithBars(repository: string, options: PullOptions): Promise<PullResult> {
  const bars = { download: new ProgressBar('downloading'), convert: new ProgressBar('converting') };
  let isHere = false;
  return pullModel(repository, {
    ...options,
    onProgress: (event) => {
      if (event.phase === 'download') {
        bars.download.update(event);
        isHere = event.fraction === 1;
        if (isHere) bars.download.clear();
      } else if (event.phase === 'convert' && isHere) bars.convert.update(event);
    },
  }).finally(() => {
    for (const bar of Object.values(bars)) bar.clear();
  });
}
