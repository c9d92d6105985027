import { pullModel, weightTypes } from '../src/node.js';
import { choice, parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { tellResult } from './shard.js';
import { tell } from './terminal.js';

export async function pullCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    dtype: { type: 'string' },
    output: { type: 'string' },
    force: { type: 'boolean' },
  });
  const [repository, ...rest] = positionals;
  if (repository === undefined || rest.length > 0) throw usageError('pull wants one REPO');
  const dtype = choice('dtype', values.dtype, weightTypes);
  const bars = { download: new ProgressBar('downloading'), convert: new ProgressBar('converting') };
  let isHere = false;
  const result = await pullModel(repository, {
    signal,
    ...(dtype && { dtype }),
    ...(values.output !== undefined && { output: values.output, force: values.force ?? false }),
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
  tellResult(result.path, result);
  if (values.output === undefined) {
    tell(`susurrus transcribe AUDIO --model ${repository} uses it.\n`);
  }
}
