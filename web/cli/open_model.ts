import { loadModel } from '../src/node.js';
import type { LoadOptions, Model, ModelFamily, WhisperModel } from '../src/node.js';
import { choice, filterbankChoices, numberOrAuto } from './arguments.js';
import { modelFile, usualModelFile } from './find_model.js';
import { readCryptoOptions, cryptoArguments, type CryptoValues } from './key_files.js';
import { ProgressBar } from './progress_bar.js';
import { printable, tell } from './terminal.js';

/** For parse(): which model, in which engine. */
export const modelArguments = {
  model: { type: 'string' },
  variant: { type: 'string' },
  threads: { type: 'string' },
  ...cryptoArguments,
  vocabulary: { type: 'string' },
  filterbank: { type: 'string' },
  lexicon: { type: 'string' },
  lm: { type: 'string' },
} as const;

interface ModelValues extends CryptoValues {
  readonly model?: string;
  readonly variant?: string;
  readonly threads?: string;
  readonly vocabulary?: string;
  readonly filterbank?: string;
  readonly lexicon?: string;
  readonly lm?: string;
}

/** What loadModel() gets, any number of times. */
export interface ModelRequest {
  readonly source: string;
  readonly options: LoadOptions;
}

/** Finds or downloads the model and reads its keys. Says on stderr what people must know about it. */
export async function requestModel(
  values: ModelValues,
  signal: AbortSignal,
  defaultThreads: '1' | 'auto' = 'auto',
): Promise<ModelRequest> {
  const { variant, vocabulary, lexicon, lm } = values;
  const engine = choice('variant', variant, ['simd', 'relaxed']);
  const filterbank = choice('filterbank', values.filterbank, filterbankChoices);
  const keys = await readCryptoOptions(values);
  const source = await (values.model === undefined
    ? usualModelFile(signal)
    : modelFile(values.model, signal));
  const options = {
    ...keys,
    ...(engine && { variant: engine }),
    ...(vocabulary !== undefined && { vocabulary }),
    ...(filterbank && { filterbank }),
    ...(lexicon !== undefined && { lexicon }),
    ...(lm !== undefined && { languageModel: lm }),
    // The process is this command's own.
    threads: numberOrAuto({ threads: defaultThreads, ...values }, 'threads'),
  } as const;
  return { source, options };
}

/** Loads the model, lets `use` work with it, and disposes of it. Its warnings go to stderr. */
export const withModel = <T>(
  values: ModelValues,
  signal: AbortSignal,
  use: (model: Model) => Promise<T>,
): Promise<T> => using(loaded(values, signal, {}), use);

/** withModel() for what only a Whisper does; rejects other models. */
export const withWhisper = <T>(
  values: ModelValues,
  signal: AbortSignal,
  use: (model: WhisperModel) => Promise<T>,
): Promise<T> => using(loaded(values, signal, { family: 'whisper' }), use);

async function loaded<F extends ModelFamily = ModelFamily>(
  values: ModelValues,
  signal: AbortSignal,
  wanted: { readonly family?: F },
): Promise<Extract<Model, { readonly family: F }>> {
  const { source, options } = await requestModel(values, signal);
  const bar = new ProgressBar('loading');
  const loading = loadModel<F>(source, { signal, onProgress: bar.update, ...options, ...wanted });
  const model = await loading.finally(() => bar.clear());
  tellWarnings(model.info.warnings);
  return model;
}

async function using<M extends Model, T>(
  loading: Promise<M>,
  use: (model: M) => Promise<T>,
): Promise<T> {
  const model = await loading;
  try {
    return await use(model);
  } finally {
    model.dispose();
  }
}

export function tellWarnings(warnings: readonly string[]): void {
  for (const warning of warnings) tell(`susurrus: ${printable(warning)}\n`);
}
