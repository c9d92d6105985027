// A file on a server, and its neighbours, read in parts with Range.
import type { SourceFolder } from '../platform/source_folder.js';
import { sourceFailed } from '../api/errors.js';
import { abortedOr } from '../api/signals.js';
import type { OpenedSource } from '../platform/platform.js';
import { streamChunks } from './blob_source.js';
import { download } from './download.js';
import { validatorOf, type UrlFacts } from './file_answers.js';
import type { Origin } from './pump.js';
import {
  beside,
  checkAnswer,
  discard,
  fetchAnswer,
  fetchedSource,
  isPage,
  remarkOn,
} from './open_source.js';

/** Size of the first request: enough for the headers of a small model, and the start of a large one's. */
const firstBytes = 1 << 16;
/** Neighbour files up to this size are downloaded whole if the server does not support ranges. */
const mostWholeBytes = 16 << 20;

export type OpenedUrl =
  | { readonly folder: SourceFolder; readonly origin: Origin }
  /** The server does not support ranges and has begun to send the whole file. */
  | { readonly whole: OpenedSource };

/** Requests the beginning of a file, which shows whether the server supports ranges. */
export async function openUrl(
  address: string | URL | Request,
  signal: AbortSignal | undefined,
): Promise<OpenedUrl> {
  const request = address instanceof Request ? address : new Request(address, init(signal));
  const answer = await RemoteFile.open(request, signal);
  if (answer instanceof Response) return { whole: fetchedSource(answer, address, signal) };
  const { pathname } = new URL(request.url);
  const name = decoded(pathname.slice(pathname.lastIndexOf('/') + 1)) || 'file';
  const files = new Map([[name, Promise.resolve<RemoteFile | undefined>(answer)]]);
  return {
    origin: { name: request.url, remark: answer.remark },
    folder: { ...remoteFolder(request, files, signal), weightsFile: name },
  };
}

/**
 * For reading in any order: a file and its neighbours or, if the path ends in a slash, a folder whose files have the hub's names.
 */
export async function urlFolder(url: URL, signal: AbortSignal | undefined): Promise<SourceFolder> {
  if (!url.pathname.endsWith('/')) {
    const opened = await openUrl(url, signal);
    if ('folder' in opened) return opened.folder;
    await opened.whole.chunks[Symbol.asyncIterator]().return?.();
    throw withoutRanges(url.href);
  }
  return remoteFolder(new Request(url, init(signal)), new Map(), signal);
}

/** Percent-decodes a file name; one with a bare percent sign stays as it is. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The folder of a file, or the folder itself; `files` are those already open. */
function remoteFolder(
  request: Request,
  files: Map<string, Promise<RemoteFile | undefined>>,
  signal: AbortSignal | undefined,
): SourceFolder {
  const refusals = new Map<string, string>();
  const find = (file: string): Promise<RemoteFile | undefined> => {
    let found = files.get(file);
    if (!found) {
      const neighbour = new Request(beside(request.url, file), request);
      found = openNeighbour(neighbour, signal, (remark) => refusals.set(file, remark));
      files.set(file, found);
      // Allow another attempt after a failure.
      found.catch(() => files.delete(file));
    }
    return found;
  };
  return {
    name: request.url,
    isRemote: true,
    byteCount: async (file) => (await find(file))?.byteCount,
    refusal: (file) => refusals.get(file),
    async *read(file, offset, byteCount) {
      const found = await find(file);
      if (found) yield* found.read(offset, byteCount);
    },
  };
}

const init = (signal: AbortSignal | undefined): RequestInit => (signal ? { signal } : {});

/** Statuses for files that do not exist; some servers send 401 or 403 rather than reveal that. */
const absent = new Set([401, 403, 404, 410]);
const isAbsent = (answer: Response): boolean => absent.has(answer.status) || isPage(answer);

/** Undefined if the server says that there is no such file; `onRefusal` then receives its answer. */
async function openNeighbour(
  request: Request,
  signal: AbortSignal | undefined,
  onRefusal: (remark: string) => void,
): Promise<RemoteFile | undefined> {
  const answer = await RemoteFile.open(request, signal, true);
  if (!(answer instanceof Response)) return answer;
  if (isAbsent(answer)) {
    discard(answer);
    onRefusal(remarkOn(answer));
    return undefined;
  }
  const remark = checkAnswer(answer, request.url);
  const bytes = await bodyUpTo(answer, mostWholeBytes, request.url, signal);
  if (!bytes) throw withoutRanges(request.url);
  return new RemoteFile(request, signal, bytes, bytes.length, remark);
}

export const withoutRanges = (url: string): Error =>
  sourceFailed(url, 'its server does not support range requests; download it', {
    expected: 'HTTP 206, Partial Content',
  });

