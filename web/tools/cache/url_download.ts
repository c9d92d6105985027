// A file of a server, from its first byte to its last: what is kept of it, then the rest from the network, which may be cut.
import { sourceFailed } from '../../src/api/errors.js';
import { throwIfAborted } from '../../src/api/signals.js';
import type { ByteRange, ProgressEvent } from '../../src/api/types.js';
import { streamChunks } from '../../src/sources/blob_source.js';
import {
  changed,
  continues,
  factsOf,
  request,
  type AskedFile,
  type UrlFacts,
} from '../../src/sources/file_answers.js';
import { checkAnswer, discard, remarkOn } from '../../src/sources/open_source.js';
import { isWorthRetrying, Retries } from '../../src/sources/retries.js';
import { validatorOf } from '../../src/sources/validator.js';
import type { DownloadFile } from '../hub/partial_download.js';
import { isThere } from '../hub/same_bytes.js';

const pieceBytes = 1 << 20;

export interface UrlTask extends AskedFile {
  /** What is kept of the file, and of which state of it. Only read and cleared here. */
  readonly file: DownloadFile | undefined;
  readonly known: UrlFacts | undefined;
  /** What is wrong of the kept file, or not there; without it, what is behind its end. In order. */
  readonly missing?: readonly ByteRange[] | undefined;
}

export interface UrlPiece {
  readonly bytes: Uint8Array;
  /** Where they begin in the file. */
  readonly at: number;
  /** It is kept already. */
  readonly isKept: boolean;
  readonly progress: ProgressEvent;
}

export interface UrlDownload {
  readonly facts: UrlFacts;
  /** Bytes that are kept and come first. */
  readonly keptBytes: number;
  readonly remark?: string;
  readonly pieces: () => AsyncGenerator<UrlPiece, undefined>;
}

/** Asks the server before the first byte is passed on, so that a part of another state of the file is never used. */
export async function openUrlDownload(task: UrlTask): Promise<UrlDownload> {
  const { url, file, known } = task;
  let here = file?.byteCount ?? 0;
  // Of a file that nobody can tell from others no piece is asked for: all of it comes again.
  const isBad = task.missing !== undefined && known?.validator === undefined;
  if (file && task.missing && known && !isBad) {
    const spans = spansAround(task.missing, known);
    return { facts: known, keptBytes: here, pieces: () => run(task, spans, known) };
  }
  const isWhole = !isBad && here > 0 && here === known?.byteCount;
  // Without a validator nobody could tell whether the rest belongs to the part.
  const isUsable = known?.validator !== undefined && here < (known.byteCount ?? Infinity);
  if (here > 0 && !isWhole && !isUsable) {
    await file?.clear();
    here = 0;
  }
  if (isWhole) {
    return {
      facts: known,
      keptBytes: here,
      pieces: () => run(task, spansBehind(here, known), known),
    };
  }
  let answer = await request(task, here, known?.validator);
  if (here > 0 && !(answer.status === 206 && continues(answer, here, known))) {
    // A refusal says nothing about the part, which stays.
    if (answer.status !== 416) checkAnswer(answer, url);
    // The whole of another state, or a server that knows no ranges: start over.
    await file?.clear();
    here = 0;
    if (answer.status !== 200) {
      discard(answer);
      answer = await request(task, 0);
    }
  }
  const remark = checkAnswer(answer, url);
  const facts = here > 0 && known ? known : factsOf(answer);
  const pieces = () => run(task, spansBehind(here, facts), facts, answer);
  return { facts, keptBytes: here, remark, pieces };
}

/** A part of the file, and where it comes from. */
interface Span {
  readonly begin: number;
  /** Infinity where the file's length is unknown. */
  readonly end: number;
  readonly isKept: boolean;
}

/** What is kept, and the rest. */
const spansBehind = (keptBytes: number, { byteCount = Infinity }: UrlFacts): readonly Span[] => [
  { begin: 0, end: keptBytes, isKept: true },
  { begin: keptBytes, end: byteCount, isKept: false },
];

/** What is missing, and what is kept between. */
function spansAround(
  missing: readonly ByteRange[],
  { byteCount = Infinity }: UrlFacts,
): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { begin, end = byteCount } of missing) {
    spans.push({ begin: at, end: begin, isKept: true }, { begin, end, isKept: false });
    at = end;
  }
  return [...spans, { begin: at, end: byteCount, isKept: true }];
}

type Progress = (phase: ProgressEvent['phase'], loaded: number) => ProgressEvent;

