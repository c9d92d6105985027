// The bytes of a file on a server, in order, over as many connections as that takes. Models by URL, files of repositories and
// reads of single tensors all come this way.
import { amountOf } from '../api/amounts.js';
import { sourceFailed, SusurrusError } from '../api/errors.js';
import { sleep, throwIfAborted } from '../api/signals.js';
import { streamChunks } from './blob_source.js';
import { changed, checkPart, validatorOf, type UrlFacts } from './file_answers.js';
import { checkAnswer, discard } from './open_source.js';

/** Where the bytes of one download lie. */
export interface DownloadFile {
  /** What an earlier download left. */
  readonly byteCount: number;
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** How many bytes were read; 0 at the end. */
  read(into: Uint8Array, at: number): Promise<number>;
  clear(): Promise<void>;
  /** Keeps what is here for the next download, or removes it. */
  close(isKept: boolean): Promise<void>;
}

/** A file on a server, and how to ask for it. */
export interface DownloadTask {
  /** For messages. */
  readonly name: string;
  readonly facts: UrlFacts;
  /** Whether the whole is checked against a digest at the end, so that parts need no validator. */
  readonly hasDigest?: boolean;
  /** Asks for the bytes from `begin` to `end`, or to the end of the file. The answer may be the whole file. */
  readonly open: (begin: number, end?: number) => Promise<Response>;
  /** Has the file that the reader writes the bytes to, as long as it does. */
  readonly kept?: { readonly file: DownloadFile | undefined } | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The bytes from `begin` to `end`, which may be Infinity where the file's length is unknown. `first`: an answer that begins there
 * and has been checked. A connection that is cut is gone on with, as is one that a busy server refuses.
 */
export async function* download(
  task: DownloadTask,
  begin: number,
  end: number,
  first?: Response,
): AsyncGenerator<Uint8Array, undefined> {
  const { name, facts, signal } = task;
  const { byteCount: total } = facts;
  const retries = new Retries();
  let at = begin;
  for (let answer = first; at < end; answer = undefined) {
    const before = at;
    let cut: unknown = new Cut(sourceFailed(name, 'the connection ended early'));
    try {
      for await (const bytes of connection(task, at, end, answer)) {
        at += bytes.length;
        yield bytes;
      }
      if (total === undefined || at === end) return;
    } catch (error) {
      cut = error;
    }
    throwIfAborted(signal);
    if (!(cut instanceof Cut)) throw cut;
    const failure = at > begin || first ? cutAfter(at, total, name, cut.error) : cut.error;
    // A download is resumed only if its total length is known, since otherwise its end cannot be recognised, and only if the server
    // or the bytes here can tell this state of the file from another one.
    if (total === undefined || (!hasState(task) && !task.kept?.file)) throw failure;
    await retries.next(failure, at > before, signal);
  }
}

/** Whether a part of the file can be told from one of another state of it. */
const hasState = ({ facts, hasDigest }: DownloadTask): boolean =>
  facts.validator !== undefined || hasDigest === true;

/** A connection that failed, so that another one may do better. */
class Cut extends Error {
  readonly error: SusurrusError;

  constructor(error: SusurrusError) {
    super(error.message);
    this.error = error;
  }
}

function cutAfter(
  at: number,
  total: number | undefined,
  name: string,
  error: SusurrusError,
): SusurrusError {
  const problem = `the connection was cut after ${amountOf(at, total)}, and trying again did not help`;
  return sourceFailed(name, problem, { got: error.details.got ?? error.message }, error);
}

/** What one connection brings of the bytes from `at` to `end`. */
async function* connection(
  task: DownloadTask,
  at: number,
  end: number,
  first: Response | undefined,
): AsyncGenerator<Uint8Array> {
  const { name, facts, signal, kept } = task;
  // Without a state the whole comes again, and must begin with what is here.
  const isAnew = !hasState(task) && kept?.file !== undefined;
  const answer = first ?? (await (isAnew ? ask(task, 0, Infinity) : ask(task, at, end)));
  /** Where the next byte that comes lies: a server that knows no ranges sends what is here once more. */
  let next = first || (answer.status === 206 && !isAnew) ? at : 0;
  if (!answer.body) return;
  const isToEnd = end >= (facts.byteCount ?? Infinity);
  const chunks = streamChunks(answer.body, signal);
  try {
    while (next < end || isToEnd) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw new Cut(sourceFailed(name, 'the connection was cut', { got: String(error) }, error));
      });
      if (done) return;
      const again = value.subarray(0, Math.max(0, at - next));
      if (kept?.file && !(await isThere(kept.file, again, next))) throw changed(name, answer);
      // A server may send more than it is asked for, but not more than the file has.
      if (isToEnd && next + value.length > end) throw changed(name, answer);
      // Whole buffers are not copied on their way; parts of them are.
      const isWhole = again.length === 0 && next + value.length <= end;
      const bytes = isWhole ? value : value.slice(again.length, end - next);
      next += value.length;
      if (bytes.length > 0) yield bytes;
    }
  } finally {
    await chunks.return?.();
  }
}

/** An answer that belongs to what is here. */
async function ask(task: DownloadTask, from: number, to: number): Promise<Response> {
  const { name, facts, open } = task;
  const { byteCount, validator } = facts;
  let answer: Response;
  try {
    answer = await open(from, to < (byteCount ?? Infinity) ? to : undefined);
    checkAnswer(answer, name);
  } catch (error) {
    throw isWorthTryingAgain(error) ? new Cut(error) : error;
  }
  if (validator !== undefined && validatorOf(answer) !== validator) {
    discard(answer);
    throw changed(name, answer);
  }
  checkPart(answer, name, from, byteCount);
  return answer;
}

/** Whether the file has these bytes at that place. */
async function isThere(file: DownloadFile, bytes: Uint8Array, at: number): Promise<boolean> {
  const own = new Uint8Array(bytes.length);
  for (let done = 0; done < own.length;) {
    const count = await file.read(own.subarray(done), at + done);
    if (count === 0) return false;
    done += count;
  }
  return own.every((byte, i) => byte === bytes[i]);
}

/** A connection that fails, or a server that is busy or failing; not a refusal, and not a stop. */
function isWorthTryingAgain(error: unknown): error is SusurrusError {
  if (!(error instanceof SusurrusError) || error.code !== 'source_failed') return false;
  const { got } = error.details;
  if (got === undefined) return false;
  const [, status] = /^HTTP (\d+)/.exec(got) ?? [];
  return status === undefined || /^(5..|408|429)$/.test(status);
}

const mostFailures = 5;
const firstWaitMilliseconds = 250;

/** Waits between attempts to go on with a download, longer each time; a connection that brought bytes starts the count anew. */
class Retries {
  #failures = 0;

  /** Waits before the next attempt, or throws `error` after too many. */
  async next(error: unknown, hasAdvanced: boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#failures = hasAdvanced ? 1 : this.#failures + 1;
    if (this.#failures > mostFailures) throw error;
    await sleep(firstWaitMilliseconds * 2 ** (this.#failures - 1), signal);
  }
}
