// A file pushed into a WebAssembly module: the way that loading and inspecting share.
import type { ModelSource, ProgressEvent } from '../api_types.js';
import { abortedBy, SusurrusError } from '../errors.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import type { PartFile } from '../worker/link.js';
import { openSource } from './open_source.js';
import { pump, withOrigin, type PumpOptions } from './pump.js';

export interface FileReader {
  readonly begin: (byteCount: number | undefined) => Promise<unknown>;
  readonly push: (bytes: Uint8Array) => Promise<unknown>;
  /** Behind the last byte of a file. Answers which files are still missing; begin() starts the next. */
  readonly endFile: () => Promise<readonly PartFile[]>;
}

export interface Reader<Started, Facts> extends FileReader {
  readonly phase: ProgressEvent['phase'];
  readonly start: () => Promise<Started>;
  /** When none is missing. */
  readonly finish: () => Promise<Facts>;
  /** Ends the module, and whatever it is doing. */
  readonly close: () => void;
}

/** Reads the file that was named and, if it is a manifest, all that it names, one after the other. */
export async function readFiles(
  opened: OpenedSource,
  reader: FileReader,
  options: PumpOptions,
): Promise<void> {
  // A manifest's own bytes are no progress beside those of its shards.
  let isManifest: boolean | undefined;
  const push = (bytes: Uint8Array): Promise<unknown> => {
    isManifest ??= /^\uFEFF?\s*\{/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
    return reader.push(bytes);
  };
  const missing = await readFile(
    opened,
    { ...reader, push },
    { ...options, onProgress: (event) => !isManifest && options.onProgress?.(event) },
  );
  const byteCount = missing.reduce((sum, file) => sum + file.byteCount, 0);
  let before = 0;
  for (const file of missing) {
    const part = await openPart(opened, file.name);
    await readFile(part, reader, { ...options, whole: { byteCount, before } });
    before += file.byteCount;
  }
}

async function readFile(
  opened: OpenedSource,
  { begin, push, endFile }: FileReader,
  options: PumpOptions,
): Promise<readonly PartFile[]> {
  try {
    await begin(opened.byteCount);
    await pump(opened, push, options);
    return await endFile();
  } catch (error) {
    throw withOrigin(error, opened);
  }
}

async function openPart({ sibling }: OpenedSource, name: string): Promise<OpenedSource> {
  if (!sibling) {
    throw missingPart(
      name,
      'shards are found beside a manifest that is named by its path or URL, or in a list of files',
    );
  }
  try {
    return await sibling(name);
  } catch (error) {
    if (error instanceof SusurrusError && error.code === 'source_failed') {
      throw missingPart(name, error.message, error);
    }
    throw error;
  }
}

function missingPart(name: string, problem: string, cause?: unknown): SusurrusError {
  return new SusurrusError(
    'source_failed',
    `The shard ${name} is missing: ${problem}`,
    { reason: 'manifest', subject: name },
    cause,
  );
}

/** Starts the module and streams the source into it; on any failure the module is gone again. */
export async function readSource<Started, Facts>(
  source: ModelSource,
  platform: Platform,
  reader: Reader<Started, Facts>,
  {
    onProgress,
    signal,
  }: {
    readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly started: Started; readonly facts: Facts }> {
  // Closing the module ends whatever is under way, so the signal needs nobody's attention.
  const onAbort = (): void => reader.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const [started, opened] = await Promise.all([
      reader.start(),
      openSource(source, platform, signal),
    ]);
    await readFiles(opened, reader, { phase: reader.phase, onProgress, signal });
    return { started, facts: await reader.finish() };
  } catch (error) {
    reader.close();
    throw signal?.aborted ? abortedBy(signal) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
