// The package in a browser: engines live in workers.
import type {
  ConvertOptions,
  ConvertResult,
  ConvertSource,
  EncryptOptions,
  ExtractedPart,
  ExtractOptions,
  InspectedNetwork,
  InspectOptions,
  Inspection,
  LoadOptions,
  Model,
  ModelDestination,
  ModelFile,
  ModelSource,
  OpenModelOptions,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SealOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
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
import { loadWriting } from '../tools/writing/load_writing.js';

export * from './public_api.js';

/**
 * Loads a model while it arrives; without a source, the small model inside the package, which knows the ten digits.
 * Resolves once the whole file is verified. Throws SusurrusError.
 */
export function loadModel(source?: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return loadModelOn(browser, source, options);
}

/**
 * Says what a model file, or a list of files of one, holds, and reads no more than that takes: of Blobs and URLs headers, metadata
 * and index. A source that can only be read forwards, and a file to decrypt or verify, are read whole and verified. Throws SusurrusError.
 */
export async function inspect(
  source: ModelSource,
  options: InspectOptions = {},
): Promise<Inspection> {
  return (await loadInspection()).inspectOn(browser, source, options);
}

/** Opens a model file, or a list of files of one, whose tensors are loaded when they are asked for. Throws SusurrusError. */
export async function openModelFile(
  source: ModelSource,
  options: OpenModelOptions = {},
): Promise<ModelFile> {
  return (await loadInspection()).openModelFileOn(browser, source, options);
}

/**
 * Converts a Whisper of another kind or type to APR2, APR1, SafeTensors or ggml: Files of a folder as the Hugging Face hub, MLX
 * or faster-whisper has it, or a file of any of the convertible formats, told by its first bytes; or their URL, which is
 * read by ranges. The bytes are those that the same conversion writes in Node. Throws SusurrusError.
 */
export function convertModel(
  source: ConvertSource,
  destination: WritableStream<Uint8Array>,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  return convertOn(browser, source, destination, options);
}

/**
 * Writes a network of an .april file, an ONNX model, into a file of its own, byte for byte. The source is read twice and verified
 * first. Throws SusurrusError.
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
 * Writes the `vocabulary` (a JSON array of `{ id, text, bytes }`, bytes in hexadecimal digits), the table of `tokens` of an .april
 * or BW2L file (a JSON array of texts) or the mel `filterbank` (.npy). Answers the number of bytes. Throws SusurrusError.
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
 * Writes a copy of an APR2 file whose tensors are encrypted: AES-256-GCM, piece by piece. The source is verified first, and read
 * twice. Throws SusurrusError.
 */
export function encryptModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: EncryptOptions,
): Promise<RewriteResult> {
  return encryptModelOn(browser, source, destination, options);
}

/** Writes a copy of an APR2 file, encrypted or not, that is signed: Ed25519. Throws SusurrusError. */
export function signModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  return signModelOn(browser, source, destination, options);
}

/** Writes a copy of an APR2 file with a digest for every mebibyte, for downloads that are resumed. Throws SusurrusError. */
export function addPieceDigests(
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions = {},
): Promise<RewriteResult> {
  return addPieceDigestsOn(browser, source, destination, options);
}

/** Looks at everything in a model file that can be checked. Throws SusurrusError only where the file cannot be read at all. */
export function verifyModel(
  source: RereadableSource,
  options: VerifyOptions = {},
): Promise<Verification> {
  return verifyModelOn(browser, source, options);
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
  return soundRangesOn(browser, source, options);
}

/**
 * Writes a model file from its parts: APR2 or APR1 from tensors, vocabulary and filterbank, .april from params, tokens and
 * networks, BW2L from sections, TenniS from nodes. All but the contents of the parts is checked, as readers of the format would,
 * before the first byte is written; the contents are asked for one part at a time, only as fast as the destination takes them.
 * The destination is aborted if that fails. Throws SusurrusError, and what the caller's own data throw.
 */
export async function writeModel(
  destination: WritableStream<Uint8Array>,
  model: WritableModel,
  options: WriteOptions = {},
): Promise<WriteResult> {
  return (await loadWriting()).writeModelOn(browser, destination, model, options);
}
