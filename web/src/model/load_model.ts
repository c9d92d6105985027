import type { CommonModel, LoadOptions, Model, ModelSource } from '../api/types.js';
import { checkAssets } from '../api/assets.js';
import { invalidOption, sourceFailed } from '../api/errors.js';
import { givenTexts, readBeamTexts } from './beam_texts.js';
import { EngineLoad } from './engine_load.js';
import { Loading, type VerifiedFacts } from './loading.js';
import { EngineModel, factsOf } from './model.js';
import { checkOptions } from '../api/options.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import type { StoredModel } from '../platform/stored_model.js';
import { loading as loadingPlan } from '../api/overall_progress.js';
import { withProgress, type Watched } from '../api/progress_callback.js';
import { withoutType } from '../sources/model_name.js';
import { chooseSource } from '../sources/choose_source.js';
import { checkCryptoOptions } from '../sources/crypto_options.js';
import { throwIfAborted } from '../api/signals.js';
import { openConverted } from '../sources/hub_folder.js';
import { loadOptionChecks } from '../sources/load_options.js';
import { isNamedLikeNetwork } from '../protocol/families.js';
import { openSource } from '../sources/open_source.js';
import { readOpening, withProtection } from '../sources/read_source.js';
import { readVocabularyFile } from '../sources/vocabulary_file.js';

/** The engine's model has the methods of every family, and rejects those that are not its own. */
const asModel = (model: EngineModel): Model => model as CommonModel as Model;

/** A load whose model may be used before it has arrived. */
interface EarlyLoad {
  readonly loading: Loading;
  readonly begun: (model: EngineModel) => void;
  /** Whether the files will do that are open so far. */
  readonly mayBegin: () => boolean;
}

/** Streams a model file into an engine of its own; resolves once footer and checksum are verified, unless it is `early`. */
export async function loadModelOn(
  usualPlatform: Platform,
  source: ModelSource,
  options: LoadOptions,
): Promise<Model> {
  checkOptions(options, loadOptionChecks);
  if (options.assets) checkAssets(options.assets);
  await checkCryptoOptions(options);
  const { assets } = options;
  const platform = assets ? usualPlatform.withAssets(assets) : usualPlatform;
  throwIfAborted(options.signal);
  const { autoSleep } = options;
  if (autoSleep !== undefined) {
    checkRereadable('source', source);
    for (const name of givenTexts(options)) checkRereadable(name, options[name]);
  }
  const load = (wanted: LoadOptions, early?: EarlyLoad): Promise<EngineModel> =>
    loadFrom(source, platform, wanted, early);
  const model = await (options.early === true ? loadEarly(load, options) : load(options));
  if (typeof options.workers === 'number' && options.workers > 1) {
    const making = model.makeReady(options.signal);
    if (options.early !== true) await orDisposed(model, making);
    // An abort of the load is told by model.loaded.
    else making.catch(() => undefined);
  }
  if (autoSleep === undefined) {
    model.watch();
    return asModel(model);
  }
  const loadAgain = async (signal: AbortSignal): Promise<EngineModel> => {
    // Calls make the further engines again when they want them.
    const again = await load({ ...options, workers: 1, signal });
    checkSame(again, factsOf(model));
    return again;
  };
  // It does not sleep before it is there.
  model.loaded.then(
    () => model.sleepAfter(autoSleep, loadAgain),
    () => undefined,
  );
  return asModel(model);
}

async function orDisposed(model: EngineModel, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    model.dispose();
    throw error;
  }
}

function loadFrom(
  source: ModelSource,
  platform: Platform,
  options: LoadOptions,
  early?: EarlyLoad,
): Promise<EngineModel> {
  return withProgress(loadingPlan, options, async (watched, finish) => {
    const chosen = await chooseSource(source, platform, watched);
    // For a model by its name, and for a hub's folder, `dtype` is the type of the converted or cached file, not an option of the load.
    if (chosen.stored) {
      const own = chosen.isNamed ? withoutType(watched) : watched;
      return loadStored(platform, chosen.stored, own, { early, finish });
    }
    if (chosen.hubFolder) {
      const { hubFolder } = chosen;
      const open = () => openConverted(hubFolder, platform, watched);
      return loadOpening(platform, open, withoutType(watched), { early, finish });
    }
    const { source: given } = chosen;
    const open = () => openSource(given, platform, watched.signal);
    return loadOpening(platform, open, watched, { early, finish, name: nameOf(given) });
  });
}

/** The model as soon as it can be used. */
function loadEarly(
  load: (wanted: LoadOptions, early: EarlyLoad) => Promise<EngineModel>,
  options: LoadOptions,
): Promise<EngineModel> {
  const loading = new Loading(options.signal);
  return new Promise((begun, failed) => {
    const early = { loading, begun, mayBegin: () => true };
    load({ ...options, signal: loading.signal }, early)
      .finally(() => loading.release())
      .then(begun, failed);
  });
}

