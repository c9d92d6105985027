/**
 * The package in a browser: engines live in workers.
 * @module susurrus
 */
import type {
  ConvertOptions,
  ConvertResult,
  ConvertSource,
  EncryptOptions,
  ExtractedPart,
  ExtractOptions,
  GraphModule,
  InspectedNetwork,
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
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SamplesLogMelOptions,
  SealOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
  WhisperModel,
  WhisperName,
} from './api/types.js';
import { convertOn } from '../tools/convert/convert_in_page.js';
import { loadInspection } from '../tools/inspection/load_inspection.js';
import { loadModelOn } from './model/load_model.js';
import { browser } from './browser_platform.js';
import {
  addPieceDigestsOn,
  encryptModelOn,
  signModelOn,
  soundRangesOn,
  verifyModelOn,
} from './crypto_calls.js';
import type { WritableModel, WriteOptions, WriteResult } from './api/write_types.js';
import { importAgain } from './platform/import_again.js';
import { loadWriting } from '../tools/writing/load_writing.js';

export * from './public_api.js';

const loadPlan = /* @__PURE__ */ importAgain(() => import('../tools/plan/entry.js'));
const loadModule = /* @__PURE__ */ importAgain(() => import('../tools/module/entry.js'));

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

/**
 * Describes a model file or a list of its files. Reads only headers, metadata and index of Blobs and URLs. Streams, and files to
 * decrypt or verify, are read whole and verified. Throws SusurrusError.
 */
export async function inspect(
  source: ModelSource,
  options: InspectOptions = {},
): Promise<Inspection> {
  return (await loadInspection()).inspectOn(browser, source, options);
}

/**
 * Opens a TenniS module, or an ONNX network whose weights are in it, to be run on tensors. Fetches the module that runs graphs. Throws
 * SusurrusError.
 */
export async function openModule(
  source: ModelSource,
  options: OpenModuleOptions = {},
): Promise<GraphModule> {
  return (await loadModule()).openModuleOn(browser, source, options);
}

/** Opens a model file or a list of its files to read single tensors. Throws SusurrusError. */
export async function openModelFile(
  source: ModelSource,
  options: OpenModelOptions = {},
): Promise<ModelFile> {
  return (await loadInspection()).openModelFileOn(browser, source, options);
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
  return (await loadInspection()).logMelOn(browser, samples, options);
}

/**
 * Converts a Whisper to APR2, APR1, SafeTensors or ggml. The source is the files of a Hugging Face, MLX or faster-whisper folder,
 * or a file of any of the convertible formats, recognised by its first bytes; or a URL of these, read with range requests.
 * Writes the same bytes as in Node. Throws SusurrusError.
 */
export function convertModel(
  source: ConvertSource,
  destination: WritableStream<Uint8Array>,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  return convertOn(browser, source, destination, options);
}

/**
 * Writes one network of an .april file, byte for byte, as an ONNX file. The source is verified first, so it is read twice.
 * Throws SusurrusError.
 */
export async function extractNetwork(
  source: RereadableSource,
  name: string,
  destination: WritableStream<Uint8Array>,
  options: Omit<ExtractOptions, 'force'> = {},
): Promise<InspectedNetwork> {
  return (await loadInspection()).extractNetworkOn(browser, source, name, destination, options);
}

/**
 * Writes the `vocabulary` (a JSON array of `{ id, text, bytes }`, bytes in hexadecimal), the `tokens` of an .april or BW2L file
 * (a JSON array of strings), the mel `filterbank` (.npy), or with `'section:NAME'` the bytes of a section of a BW2L or APR1 file. Resolves with the number of
 * bytes. Throws SusurrusError.
 */
export async function extractPart(
  source: ModelSource,
  part: ExtractedPart,
  destination: WritableStream<Uint8Array>,
  options: Omit<ExtractOptions, 'force'> = {},
): Promise<number> {
  return (await loadInspection()).extractPartOn(browser, source, part, destination, options);
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
  return encryptModelOn(browser, source, destination, options);
}

/** Writes a copy of an APR2 file, encrypted or not, with an Ed25519 signature. Throws SusurrusError. */
export function signModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  return signModelOn(browser, source, destination, options);
}

/** Writes a copy of an APR2 file with a digest for every mebibyte, so that downloads can be resumed. Throws SusurrusError. */
export function addPieceDigests(
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions = {},
): Promise<RewriteResult> {
  return addPieceDigestsOn(browser, source, destination, options);
}

/** Runs all checks on a model file. Throws SusurrusError only if the file cannot be read at all. */
export function verifyModel(
  source: RereadableSource,
  options: VerifyOptions = {},
): Promise<Verification> {
  return verifyModelOn(browser, source, options);
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
  return soundRangesOn(browser, source, options);
}

/**
 * Writes a model file from its parts: APR2 or APR1 from tensors, vocabulary and filterbank, .april from params, tokens and
 * networks, BW2L from sections, TenniS from nodes. Everything but the contents of the parts is validated before the first byte
 * is written, as readers of the format do. The contents are read one part at a time, as fast as the destination accepts them.
 * If it fails, the destination is aborted. Throws SusurrusError, or the exception that the caller's data source threw.
 */
export async function writeModel(
  destination: WritableStream<Uint8Array>,
  model: WritableModel,
  options: WriteOptions = {},
): Promise<WriteResult> {
  return (await loadWriting()).writeModelOn(browser, destination, model, options);
}
