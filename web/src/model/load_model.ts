import type { LoadOptions, Model, ModelSource, Variant } from '../api/types.js';
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
} from '../api/options.js';
import type { Platform } from '../platform/platform.js';
import { withProgress } from '../api/progress_callback.js';
import { checkCryptoOptions, cryptoOptionChecks } from '../sources/crypto_options.js';
import { throwIfAborted } from '../api/signals.js';
import { readSource, withProtection } from '../sources/read_source.js';
import { mostThreads } from '../platform/threads.js';
import { readVocabularyFile } from '../sources/vocabulary_file.js';

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
    ...cryptoOptionChecks,
  });
  await checkCryptoOptions(options);
  const { variant, filterbank, signal } = options;
  throwIfAborted(signal);
  const vocabulary =
    options.vocabulary === undefined
      ? undefined
      : await readVocabularyFile(options.vocabulary, platform, signal);
  let choice = platform.chooseThreads(options.threads);
  let engine = platform.openEngine(choice.threads);
  let isClosed = false;
  const start = () => engine.call('start', { variant, threads: choice.threads });
  const {
    started,
    facts,
    protection: opened,
  } = await withProgress(options, (watched) =>
    readSource(
      source ?? platform.embeddedModel,
      platform,
      {
        phase: 'load',
        protection: 'plain',
        compileFiles: () => platform.compileFiles(),
        start: () =>
          start().catch((error: unknown) => {
            // Closed: the source failed or the signal was aborted; the threads are not to blame.
            if (choice.threads === 1 || isClosed) throw error;
            // Shared memory may be refused, and not every browser supports nested workers.
            engine.close();
            choice = { threads: 1, threadsReason: `threads did not start: ${String(error)}` };
            engine = platform.openEngine(1);
            return start();
          }),
        begin: (byteCount) => engine.call('beginFile', { byteCount, vocabulary, filterbank }),
        push: (bytes, givesAway) => engine.call('pushLoad', { bytes }, { givesAway }),
        endFile: () => engine.call('endFile', undefined),
        finish: () => engine.call('finishLoad', undefined),
        close: () => {
          isClosed = true;
          engine.close();
        },
      },
      watched,
    ),
  );
  return new EngineModel(
    engine,
    platform,
    { ...started, ...choice },
    withProtection(facts, opened),
  );
}
