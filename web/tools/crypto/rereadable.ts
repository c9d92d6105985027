import { invalidOption } from '../../src/api/errors.js';

/** Rejects what can be read only once. */
export function checkRereadable(source: unknown): void {
  const isRereadable =
    typeof source === 'string' ||
    source instanceof URL ||
    source instanceof Blob ||
    source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source);
  if (isRereadable) return;
  throw invalidOption(
    'source',
    'something that can be read twice: a path, URL, Blob or bytes',
    source,
  );
}
