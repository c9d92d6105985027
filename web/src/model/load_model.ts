import type { LoadOptions, Model, ModelSource } from '../api/types.js';
import { checkAssets } from '../api/assets.js';
import { invalidOption, sourceFailed } from '../api/errors.js';
import { EngineLoad } from './engine_load.js';
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
import { readVocabularyFile } from '../sources/vocabulary_file.js';

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
  const { autoSleep } = options;
  if (autoSleep !== undefined) checkRereadable(source);
  const load = (wanted: LoadOptions): Promise<EngineModel> =>
    withProgress(wanted, async (watched) => {
      const { source: given, stored } = await chooseSource(source, platform, watched);
      return stored
        ? loadStored(platform, stored, watched)
        : loadOpening(platform, () => openSource(given, platform, watched.signal), watched);
    });
  const model = await load(options);
  if (autoSleep === undefined) model.watch();
  else {
    model.sleepAfter(autoSleep, async (signal) => {
      const again = await load({ ...options, signal });
      if (isSame(again, model)) return again;
      again.dispose();
      throw sourceFailed('source', 'it holds another model than when it was loaded first');
    });
  }
  return model;
}

/** Whether a model that was loaded again can stand for the first one. */
function isSame({ info: one }: EngineModel, { info: other }: EngineModel): boolean {
  const facts = [one, other].map((info) => [info.dims, info.dtypes, info.languages]);
  return JSON.stringify(facts[0]) === JSON.stringify(facts[1]);
}

/** Refuses what cannot be read a second time, when the model wakes. */
function checkRereadable(source: unknown): void {
  const isStream =
    (typeof ReadableStream !== 'undefined' && source instanceof ReadableStream) ||
    (typeof Response !== 'undefined' && source instanceof Response) ||
    (typeof Request !== 'undefined' && source instanceof Request && source.body !== null);
  const isOnce =
    isStream || (typeof source === 'object' && source !== null && Symbol.asyncIterator in source);
  if (!isOnce) return;
  throw invalidOption(
    'source',
    'a name, URL, path, Blob or bytes beside autoSleep, which are read again when the model wakes',
    source,
  );
}

/** What is kept is checked like everything else; where it is wrong, it is fetched again. */
async function loadStored(
  platform: Platform,
  stored: StoredModel,
  options: LoadOptions,
): Promise<EngineModel> {
  try {
    for (let open = () => stored.open(); ;) {
      try {
        return await loadOpening(platform, open, options, () => stored.keep());
      } catch (error) {
        const again = stored.again(error);
        if (!again) throw error;
        open = again;
      }
    }
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
  const { filterbank, signal } = options;
  const vocabulary =
    options.vocabulary === undefined
      ? undefined
      : await readVocabularyFile(options.vocabulary, platform, signal);
  const load = new EngineLoad(platform, options);
  const { facts, protection: opened } = await readOpening(
    open(),
    {
      phase: 'load',
      protection: 'plain',
      compileFiles: () => platform.compileFiles(),
      start: () => load.start(),
      begin: (byteCount) => load.begin({ byteCount, vocabulary, filterbank }),
      push: (bytes, givesAway) => load.push(bytes, givesAway),
      endFile: () => load.endFile(),
      finish: async () => {
        const found = await load.finish();
        const warnings = (await verified?.()) ?? [];
        return { ...found, warnings: [...found.warnings, ...warnings] };
      },
      close: () => load.close(),
    },
    options,
  );
  return new EngineModel(load.engine, platform, load.choice, withProtection(facts, opened));
}
