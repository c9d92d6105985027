import { errorNumbers, type ErrorCode, type ErrorReason } from './generated/errors.js';

export { errorNumbers, type ErrorCode, type ErrorReason };

/** Where it went wrong, and what was expected there. Absent where a detail has no meaning. */
export interface ErrorDetails {
  /** The class of the rejection, finer than the code and as stable: `'bad_index'`, `'option'`. */
  readonly reason?: ErrorReason;
  /** Byte offset in the file. */
  readonly offset?: number;
  /** The field, tensor, option or file concerned. */
  readonly subject?: string;
  readonly expected?: string;
  readonly got?: string;
}

/**
 * Every error of this package. Switch on `code`; the message is for people and may change. Work that the caller's signal stops rejects with
 * `signal.reason` instead.
 */
export class SusurrusError extends Error {
  override readonly name = 'SusurrusError';
  /** Code that a page downloads later has a class of its own; its errors count as instances too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && 'code' in value && value.name === 'SusurrusError';
  }
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** An error that may cross to and from a worker. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

export function toErrorMessage(error: unknown): ErrorMessage {
  const { code, message, details } = asSusurrusError(error);
  return { code, message, details };
}

export function fromErrorMessage({ code, message, details }: ErrorMessage): SusurrusError {
  return new SusurrusError(code, message, details);
}

/** Anything thrown, as a SusurrusError: other errors are bugs of this package (`internal_error`). */
export function asSusurrusError(error: unknown): SusurrusError {
  if (error instanceof SusurrusError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new SusurrusError(
    'internal_error',
    `The engine failed: ${text}`,
    { reason: 'internal', got: text },
    error,
  );
}

/** An error about a file's bytes; its message is what it means and where that shows. */
export function fileError(
  code: ErrorCode,
  meaning: string,
  details: ErrorDetails,
  cause?: unknown,
): SusurrusError {
  const { offset, subject, expected, got } = details;
  let message = meaning.charAt(0).toUpperCase() + meaning.slice(1);
  if (subject) message += `: ${subject}`;
  if (offset !== undefined) message += ` at byte ${offset}`;
  if (expected) message += `; expected ${expected}`;
  if (got) message += `${expected ? ',' : ';'} got ${got}`;
  return new SusurrusError(code, `${message}.`, details, cause);
}

export function invalidOption(subject: string, expected: string, got: unknown): SusurrusError {
  const shown = describe(got);
  return new SusurrusError(
    'invalid_argument',
    `Option ${subject} must be ${expected}; it is ${shown}.`,
    { reason: 'option', subject, expected, got: shown },
  );
}

export function wrongState(message: string, subject?: string): SusurrusError {
  return new SusurrusError('wrong_state', message, {
    reason: 'state',
    ...(subject === undefined ? {} : { subject }),
  });
}

/** The error for a call by the name that it had before 1.0. */
export const renamed = (before: string, now: string): SusurrusError =>
  new SusurrusError('invalid_argument', `${before}() is ${now} now.`, {
    reason: 'option',
    subject: before.replace(/.*\./, ''),
    expected: now,
  });

/** The error for work that something other than the caller's signal ends. */
const stopped = (message: string, subject?: string): SusurrusError =>
  new SusurrusError('aborted', message, {
    reason: 'aborted',
    ...(subject !== undefined && { subject }),
  });

/** The error for work that dispose() interrupts. */
export const disposedDuringWork = (): SusurrusError =>
  stopped('The model was disposed during the work.', 'model');

/** The error for a transcription whose loop over the segments was left early. */
export const leftByLoop = (): SusurrusError =>
  stopped('The loop over the segments was left before their end.', 'transcription');

/** What a module's host is told when a call's signal is aborted. The other side has the signal, and rejects with its reason. */
export const stoppedByClient = (): SusurrusError => stopped('The call was stopped.');

export function sourceFailed(
  subject: string,
  problem: string,
  details: Omit<ErrorDetails, 'reason' | 'subject'> = {},
  cause?: unknown,
): SusurrusError {
  return new SusurrusError(
    'source_failed',
    `${subject}: ${problem}`,
    { reason: 'source', subject, ...details },
    cause,
  );
}

/** A value in a message: short, and never a whole array. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'number' || typeof value === 'boolean' || value == null)
    return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  const maker: unknown = Reflect.get(value, 'constructor'); // absent without a prototype
  const name = typeof maker === 'function' ? maker.name : '';
  if (!name || name === 'Object') return 'an object';
  return `${/^([AEIO]|HTML|SVG|XML)/.test(name) ? 'an' : 'a'} ${name}`;
}

/** Which file an error is about. */
export function inFile(file: string, error: unknown): unknown {
  if (!(error instanceof SusurrusError) || error.code === 'aborted') return error;
  return new SusurrusError(error.code, `${file}: ${error.message}`, error.details);
}
