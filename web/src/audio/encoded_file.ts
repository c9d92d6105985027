// The bytes of an audio file, wherever they come from, as something that is read in parts.
import { amountOf } from '../api/amounts.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import { invalidOption, sourceFailed, SusurrusError } from '../api/errors.js';
import { whyRequestFailed } from '../api/failed_request.js';
import { abortedOr, orAborted } from '../api/signals.js';
import type { Platform } from '../platform/platform.js';
import type { EncodedFile } from '../protocol/audio.js';
import { copyInSteps } from '../wasm/steps.js';
import { YieldController } from '../wasm/yield_controller.js';
import { leave } from './leave.js';
import { isBlob, isBytes, isResponse } from './audio_kinds.js';

/** So many bytes are handed to the browser at once, which may keep them on disk. */
const partBytes = 1 << 22;

interface Reading {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((event: PhaseProgress) => void) | undefined;
}

/** Downloads report their progress. */
export async function openFile(
  audio: Blob | ArrayBuffer | Uint8Array | string | URL | Response,
  platform: Platform,
  reading: Reading,
): Promise<EncodedFile> {
  if (isBlob(audio)) return audio;
  if (isBytes(audio)) return fileOf(audio);
  if (isResponse(audio)) return readResponse(audio, audio.url || 'audio', reading);
  return (await platform.openAudioFile(audio)) ?? download(audio, reading);
}

/** Bytes in memory: parts are copied when they are read. */
function fileOf(audio: ArrayBuffer | Uint8Array): EncodedFile {
  const bytes = audio instanceof Uint8Array ? audio : new Uint8Array(audio);
  return {
    size: bytes.length,
    slice: (begin, end) => ({
      // Not bytes.slice(), which returns a view for a Buffer of Node.
      arrayBuffer: () => Promise.resolve(new Uint8Array(bytes.subarray(begin, end)).buffer),
    }),
  };
}

/** All of a file at a URL. */
export async function download(address: string | URL, reading: Reading): Promise<Blob> {
  const name = String(address);
  let response: Response;
  try {
    response = await orAborted(
      fetch(address, { ...(reading.signal && { signal: reading.signal }) }),
      reading.signal,
    );
  } catch (error) {
    if (error instanceof SusurrusError) throw error;
    const failure = sourceFailed(name, whyRequestFailed(error), { got: String(error) }, error);
    throw abortedOr(reading.signal, failure);
  }
  return readResponse(response, name, reading);
}

async function readResponse(response: Response, name: string, reading: Reading): Promise<Blob> {
  const type = response.headers.get('Content-Type') ?? '';
  const isPage = /^text\/html\b/i.test(type);
  if (!response.ok || isPage) {
    void response.body?.cancel().catch(() => undefined);
    const got = `HTTP ${response.status}${type && `, ${type}`}`;
    const problem = response.ok ? `with a web page (${got}); check the address` : got;
    throw sourceFailed(name, `the server answered ${problem}`, { got });
  }
  if (response.bodyUsed) {
    throw invalidOption('audio', 'a Response whose body was not read before', response);
  }
  const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
  const isEncoded = response.headers.has('Content-Encoding');
  const total = length > 0 && !isEncoded ? length : undefined;
  const reader = response.body?.getReader();
  if (!reader) return new Blob([]);
  const source = {
    next: () => reader.read() as Promise<IteratorResult<unknown, undefined>>,
    return: () => reader.cancel(),
  };
  return collect(source, name, { ...reading, total });
}

interface ChunkSource {
  next(): Promise<IteratorResult<unknown>>;
  return?(): unknown;
}

/** A stream's bytes, which the browser may keep on disk. `first` was taken from it before. */
export async function collect(
  source: ChunkSource,
  name: string,
  {
    signal,
    onProgress,
    total,
    first,
  }: Reading & { total?: number | undefined; first?: Uint8Array },
): Promise<Blob> {
  const parts: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waitingBytes = 0;
  let loaded = 0;
  let isOver = false;
  const settle = (): void => {
    parts.push(new Blob(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  const add = async (chunk: unknown): Promise<void> => {
    if (!(chunk instanceof Uint8Array)) {
      throw sourceFailed(name, 'the stream gave something other than bytes');
    }
    waiting.push(await copyInSteps(chunk, new YieldController(signal)));
    waitingBytes += chunk.length;
    loaded += chunk.length;
    if (waitingBytes >= partBytes) settle();
    onProgress?.({
      phase: 'download',
      loaded,
      ...(total !== undefined && { total, fraction: Math.min(1, loaded / total) }),
    });
  };
  try {
    if (first) await add(first);
    for (;;) {
      const step = await orAborted(nextOf(source, name, signal), signal);
      if (step.done) break;
      await add(step.value);
    }
    isOver = true;
  } finally {
    if (!isOver) leave(source);
  }
  if (total !== undefined && loaded < total) {
    throw sourceFailed(name, `the connection broke off after ${amountOf(loaded, total)}`, {
      offset: loaded,
    });
  }
  settle();
  return new Blob(parts);
}

async function nextOf(
  source: ChunkSource,
  name: string,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<unknown>> {
  try {
    return await source.next();
  } catch (error) {
    if (error instanceof SusurrusError) throw error;
    const failure = sourceFailed(name, 'reading it failed', { got: String(error) }, error);
    throw abortedOr(signal, failure);
  }
}
