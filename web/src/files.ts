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
 * Describes a model file or a list of its files: format, metadata, tensors, sizes, warnings. It reads only the header, metadata and index of Blobs and URLs;
 * streams, and files to decrypt or verify, are read whole and verified.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { format, tensors, warnings } = await inspect('/models/base.apr');
 * console.log(format, tensors.length, warnings);
 * ```
 */
export async function inspect(
  source: ModelSource,
  options: InspectOptions = {},
): Promise<Inspection> {
  return (await loadInspection()).inspectOn(browser, source, options);
}

/**
 * Opens a model file or a list of its files to read single tensors. Call `close()` on the result when you no longer need it.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const file = await openModelFile('/models/base.apr');
 * const { shape, values } = await file.tensor('decoder.ln.weight');
 * console.log(shape, values[0]);
 * file.close();
 * ```
 */
export async function openModelFile(
  source: ModelSource,
  options: OpenModelOptions = {},
): Promise<ModelFile> {
  return (await loadInspection()).openModelFileOn(browser, source, options);
}

/**
 * Computes Whisper's log-mel spectrogram without a model: log10 power, clamped to 8 below its maximum and scaled as openai/whisper's
 * `log_mel_spectrogram` does.
 *
 * @param samples Mono samples at 16 kHz, -1 to 1.
 * @param options `mode: 'window'` (the default) pads or cuts to 30 s; `'whole'` takes the recording as transcribe() does.
 * @returns `data[mel * nFrames + frame]`, one frame for each 10 ms.
 * @throws SusurrusError `invalid_argument` for samples or a filterbank that are none, `out_of_memory`. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { data, nMels, nFrames } = await logMel(new Float32Array(16000), { nMels: 128 });
 * console.log(nMels, nFrames, data[0]);
 * ```
 */
export async function logMel(
  samples: Float32Array,
  options: SamplesLogMelOptions = {},
): Promise<Mel> {
  return (await loadInspection()).logMelOn(browser, samples, options);
}

/**
 * Writes one part of a model file.
 *
 * @param what `'vocabulary'`: a JSON array of `{ id, text, bytes }`, bytes in hexadecimal. `'tokens'`: those of an .april or BW2L file, a JSON array of strings.
 *   `'filterbank'`: the mel filterbank as NumPy's .npy. `'section:NAME'`: the bytes of a section of a BW2L or APR1 file. `'network:NAME'`: a
 *   network of an .april file as an ONNX file, byte for byte; the source is verified first, so it is read twice. `'tensor:NAME'`: a tensor
 *   as .npy, in the file's type if NumPy has it, else as f32.
 * @param destination A stream destination is aborted on failure.
 * @returns The bytes written, and the network or the tensor.
 * @throws SusurrusError `invalid_argument` for a part that the file does not have; otherwise as inspect(). An abort rejects with the signal's reason.
 * @example
 * ```js
 * await extract(file, 'tensor:decoder.ln.weight', writable);
 * ```
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
 * Converts a Whisper to APR2, APR1, SafeTensors or ggml. Writes the same bytes as in Node.
 *
 * @param source The files of a Hugging Face, MLX or faster-whisper folder, a file of any of the convertible formats, recognised by its first bytes, or a URL of
 *   these, read with range requests.
 * @param destination It is aborted on failure.
 * @throws SusurrusError `unknown_format`, `malformed`, `missing_tensor`, `shape_mismatch` or `unsupported_feature` for a checkpoint that is no Whisper; otherwise as
 *   inspect(). An abort rejects with the signal's reason.
 * @example
 * ```js
 * await convertModel([...input.files], writable, { dtype: 'q8_0' });
 * ```
 */
export function convertModel(
  source: ConvertSource,
  destination: WritableStream<Uint8Array>,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  return convertOn(browser, source, destination, options);
}

/**
 * Writes a model file from its parts: APR2 or APR1 from tensors, vocabulary and filterbank; .april from params, tokens and networks;
 * BW2L from sections; TenniS from nodes. Everything but the contents of the parts is validated before the first byte is written, as readers of
 * the format do. The contents are read one part at a time, as fast as the destination accepts them.
 *
 * @param destination A stream destination is aborted on failure.
 * @throws SusurrusError `invalid_argument` naming the part that is wrong; `source_failed` if the destination fails. An exception from your own
 *   data source passes through unchanged. An abort rejects with the signal's reason.
 */
export async function writeModel(
  destination: WritableStream<Uint8Array>,
  model: WritableModel,
  options: WriteOptions = {},
): Promise<WriteResult> {
  return (await loadWriting()).writeModelOn(browser, destination, model, options);
}

/**
 * Writes an encrypted copy of an APR2 file: AES-256-GCM for each piece of each tensor. The source is verified first, so it is read twice.
 *
 * @param destination A stream destination is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * await encryptModel(file, writable, { key: { passphrase: 'correct horse battery staple' } });
 * ```
 */
export function encryptModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: EncryptOptions,
): Promise<RewriteResult> {
  return encryptModelOn(browser, source, destination, options);
}

/**
 * Writes a copy of an APR2 file, encrypted or not, with an Ed25519 signature.
 *
 * @param destination A stream destination is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { publicKey, privateKey } = await generateSigningKey();
 * await signModel(file, writable, { key: privateKey });
 * console.log(publicKey);
 * ```
 */
export function signModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  return signModelOn(browser, source, destination, options);
}

/**
 * Writes a copy of an APR2 file with a digest for every mebibyte, so that a broken download can be resumed and checked piece by piece.
 *
 * @param destination A stream destination is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 */
export function addPieceDigests(
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions = {},
): Promise<RewriteResult> {
  return addPieceDigestsOn(browser, source, destination, options);
}

/**
 * Runs all checks on a model file: structure, checksum, digests, signature, encryption. A failed check is in the result; nothing is thrown for it.
 *
 * @throws SusurrusError `source_failed` or `invalid_argument` only if the file cannot be read at all. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { valid, checks } = await verifyModel(file);
 * console.log(valid, checks.map(({ name, outcome }) => `${name}: ${outcome}`));
 * ```
 */
export function verifyModel(
  source: RereadableSource,
  options: VerifyOptions = {},
): Promise<Verification> {
  return verifyModelOn(browser, source, options);
}

/**
 * Finds which bytes of an incomplete download are sound and which must be fetched, by the file's piece digests. The part before the
 * tensors has no digest: it counts as sound if it can be read or, with `publicKeys`, if one of them signed it.
 *
 * @returns Ranges of bytes, `begin` inclusive and `end` exclusive.
 * @throws SusurrusError `unsupported_feature` for a file without digests; otherwise as inspect().
 */
export function soundRanges(
  source: RereadableSource,
  options: Pick<SealOptions, 'publicKeys'> = {},
): Promise<SoundRanges> {
  return soundRangesOn(browser, source, options);
}
