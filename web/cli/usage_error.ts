// What the command line itself refuses, as opposed to what a call of the package refuses.
import { SusurrusError } from '../src/node.js';

/** EX_USAGE of sysexits.h: 1 to 9 are groups of the package's errors. */
export const usageStatus = 64;

class UsageError extends SusurrusError {}

export function usageError(message: string, subject?: string): SusurrusError {
  return new UsageError('invalid_argument', message, {
    reason: 'option',
    ...(subject !== undefined && { subject }),
  });
}

/** `instanceof` is true of every SusurrusError. */
export const isUsageError = (error: unknown): error is SusurrusError =>
  error instanceof Error && error.constructor === UsageError;
