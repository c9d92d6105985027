import type { ProgressEvent } from '../api_types.js';
import { abortedBy, asSusurrusError, sourceFailed, SusurrusError } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import type { OpenedSource } from '../platform/platform.js';

export interface PumpOptions {
  readonly phase: ProgressEvent['phase'];
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where the source is one of several: what they have together, and what came before it. */
  readonly whole?: { readonly byteCount: number; readonly before: number } | undefined;
}

/**
 * Gives every chunk of the source to `push`, one after the other, and stops at once when the signal says so. `push` is told
 * whether the chunk's memory may go along with it.
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
  const aborted = whenAborted(signal);
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    report();
    for (;;) {
      const next = await Promise.race([readNext(iterator, name), aborted.promise]);
      if (next.done) break;
      const { length } = next.value; // which is gone where the bytes are given away
      await Promise.race([push(next.value, source.givesAway === true), aborted.promise]);
      loaded += length;
      report();
    }
  } catch (error) {
    // Not awaited: a source that hangs must not keep its reader waiting.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
    throw error;
  } finally {
    aborted.forget();
  }
}

async function readNext(
  iterator: AsyncIterator<Uint8Array>,
  name: string,
): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (error) {
    if (error instanceof SusurrusError) throw error;
    throw sourceFailed(name, 'reading it failed', { got: asSusurrusError(error).message }, error);
  }
}

/** A promise that only ever rejects, when the signal is aborted. */
function whenAborted(signal: AbortSignal | undefined): {
  promise: Promise<never>;
  forget: () => void;
} {
  if (!signal) return { promise: new Promise(() => undefined), forget: () => undefined };
  let onAbort = (): void => undefined;
  const promise = new Promise<never>((_, failed) => {
    onAbort = () => failed(abortedBy(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  promise.catch(() => undefined);
  return { promise, forget: () => signal.removeEventListener('abort', onAbort) };
}

/** What may come of another file than was meant. */
const aboutTheFormat = new Set<ErrorCode>([
  ...(['unknown_format', 'unsupported_feature', 'unsupported_version'] as const),
  'truncated_input',
]);

/** A format error of something that was fetched says from where, and what the server called it. */
export function withOrigin(error: unknown, { name, remark }: OpenedSource): unknown {
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