/** Rejects a model that cannot stand for the one that was loaded first. */
function checkSame(again: EngineModel, facts: string): void {
  if (factsOf(again) === facts) return;
  again.dispose();
  throw sourceFailed('source', 'it holds another model than when it was loaded first');
}

/** Whether a source is a stream. */
function isReadOnce(source: unknown): boolean {
  const isStream =
    (typeof ReadableStream !== 'undefined' && source instanceof ReadableStream) ||
    (typeof Response !== 'undefined' && source instanceof Response) ||
    (typeof Request !== 'undefined' && source instanceof Request && source.body !== null);
  return (
    isStream || (typeof source === 'object' && source !== null && Symbol.asyncIterator in source)
  );
}

/** Rejects what cannot be read a second time, when the model wakes. */
function checkRereadable(option: string, source: unknown): void {
  if (!isReadOnce(source)) return;
  throw invalidOption(
    option,
    'a name, URL, path, Blob or bytes beside autoSleep, which are read again when the model wakes',
    source,
  );
}

/** Returns the name of a source. */
function nameOf(source: ModelSource): string {
  if (typeof source === 'string') return source;
  if (source instanceof URL) return source.pathname;
  const { name, url } = source as { readonly name?: unknown; readonly url?: unknown };
  if (typeof name === 'string') return name;
  return typeof url === 'string' ? url : '';
}

/** Verifies cached files like downloaded ones, and fetches wrong ones again. */
async function loadStored(
  platform: Platform,
  stored: StoredModel,
  options: Watched<LoadOptions>,
  { early, finish }: Pick<Listeners, 'early' | 'finish'>,
): Promise<EngineModel> {
  const use = { hasBegun: false };
  const listeners: Listeners = {
    verified: () => stored.keep(),
    finish,
    early: early && {
      ...early,
      begun: (model) => {
        use.hasBegun = true;
        early.begun(model);
      },
      mayBegin: () => !stored.usesKept,
    },
  };
  try {
    for (let open = () => stored.open(); ;) {
      try {
        return await loadOpening(platform, open, options, listeners);
      } catch (error) {
        throwIfAborted(options.signal);
        // A model that is in use already cannot be exchanged.
        const again = use.hasBegun ? undefined : stored.again(error);
        if (!again) throw error;
        open = again;
      }
    }
  } finally {
    await stored.close();
  }
}

interface Listeners {
  /** Called when the file is verified; gives further warnings. */
  readonly verified?: () => Promise<readonly string[]>;
  readonly early?: EarlyLoad | undefined;
  /** The last report of progress. */
  readonly finish: () => void;
  /** The file's name, where it is known before the file is open. */
  readonly name?: string;
}

async function loadOpening(
  platform: Platform,
  open: () => Promise<OpenedSource>,
  options: Watched<LoadOptions>,
  { verified, early, finish, name = '' }: Listeners,
): Promise<EngineModel> {
  const { filterbank, signal } = options;
  const vocabulary =
    options.vocabulary === undefined
      ? undefined
      : await readVocabularyFile(options.vocabulary, platform, signal);
  const load = new EngineLoad(platform, options, isNamedLikeNetwork(name));
  let model: EngineModel | undefined;
  const modelOf = (facts: VerifiedFacts, loading?: Loading): EngineModel =>
    new EngineModel(load.engine, platform, load.choice, facts, loading);
  const { facts, protection: opened } = await readOpening(
    open(),
    {
      phase: 'load',
      protection: 'plain',
      compileFiles: () => platform.compileFiles(),
      start: () => load.start(),
      begin: (byteCount) =>
        load.begin({ byteCount, vocabulary, filterbank, early: early?.mayBegin() }),
      push: async (bytes, givesAway) => {
        const begun = await load.push(bytes, givesAway);
        // A later file may be cached although the first was not.
        if (begun && early?.mayBegin()) early.begun((model = modelOf(begun, early.loading)));
      },
      endFile: () => load.endFile(),
      finish: async () => {
        await readBeamTexts(load, options, platform);
        const found = await load.finish();
        const warnings = (await verified?.()) ?? [];
        finish();
        return { ...found, warnings: [...found.warnings, ...warnings] };
      },
      close: (failure) => {
        if (model) early?.loading.fail(failure);
        load.close();
      },
    },
    options,
  );
  const verifiedFacts = withProtection(facts, opened);
  if (model) early?.loading.finish(verifiedFacts);
  else (model = modelOf(verifiedFacts)).takeOver(load.further);
  return model;
}
