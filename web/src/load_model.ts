import type { LoadOptions, Model, ModelSource } from './api_types.js';
import { readIntoEngine } from './engine_session.js';
import { EngineModel } from './model.js';
import { checkLoadOptions } from './options.js';
import type { Platform } from './platform/platform.js';

/** Streams a model file into an engine of its own; resolves once footer and checksum are verified. */
export async function loadModelOn(
  platform: Platform,
  source: ModelSource | undefined,
  options: LoadOptions,
): Promise<Model> {
  checkLoadOptions(options);
  const { engine, started, facts } = await readIntoEngine(
    source ?? platform.embeddedModel,
    platform,
    options,
    {
      phase: 'load',
      begin: (link, byteCount) => link.call('beginLoad', { byteCount }),
      push: (link, bytes) => link.call('pushLoad', { bytes }),
      finish: (link) => link.call('finishLoad', undefined),
    },
  );
  return new EngineModel(engine, platform, started, facts);
}
