import type { LoadOptions, Model, ModelSource } from '../api/types.js';
import { checkAssets } from '../api/assets.js';
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
