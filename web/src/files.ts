/**
 * Model files: what is in them, and how they are converted, written, encrypted, signed and checked.
 * @module susurrus/files
 */
import type {
  ConvertOptions,
  ConvertResult,
  ConvertSource,
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
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SamplesLogMelOptions,
  SealOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
} from './api/types.js';
import type { WritableModel, WriteOptions, WriteResult } from './api/write_types.js';
import { convertOn } from '../tools/convert/convert_in_page.js';
import { loadInspection } from '../tools/inspection/load_inspection.js';
import { loadWriting } from '../tools/writing/load_writing.js';
import { browser } from './browser_platform.js';
import {
  addPieceDigestsOn,
  encryptModelOn,
  signModelOn,
  soundRangesOn,
  verifyModelOn,
} from './crypto_calls.js';

export * from './public_files.js';

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
 * Writes one thing out of a model file: the `'vocabulary'` (a JSON array of `{ id, text, bytes }`, bytes in hexadecimal), the `'tokens'` of
 * an .april or BW2L file (a JSON array of strings), the mel `'filterbank'` (NumPy's .npy), with `'section:NAME'` the bytes of a section of a
 * BW2L or APR1 file, with `'network:NAME'` a network of an .april file as an ONNX file, byte for byte (the source is verified first, so
 * it is read twice), or with `'tensor:NAME'` a tensor as .npy, in the file's type if NumPy has that type, else as f32. If it fails,
 * the destination is aborted.
 * Throws SusurrusError.
 */
export async function extract(
  source: ModelSource,
  what: ExtractedPart,
  destination: WritableStream<Uint8Array>,
  options: Omit<ExtractOptions, 'force'> = {},
): Promise<ExtractResult> {
  return (await loadInspection()).extractOn(browser, source, what, destination, options);
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
