import type { LoadOptions, Model, ModelSource, Variant } from '../api/types.js';
import { checkAssets } from '../api/assets.js';
import { invalidOption } from '../api/errors.js';
import type { VariantChoice } from '../engine/variant.js';
import { Loading, type VerifiedFacts } from './loading.js';
import { EngineModel } from './model.js';
import {
  checkOptions,
  filterbankCheck,
  flag,
  type Check,
  oneOf,
  orAuto,
  progressCheck,
  rankFile,
  signalCheck,
  wholeBetween,
} from '../api/options.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import type { StoredModel } from '../platform/stored_model.js';
import { withProgress } from '../api/progress_callback.js';
import { chooseSource } from '../sources/choose_source.js';
import { checkCryptoOptions, cryptoOptionChecks } from '../sources/crypto_options.js';
import { throwIfAborted } from '../api/signals.js';
import { hubOptionChecks } from '../sources/model_name.js';
import { openSource } from '../sources/open_source.js';
import { readOpening, withProtection } from '../sources/read_source.js';
import { hasThreads, mostThreads, type ThreadChoice } from '../platform/threads.js';
import { readVocabularyFile } from '../sources/vocabulary_file.js';

/** Modules of other frames of a page are of another class. */
const moduleCheck: Check = [
  'a WebAssembly.Module',
  (value) => Object.prototype.toString.call(value) === '[object WebAssembly.Module]',
];

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
  source: ModelSource | undefined,
  options: LoadOptions,
): Promise<Model> {
  checkOptions(options, {
    early: flag,
    onProgress: progressCheck,
    signal: signalCheck,
    variant: oneOf('simd' satisfies Variant, 'relaxed' satisfies Variant),
    threads: orAuto(wholeBetween(1, mostThreads)),
    vocabulary: rankFile,
    filterbank: filterbankCheck,
    module: moduleCheck,
    assets: ['{ base }', (value) => typeof value === 'object' && value !== null],
    cache: ["true, false or 'only'", (value) => typeof value === 'boolean' || value === 'only'],
    ...hubOptionChecks,
    ...cryptoOptionChecks,
  });
  if (options.assets) checkAssets(options.assets);
  await checkCryptoOptions(options);
  const { assets } = options;
  const platform = assets ? usualPlatform.withAssets(assets) : usualPlatform;
  throwIfAborted(options.signal);
  const load = (wanted: LoadOptions, early?: EarlyLoad): Promise<EngineModel> =>
    withProgress(wanted, async (watched) => {
      const { source: given, stored } = await chooseSource(source, platform, watched);
      if (stored) return loadStored(platform, stored, watched, early);
      const open = () => openSource(given, platform, watched.signal);
      return loadOpening(platform, open, watched, { early });
    });
  if (options.early !== true) return load(options);
  const loading = new Loading(options.signal);
  return new Promise((begun, failed) => {
    const early = { loading, begun, mayBegin: () => true };
    load({ ...options, signal: loading.signal }, early).then(begun, failed);
  });
}

/** What is kept is checked like everything else; where it is wrong, it is fetched again, once. */
async function loadStored(
  platform: Platform,
  stored: StoredModel,
  options: LoadOptions,
  early: EarlyLoad | undefined,
): Promise<EngineModel> {
  let hasBegun = false;
  const load = (isFresh: boolean): Promise<EngineModel> =>
    loadOpening(platform, () => stored.open(isFresh), options, {
      verified: () => stored.keep(),
      early: early && {
        ...early,
        begun: (model) => {
          hasBegun = true;
          early.begun(model);
        },
        mayBegin: () => !stored.usesKept,
      },
    });
  try {
    return await load(false).catch((error: unknown) => {
      // What somebody has in use already cannot be exchanged.
      if (hasBegun || !stored.isDoubtful(error)) throw error;
      return load(true);
    });
  } finally {
    await stored.close();
  }
}

interface Listeners {
  /** Called when the file is verified; gives further warnings. */
  readonly verified?: () => Promise<readonly string[]>;
  readonly early?: EarlyLoad | undefined;
}

async function loadOpening(
  platform: Platform,
  open: () => Promise<OpenedSource>,
  options: LoadOptions,
  { verified, early }: Listeners,
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
  let model: EngineModel | undefined;
  let started: VariantChoice;
  const modelOf = (facts: VerifiedFacts, loading?: Loading): EngineModel =>
    new EngineModel(engine, platform, { ...started, ...choice }, facts, loading);
  const start = async () => {
    started = await engine.call('start', { variant, threads: choice.threads, module });
  };
  const { facts, protection: opened } = await readOpening(
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
      begin: (byteCount) => {
        const mayBegin = early?.mayBegin();
        return engine.call('beginFile', { byteCount, vocabulary, filterbank, early: mayBegin });
      },
      push: async (bytes, givesAway) => {
        const begun = await engine.call('pushLoad', { bytes }, { givesAway });
        // One of several files may be kept where the first was not.
        if (begun && early?.mayBegin()) early.begun((model = modelOf(begun, early.loading)));
      },
      endFile: () => engine.call('endFile', undefined),
      finish: async () => {
        const found = await engine.call('finishLoad', undefined);
        const warnings = (await verified?.()) ?? [];
        return { ...found, warnings: [...found.warnings, ...warnings] };
      },
      close: (failure) => {
        if (model) early?.loading.fail(failure);
        isClosed = true;
        engine.close();
      },
    },
    options,
  );
  const verifiedFacts = withProtection(facts, opened);
  if (!model) return modelOf(verifiedFacts);
  early?.loading.finish(verifiedFacts);
  return model;
}
