// A file of a server, from its first byte to its last: what is kept of it, then the rest from the network, which may be cut.
import { sourceFailed } from '../../src/api/errors.js';
import type { ByteRange } from '../../src/api/types.js';
import type { PhaseProgress } from '../../src/api/overall_progress.js';
import { download, type DownloadTask } from '../../src/sources/download.js';
import {
  continues,
  factsOf,
  request,
  type AskedFile,
  type UrlFacts,
} from '../../src/sources/file_answers.js';
import { checkAnswer, discard } from '../../src/sources/open_source.js';

const pieceBytes = 1 << 20;

export interface UrlTask extends AskedFile {
  /** What is kept of the file, and of which state of it. Only read and cleared here. */
  readonly kept?:
    (NonNullable<DownloadTask['kept']> & { readonly facts: UrlFacts | undefined }) | undefined;
  /** What is wrong of the kept file, or not there; without it, what is behind its end. In order. */
  readonly missing?: readonly ByteRange[] | undefined;
}

export interface UrlPiece {
  readonly bytes: Uint8Array;
  /** Where they begin in the file. */
  readonly at: number;
  /** It is kept already. */
  readonly isKept: boolean;
  readonly progress: PhaseProgress;
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
  const { url, kept: { file, facts: known } = {} } = task;
  let here = file?.byteCount ?? 0;
  // Without a validator the server's file may be another one by now, so the whole file is fetched again instead of pieces.
  const isBad = task.missing !== undefined && known?.validator === undefined;
  if (file && task.missing && known && !isBad) {
    const spans = spansAround(task.missing, known);
    return { facts: known, keptBytes: here, pieces: () => run(task, spans, known) };
  }
  const isWhole = !isBad && here > 0 && here === known?.byteCount;
  // Without a validator it is unknown whether the rest belongs to the part.
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

type Progress = (phase: PhaseProgress['phase'], loaded: number) => PhaseProgress;

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
  { kept, url }: UrlTask,
  { begin, end }: Span,
  progress: Progress,
): AsyncGenerator<UrlPiece> {
  for (let at = begin; at < end;) {
    const bytes = new Uint8Array(Math.min(pieceBytes, end - at));
    const count = await kept?.file?.read(bytes, at);
    if (!count) throw sourceFailed(url, 'what is kept of it became shorter while it was read');
    // A copy of its own where it is shorter: whole buffers are not copied on their way.
    const piece = count === bytes.length ? bytes : bytes.slice(0, count);
    yield { bytes: piece, at, isKept: true, progress: progress('cache', at + count) };
    at += count;
  }
}

async function* fromServer(
  { url, token, signal, kept }: UrlTask,
  { begin, end }: Span,
  facts: UrlFacts,
  progress: Progress,
  first: Response | undefined,
): AsyncGenerator<UrlPiece> {
  const open = (from: number, to?: number): Promise<Response> =>
    request({ url, token, signal }, from, facts.validator, to);
  let at = begin;
  for await (const bytes of download({ name: url, facts, open, kept, signal }, begin, end, first)) {
    const after = at + bytes.length;
    yield { bytes, at, isKept: false, progress: progress('download', after) };
    at = after;
  }
}
