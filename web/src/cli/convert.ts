import { convertModel, weightTypes } from '../node.js';
import { asByteCount, choice, parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';
import { tellResult } from './shard.js';

export async function convertCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    dtype: { type: 'string' },
    compress: { type: 'string' },
    vocabulary: { type: 'string' },
    metadata: { type: 'string' },
    'shard-size': { type: 'string' },
    alignment: { type: 'string' },
    force: { type: 'boolean' },
  });
  const [source, destination, ...rest] = positionals;
  if (source === undefined || destination === undefined || rest.length > 0) {
    throw usageError('convert wants SRC and DST');
  }
  const dtype = choice('dtype', values.dtype, weightTypes);
  const compress = choice('compress', values.compress, ['lz4', 'none']);
  const alignment = choice('alignment', values.alignment, ['64', '32']);
  const shardSize = values['shard-size'];
  const bar = new ProgressBar('converting');
  const result = await convertModel(source, destination, {
    signal,
    force: values.force ?? false,
    onProgress: bar.update,
    ...(dtype && { dtype }),
    ...(compress && { compress }),
    ...(alignment && { alignment: alignment === '32' ? 32 : 64 }),
    ...(shardSize !== undefined && { shardSize: asByteCount(shardSize, 'shard-size') }),
    ...(values.vocabulary !== undefined && { vocabulary: values.vocabulary }),
    ...(values.metadata !== undefined && { metadata: values.metadata }),
  }).finally(() => bar.clear());
  tellResult(destination, result);
}
