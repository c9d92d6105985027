/**
 * The package in a browser: engines live in workers.
 * @module susurrus
 */
import type {
  LoadOptions,
  Model,
  ModelFamily,
  ModelPlan,
  ModelSource,
  PlanOptions,
  WhisperModel,
  WhisperName,
} from './api/types.js';
import { loadModelOn } from './model/load_model.js';
import { browser } from './browser_platform.js';
import { importAgain } from './platform/import_again.js';

export * from './public_api.js';

const loadPlan = /* @__PURE__ */ importAgain(() => import('../tools/plan/entry.js'));

/**
 * Loads a model while it downloads. A string is the model's name (`'base'`, `'openai/whisper-base'`) or a URL: what begins with `/`, `./` or
 * a scheme, has two slashes, or ends like a file (`.apr`) is a URL. What is fetched: for a name, unless it is kept, the repository's
 * files from the Hugging Face hub (or `options.hub`), which are converted while they arrive; for a URL that file and its shards;
 * from the package the engine. Models by name are kept for the next visit, others with `cache: true`.
 * The name `'digits'` is the small model in the package, which knows ten words and is for tests. Resolves when the whole file is verified.
 * Throws SusurrusError.
 */
export function loadModel(source: WhisperName, options?: LoadOptions): Promise<WhisperModel>;
export function loadModel<F extends ModelFamily>(
  source: ModelSource,
  options: LoadOptions & { readonly family: F },
): Promise<Extract<Model, { readonly family: F }>>;
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- As of querySelector(): the caller knows which it is.
export function loadModel<F extends ModelFamily = ModelFamily>(
  source: ModelSource,
  options?: LoadOptions,
): Promise<Extract<Model, { readonly family: F }>>;
export function loadModel(source: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return loadModelOn(browser, source, options);
}

/**
 * Says what a model will take before it is fetched: bytes to fetch, memory, and whether this device has that. Takes what loadModel()
 * takes of Whispers; .april and BW2L models do not say it. Fetches what stands before the weights in the file; of a model by its name the list of the repository's files and,
 * unless the name is a short one, config.json; of what is kept nothing. A stream is read as far as its index and cancelled. Throws SusurrusError.
 */
export async function plan(source: ModelSource, options: PlanOptions = {}): Promise<ModelPlan> {
  return (await loadPlan()).planInPage(browser, source, options);
}
