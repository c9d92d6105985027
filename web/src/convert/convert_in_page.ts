// Conversion in a page: the work is done in the worker that reads model files, only as fast as the destination takes it.
import type { ConvertOptions, ConvertResult, ConvertSource } from '../api_types.js';
import { abortedBy, invalidOption, sourceFailed } from '../errors.js';
import type { FilesLink } from '../files/protocol.js';
import type { Platform } from '../platform/platform.js';
import { writeStream } from '../write_stream.js';
import { checkConvertOptions, withFiles } from './convert_options.js';
import { noShards } from './model_files.js';
import type { Write } from './output.js';

export async function convertOn(
  platform: Platform,
  source: ConvertSource,
  destination: WritableStream<Uint8Array>,
  options: ConvertOptions,
): Promise<ConvertResult> {
  checkConvertOptions(options);
  noShards(options);
  if (!(destination instanceof WritableStream)) {
    throw invalidOption('destination', 'a WritableStream', destination);
  }
  // Functions and signals do not cross.
  const { signal, onProgress, ...plain } = options;
  if (signal?.aborted) throw abortedBy(signal);
  const files = platform.openFiles();
  // Closing the module ends whatever is under way.
  const onAbort = (): void => files.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await writeStream(destination, async (write) => {
      await files.call('start', undefined);
      const given = await withFiles(plain, fetchBytes);
      await files.call('convert', { source: plainSource(source), options: given });
      return await takeAll(files, write, onProgress);
    });
  } catch (error) {
    throw signal?.aborted ? abortedBy(signal) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    files.close();
  }
}

async function takeAll(
  files: FilesLink,
  write: Write,
  onProgress: ConvertOptions['onProgress'],
): Promise<ConvertResult> {
  for (;;) {
    const { bytes, progress, result } = await files.call('nextOutput', undefined);
    if (bytes) await write(bytes);
    if (progress) onProgress?.(progress);
    if (result) return result;
  }
}

/** What a worker can be told. */
function plainSource(source: ConvertSource): string | readonly Blob[] {
  if (source instanceof Blob) return [source];
  if (Array.isArray(source)) return source as readonly Blob[];
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw invalidOption('source', 'a URL, a Blob, or Files', source);
  }
  return new URL(source, location.href).href;
}

async function fetchBytes(url: string | URL): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw sourceFailed(String(url), `the server answered HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
