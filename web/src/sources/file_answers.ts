// Requests for a file or a part of it, and the facts in the server's answers.
import { sourceFailed, SusurrusError } from '../api/errors.js';
import { checkAnswer, discard, fetchAnswer, remarkOn } from './open_source.js';

/** Facts about a file from a server's headers. */
export interface UrlFacts {
  readonly byteCount?: number;
  readonly validator?: string;
}

/**
 * Returns what identifies a version of a file on a server, byte for byte: its ETag or, if that is weak or hidden by CORS, its date.
 */
export function validatorOf({ headers }: Response): string | undefined {
  const tag = headers.get('ETag');
  return (tag?.startsWith('W/') ? null : tag) ?? headers.get('Last-Modified') ?? undefined;
}

export interface AskedFile {
  readonly url: string;
  readonly token?: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export const changed = (url: string, answer: Response): SusurrusError =>
  new SusurrusError('checksum_mismatch', `${url}: the file changed while it was downloaded.`, {
    reason: 'digest',
    subject: url,
    got: remarkOn(answer),
  });

/** Whether an answer is the rest of the known version of the file, from `at` on. */
export function continues(
  answer: Response,
  at: number,
  { byteCount, validator }: UrlFacts = {},
): boolean {
  const isSame = validator !== undefined && validatorOf(answer) === validator;
  return answer.status === 206 && isSame && isRangeFrom(answer, at, byteCount);
}

/** Whether an answer's Content-Range is the file from `at` on. A cross-origin server may hide the header; then other checks decide. */
function isRangeFrom(answer: Response, at: number, byteCount: number | undefined): boolean {
  const text = answer.headers.get('Content-Range');
  if (text === null) return true;
  const [, begin, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(text) ?? [];
  const isTotal = total === '*' || byteCount === undefined || Number(total) === byteCount;
  return begin !== undefined && Number(begin) === at && isTotal;
}

/** Rejects and cancels an answer that is not the file from `at` on: a web page, or another part of the file. */
export function checkPart(answer: Response, name: string, at: number, byteCount?: number): void {
  checkAnswer(answer, name);
  if (answer.status !== 206 || isRangeFrom(answer, at, byteCount)) return;
  discard(answer);
  const got = answer.headers.get('Content-Range') ?? '';
  const expected = `bytes ${at}-${byteCount === undefined ? '' : `${byteCount - 1}/${byteCount}`}`;
  throw sourceFailed(name, `the server answered with another part than it was asked for (${got})`, {
    expected,
    got,
  });
}

export function factsOf(answer: Response): UrlFacts {
  // With compression, lengths and ranges count the compressed bytes.
  if (answer.headers.get('Content-Encoding')) return {};
  const length = answer.headers.get('Content-Length');
  const validator = validatorOf(answer);
  return {
    ...(length !== null && /^\d+$/.test(length) && { byteCount: Number(length) }),
    ...(validator !== undefined && { validator }),
  };
}

export function request(
  { url, token, signal }: AskedFile,
  from: number,
  validator?: string,
  end?: number,
): Promise<Response> {
  const headers = new Headers();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const isPart = from > 0 || end !== undefined;
  if (isPart) headers.set('range', `bytes=${from}-${end === undefined ? '' : end - 1}`);
  // Another origin would have to allow this header, and hardly any does; the answer's own tag tells as much.
  const mayCompare = validator !== undefined && !validator.startsWith('W/') && isOwnOrigin(url);
  if (isPart && mayCompare) headers.set('if-range', validator);
  // Kept once is enough; and the browser's own cache would answer with pieces of another state.
  return fetchAnswer(new Request(url, { cache: 'no-store' }), url, signal, headers);
}

/** Outside of pages there are no origins. */
const isOwnOrigin = (url: string): boolean =>
  typeof location === 'undefined' || new URL(url).origin === location.origin;