class RemoteFile {
  readonly byteCount: number;
  readonly #request: Request;
  readonly #signal: AbortSignal | undefined;
  readonly #first: Uint8Array;
  readonly #tag: string | null;
  readonly #facts: UrlFacts;
  /** The server's status and content type, for messages. */
  readonly remark: string;

  /** `answer`: what the first bytes came with, where they are not all. */
  constructor(
    request: Request,
    signal: AbortSignal | undefined,
    first: Uint8Array,
    byteCount: number,
    remark: string,
    answer?: Response,
  ) {
    this.#request = request;
    this.#signal = signal;
    this.#first = first;
    this.byteCount = byteCount;
    const validator = answer && validatorOf(answer);
    this.#facts = { byteCount, ...(validator !== undefined && { validator }) };
    this.#tag = answer?.headers.get('ETag') ?? null;
    this.remark = remark;
  }

  /** Returns the response itself if the server sends the whole file, or if `mayLack` and there is no such file. */
  static async open(
    request: Request,
    signal: AbortSignal | undefined,
    mayLack = false,
  ): Promise<RemoteFile | Response> {
    const { url } = request;
    const answer = await requestPart(request, 0, firstBytes, signal);
    // No range of an empty file can be requested.
    if (answer.status === 416 && totalOf(answer) === 0) {
      discard(answer);
      return new RemoteFile(request, signal, new Uint8Array(), 0, 'HTTP 416, empty');
    }
    if (mayLack && isAbsent(answer)) return answer;
    const remark = checkAnswer(answer, url);
    if (answer.status !== 206) return answer;
    const byteCount = totalOf(answer) ?? (await totalBytes(request, answer, signal));
    if (byteCount === undefined || answer.headers.get('Content-Encoding')) {
      discard(answer);
      throw sourceFailed(url, 'its server does not give the length of the file', {
        expected: 'Content-Range',
      });
    }
    const first = await bodyUpTo(answer, byteCount, url, signal);
    if (!first) throw sourceFailed(url, 'the server sent more bytes than the file has');
    return new RemoteFile(request, signal, first, byteCount, remark, answer);
  }

  async *read(offset: number, byteCount: number): AsyncIterable<Uint8Array> {
    const end = Math.min(offset + byteCount, this.byteCount);
    if (offset >= end) return;
    const here = this.#first.subarray(offset, end);
    if (here.length > 0) yield here;
    const task = {
      name: this.#request.url,
      facts: this.#facts,
      signal: this.#signal,
      open: (from: number, to = this.byteCount) => this.#ask(from, to),
    };
    yield* download(task, offset + here.length, end);
  }

  async #ask(begin: number, end: number): Promise<Response> {
    const { url } = this.#request;
    const answer = await requestPart(this.#request, begin, end - begin, this.#signal);
    checkAnswer(answer, url);
    const isPart = answer.status === 206;
    if (isPart && answer.headers.get('ETag') === this.#tag) return answer;
    discard(answer);
    throw isPart ? sourceFailed(url, 'the file changed while it was read') : withoutRanges(url);
  }
}

function requestPart(
  request: Request,
  begin: number,
  byteCount: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set('Range', `bytes=${begin}-${begin + byteCount - 1}`);
  return fetchAnswer(request.clone(), request.url, signal, headers);
}

const readingFailed = (url: string, error: unknown, signal: AbortSignal | undefined): unknown =>
  abortedOr(signal, sourceFailed(url, 'reading it failed', { got: String(error) }, error));

/** Undefined if there are more than `most` bytes. */
async function bodyUpTo(
  { body }: Response,
  most: number,
  url: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  try {
    for await (const part of body ? streamChunks(body, signal) : []) {
      byteCount += part.length;
      if (byteCount > most) return undefined;
      parts.push(part);
    }
  } catch (error) {
    throw readingFailed(url, error, signal);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** Size of the whole file, if CORS lets the page see it. */
function totalOf({ headers }: Response): number | undefined {
  const [, total] = /\/(\d+)$/.exec(headers.get('Content-Range') ?? '') ?? [];
  return total === undefined ? undefined : Number(total);
}

/** Across origins Content-Range is visible only if the server exposes it; Content-Length always is. */
async function totalBytes(
  request: Request,
  waiting: Response,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const head = new Request(request, { method: 'HEAD' });
  const answer = await fetchAnswer(head, request.url, signal).catch((error: unknown) => {
    discard(waiting);
    throw error;
  });
  const length = answer.headers.get('Content-Length');
  const isPlain = answer.ok && !answer.headers.get('Content-Encoding');
  return isPlain && length !== null ? Number(length) : undefined;
}
