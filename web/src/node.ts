// The package in Node: engines run in the caller's thread and yield between slices of work.
import type {
  EncryptOptions,
  ExtractedPart,
  ExtractOptions,
  InspectedNetwork,
  InspectedTensor,
  InspectOptions,
  Inspection,
  LoadOptions,
  Model,
  ModelDestination,
  ModelFile,
  ModelSource,
  OpenModelOptions,
  RepackOptions,
  RepackResult,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SealOptions,
  ShardOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
} from './api/types.js';
import { extractNetworkOn } from '../tools/inspection/extract_network.js';
import { extractPartOn } from '../tools/inspection/extract_part.js';
import { extractTensorOn } from '../tools/inspection/extract_tensor.js';
import { inspectOn } from '../tools/inspection/inspect_model.js';
import { openModelFileOn } from '../tools/inspection/open_model_file.js';
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
 * Loads a model while it arrives; a string is a path or a URL. Without a source, the small model inside the package,
 * which knows the ten digits. Resolves once the whole file is verified. Throws SusurrusError.
 */
export function loadModel(source?: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return loadModelOn(node, source, options);
}

/**
 * Says what a model file, or a folder of one, holds, and reads no more than that takes: of paths, Blobs and URLs headers, metadata
 * and index. A source that can only be read forwards, and a file to decrypt or verify, are read whole and verified. Throws SusurrusError.
 */
export function inspect(source: ModelSource, options: InspectOptions = {}): Promise<Inspection> {
  return inspectOn(node, source, options);
}

/** Opens a model file, or a folder of one, whose tensors are loaded when they are asked for. Throws SusurrusError. */
export function openModelFile(
  source: ModelSource,
  options: OpenModelOptions = {},
): Promise<ModelFile> {
  return openModelFileOn(node, source, options);
}

/**
 * Writes a tensor of a model file as NumPy's .npy: in the file's type where NumPy has it, else as f32. The destination appears when
 * it is whole, and replaces another only with `force`. Throws SusurrusError.
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
 * Writes a network of an .april file, an ONNX model, into a file of its own, byte for byte. The source is read twice and verified
 * first. The destination appears when it is whole, and replaces another only with `force`. Throws SusurrusError.
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
 * Writes the `vocabulary` (a JSON array of `{ id, text, bytes }`, bytes in hexadecimal digits), the table of `tokens` of an .april
 * or BW2L file (a JSON array of texts) or the mel `filterbank` (.npy). Answers the number of bytes. Throws SusurrusError.
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
 * Writes a copy of an APR2 file whose tensors are encrypted: AES-256-GCM, piece by piece. The source is verified first, and read
 * twice. Throws SusurrusError.
 */
export function encryptModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: EncryptOptions,
): Promise<RewriteResult> {
  return encryptModelOn(node, source, destination, options);
}

/** Writes a copy of an APR2 file, encrypted or not, that is signed: Ed25519. Throws SusurrusError. */
export function signModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  return signModelOn(node, source, destination, options);
}

/** Writes a copy of an APR2 file with a digest for every mebibyte, for downloads that are resumed. Throws SusurrusError. */
export function addPieceDigests(
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions = {},
): Promise<RewriteResult> {
  return addPieceDigestsOn(node, source, destination, options);
}

/** Looks at everything in a model file that can be checked. Throws SusurrusError only where the file cannot be read at all. */
export function verifyModel(
  source: RereadableSource,
  options: VerifyOptions = {},
): Promise<Verification> {
  return verifyModelOn(node, source, options);
}

/**
 * Which bytes of a file with piece digests are sound, of which only the beginning may be there yet, and which are to be fetched
 * (again). The part before the tensors, which has no digest, counts as sound when it can be read; with `publicKeys` when it is
 * signed by one of them. Throws SusurrusError for a file without digests.
 */
export function soundRanges(
  source: RereadableSource,
  options: Pick<SealOptions, 'publicKeys'> = {},
): Promise<SoundRanges> {
  return soundRangesOn(node, source, options);
}

/**
 * Writes a model file from its parts: APR2 or APR1 from tensors, vocabulary and filterbank, .april from params, tokens and
 * networks, BW2L from sections, TenniS from nodes. All but the contents of the parts is checked, as readers of the format would,
 * before the first byte is written; the contents are asked for one part at a time, only as fast as the destination takes them.
 * A path gets its
 * file when it is whole, and another is replaced only with `force`; a stream is aborted if that fails. Throws SusurrusError, and what the caller's own data throw.
 */
export function writeModel(
  destination: ModelDestination,
  model: WritableModel,
  options: WriteOptions = {},
): Promise<WriteResult> {
  return writeModelOn(node, destination, model, options);
}

/**
 * Writes a model file into shards of at most `size` bytes: they and their manifest, which has the source's name, lie in
 * `folder`. Reads the source twice and verifies it first. Nothing is there unless all went well. Throws SusurrusError.
 */
export function shardModel(
  source: string | URL,
  folder: string | URL,
  options: ShardOptions,
): Promise<RepackResult> {
  return shardModelOn(node, source, folder, options);
}

/** Writes a model in shards, whose manifest is named, into one file. The same promises as of shardModel(). */
export function unshardModel(
  manifest: string | URL,
  destination: string | URL,
  options: RepackOptions = {},
): Promise<RepackResult> {
  return unshardModelOn(node, manifest, destination, options);
}
