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
 * Describes a model file or a folder: format, metadata, tensors, sizes, warnings. It reads only the header, metadata and index of paths, Blobs and URLs;
 * streams, and files to decrypt or verify, are read whole and verified.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { format, tensors, warnings } = await inspect('base.apr');
 * console.log(format, tensors.length, warnings);
 * ```
 */
export function inspect(source: ModelSource, options: InspectOptions = {}): Promise<Inspection> {
  return inspectOn(node, source, options);
}

/**
 * Opens a model file or a folder to read single tensors. Call `close()` on the result when you no longer need it.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const file = await openModelFile('base.apr');
 * const { shape, values } = await file.tensor('decoder.ln.weight');
 * console.log(shape, values[0]);
 * file.close();
 * ```
 */
export function openModelFile(
  source: ModelSource,
  options: OpenModelOptions = {},
): Promise<ModelFile> {
  return openModelFileOn(node, source, options);
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
  return logMelOn(node, samples, options);
}

/**
 * Writes one part of a model file.
 *
 * @param what `'vocabulary'`: a JSON array of `{ id, text, bytes }`, bytes in hexadecimal. `'tokens'`: those of an .april or BW2L file, a JSON array of strings.
 *   `'filterbank'`: the mel filterbank as NumPy's .npy. `'section:NAME'`: the bytes of a section of a BW2L or APR1 file. `'network:NAME'`: a
 *   network of an .april file as an ONNX file, byte for byte; the source is verified first, so it is read twice. `'tensor:NAME'`: a tensor
 *   as .npy, in the file's type if NumPy has it, else as f32.
 * @param destination A file appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * @returns The bytes written, and the network or the tensor.
 * @throws SusurrusError `invalid_argument` for a part that the file does not have; otherwise as inspect(). An abort rejects with the signal's reason.
 * @example
 * ```js
 * await extract('base.apr', 'tensor:decoder.ln.weight', 'weight.npy');
 * ```
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
 * Writes a model file from its parts: APR2 or APR1 from tensors, vocabulary and filterbank; .april from params, tokens and networks;
 * BW2L from sections; TenniS from nodes. Everything but the contents of the parts is validated before the first byte is written, as readers of
 * the format do. The contents are read one part at a time, as fast as the destination accepts them.
 *
 * @param destination A file appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * @throws SusurrusError `invalid_argument` naming the part that is wrong; `source_failed` if the destination fails. An exception from your own
 *   data source passes through unchanged. An abort rejects with the signal's reason.
 */
export function writeModel(
  destination: ModelDestination,
  model: WritableModel,
  options: WriteOptions = {},
): Promise<WriteResult> {
  return writeModelOn(node, destination, model, options);
}

/**
 * Writes an encrypted copy of an APR2 file: AES-256-GCM for each piece of each tensor. The source is verified first, so it is read twice.
 *
 * @param destination A file appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * await encryptModel('base.apr', 'sealed.apr', { key: { passphrase: 'correct horse battery staple' } });
 * ```
 */
export function encryptModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: EncryptOptions,
): Promise<RewriteResult> {
  return encryptModelOn(node, source, destination, options);
}

/**
 * Writes a copy of an APR2 file, encrypted or not, with an Ed25519 signature.
 *
 * @param destination A file appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { publicKey, privateKey } = await generateSigningKey();
 * await signModel('base.apr', 'signed.apr', { key: privateKey });
 * console.log(publicKey);
 * ```
 */
export function signModel(
  source: RereadableSource,
  destination: ModelDestination,
  options: SignOptions,
): Promise<RewriteResult> {
  return signModelOn(node, source, destination, options);
}

/**
 * Writes a copy of an APR2 file with a digest for every mebibyte, so that a broken download can be resumed and checked piece by piece.
 *
 * @param destination A file appears when it is complete, and overwrites an existing one only with `force`; a stream is aborted on failure.
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 */
export function addPieceDigests(
  source: RereadableSource,
  destination: ModelDestination,
  options: RewriteOptions = {},
): Promise<RewriteResult> {
  return addPieceDigestsOn(node, source, destination, options);
}

/**
 * Runs all checks on a model file: structure, checksum, digests, signature, encryption. A failed check is in the result; nothing is thrown for it.
 *
 * @throws SusurrusError `source_failed` or `invalid_argument` only if the file cannot be read at all. An abort rejects with the signal's reason.
 * @example
 * ```js
 * const { valid, checks } = await verifyModel('base.apr');
 * console.log(valid, checks.map(({ name, outcome }) => `${name}: ${outcome}`));
 * ```
 */
export function verifyModel(
  source: RereadableSource,
  options: VerifyOptions = {},
): Promise<Verification> {
  return verifyModelOn(node, source, options);
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
  return soundRangesOn(node, source, options);
}

/**
 * Splits a model file into shards of at most `size` bytes in `folder`, with a manifest of the source's name. The source is verified
 * first, so it is read twice. If it fails, nothing is written.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 * @example
 * ```js
 * await shardModel('base.apr', 'shards', { size: 50_000_000 });
 * ```
 */
export function shardModel(
  source: string | URL,
  folder: string | URL,
  options: ShardOptions,
): Promise<RepackResult> {
  return shardModelOn(node, source, folder, options);
}

/**
 * Joins the shards of a manifest into one file. If it fails, nothing is written.
 *
 * @throws SusurrusError `invalid_argument` for a wrong option; `source_failed`, `truncated_input`, `unknown_format`, `malformed`, `checksum_mismatch`,
 *   `unsupported_version`, `decryption_failed` or `signature_invalid` for a file that cannot be read. An abort rejects with the signal's reason.
 */
export function unshardModel(
  manifest: string | URL,
  destination: string | URL,
  options: RepackOptions = {},
): Promise<RepackResult> {
  return unshardModelOn(node, manifest, destination, options);
}
