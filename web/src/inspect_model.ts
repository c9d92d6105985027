import type { InspectOptions, Inspection, ModelSource } from './api_types.js';
import { readIntoEngine } from './engine_session.js';
import { checkOptions, progressCheck, signalCheck } from './options.js';
import type { Platform } from './platform/platform.js';

/** Reads and verifies a whole model file, and says what it holds; weights are not kept. */
export async function inspectOn(
  platform: Platform,
  source: ModelSource,
  options: InspectOptions,
): Promise<Inspection> {
  checkOptions(options, { onProgress: progressCheck, signal: signalCheck });
  const { engine, facts } = await readIntoEngine(
    source,
    platform,
    { ...options, threads: 1 },
    {
      phase: 'inspect',
      begin: (link, byteCount) => link.call('beginInspect', { byteCount }),
      push: (link, bytes) => link.call('pushInspect', { bytes }),
      finish: (link) => link.call('finishInspect', undefined),
    },
  );
  engine.close();
  return facts;
}
