import type { LoadOptions, Model, ModelSource, Variant } from './api_types.js';
import { abortedBy } from './errors.js';
import { EngineModel } from './model.js';
import {
  checkOptions,
  filterbankCheck,
  oneOf,
  orAuto,
  progressCheck,
  rankFile,
  signalCheck,
  wholeBetween,
} from './options.js';
import type { Platform } from './platform/platform.js';
import { checkSealOptions, sealChecks } from './seal_options.js';
import { readSource, withSeals } from './sources/read_source.js';
import { mostThreads } from './threads.js';
import { readVocabularyFile } from './vocabulary_file.js';

/** Streams a model file into an engine of its own; resolves once footer and checksum are verified. */
export async function loadModelOn(
  platform: Platform,
  source: ModelSource | undefined,
  options: LoadOptions,
): Promise<Model> {
  checkOptions(options, {
    onProgress: progressCheck,
    signal: signalCheck,
    variant: oneOf('simd' satisfies Variant, 'relaxed' satisfies Variant),
    threads: orAuto(wholeBetween(1, mostThreads)),
    vocabulary: rankFile,
    filterbank: filterbankCheck,
    ...sealChecks,
  });
  await checkSealOptions(options);
  const { variant, filterbank, signal } = options;
  if (signal?.aborted) throw abortedBy(signal);
  const vocabulary =
    options.vocabulary === undefined
      ? undefined
      : await readVocabularyFile(options.vocabulary, platform, signal);
  let choice = platform.chooseThreads(options.threads);
  let engine = platform.openEngine(choice.threads);
  const start = () => engine.call('start', { variant, threads: choice.threads });
  const {
    started,
    facts,
    seals: opened,
  } = await readSource(
    source ?? platform.embeddedModel,
    platform,
    {
      phase: 'load',
      seals: 'plain',
      start: () =>
        start().catch((error: unknown) => {
          if (choice.threads === 1 || signal?.aborted) throw error;
          // Memory that can be shared is scarcer, and not every browser has workers within workers.
          engine.close();
          choice = { threads: 1, threadsReason: `threads did not start: ${String(error)}` };
          engine = platform.openEngine(1);
          return start();
        }),
      begin: (byteCount) => engine.call('beginFile', { byteCount, vocabulary, filterbank }),
      push: (bytes, givesAway) => engine.call('pushLoad', { bytes }, { givesAway }),
      endFile: () => engine.call('endFile', undefined),
      finish: () => engine.call('finishLoad', undefined),
      close: () => engine.close(),
    },
    options,
  );
  return new EngineModel(engine, platform, { ...started, ...choice }, withSeals(facts, opened));
}
