/**
 * The package in Node: engines run in the caller's thread and yield between slices of work.
 * @module susurrus/node
 */
import type {
  EncryptOptions,
  ExtractedPart,
  ExtractOptions,
  GraphModule,
  InspectedNetwork,
  InspectedTensor,
  InspectOptions,
  Inspection,
  LoadOptions,
  Mel,
  Model,
  ModelDestination,
  ModelFamily,
  ModelFile,
  ModelPlan,
  ModelSource,
  OpenModelOptions,
  OpenModuleOptions,
  PlanOptions,
  RepackOptions,
  RepackResult,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SamplesLogMelOptions,
  SealOptions,
  ShardOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
  WhisperModel,
  WhisperName,
} from './api/types.js';
import { extractNetworkOn } from '../tools/inspection/extract_network.js';
import { extractPartOn } from '../tools/inspection/extract_part.js';
import { extractTensorOn } from '../tools/inspection/extract_tensor.js';
import { inspectOn } from '../tools/inspection/inspect_model.js';
import { openModelFileOn } from '../tools/inspection/open_model_file.js';
import { logMelOn } from '../tools/inspection/log_mel.js';
import { openModuleOn } from '../tools/module/open_module.js';
import { nodeEnvironment } from '../tools/plan/node_plan.js';
import { planOn } from '../tools/plan/plan_model.js';
import { loadModelOn } from './model/load_model.js';
import { checkOptions, flag, progressCheck, signalCheck } from './api/options.js';
import { node } from './node_platform.js';
import {
  addPieceDigestsOn,
  encryptModelOn,
  signModelOn,
  soundRangesOn,
  verifyModelOn,
} from './crypto_calls.js';
import type { WritableModel, WriteOptions, WriteResult } from './api/write_types.js';
import { shardModelOn, unshardModelOn } from '../tools/convert/repack_model.js';
import { writeModelOn } from '../tools/writing/write_model.js';

export * from './public_api.js';
export { cachedModels, cachedModelsNamed, removeCachedModels } from '../tools/hub/model_cache.js';
export { pullModel } from '../tools/hub/pull_model.js';
export { convertModel, upgradeModel } from '../tools/convert/convert_model.js';
export { apr1WeightTypes } from '../tools/convert/weight_types.js';
export { weightTypes } from './api/generated/dtypes.js';

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

/**
 * Describes a model file or a folder. Reads only headers, metadata and index of paths, Blobs and URLs. Streams, and files to
 * decrypt or verify, are read whole and verified. Throws SusurrusError.
 */
export function inspect(source: ModelSource, options: InspectOptions = {}): Promise<Inspection> {
  return inspectOn(node, source, options);
}

/**
 * Opens a TenniS module, or an ONNX network whose weights are in it, to be run on tensors. Fetches the module that runs graphs. Throws
 * SusurrusError.
 */
export function openModule(
  source: ModelSource,
  options: OpenModuleOptions = {},
): Promise<GraphModule> {
  return openModuleOn(node, source, options);
}

/** Opens a model file or a folder to read single tensors. Throws SusurrusError. */
export function openModelFile(
  source: ModelSource,
  options: OpenModelOptions = {},
): Promise<ModelFile> {
  return openModelFileOn(node, source, options);
}

/**
 * The log-mel spectrogram of mono samples at 16 kHz, by the code that computes a Whisper's, without a model: one window, padded or
 * cut, or with `mode: 'whole'` the recording as transcribe() sees it. Throws SusurrusError.
 *
 * ```js
 * const file = await openModelFile('model.apr');
 * const { data, nMels, nFrames } = await logMel(samples, { filterbank: await file.filterbank() });
 * const loudness = data[band * nFrames + frame];
 * ```
 */
export async function logMel(
  samples: Float32Array,
  options: SamplesLogMelOptions = {},
): Promise<Mel> {
  return logMelOn(node, samples, options);
}

/**
 * Writes a tensor of a model file as NumPy's .npy, in the file's type if NumPy has that type, else as f32. The file appears when
 * it is complete, and overwrites an existing one only with `force`. Throws SusurrusError.
 */
