// The package in a browser: engines live in workers.
import type { InspectOptions, Inspection, LoadOptions, Model, ModelSource } from './api_types.js';
import { inspectOn } from './inspect_model.js';
import { loadModelOn } from './load_model.js';
import { browser } from './platform/browser.js';

export * from './public_api.js';

/**
 * Loads a model while it arrives; without a source, the small model inside the package, which knows the ten digits.
 * Resolves once the whole file is verified. Throws SusurrusError.
 */
export function loadModel(source?: ModelSource, options: LoadOptions = {}): Promise<Model> {
  return loadModelOn(browser, source, options);
}

/** Reads and verifies a model file and says what it holds. Throws SusurrusError. */
export function inspect(source: ModelSource, options: InspectOptions = {}): Promise<Inspection> {
  return inspectOn(browser, source, options);
}
