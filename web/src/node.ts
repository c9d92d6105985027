// The package in Node: engines run in the caller's thread and yield between slices of work.
import type { InspectOptions, Inspection, LoadOptions, Model, ModelSource } from './api_types.js';
import { inspectOn } from './inspect_model.js';
import { loadModelOn } from './load_model.js';
import { node } from './platform/node.js';

export * from './public_api.js';
export { convertModel } from './convert/convert_model.js';
export { extractNetwork } from './convert/extract_network.js';
export { shardModel, unshardModel } from './convert/repack_model.js';
export { weightTypes } from './convert/weight_types.js';

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