/** `first`: the answer that the first span from the server begins with. */
async function* run(
  task: UrlTask,
  spans: readonly Span[],
  facts: UrlFacts,
  first?: Response,
): AsyncGenerator<UrlPiece, undefined> {
  const { byteCount: total } = facts;
  const progress: Progress = (phase, loaded) => ({
    ...{ phase, loaded },
    ...(total !== undefined && { total, fraction: total === 0 ? 1 : loaded / total }),
  });
  let answer = first;
  for (const span of spans) {
    if (span.begin === span.end) continue;
    if (span.isKept) {
      yield* fromFile(task, span, progress);
    } else {
      yield* fromServer(task, span, facts, progress, answer);
      answer = undefined;
    }
  }
}

async function* fromFile(
  { file, url }: UrlTask,
  { begin, end }: Span,
  progress: Progress,
): AsyncGenerator<UrlPiece> {
  for (let at = begin; at < end;) {
    const bytes = new Uint8Array(Math.min(pieceBytes, end - at));
    const count = await file?.read(bytes, at);
    if (!count) throw sourceFailed(url, 'what is kept of it became shorter while it was read');
    // A copy of its own where it is shorter: whole buffers are not copied on their way.
    const piece = count === bytes.length ? bytes : bytes.slice(0, count);
    yield { bytes: piece, at, isKept: true, progress: progress('cache', at + count) };
    at += count;
  }
}

/** The connection may be cut; another one goes on. */
async function* fromServer(
  task: UrlTask,
  span: Span,
  facts: UrlFacts,
  progress: Progress,
  first: Response | undefined,
): AsyncGenerator<UrlPiece> {
  const { url, signal } = task;
  const { byteCount: total } = facts;
  let at = span.begin;
  const retries = new Retries();
  for (let answer = first; at < span.end; answer = undefined) {
    const before = at;
    let cut: unknown;
    try {
      for await (const bytes of rest(task, at, span.end, facts, answer)) {
        const begin = at;
        at += bytes.length;
        yield { bytes, at: begin, isKept: false, progress: progress('download', at) };
      }
      if (total === undefined || at === span.end) return;
      cut = new Cut('the connection ended early');
    } catch (error) {
      cut = error;
    }
    throwIfAborted(signal);
    if (!(cut instanceof Cut)) throw cut;
    const of = total === undefined ? '' : ` of ${total}`;
    const failure = sourceFailed(
      url,
      `the connection was cut after ${at}${of} bytes, and trying again did not help`,
      { got: cut.message },
      cut,
    );
    // Without its length nobody knows whether a file is over; what came without one is not gone on with. Nor is what cannot be told
    // from another state of the file, neither by the server nor by what is here.
    if (total === undefined || (facts.validator === undefined && !task.file)) throw failure;
    await retries.next(failure, at > before, signal);
  }
}

/** A connection that failed, so that another one may do better. */
class Cut extends Error {}

/** The bytes from `at` to `end`, from one connection. */
async function* rest(
  task: UrlTask,
  at: number,
  end: number,
  facts: UrlFacts,
  first: Response | undefined,
): AsyncGenerator<Uint8Array> {
  const { url } = task;
  let answer = first;
  let known = 0;
  let here = 0;
  if (!answer) {
    const hasState = facts.validator !== undefined;
    try {
      answer = await request(
        task,
        hasState ? at : 0,
        facts.validator,
        hasState && end < (facts.byteCount ?? 0) ? end : undefined,
      );
    } catch (error) {
      throw new Cut(String(error), { cause: error });
    }
    if (isWorthRetrying(answer.status)) {
      discard(answer);
      throw new Cut(remarkOn(answer));
    }
    checkAnswer(answer, url);
    const isSame = validatorOf(answer) === facts.validator;
    // A server that knows no ranges: what is here comes once more.
    if (answer.status === 200 && isSame) known = here = at;
    else if (!continues(answer, at, facts)) {
      discard(answer);
      throw changed(url, answer);
    }
  }
  if (!answer.body) return;
  /** A server may send more than it is asked for. */
  const isToEnd = end === (facts.byteCount ?? Infinity);
  let left = end - at;
  const chunks = streamChunks(answer.body, task.signal);
  try {
    for (;;) {
      let step: IteratorResult<Uint8Array, undefined>;
      try {
        step = await chunks.next();
      } catch (error) {
        throw new Cut(String(error), { cause: error });
      }
      if (step.done) return;
      let bytes = known > 0 ? step.value.slice(known) : step.value;
      const again = step.value.subarray(0, step.value.length - bytes.length);
      const isNew = facts.validator === undefined && task.file !== undefined;
      if (isNew && !(await isThere(task.file, again, here - known))) throw changed(url, answer);
      known -= again.length;
      if (bytes.length === 0) continue;
      if (bytes.length > left) {
        if (isToEnd) throw changed(url, answer);
        bytes = bytes.slice(0, left);
      }
      left -= bytes.length;
      yield bytes;
      if (left === 0 && !isToEnd) return;
    }
  } finally {
    await chunks.return?.();
  }
}
