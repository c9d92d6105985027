import { amountOf } from '../api/amounts.js';
import type { PhaseProgress } from '../api/overall_progress.js';
import { asSusurrusError, sourceFailed, SusurrusError } from '../api/errors.js';
import type { ErrorCode } from '../api/errors.js';
import type { OpenedSource } from '../platform/platform.js';
import { abortedOr, orAborted } from '../api/signals.js';

export interface PumpOptions {
  readonly phase: PhaseProgress['phase'];
  readonly onProgress?: ((event: PhaseProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where the source is one of several: what they have together, and what came before it. */
  readonly whole?: { readonly byteCount: number; readonly before: number } | undefined;
}

/**
 * Passes the chunks of the source to `push` in order, and stops as soon as the signal is aborted. `givesAway` says whether `push`
 * may take over the chunk's memory.
 */
export async function pump(
  source: OpenedSource,
  push: (bytes: Uint8Array, givesAway: boolean) => Promise<unknown>,
  { phase, onProgress, signal, whole }: PumpOptions,
): Promise<void> {
  const { chunks, byteCount, name = 'source' } = source;
  let loaded = whole?.before ?? 0;
  const total = whole?.byteCount ?? byteCount;
  const report = (): void =>
    onProgress?.({
      phase,
      loaded,
      ...(total !== undefined && {
        total,
        fraction: total === 0 ? 1 : Math.min(1, loaded / total),
      }),
    });
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    report();
    for (;;) {
      const next = await orAborted(readNext(iterator, name, loaded, total, signal), signal);
      if (next.done) break;
      const { length } = next.value; // read first: a transferred buffer has length 0
      await orAborted(push(next.value, source.givesAway === true), signal);
      loaded += length;
      report();
    }
  } catch (error) {
    // Not awaited: a source that hangs must not block its reader.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
    throw error;
  }
}

async function readNext(
  iterator: AsyncIterator<Uint8Array>,
  name: string,
  loaded: number,
  total: number | undefined,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (error) {
    if (error instanceof SusurrusError) throw error;
    const { message: got } = asSusurrusError(error);
    const problem = `reading it failed after ${amountOf(loaded, total)}`;
    throw abortedOr(signal, sourceFailed(name, problem, { offset: loaded, got }, error));
  }
}

/** Errors that may mean that a wrong file was fetched. */
const aboutTheFormat = new Set<ErrorCode>([
  ...(['unknown_format', 'unsupported_feature', 'unsupported_version'] as const),
  'truncated_input',
]);

/** Where a file is from, for messages. */
export type Origin = Pick<OpenedSource, 'name' | 'remark'>;

/** A format error of something that was fetched says from where, and what the server called it. */
export function withOrigin(error: unknown, { name, remark }: Origin): unknown {
  if (!(error instanceof SusurrusError) || name === undefined) return error;
  if (!aboutTheFormat.has(error.code)) return error;
  const origin = remark === undefined ? name : `${name} (${remark})`;
  return new SusurrusError(
    error.code,
    `${error.message} Source: ${origin}.`,
    error.details,
    error.cause,
  );
}
