import type { InspectOptions, Inspection, ModelSource } from '../../src/api/types.js';
import type { Protection } from '../../src/platform/crypto_types.js';
import { invalidOption } from '../../src/api/errors.js';
import { protectedTensors } from './protected_tensors.js';
import { withStatistics } from './read_tensor.js';
import { skimModel, withMemory } from './skim.js';
import type { FilesLink } from '../../src/protocol/files.js';
import { checkOptions, flag, progressCheck, signalCheck } from '../../src/api/options.js';
import type { OpenedSource, Platform } from '../../src/platform/platform.js';
import { anyWork } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import {
  checkCryptoOptions,
  hasCryptoOptions,
  cryptoOptionChecks,
} from '../../src/sources/crypto_options.js';
import { abortedOr, onAbort, throwIfAborted } from '../../src/api/signals.js';
import { openRanges, type OpenedFolder } from '../../src/sources/open_ranges.js';
import { openSource } from '../../src/sources/open_source.js';
import { withOrigin, type Origin } from '../../src/sources/pump.js';
import { readOpening, release, withProtection } from '../../src/sources/read_source.js';

/**
 * Says what a model file holds, and reads no more of it than that takes: parts of a path, a Blob or a URL. What can only be read
 * forwards, and a file to decrypt or verify, is read whole and verified.
 */
export async function inspectOn(
  platform: Platform,
  source: ModelSource,
  options: InspectOptions,
): Promise<Inspection> {
  checkOptions(options, {
    stats: flag,
    full: flag,
    onProgress: progressCheck,
    signal: signalCheck,
    ...cryptoOptionChecks,
  });
  await checkCryptoOptions(options);
  throwIfAborted(options.signal);
  return withProgress(anyWork, options, (watched) => inspectSource(platform, source, watched));
}

async function inspectSource(
  platform: Platform,
  source: ModelSource,
  options: Watched<InspectOptions>,
): Promise<Inspection> {
  const { signal, stats = false } = options;
  // Bytes in memory cost nothing.
  const isWhole = hasCryptoOptions(options) || (!stats && isInMemory(source));
  const opened = isWhole ? {} : await openRanges(source, platform, signal);
  if (opened.folder) return inspectParts(platform, opened, options);
  if (stats) {
    if (opened.whole) release(opened.whole);
    const expected = 'absent for a source that is not read in parts, or is decrypted or verified';
    throw invalidOption('stats', expected, stats);
  }
  if (!opened.whole) return verifyOn(platform, source, options, 'stored');
  const facts = await readWhole(platform, Promise.resolve(opened.whole), options, 'stored');
  const warning = 'the server does not support range requests: the whole file was read';
  return { ...facts, warnings: [...facts.warnings, warning] };
}

const isInMemory = (source: ModelSource): boolean =>
  source instanceof ArrayBuffer || ArrayBuffer.isView(source);

/** Reads a whole model file, verifies what the core can, and describes its contents. */
export async function verifyOn(
  platform: Platform,
  source: ModelSource,
  options: Watched<InspectOptions>,
  protection: Protection = 'stored',
): Promise<Inspection> {
  return readWhole(platform, openSource(source, platform, options.signal), options, protection);
}

/** Reads a model file that is open, or about to be, to its end, and verifies what the core can. */
export async function readWhole(
  platform: Platform,
  opening: Promise<OpenedSource>,
  options: Watched<InspectOptions>,
  protection: Protection,
): Promise<Inspection> {
  const files = platform.openFiles();
  const { facts, protection: opened } = await readOpening(
    opening,
    {
      phase: 'inspect',
      protection,
      compileFiles: () => platform.compileFiles(),
      start: () => files.call('start', undefined),
      begin: (byteCount) => files.call('beginFile', { byteCount, full: options.full }),
      push: (bytes) => files.call('pushInspect', { bytes }),
      endFile: () => files.call('endFile', undefined),
      finish: async () =>
        withMemory(files, await files.call('finishInspect', { full: options.full })),
      close: () => files.close(),
    },
    options,
  );
  files.close();
  return withProtection(facts, opened);
}

async function inspectParts(
  platform: Platform,
  { folder, origin }: OpenedFolder,
  options: Watched<InspectOptions>,
): Promise<Inspection> {
  const { stats = false, full, signal, onProgress } = options;
  return withFiles(platform, origin, signal, async (files) => {
    const skimmed = await skimModel(files, folder, {
      full,
      signal,
      ...(!stats && { onProgress }),
    });
    if (!stats) return skimmed.facts;
    const protection = protectedTensors(platform, folder, skimmed.facts, undefined);
    return withStatistics({ files, folder, signal, protection }, skimmed, (loaded, total) =>
      onProgress?.({
        phase: 'inspect',
        loaded,
        total,
        fraction: total === 0 ? 1 : loaded / total,
      }),
    );
  });
}

/** Lets `work` use the module that reads files, which ends with it. */
export async function withFiles<T>(
  platform: Platform,
  origin: Origin,
  signal: AbortSignal | undefined,
  work: (files: FilesLink) => Promise<T>,
): Promise<T> {
  const files = platform.openFiles();
  // Closing the module ends all its work.
  const stopListening = onAbort(signal, () => files.close());
  try {
    await files.call('start', undefined);
    return await work(files);
  } catch (error) {
    throw abortedOr(signal, withOrigin(error, origin));
  } finally {
    stopListening();
    files.close();
  }
}
