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

/**
 * Loads a model while it downloads.
 *
 * A string is a path, a URL or a name (`'base'`, `'openai/whisper-base'`): it is no name if it begins with `/`, `./` or a scheme, has two
 * slashes, ends like a file (`.apr`) or is a file here. A name downloads the model's files from the Hugging Face hub (HF_ENDPOINT, or
 * `options.hub`), converts them while they download and caches the result in the folder of `susurrus pull`; a URL downloads that file and its shards. `'digits'` is
 * the small model in the package, which knows ten words and is for tests.
 *
 * @param source A name, a URL, a file or a list of its files, bytes, a stream, a `Request` or `Response`; in Node also a path.
 * @returns The model, once the whole file is here and verified (with `early` sooner). Call its `dispose()` when you no longer need it: it holds a worker and the weights' memory.
 * @throws SusurrusError `invalid_argument` for a wrong option or source; `source_failed` for a request that failed; `truncated_input`,
 *   `unknown_format`, `malformed`, `checksum_mismatch`, `unsupported_version`, `unsupported_feature`, `unsupported_operator`, `missing_tensor` or `shape_mismatch` for a file that is no
 *   sound model; `decryption_failed` or `signature_invalid`; `limit_exceeded` or `out_of_memory`; `unsupported_environment`. An abort rejects
 *   with the signal's reason.
 * @example
 * ```js
 * const model = await loadModel('base', {
 *   onProgress: ({ phase, fraction }) => console.log(phase, fraction),
 * });
 * console.log(model.info.languages.length);
 * model.dispose();
 * ```
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
 * Reports what a model will take before it is downloaded: bytes, memory, and whether this device has room.
 *
 * It reads a file's header and index, or a repository's file list and, unless the name is a short one, its config.json; for a cached model it makes no request. A
 * stream is read as far as its index and cancelled. It takes what loadModel() takes of Whispers; .april and BW2L files do not state their needs.
 *
 * @throws SusurrusError `invalid_argument`, `source_failed`, `unsupported_feature`, or as loadModel() for a header that is malformed. An abort rejects with the
 *   signal's reason.
 * @example
 * ```js
 * const { verdict } = await plan('small');
 * if (verdict.fits === 'no') console.log(verdict.reasons.join('\n'));
 * ```
 */
export function plan(source: ModelSource, options: PlanOptions = {}): Promise<ModelPlan> {
  return planOn(node, source, options, nodeEnvironment);
}
