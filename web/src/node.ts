/**
 * The package in Node: engines run in the caller's thread and yield between slices of work.
 * @module susurrus/node
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
import { nodeEnvironment } from '../tools/plan/node_plan.js';
import { planOn } from '../tools/plan/plan_model.js';
import { loadModelOn } from './model/load_model.js';
import { node } from './node_platform.js';

export * from './public_api.js';
export { cachedModels, cachedModelsNamed, removeCachedModels } from '../tools/hub/model_cache.js';
export type * from './api/types/pull.js';
export { pullModel } from '../tools/hub/pull_model.js';

/**
 * Loads a model while it arrives. A string is a path, a URL, or a model's name (`'base'`, `'openai/whisper-base'`): what begins with `/`,
 * `./` or a scheme, has two slashes, ends like a file (`.apr`) or is a file here is no name. What is fetched: for a name, unless it
 * was pulled or loaded before, the repository's files from the Hugging Face hub (HF_ENDPOINT, or `options.hub`), which are converted
 * while they arrive and kept in the folder of `susurrus pull`; for a URL that file and its shards. The name `'digits'` is
 * the small model in the package, which knows ten words and is for tests. Resolves when the whole file is verified.
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
  return loadModelOn(node, source, options);
}

/**
 * Says what a model will take before it is fetched: bytes to fetch, memory, and whether this device has that. Takes what loadModel()
 * takes of Whispers; .april and BW2L models do not say it. Fetches what stands before the weights in the file; of a model by its name the list of the repository's files and,
 * unless the name is a short one, config.json; of what is kept nothing. A stream is read as far as its index and cancelled. Throws SusurrusError.
 */
export function plan(source: ModelSource, options: PlanOptions = {}): Promise<ModelPlan> {
  return planOn(node, source, options, nodeEnvironment);
}
