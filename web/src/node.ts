// The package in Node: engines run in the caller's thread and yield between slices of work.
import type {
  EncryptOptions,
  InspectOptions,
  Inspection,
  LoadOptions,
  Model,
  ModelDestination,
  ModelSource,
  RereadableSource,
  RewriteOptions,
  RewriteResult,
  SealOptions,
  SignOptions,
  SoundRanges,
  Verification,
  VerifyOptions,
} from './api_types.js';
import { inspectOn } from './inspect_model.js';
import { loadModelOn } from './load_model.js';
import { node } from './platform/node.js';
import {
  addPieceDigestsOn,
  encryptModelOn,
  signModelOn,
  soundRangesOn,
  verifyModelOn,
} from './seal_model.js';

export * from './public_api.js';
export { cachedModels, cachedModelsNamed, removeCachedModels } from './hub/model_cache.js';
export { pullModel } from './hub/pull_model.js';
export { convertModel, upgradeModel } from './convert/convert_model.js';
export { extractNetwork } from './convert/extract_network.js';
export { shardModel, unshardModel } from './convert/repack_model.js';
export { apr1WeightTypes, weightTypes } from './convert/weight_types.js';

/**
 * Loads a model while it arrives; a string is a path or a URL. Without a source, the small model inside the package,
 * which knows the ten digits. Resolves once the whole file is verified. Throws SusurrusError.
 */
export function loadModel(source?: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return loadModelOn(node, source, options);
}

/** Reads and verifies a model file and says what it holds. Throws SusurrusError. */
export function inspect(source: ModelSource, options: InspectOptions = {}): Promise<Inspection> {
  return inspectOn(node, source, options);
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
