// Errors of loading models that are kept.
import { sourceFailed, SusurrusError } from '../api/errors.js';

export const notKept = (title: string, dtype?: string): SusurrusError =>
  sourceFailed(title, `it is not kept here${dtype ? ` as ${dtype}` : ''}, and cache is 'only'`);

/** Errors that other bytes would not have. A wrong key is the caller's, and memory that is used up nobody's. */
export function isAboutBytes(error: unknown): boolean {
  const others = new Set([
    ...['aborted', 'invalid_argument', 'wrong_state', 'decryption_failed', 'signature_invalid'],
    ...['out_of_memory', 'unsupported_environment', 'internal_error'],
  ]);
  return error instanceof SusurrusError && !others.has(error.code);
}
