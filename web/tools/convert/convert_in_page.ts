// Conversion in a page: the work is done in the worker that reads model files, only as fast as the destination takes it.
import type { ConvertOptions, ConvertResult, ConvertSource } from '../../src/api/types.js';
import { invalidOption } from '../../src/api/errors.js';
import type { FilesLink } from '../../src/protocol/files.js';
import type { Platform } from '../../src/platform/platform.js';
import { converting } from '../../src/api/overall_progress.js';
import { withProgress, type Watched } from '../../src/api/progress_callback.js';
import { abortedOr, onAbort, throwIfAborted } from '../../src/api/signals.js';
import { filesOf } from '../../src/sources/file_list.js';
import { checkAnswer, fetchAnswer } from '../../src/sources/open_source.js';
import { writeStream } from '../../src/platform/write_stream.js';
import { checkConvertOptions, withFiles } from './convert_options.js';
import { noShards } from './model_files.js';
import type { Write } from '../../src/platform/output.js';

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
  return withProgress(converting, options, (watched) =>
    convertWatched(platform, source, destination, watched),
  );
}

async function convertWatched(
  platform: Platform,
  source: ConvertSource,
  destination: WritableStream<Uint8Array>,
  options: Watched<ConvertOptions>,
): Promise<ConvertResult> {
  // Functions and signals cannot be posted.
  const { signal, onProgress, ...plain } = options;
  throwIfAborted(signal);
  const files = platform.openFiles();
  // Closing the module ends all its work.
  const stopListening = onAbort(signal, () => files.close());
  try {
    const fill = async (write: Write): Promise<ConvertResult> => {
      await files.call('start', undefined);
      const given = await withFiles(plain, (url) => fetchBytes(url, signal));
      await files.call('convert', { source: plainSource(source), options: given });
      return takeAll(files, write, onProgress);
    };
    return await writeStream(destination, fill, signal);
  } catch (error) {
    throw abortedOr(signal, error);
  } finally {
    stopListening();
    files.close();
  }
}

async function takeAll(
  files: FilesLink,
  write: Write,
  onProgress: Watched<ConvertOptions>['onProgress'],
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
  const files = filesOf(source);
  if (files) return files as readonly Blob[];
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw invalidOption('source', 'a URL, a Blob, or Files', source);
  }
  return new URL(source, location.href).href;
}

async function fetchBytes(url: string | URL, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const answer = await fetchAnswer(url, String(url), signal);
  checkAnswer(answer, String(url));
  return new Uint8Array(await answer.arrayBuffer());
}
