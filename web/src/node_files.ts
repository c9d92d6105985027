/**
 * Model files: what is in them, and how they are converted, written, encrypted, signed and checked, in Node.
 * @module susurrus/files in Node
 */
import type {
  EncryptOptions,
  ExtractedPart,
  ExtractOptions,
  ExtractResult,
  Inspection,
  InspectOptions,
  Mel,
  ModelDestination,
  ModelFile,
  ModelSource,
  OpenModelOptions,
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
} from './api/types.js';
import type { WritableModel, WriteOptions, WriteResult } from './api/write_types.js';
import { shardModelOn, unshardModelOn } from '../tools/convert/repack_model.js';
import { extractOn } from '../tools/inspection/extract.js';
import { inspectOn } from '../tools/inspection/inspect_model.js';
import { logMelOn } from '../tools/inspection/log_mel.js';
import { openModelFileOn } from '../tools/inspection/open_model_file.js';
import { writeModelOn } from '../tools/writing/write_model.js';
import { node } from './node_platform.js';
import {
  addPieceDigestsOn,
  encryptModelOn,
  signModelOn,
  soundRangesOn,
  verifyModelOn,
} from './crypto_calls.js';

export * from './public_files.js';
export { convertModel, upgradeModel } from '../tools/convert/convert_model.js';
export { apr1WeightTypes } from '../tools/convert/weight_types.js';

/**
 * Describes a model file or a folder. Reads only headers, metadata and index of paths, Blobs and URLs. Streams, and files to
 * decrypt or verify, are read whole and verified. Throws SusurrusError.
 */
export function inspect(source: ModelSource, options: InspectOptions = {}): Promise<Inspection> {
  return inspectOn(node, source, options);
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
 * Writes one thing out of a model file: the `'vocabulary'` (a JSON array of `{ id, text, bytes }`, bytes in hexadecimal), the `'tokens'` of
 * an .april or BW2L file (a JSON array of strings), the mel `'filterbank'` (NumPy's .npy), with `'section:NAME'` the bytes of a section of a
 * BW2L or APR1 file, with `'network:NAME'` a network of an .april file as an ONNX file, byte for byte (the source is verified first, so
 * it is read twice), or with `'tensor:NAME'` a tensor as .npy, in the file's type if NumPy has that type, else as f32. A file
 * appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * Throws SusurrusError.
 */
export function extract(
  source: ModelSource,
  what: ExtractedPart,
  destination: ModelDestination,
  options: ExtractOptions = {},
): Promise<ExtractResult> {
  return extractOn(node, source, what, destination, options);
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
