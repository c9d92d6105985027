// What an engine's errors say besides, of the module and the memory that it was given.
import { SusurrusError } from '../api/errors.js';

export const notThisEngine = (cause: unknown): SusurrusError =>
  new SusurrusError(
    'invalid_argument',
    `Option module must be an engine of this version of the package: ${String(cause)}.`,
    { reason: 'option', subject: 'module', expected: 'an engine of this version' },
    cause,
  );

/** Says of memory that is used up that another engine has more. */
export function inSharedMemory(error: unknown, mostBytes: number): unknown {
  if (!(error instanceof SusurrusError) || error.code !== 'out_of_memory') return error;
  return new SusurrusError(
    error.code,
    `${error.message} The memory that threads share was made for this model, with at most ${mostBytes} bytes: ask for fewer beams, ` +
      'or load the model with threads: 1.',
    error.details,
    error.cause,
  );
}
