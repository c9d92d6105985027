import type { LoadOptions, Model, ModelSource } from '../api/types.js';
import { checkAssets } from '../api/assets.js';
import { invalidOption } from '../api/errors.js';
import { EngineModel } from './model.js';
import { checkOptions } from '../api/options.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import type { StoredModel } from '../platform/stored_model.js';
import { withProgress } from '../api/progress_callback.js';
import { chooseSource } from '../sources/choose_source.js';
import { checkCryptoOptions } from '../sources/crypto_options.js';
import { throwIfAborted } from '../api/signals.js';
import { loadOptionChecks } from '../sources/load_options.js';
import { openSource } from '../sources/open_source.js';
import { readOpening, withProtection } from '../sources/read_source.js';
import { hasThreads, type ThreadChoice } from '../platform/threads.js';
import { readVocabularyFile } from '../sources/vocabulary_file.js';

/** The number of threads that a compiled engine is made for. */
function threadsOf(module: WebAssembly.Module, choice: ThreadChoice): ThreadChoice {
  if (!hasThreads(module)) {
    return { threads: 1, threadsReason: 'the module is an engine for one thread' };
  }
  if (choice.threads > 1) return choice;
  throw invalidOption(
    'module',
    `an engine for one thread here (${choice.threadsReason})`,
    'one with threads',
  );
}

/** Streams a model file into an engine of its own; resolves once footer and checksum are verified. */
export async function loadModelOn(
  usualPlatform: Platform,
  source: ModelSource | undefined,
  options: LoadOptions,
): Promise<Model> {
  checkOptions(options, loadOptionChecks);
  if (options.assets) checkAssets(options.assets);
  await checkCryptoOptions(options);
  const { assets } = options;
  const platform = assets ? usualPlatform.withAssets(assets) : usualPlatform;
  throwIfAborted(options.signal);
  return withProgress(options, async (watched) => {
    const { source: given, stored } = await chooseSource(source, platform, watched);
    return stored
      ? loadStored(platform, stored, watched)
      : loadOpening(platform, () => openSource(given, platform, watched.signal), watched);
  });
}

/** What is kept is checked like everything else; where it is wrong, it is fetched again, once. */
async function loadStored(
  platform: Platform,
  stored: StoredModel,
  options: LoadOptions,
): Promise<EngineModel> {
  const load = (isFresh: boolean): Promise<EngineModel> =>
    loadOpening(
      platform,
      () => stored.open(isFresh),
      options,
      () => stored.keep(),
    );
  try {
    return await load(false).catch((error: unknown) => {
      if (!stored.isDoubtful(error)) throw error;
      return load(true);
    });
  } finally {
    await stored.close();
  }
}

/** `verified` is called when the file is, and gives further warnings. */
async function loadOpening(
  platform: Platform,
  open: () => Promise<OpenedSource>,
  options: LoadOptions,
  verified?: () => Promise<readonly string[]>,
): Promise<EngineModel> {
  const { variant, filterbank, signal, module } = options;
  const vocabulary =
    options.vocabulary === undefined
      ? undefined
      : await readVocabularyFile(options.vocabulary, platform, signal);
  let choice = platform.chooseThreads(options.threads);
  if (module) choice = threadsOf(module, choice);
  let engine = platform.openEngine(choice.threads);
  let isClosed = false;
  const start = () => engine.call('start', { variant, threads: choice.threads, module });
  const {
    started,
    facts,
    protection: opened,
  } = await readOpening(
    open(),
    {
      phase: 'load',
      protection: 'plain',
      compileFiles: () => platform.compileFiles(),
      start: () =>
        start().catch((error: unknown) => {
          // Closed: the source failed or the signal was aborted; the threads are not to blame.
          if (choice.threads === 1 || isClosed || module) throw error;
          // Shared memory may be refused, and not every browser supports nested workers.
          engine.close();
          const why = error instanceof Error ? error.message : String(error);
          choice = { threads: 1, threadsReason: `threads did not start: ${why}` };
          engine = platform.openEngine(1);
          return start();
        }),
      begin: (byteCount) => engine.call('beginFile', { byteCount, vocabulary, filterbank }),
      push: (bytes, givesAway) => engine.call('pushLoad', { bytes }, { givesAway }),
      endFile: () => engine.call('endFile', undefined),
      finish: async () => {
        const found = await engine.call('finishLoad', undefined);
        const warnings = (await verified?.()) ?? [];
        return { ...found, warnings: [...found.warnings, ...warnings] };
      },
      close: () => {
        isClosed = true;
        engine.close();
      },
    },
    options,
  );
  return new EngineModel(
    engine,
    platform,
    { ...started, ...choice },
    withProtection(facts, opened),
  );
}
