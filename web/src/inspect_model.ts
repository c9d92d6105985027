import type { InspectOptions, Inspection, ModelSource } from './api_types.js';
import { abortedBy } from './errors.js';
import { checkOptions, progressCheck, signalCheck } from './options.js';
import type { Platform } from './platform/platform.js';
import { checkSealOptions, sealChecks } from './seal_options.js';
import { readSource, withSeals } from './sources/read_source.js';
import type { Seals } from './sources/sealed_source.js';

/** Reads and verifies a whole model file, and says what it holds; weights are not kept. */
export async function inspectOn(
  platform: Platform,
  source: ModelSource,
  options: InspectOptions,
  seals: Seals = 'stored',
): Promise<Inspection> {
  checkOptions(options, { onProgress: progressCheck, signal: signalCheck, ...sealChecks });
  await checkSealOptions(options);
  if (options.signal?.aborted) throw abortedBy(options.signal);
  const files = platform.openFiles();
  const { facts, seals: opened } = await readSource(
    source,
    platform,
    {
      phase: 'inspect',
      seals,
      start: () => files.call('start', undefined),
      begin: (byteCount) => files.call('beginFile', { byteCount }),
      push: (bytes) => files.call('pushInspect', { bytes }),
      endFile: () => files.call('endFile', undefined),
      finish: () => files.call('finishInspect', undefined),
      close: () => files.close(),
    },
    options,
  );
  files.close();
  return withSeals(facts, opened);
}
