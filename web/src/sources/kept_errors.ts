// Errors of loading cached models.
import { sourceFailed, SusurrusError, wrongState } from '../api/errors.js';

export const notKept = (title: string, dtype?: string): SusurrusError =>
  sourceFailed(title, `it is not kept here${dtype ? ` as ${dtype}` : ''}, and cache is 'only'`);

/** `problem` begins with "not kept: ". */
export const notKeepable = (problem: string): SusurrusError =>
  wrongState(`The model is ${problem}.`, 'cache');

/** A piece of a file that is not what the file's digests or its signature say; the rest may be right. */
export const isAboutPiece = (error: unknown): boolean =>
  error instanceof SusurrusError && error.details.subject?.includes('piece_digests[') === true;

/** Whether other bytes could avoid the error. They cannot for a wrong key, a lack of memory or a family that was not asked for. */
export function isAboutBytes(error: unknown): boolean {
  if (error instanceof SusurrusError && error.details.subject === 'family') return false;
  if (isAboutPiece(error)) return true;
  const others = new Set([
    'aborted',
    'invalid_argument',
    'wrong_state',
    'decryption_failed',
    'signature_invalid',
    'out_of_memory',
    'unsupported_environment',
    'internal_error',
  ]);
  return error instanceof SusurrusError && !others.has(error.code);
}

/** Whether the error is about bytes that arrived, not about a connection that brought none. */
export const isAboutContent = (error: unknown): boolean =>
  isAboutBytes(error) && (error as SusurrusError).code !== 'source_failed';