export async function extractTensor(
  source: ModelSource,
  name: string,
  destination: string | URL,
  options: ExtractOptions = {},
): Promise<InspectedTensor> {
  checkOptions(options, { force: flag, onProgress: progressCheck, signal: signalCheck });
  return extractTensorOn(node, source, name, destination, options);
}

/**
 * Writes one network of an .april file, byte for byte, as an ONNX file. The source is verified first, so it is read twice. The
 * file appears when it is complete, and overwrites an existing one only with `force`. Throws SusurrusError.
 */
export async function extractNetwork(
  source: RereadableSource,
  name: string,
  destination: ModelDestination,
  options: ExtractOptions = {},
): Promise<InspectedNetwork> {
  return extractNetworkOn(node, source, name, destination, options);
}

/**
 * Writes the `vocabulary` (a JSON array of `{ id, text, bytes }`, bytes in hexadecimal), the `tokens` of an .april or BW2L file
 * (a JSON array of strings), the mel `filterbank` (.npy), or with `'section:NAME'` the bytes of a section of a BW2L or APR1 file. Resolves with the number of
 * bytes. Throws SusurrusError.
 */
export async function extractPart(
  source: ModelSource,
  part: ExtractedPart,
  destination: ModelDestination,
  options: ExtractOptions = {},
): Promise<number> {
  return extractPartOn(node, source, part, destination, options);
}

/**
 * Writes an encrypted copy of an APR2 file: AES-256-GCM for each piece of each tensor. The source is verified first, so it is
 * read twice. Throws SusurrusError.
 */
export function encryptModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: EncryptOptions,
): Promise<RewriteResult> {
  return encryptModelOn(node, source, destination, options);
}

/** Writes a copy of an APR2 file, encrypted or not, with an Ed25519 signature. Throws SusurrusError. */
export function signModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  return signModelOn(node, source, destination, options);
}

/** Writes a copy of an APR2 file with a digest for every mebibyte, so that downloads can be resumed. Throws SusurrusError. */
export function addPieceDigests(
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions = {},
): Promise<RewriteResult> {
  return addPieceDigestsOn(node, source, destination, options);
}

/** Runs all checks on a model file. Throws SusurrusError only if the file cannot be read at all. */
export function verifyModel(
  source: RereadableSource,
  options: VerifyOptions = {},
): Promise<Verification> {
  return verifyModelOn(node, source, options);
}

/**
 * Finds out which bytes of an incomplete download are sound and which must be fetched, by the file's piece digests. The part
 * before the tensors has no digest: it counts as sound if it can be read or, with `publicKeys`, if one of them signed it. Throws
 * SusurrusError for a file without digests.
 */
export function soundRanges(
  source: RereadableSource,
  options: Pick<SealOptions, 'publicKeys'> = {},
): Promise<SoundRanges> {
  return soundRangesOn(node, source, options);
}

/**
 * Writes a model file from its parts: APR2 or APR1 from tensors, vocabulary and filterbank, .april from params, tokens and
 * networks, BW2L from sections, TenniS from nodes. Everything but the contents of the parts is validated before the first byte
 * is written, as readers of the format do. The contents are read one part at a time, as fast as the destination accepts them.
 * A file appears at a path when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * Throws SusurrusError, or the exception that the caller's data source threw.
 */
export function writeModel(
  destination: ModelDestination,
  model: WritableModel,
  options: WriteOptions = {},
): Promise<WriteResult> {
  return writeModelOn(node, destination, model, options);
}

/**
 * Splits a model file into shards of at most `size` bytes in `folder`, with a manifest of the source's name. The source is verified
 * first, so it is read twice. If it fails, nothing is written. Throws SusurrusError.
 */
export function shardModel(
  source: string | URL,
  folder: string | URL,
  options: ShardOptions,
): Promise<RepackResult> {
  return shardModelOn(node, source, folder, options);
}

/** Joins the shards of a manifest into one file, with the same guarantees as shardModel(). */
export function unshardModel(
  manifest: string | URL,
  destination: string | URL,
  options: RepackOptions = {},
): Promise<RepackResult> {
  return unshardModelOn(node, manifest, destination, options);
}
