import { loadModel } from '../node.js';
import type { Model } from '../node.js';
import { asNumber, choice } from './arguments.js';
import { readSealOptions, sealArguments, type SealValues } from './key_files.js';
import { ProgressBar } from './progress_bar.js';
import { embeddedModelNote } from './usage.js';

/** For parse(): which model, in which engine. */
export const modelArguments = {
  model: { type: 'string' },
  variant: { type: 'string' },
  threads: { type: 'string' },
  ...sealArguments,
  vocabulary: { type: 'string' },
} as const;

interface ModelValues extends SealValues {
  readonly model?: string;
  readonly variant?: string;
  readonly threads?: string;
  readonly vocabulary?: string;
}

/** Loads the model, lets `use` work with it, and disposes of it. Its warnings go to stderr. */
export async function withModel<T>(
  values: ModelValues,
  signal: AbortSignal,
  use: (model: Model) => Promise<T>,
): Promise<T> {
  const { model: source, variant, threads = 'auto', vocabulary } = values;
  const engine = choice('variant', variant, ['simd', 'relaxed']);
  const keys = await readSealOptions(values);
  if (source === undefined) process.stderr.write(embeddedModelNote);
  const bar = new ProgressBar('loading');
  const model = await loadModel(source, {
    signal,
    onProgress: bar.update,
    ...keys,
    ...(engine && { variant: engine }),
    ...(vocabulary !== undefined && { vocabulary }),
    // The process is this command's own.
    threads: threads === 'auto' ? threads : asNumber(threads, 'threads'),
  }).finally(() => bar.clear());
  for (const warning of model.info.warnings) process.stderr.write(`susurrus: ${warning}\n`);
  try {
    return await use(model);
  } finally {
    model.dispose();
  }
}
