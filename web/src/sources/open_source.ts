// Opens every kind of source as chunks in order.
import type { ModelSource } from '../api/types.js';
import { refuseDetached } from '../api/detached.js';
import { describe, invalidOption, sourceFailed } from '../api/errors.js';
import { whyRequestFailed } from '../api/failed_request.js';
import type { OpenedSource, Platform } from '../platform/platform.js';
import { throwIfAborted } from '../api/signals.js';
import { blobSource, streamChunks } from './blob_source.js';
import { filesOf, openFileList } from './file_list.js';
import { readAhead } from '../platform/read_ahead.js';

/** Bytes in memory go to the engine in pieces of this size. */
const pieceBytes = 1 << 20;

export async function openSource(
  source: ModelSource,
  platform: Pick<Platform, 'openPath'>,
  signal: AbortSignal | undefined,
): Promise<OpenedSource> {
  if (typeof source === 'string' || source instanceof URL) {
    return (await platform.openPath(source)) ?? fetchSource(source, signal);
  }
  if (typeof Request !== 'undefined' && source instanceof Request)
    return fetchSource(source, signal);
  if (typeof Response !== 'undefined' && source instanceof Response) {
    return {
      ...responseSource(source),
      ...(source.url && { sibling: (name) => fetchSource(beside(source.url, name), signal) }),
    };
  }
  if (typeof Blob !== 'undefined' && source instanceof Blob) return blobSource(source);
  const files = filesOf(source);
  if (files) return openFileList(files);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) refuseDetached(source, 'source');
  if (source instanceof ArrayBuffer) return memorySource(new Uint8Array(source));
  if (ArrayBuffer.isView(source)) {
    return memorySource(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }
  if (typeof ReadableStream !== 'undefined' && source instanceof ReadableStream) {
    if (source.locked) throw sourceFailed('source', 'the stream is being read already');
    return { chunks: checked(streamChunks(source)) };
  }
  if (isAsyncIterable(source)) return { chunks: checked(source) };
  throw invalidOption(
    'source',
    'a URL, Request, Response, Blob, ArrayBuffer, Uint8Array, ReadableStream or async iterable of bytes, or a list of files',
    source,
  );
}

/** Untyped callers may pass anything. */
function isAsyncIterable(source: unknown): source is AsyncIterable<unknown> {
  return typeof source === 'object' && source !== null && Symbol.asyncIterator in source;
}

function memorySource(bytes: Uint8Array): OpenedSource {
  const iterate = (): AsyncIterator<Uint8Array> => {
    let at = 0;
    return {
      next() {
        if (at >= bytes.length) return Promise.resolve({ done: true, value: undefined });
        const value = bytes.subarray(at, at + pieceBytes);
        at += value.length;
        return Promise.resolve({ done: false, value });
      },
    };
  };
  return { chunks: { [Symbol.asyncIterator]: iterate }, byteCount: bytes.length };
}

async function fetchSource(
  address: string | URL | Request,
  signal: AbortSignal | undefined,
): Promise<OpenedSource> {
  const url = address instanceof Request ? address.url : String(address);
  return fetchedSource(await fetchAnswer(address, url, signal), address, signal);
}

export async function fetchAnswer(
  address: string | URL | Request,
  url: string,
  signal: AbortSignal | undefined,
  headers?: Headers,
): Promise<Response> {
  try {
    return await fetch(address, { ...(signal && { signal }), ...(headers && { headers }) });
  } catch (error) {
    throwIfAborted(signal);
    throw sourceFailed(url, whyRequestFailed(error), { got: String(error) }, error);
  }
}

/** A whole file that a server has begun to send. */
export function fetchedSource(
  response: Response,
  address: string | URL | Request,
  signal: AbortSignal | undefined,
): OpenedSource {
  const url = address instanceof Request ? address.url : String(address);
  // Where a redirection leads there is nothing beside the file; and what asked for it asks for its neighbours.
  const sibling = (name: string): Promise<OpenedSource> => {
    const request = address instanceof Request ? address : new Request(url);
    return fetchSource(new Request(beside(request.url, name), request), signal);
  };
  return { ...responseSource(response, url), sibling };
}

/** The address of a file in the folder of another: never one outside of it. */
export const beside = (url: string, name: string): string =>
  new URL(`./${encodeURIComponent(name)}`, url).href;

/** Describes a response: "HTTP 200, text/html". */
export const remarkOn = ({ status, headers }: Response): string =>
  `HTTP ${status}, ${headers.get('Content-Type') ?? 'no content type'}`;

/** A site's page for whatever it does not have, or a login: no model is HTML, and nothing that lies beside one. */
export const isPage = ({ headers }: Response): boolean =>
  /^text\/html\b/i.test(headers.get('Content-Type') ?? '');

/** Cancels a response whose body is not needed. */
export function discard({ body }: Response): void {
  // A stream that failed, or that is locked, cannot be cancelled.
  void body?.cancel().catch(() => undefined);
}

/** What the server said about the bytes; throws where they cannot be a model's, and cancels the body. */
export function checkAnswer(answer: Response, name: string): string {
  const remark = remarkOn(answer);
  if (answer.ok && !isPage(answer)) return remark;
  discard(answer);
  const problem = answer.ok
    ? `the server answered with a web page (${remark}); check the address`
    : `the server answered ${remark}`;
  throw sourceFailed(name, problem, { got: remark });
}

function responseSource(response: Response, url: string = response.url): OpenedSource {
  const name = url || 'response';
  const remark = checkAnswer(response, name);
  if (!response.body) throw sourceFailed(name, 'the response has no body');
  if (response.bodyUsed || response.body.locked) {
    throw sourceFailed(name, 'the body of the response has been read already');
  }
  // With compression, Content-Length counts the compressed bytes.
  const length = response.headers.get('Content-Encoding')
    ? null
    : response.headers.get('Content-Length');
  return {
    chunks: readAhead(streamChunks(response.body)),
    // Bytes that the caller wrapped in a Response may still be in use by the caller.
    givesAway: response.url !== '',
    name,
    remark,
    ...(length !== null && /^\d+$/.test(length) && { byteCount: Number(length) }),
  };
}

/** No generator: return() must reach a source of which a chunk is awaited, once. */
function checked(chunks: AsyncIterable<unknown>): AsyncIterableIterator<Uint8Array, undefined> {
  let source: AsyncIterator<unknown> | undefined;
  let isOver = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isOver) return { done: true, value: undefined };
      source ??= chunks[Symbol.asyncIterator]();
      const step: IteratorResult<unknown, unknown> = await source.next();
      isOver ||= step.done === true;
      if (step.done) return { done: true, value: undefined };
      const { value } = step;
      if (value instanceof Uint8Array) return { done: false, value };
      if (value instanceof ArrayBuffer) return { done: false, value: new Uint8Array(value) };
      throw sourceFailed('source', `it gave ${describe(value)} instead of bytes`);
    },
    async return() {
      if (!isOver) {
        isOver = true;
        await source?.return?.();
      }
      return { done: true, value: undefined };
    },
  };
}
