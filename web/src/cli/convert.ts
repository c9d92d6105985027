import { convertModel, weightTypes } from '../node.js';
import { choice, parse, usageError } from './arguments.js';
import { ProgressBar } from './progress_bar.js';

export async function convertCommand(args: readonly string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parse(args, {
    dtype: { type: 'string' },
    compress: { type: 'string' },
    vocabulary: { type: 'string' },
    force: { type: 'boolean' },
  });
  const [source, destination, ...rest] = positionals;
  if (source === undefined || destination === undefined || rest.length > 0) {
    throw usageError('convert wants SRC and DST');
  }
  const dtype = choice('dtype', values.dtype, weightTypes);
  const compress = choice('compress', values.compress, ['lz4', 'none']);
  const bar = new ProgressBar('converting');
  const { byteCount, tensorCount, warnings } = await convertModel(source, destination, {
    signal,
    force: values.force ?? false,
    onProgress: bar.update,
    ...(dtype && { dtype }),
    ...(compress && { compress }),
    ...(values.vocabulary !== undefined && { vocabulary: values.vocabulary }),
  }).finally(() => bar.clear());
  for (const warning of warnings) process.stderr.write(`susurrus: ${warning}\n`);
  process.stderr.write(
    `${destination}: ${tensorCount} tensors, ${byteCount.toLocaleString('en')} bytes\n`,
  );
}
